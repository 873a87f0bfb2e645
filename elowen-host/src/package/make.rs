//! Runs `make` in a plugin's folder whose library is not there yet, or older than its sources.
//!
//! For plugins that are not Rust, such as `examples/c-hello`. Whether a library is outdated is judged by the
//! sources beside it; `make` itself then knows the rest.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::manifest::Manifest;

const SOURCES: [&str; 9] = ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "zig"];
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Why `make` was of no use.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// It did not start.
    #[error(
        "the plugin's library in {folder:?} is missing or older than its sources, and `make`, which builds it, \
         could not be started: {source}. Install make, or build the library some other way"
    )]
    Start {
        /// The plugin's folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It failed; it has said why.
    #[error("`make` in {folder:?} did not build the plugin ({status}); see what it said above")]
    Failed {
        /// The plugin's folder.
        folder: PathBuf,
        /// How it ended.
        status: String,
    },
}

/// Runs `make` if the folder has a Makefile and its library is missing or outdated. What it prints goes to stderr.
pub(super) fn if_outdated(folder: &Path) -> Result<(), MakeError> {
    let has_makefile = MAKEFILES.iter().any(|name| folder.join(name).is_file());
    // A manifest that cannot be read is for the loader to report.
    let Ok(manifest) = Manifest::read(folder) else { return Ok(()) };
    if !has_makefile || !is_outdated(folder, &manifest) {
        return Ok(());
    }
    let mut make = Command::new("make");
    make.arg("-C").arg(folder).stdin(Stdio::null()).stdout(io::stderr());
    // Those of a `make` around us are not this one's.
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
        make.env_remove(name);
    }
    let status = make.status().map_err(|source| MakeError::Start { folder: folder.to_path_buf(), source })?;
    if status.success() {
        Ok(())
    } else {
        Err(MakeError::Failed { folder: folder.to_path_buf(), status: status.to_string() })
    }
}

fn is_outdated(folder: &Path, manifest: &Manifest) -> bool {
    let Some(built) = manifest.library_path(folder).ok().and_then(|library| modified(&library)) else {
        return true;
    };
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let sources = entries.flatten().map(|entry| entry.path()).filter(|path| is_source(path));
    sources.filter_map(|source| modified(&source)).any(|changed| changed > built)
}

fn is_source(path: &Path) -> bool {
    let is_one_of =
        |names: &[&str], name: Option<&OsStr>| name.is_some_and(|name| names.iter().any(|n| name == *n));
    is_one_of(&SOURCES, path.extension()) || is_one_of(&MAKEFILES, path.file_name())
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::Duration;

    #[test]
    fn a_library_is_outdated_when_missing_or_older_than_a_source() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = r#"{"name":"p","version":"1","apiVersion":"1","description":"","entry":"p"}"#;
        let manifest = Manifest::parse(manifest).unwrap();
        let write = |name: &str, age: u64| {
            let file = File::create(dir.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        write("p.c", 100);
        assert!(is_outdated(dir.path(), &manifest));
        write("p", 50);
        write("README.md", 0);
        assert!(!is_outdated(dir.path(), &manifest));
        write("Makefile", 10);
        assert!(is_outdated(dir.path(), &manifest));
    }
}
