//! Reads `elowen-plugin.json`: what a plugin says about itself, and where its library lies.
//!
//! Only text is looked at; no code is loaded. Keys that this host does not know are kept in
//! [`Manifest::raw`], so a manifest written for a newer host still loads.

mod config;
mod declared;
mod error;
mod fields;
mod shape;

pub use declared::{Capabilities, Declared};
pub use error::ManifestError;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use crate::folder;
use crate::os;

/// The manifest's file name, in the plugin's folder.
pub const FILE_NAME: &str = "elowen-plugin.json";
/// The `apiVersion` that a manifest must have.
pub const API_VERSION: &str = "1";
/// The number of the shared plugin API that this host stands in for; a manifest may name it in `requiresSharedApi`.
pub const SHARED_API: u64 = 1;
/// Largest manifest, in bytes.
pub const MAX_LEN: u64 = 1 << 20;

/// A manifest whose fields are right.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The plugin's name; equal to its folder's.
    pub name: String,
    /// The plugin's own version.
    pub version: String,
    /// What it is for; may be empty.
    pub description: String,
    /// The library file, relative to the folder; see [`Manifest::library_path`].
    pub entry: String,
    /// The whole object, unknown keys included, configuration fields of unknown type excluded.
    pub raw: Map<String, Value>,
    /// What was left out of it, as sentences for the log.
    pub warnings: Vec<String>,
    declared: Declared,
}

impl Manifest {
    /// Reads the manifest in `folder`, whose name must be the plugin's.
    ///
    /// # Errors
    ///
    /// As [`Manifest::parse`], and when the file cannot be read, is too large or has another plugin's name.
    pub fn read(folder: &Path) -> Result<Self, ManifestError> {
        let manifest = Self::read_anywhere(folder)?;
        match folder_name(folder) {
            Some(name) if name == OsStr::new(&manifest.name) => Ok(manifest),
            name => Err(ManifestError::Name { name: manifest.name, folder: name.unwrap_or_default() }),
        }
    }

    /// Reads the manifest in `folder`, whatever that is called: an author's folder is not yet a plugin's.
    pub(crate) fn read_anywhere(folder: &Path) -> Result<Self, ManifestError> {
        Self::parse(&text(folder.join(FILE_NAME))?)
    }

    /// Checks the text of a manifest.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong: JSON, then the shape (what is missing, then each field in turn), then what
    /// must hold within a configuration field, then `apiVersion`, then `requiresSharedApi`.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let value: Value = serde_json::from_str(text).map_err(|error| ManifestError::Json {
            line: error.line(),
            column: error.column(),
            message: match without_position(&error.to_string()) {
                "recursion limit exceeded" => "it is nested more than 127 levels deep".to_owned(),
                other => other.to_owned(),
            },
        })?;
        let Value::Object(mut raw) = value else { return Err(shape_error("/", "must be object")) };
        let missing = shape::missing(fields::MANIFEST, &raw);
        if !missing.is_empty() {
            return Err(ManifestError::Missing { fields: missing });
        }
        let warnings = config::drop_unknown(&mut raw);
        shape::check_fields(fields::MANIFEST, &raw, "").and_then(|()| config::check(&raw))?;
        let text = |key| raw.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (name, api_version) = (text("name"), text("apiVersion"));
        if api_version != API_VERSION {
            return Err(ManifestError::ApiVersion { found: api_version });
        }
        match raw.get("requiresSharedApi").and_then(Value::as_f64) {
            Some(needs) if needs != SHARED_API as f64 => {
                return Err(ManifestError::SharedApi { name, needs: needs as u64 });
            }
            _ => {}
        }
        Ok(Self {
            name,
            version: text("version"),
            description: text("description"),
            entry: text("entry"),
            warnings,
            declared: Declared::read(&raw),
            raw,
        })
    }

    /// The library in `folder`: the file that `entry` names, exactly or without the system's prefix and suffix
    /// (`hello` finds `libhello.so`, `libhello.dylib` or `hello.dll`). The answer is absolute. Links are not
    /// looked behind.
    ///
    /// # Errors
    ///
    /// When `entry` leads out of the folder, or names nothing.
    pub fn library_path(&self, folder: &Path) -> Result<PathBuf, ManifestError> {
        let folder = folder::real(folder);
        let exact = resolved(&folder.join(&self.entry));
        if !exact.starts_with(&folder) {
            return Err(ManifestError::Escapes { entry: self.entry.clone() });
        }
        let mut candidates = vec![exact.clone()];
        if let Some(name) = exact.file_name().filter(|_| exact != folder) {
            candidates.push(exact.with_file_name(os::library_file_name(name)));
        }
        if let Some(found) = candidates.iter().find(|path| is_file_or_link(path)) {
            return Ok(found.clone());
        }
        let names = candidates.iter().map(|path| match path.strip_prefix(&folder) {
            Ok(rest) if rest.as_os_str().is_empty() => "a file, and that is the folder itself".to_owned(),
            Ok(rest) => format!("{rest:?}"),
            Err(_) => format!("{path:?}"),
        });
        let looked_for = names.collect::<Vec<_>>().join(" and ");
        Err(ManifestError::NoLibrary { entry: self.entry.clone(), folder, looked_for })
    }
}

fn shape_error(at: &str, message: &str) -> ManifestError {
    ManifestError::Shape { at: at.to_owned(), message: message.to_owned() }
}

impl From<shape::Mismatch> for ManifestError {
    fn from(shape::Mismatch { at, message }: shape::Mismatch) -> Self {
        ManifestError::Shape { at, message }
    }
}

fn text(path: PathBuf) -> Result<String, ManifestError> {
    let mut bytes = Vec::new();
    let read = os::open_readable(&path).and_then(|file| {
        if !file.metadata()?.is_file() {
            return Ok(false);
        }
        file.take(MAX_LEN + 1).read_to_end(&mut bytes)?;
        Ok(true)
    });
    match read {
        Err(source) => Err(ManifestError::Read { path, source }),
        Ok(false) => Err(ManifestError::NotRegular { path }),
        Ok(true) if bytes.len() as u64 > MAX_LEN => Err(ManifestError::TooLarge { path }),
        Ok(true) => String::from_utf8(bytes)
            .map_err(|error| ManifestError::NotUtf8 { path, offset: error.utf8_error().valid_up_to() }),
    }
}

/// The parser repeats the position in its text; the error has it in fields.
fn without_position(message: &str) -> &str {
    message.rfind(" at line ").and_then(|at| message.get(..at)).unwrap_or(message)
}

fn folder_name(folder: &Path) -> Option<OsString> {
    match folder.file_name() {
        Some(name) => Some(name.to_owned()),
        // `.` and `..` have a name only on the disk.
        None => fs::canonicalize(folder).ok()?.file_name().map(OsStr::to_owned),
    }
}

/// Takes `.` and `..` out of a path, without looking at the disk: that is how the platform reads `entry`.
fn resolved(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

fn is_file_or_link(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(metadata) => !metadata.is_dir(),
        // It may be there; opening it will say what is wrong.
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    }
}

#[cfg(test)]
mod field_tests;
#[cfg(test)]
mod tests;
