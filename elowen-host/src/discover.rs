//! Lists the plugin folders of a directory, in an order that does not depend on the file system.
//!
//! Only manifests are read. A broken one is part of the answer, so that it can be reported without taking its
//! neighbours down; a folder without one is none of our business.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder;
use crate::manifest::{FILE_NAME, Manifest, ManifestError};

/// A folder that has a manifest.
#[derive(Debug)]
pub struct Found {
    /// The folder, below the directory that was searched.
    pub folder: PathBuf,
    /// The folder's name, for people; what is not UTF-8 in it is replaced.
    pub name: String,
    /// The manifest, or why it cannot be used.
    pub manifest: Result<Manifest, ManifestError>,
}

/// The directory could not be listed.
#[derive(thiserror::Error)]
#[error("cannot list the plugin directory {dir:?}: {source}")]
pub struct DiscoverError {
    /// The directory.
    pub dir: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl fmt::Debug for DiscoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The folders in `dir` that have a manifest, by the bytes of their names. A directory that does not exist has
/// none. The folders are absolute.
///
/// # Errors
///
/// When `dir` is there but cannot be listed.
pub fn discover(dir: &Path) -> Result<Vec<Found>, DiscoverError> {
    let dir = &folder::real(dir);
    let failed = |source| DiscoverError { dir: dir.to_path_buf(), source };
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed)?,
    };
    let mut names = entries
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<io::Result<Vec<_>>>()
        .map_err(failed)?;
    names.sort_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    let found =
        names.into_iter().map(|name| (dir.join(&name), name)).filter(|(folder, _)| has_manifest(folder));
    Ok(found
        .map(|(folder, name)| Found {
            manifest: Manifest::read(&folder),
            name: name.to_string_lossy().into_owned(),
            folder,
        })
        .collect())
}

/// A manifest that is there but out of reach counts: its error is worth reporting.
fn has_manifest(folder: &Path) -> bool {
    !fs::symlink_metadata(folder.join(FILE_NAME)).is_err_and(|error| folder::is_absence(&error))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn plugin(dir: &Path, name: &str) {
        fs::create_dir(dir.join(name)).unwrap();
        let manifest =
            format!(r#"{{"name":{name:?},"version":"1","apiVersion":"1","description":"","entry":"lib"}}"#);
        fs::write(dir.join(name).join(FILE_NAME), manifest).unwrap();
    }

    fn names(dir: &Path) -> Vec<String> {
        discover(dir).unwrap().into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn folders_come_in_the_order_of_their_bytes() {
        let dir = TempDir::new().unwrap();
        for name in ["zeta", "Mike", "alpha", "\u{e9}t\u{e9}", "alpha2"] {
            plugin(dir.path(), name);
        }
        assert_eq!(names(dir.path()), ["Mike", "alpha", "alpha2", "zeta", "\u{e9}t\u{e9}"]);
    }

    #[test]
    fn what_is_no_plugin_folder_is_skipped() {
        let dir = TempDir::new().unwrap();
        plugin(dir.path(), "real");
        fs::create_dir(dir.path().join("no-manifest")).unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        assert_eq!(names(dir.path()), ["real"]);
    }

    #[test]
    fn a_directory_that_does_not_exist_has_no_plugins() {
        let dir = TempDir::new().unwrap();
        assert_eq!(names(&dir.path().join("absent")), [""; 0]);
    }

    #[test]
    fn a_directory_that_cannot_be_listed_is_named() {
        let dir = TempDir::new().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        assert!(discover(&file).unwrap_err().to_string().contains("file\": "));
    }

    #[test]
    fn a_broken_manifest_is_reported_beside_its_sound_neighbours() {
        let dir = TempDir::new().unwrap();
        plugin(dir.path(), "a-good");
        plugin(dir.path(), "b-bad");
        fs::write(dir.path().join("b-bad").join(FILE_NAME), "{ not json").unwrap();
        fs::create_dir_all(dir.path().join("c-odd").join(FILE_NAME)).unwrap();
        plugin(dir.path(), "d-good");
        let found = discover(dir.path()).unwrap();
        assert!(found[0].manifest.is_ok() && found[3].manifest.is_ok());
        assert!(matches!(found[1].manifest, Err(ManifestError::Json { line: 1, column: 3, .. })));
        assert!(matches!(found[2].manifest, Err(ManifestError::NotRegular { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_cannot_be_reached_is_reported_and_not_taken_for_absent() {
        let dir = TempDir::new().unwrap();
        plugin(dir.path(), "real");
        std::os::unix::fs::symlink("loop", dir.path().join("loop")).unwrap();
        std::os::unix::fs::symlink("gone", dir.path().join("dangling")).unwrap();
        let found = discover(dir.path()).unwrap();
        assert_eq!(found.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["loop", "real"]);
        assert!(matches!(found[0].manifest, Err(ManifestError::Read { .. })));
    }

    #[test]
    fn folders_are_absolute_and_without_parents() {
        let dir = TempDir::new().unwrap();
        plugin(dir.path(), "real");
        let found = discover(&dir.path().join("real/..")).unwrap();
        assert_eq!(found[0].folder, dir.path().canonicalize().unwrap().join("real"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_whose_name_is_not_utf8_is_an_error_of_its_own() {
        use std::os::unix::ffi::OsStrExt as _;
        let dir = TempDir::new().unwrap();
        plugin(dir.path(), "a");
        fs::rename(dir.path().join("a"), dir.path().join(std::ffi::OsStr::from_bytes(b"a\xff"))).unwrap();
        let found = discover(dir.path()).unwrap();
        assert_eq!(found[0].name, "a\u{fffd}");
        let error = found[0].manifest.as_ref().unwrap_err().to_string();
        assert_eq!(error, r#"manifest name "a" != folder "a\xFF""#);
    }
}
