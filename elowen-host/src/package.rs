//! Makes of what an author has (a crate, or a folder with a Makefile) what the host loads: a plugin's folder.
//!
//! [`build`] lets Cargo compile a crate, [`package()`] lays out `<out>/<name>/` with manifest and library, and
//! [`open`] decides which of the two, if any, a path on the command line needs. Nothing of a plugin is loaded
//! here; what a build script does is the author's.

mod build;
mod cargo;
mod folder;
mod make;

use std::path::{Path, PathBuf};

pub use build::{BuildError, BuildOptions, Built, Profile, build};
pub use cargo::command as cargo_command;
pub use folder::{PackageError, Packaged, package};
pub use make::MakeError;

use crate::manifest::FILE_NAME;

/// A plugin's folder, ready to be loaded.
#[derive(Debug)]
pub struct Opened {
    /// The folder.
    pub folder: PathBuf,
    /// What was packaged for it just now, if it was a crate.
    pub packaged: Option<Packaged>,
}

/// Why a path is not, and does not become, a plugin's folder.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing there.
    #[error("{path:?} does not exist: name a plugin's folder or a crate's")]
    Missing {
        /// The path as given.
        path: PathBuf,
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

/// The folder to load for `plugin`: itself if it is a plugin's folder (after `make`, if it has a Makefile and its
/// library is missing or older than its sources); what [`package()`] makes if it is a crate.
///
/// # Errors
/// If it is neither, or cannot be built.
pub fn open(plugin: &Path, options: &BuildOptions) -> Result<Opened, OpenError> {
    let path = || plugin.to_path_buf();
    if plugin.join(cargo::MANIFEST).is_file() {
        let built = build(plugin, options)?;
        let packaged = package(plugin, &built, &built.target_dir.join("elowen"))?;
        return Ok(Opened { folder: packaged.folder.clone(), packaged: Some(packaged) });
    }
    if std::fs::symlink_metadata(plugin.join(FILE_NAME)).is_ok() {
        make::if_outdated(plugin)?;
        return Ok(Opened { folder: path(), packaged: None });
    }
    Err(match plugin.metadata() {
        Err(_) => OpenError::Missing { path: path() },
        Ok(metadata) if !metadata.is_dir() => OpenError::NotAFolder { path: path() },
        Ok(_) => OpenError::NoPlugin { path: path() },
    })
}
