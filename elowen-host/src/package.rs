//! Makes of what an author has (a crate, or a folder with a Makefile) what the host loads: a plugin's folder.
//!
//! [`build`] lets Cargo compile a crate, [`package()`] lays out `<out>/<name>/` with manifest and library, and
//! [`open`] decides which of the two, if any, a path on the command line needs. Nothing of a plugin is loaded
//! here; what a build script does is the author's.

mod build;
mod cargo;
mod layout;
mod make;

use std::path::{Path, PathBuf};
use std::{fmt, io};

pub use build::{BuildError, BuildOptions, Built, Profile, build};
pub use cargo::command as cargo_command;
pub use layout::{PackageError, Packaged, package};
pub use make::MakeError;

use crate::folder;
use crate::manifest::FILE_NAME;

/// A plugin's folder, ready to be loaded.
#[derive(Debug)]
pub struct Opened {
    /// The folder.
    pub folder: PathBuf,
    /// What was packaged for it just now, if it was a crate.
    pub packaged: Option<Packaged>,
}

/// What a path on the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A crate, which is to be built.
    Crate,
    /// A plugin's folder.
    Folder,
}

/// Why a path is not, and does not become, a plugin's folder.
#[derive(thiserror::Error)]
pub enum OpenError {
    /// Nothing there.
    #[error("{path:?} does not exist: name a plugin's folder or a crate's")]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// Something may be there, but this user cannot look.
    #[error(
        "{path:?} cannot be looked at: {source}. Make it and the folders above it readable for this user"
    )]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something else than a folder.
    #[error("{path:?} is not a folder: name the folder that holds {FILE_NAME} or Cargo.toml")]
    NotAFolder {
        /// The path as given.
        path: PathBuf,
    },
    /// A folder without any of the files that would tell what it is.
    #[error(
        "{path:?} is no plugin: looked there for {FILE_NAME} (a plugin's folder) and Cargo.toml (a crate to \
         build) and found neither"
    )]
    NoPlugin {
        /// The path as given.
        path: PathBuf,
    },
    /// The crate does not build.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The crate cannot be packaged.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// `make` does not build it.
    #[error(transparent)]
    Make(#[from] MakeError),
}

impl fmt::Debug for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What the path names. A folder that is both is a crate.
///
/// # Errors
/// If it is neither, or cannot be looked at.
pub fn kind(path: &Path) -> Result<Kind, OpenError> {
    let path = || folder::real(path);
    let unreadable = |path, source| Err(OpenError::Unreadable { path, source });
    for (file, kind) in [(cargo::MANIFEST, Kind::Crate), (FILE_NAME, Kind::Folder)] {
        match std::fs::symlink_metadata(path().join(file)) {
            // A folder of that name is no manifest of Cargo's; of a plugin's the loader will say so.
            Ok(metadata) if kind == Kind::Crate && metadata.is_dir() => {}
            Ok(_) => return Ok(kind),
            Err(error) if folder::is_absence(&error) => {}
            Err(error) => return unreadable(path().join(file), error),
        }
    }
    Err(match path().metadata() {
        Err(error) if folder::is_absence(&error) => OpenError::Missing { path: path() },
        Err(error) => return unreadable(path(), error),
        Ok(metadata) if !metadata.is_dir() => OpenError::NotAFolder { path: path() },
        Ok(_) => OpenError::NoPlugin { path: path() },
    })
}

/// The folder to load for `plugin`: itself if it is a plugin's folder (after `make`, if it has a Makefile and its
/// library is missing or older than its sources); what [`package()`] makes if it is a crate.
///
/// # Errors
/// If it is neither, or cannot be built.
pub fn open(plugin: &Path, options: &BuildOptions) -> Result<Opened, OpenError> {
    let plugin = &folder::real(plugin);
    match kind(plugin)? {
        Kind::Crate => {
            // Before the build, which may take long.
            layout::own_manifest(plugin)?;
            let built = build(plugin, options)?;
            let packaged = package(plugin, &built, &built.target_dir.join("elowen"))?;
            Ok(Opened { folder: packaged.folder.clone(), packaged: Some(packaged) })
        }
        Kind::Folder => {
            make::if_outdated(plugin)?;
            Ok(Opened { folder: plugin.clone(), packaged: None })
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_looked_at_is_not_taken_for_absent() {
        let dir = tempfile::tempdir().unwrap();
        let around = dir.path().join("loop");
        std::os::unix::fs::symlink(&around, &around).unwrap();
        assert!(matches!(kind(&around), Err(OpenError::Unreadable { .. })));
        assert!(matches!(kind(&dir.path().join("absent")), Err(OpenError::Missing { .. })));
        assert!(matches!(kind(dir.path()), Err(OpenError::NoPlugin { .. })));
    }
}
