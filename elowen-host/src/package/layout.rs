//! Lays out a plugin's folder from a built crate: `<out>/<name>/` with manifest and library.
//!
//! Files are written beside their place and renamed into it, so a host that is just reading the folder sees the
//! old file or the new one.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde_json::json;

use super::Built;
use crate::blob;
use crate::folder;
use crate::manifest::{API_VERSION, FILE_NAME, Manifest, ManifestError};
use crate::os;

/// A plugin's folder, just laid out.
#[derive(Clone, Debug)]
pub struct Packaged {
    /// The folder; its name is the plugin's.
    pub folder: PathBuf,
    /// The plugin's name, as its manifest has it.
    pub name: String,
    /// The plugin's version, as its manifest has it.
    pub version: String,
}

/// Why a built crate was not packaged.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The crate's own plugin manifest is wrong.
    #[error("the plugin manifest in {folder:?} cannot be used: {source}. {}", source.remedy())]
    Manifest {
        /// The crate's folder.
        folder: PathBuf,
        /// What is wrong.
        source: ManifestError,
    },
    /// The plugin's name is no name for a folder.
    #[error("plugin name {name:?} cannot be a folder's name: correct `name` in {FILE_NAME}")]
    Name {
        /// The name.
        name: String,
    },
    /// The manifest names another library than the crate's.
    #[error(
        "entry {entry:?} in {FILE_NAME} is not the library that the crate makes: write \"entry\": {stem:?}"
    )]
    Entry {
        /// The manifest's `entry`.
        entry: String,
        /// What it should be.
        stem: String,
    },
    /// Reading the library or writing failed.
    #[error("{path:?} cannot be read or written: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Makes the folder of the plugin that was built from `crate_dir`, below `out`.
///
/// The crate's own `elowen-plugin.json` is used if it has one; else a minimal one is written from what the library
/// says of itself (`#[plugin(name = "..")]`, else the package's name) and the package's version and description.
///
/// # Errors
/// If the crate's manifest is wrong or names another library, or `out` cannot be written to.
pub fn package(crate_dir: &Path, built: &Built, out: &Path) -> Result<Packaged, PackageError> {
    let text = match own_manifest(crate_dir)? {
        Some(text) => text,
        None => minimal(built)?,
    };
    let manifest = checked(crate_dir, &text)?;
    let folder = out.join(&manifest.name);
    let library = folder.join(place(&manifest, built)?);
    let library_folder = library.parent().unwrap_or(&folder);
    make_folder(library_folder)?;
    make_folder(&folder)?;
    replace(&library, |temporary| fs::copy(&built.library, temporary).map(drop))?;
    // Last, so that a new folder becomes a plugin's only when it is complete.
    replace(&folder.join(FILE_NAME), |temporary| fs::write(temporary, &text))?;
    Ok(Packaged { folder, name: manifest.name, version: manifest.version })
}

/// The text of the crate's own manifest, if it has one, which is checked as far as that goes without the library.
pub(super) fn own_manifest(crate_dir: &Path) -> Result<Option<String>, PackageError> {
    let own = crate_dir.join(FILE_NAME);
    if fs::symlink_metadata(&own).is_err_and(|error| folder::is_absence(&error)) {
        return Ok(None);
    }
    let wrong = |source| PackageError::Manifest { folder: crate_dir.to_path_buf(), source };
    Manifest::read_anywhere(crate_dir).map_err(wrong)?;
    let text = fs::read_to_string(&own).map_err(|source| wrong(ManifestError::Read { path: own, source }))?;
    checked(crate_dir, &text)?;
    Ok(Some(text))
}

fn checked(crate_dir: &Path, text: &str) -> Result<Manifest, PackageError> {
    let manifest = Manifest::parse(text)
        .map_err(|source| PackageError::Manifest { folder: crate_dir.to_path_buf(), source })?;
    if folder::is_name(&manifest.name) {
        Ok(manifest)
    } else {
        Err(PackageError::Name { name: manifest.name })
    }
}

fn minimal(built: &Built) -> Result<String, PackageError> {
    let failed = |source| PackageError::Write { path: built.library.clone(), source };
    // A library that says nothing of itself is refused when it is loaded, with the reason.
    let said = blob::read(&fs::read(&built.library).map_err(failed)?).ok().map(|blob| blob.plugin.name);
    let manifest = json!({
        "name": said.filter(|name| !name.is_empty()).unwrap_or_else(|| built.name.clone()),
        "version": built.version,
        "apiVersion": API_VERSION,
        "description": built.description,
        "entry": stem(&built.library),
    });
    Ok(format!("{manifest:#}\n"))
}

/// `hello` for `libhello.so`.
fn stem(library: &Path) -> String {
    let stem = library.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_prefix(std::env::consts::DLL_PREFIX).unwrap_or(&stem).to_owned()
}

/// Where the manifest expects the library, relative to the folder.
fn place(manifest: &Manifest, built: &Built) -> Result<PathBuf, PackageError> {
    let file = built.library.file_name().unwrap_or_default();
    let entry = Path::new(&manifest.entry);
    let inside = entry.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let names_it = |name: &OsStr| name == file || os::library_file_name(name) == file;
    if inside && entry.file_name().is_some_and(names_it) {
        Ok(entry.with_file_name(file))
    } else {
        Err(PackageError::Entry { entry: manifest.entry.clone(), stem: stem(&built.library) })
    }
}

fn make_folder(path: &Path) -> Result<(), PackageError> {
    let made = fs::create_dir_all(path).and_then(|()| os::deny_others_writing(path));
    made.map_err(|source| PackageError::Write { path: path.to_path_buf(), source })
}

/// Writes a file beside `path` and renames it there.
fn replace(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), PackageError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".tmp-{}", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = write(&temporary)
        .and_then(|()| os::deny_others_writing(&temporary))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        let _ = fs::remove_file(&temporary);
        PackageError::Write { path: path.to_path_buf(), source }
    })
}

#[cfg(test)]
mod tests;
