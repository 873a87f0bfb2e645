//! Why a crate was not built, in words that fit the moment at which it was given up.

use std::path::PathBuf;
use std::{fmt, io};

use super::Profile;
use crate::package::cargo::MANIFEST;

/// Why a crate was not built.
#[derive(thiserror::Error)]
pub enum BuildError {
    /// Not a crate's folder.
    #[error("there is no {MANIFEST} in {folder:?}")]
    NoManifest {
        /// The folder.
        folder: PathBuf,
    },
    /// No Cargo.
    #[error("building a crate needs `cargo`, which is not in PATH: install Rust, or name a plugin's folder")]
    NoCargo,
    /// Cargo did not start.
    #[error("`cargo` could not be started: {0}")]
    Start(#[source] io::Error),
    /// The toolchain cannot be used; rustup has said why.
    #[error("cargo could not be run{}; see what was said above{}", of(toolchain), advice(toolchain))]
    Toolchain {
        /// The toolchain that was asked for, or none.
        toolchain: Option<String>,
    },
    /// `cargo metadata` refused; it has said why.
    #[error("cargo could not read {manifest:?}, or what it depends on; see what it said above")]
    Metadata {
        /// The crate's manifest.
        manifest: PathBuf,
    },
    /// Cargo said something that this host does not understand.
    #[error("cargo's messages could not be read: {0}")]
    Messages(#[source] serde_json::Error),
    /// A workspace whose only package has a folder of its own.
    #[error("{folder:?} is a workspace, and its package `{package}` lies elsewhere: name {elsewhere:?}")]
    PackageElsewhere {
        /// The folder.
        folder: PathBuf,
        /// The package's name.
        package: String,
        /// The package's folder.
        elsewhere: PathBuf,
    },
    /// A workspace without any package.
    #[error("{folder:?} is a workspace without packages: name the folder of a crate")]
    NoPackage {
        /// The folder.
        folder: PathBuf,
    },
    /// A workspace without a package of its own.
    #[error("{folder:?} is a workspace of several packages ({packages}): name the folder of one of them")]
    SeveralPackages {
        /// The folder.
        folder: PathBuf,
        /// Their names.
        packages: String,
    },
    /// No library of the right kind.
    #[error(
        "package `{package}` ({manifest:?}) makes no library that can be loaded: add these lines to its manifest\n\
         \n    [lib]\n    crate-type = [\"cdylib\"]\n"
    )]
    NoCdylib {
        /// The package.
        package: String,
        /// Its manifest.
        manifest: PathBuf,
    },
    /// Cargo gave up before anything was compiled: a profile or a dependency that is not there, say.
    #[error(
        "cargo did not get as far as compiling package `{package}` (cargo {status}); see what it said above{}",
        named_profile(profile)
    )]
    NotBegun {
        /// The package.
        package: String,
        /// How Cargo ended.
        status: String,
        /// The profile that was asked for.
        profile: Profile,
    },
    /// The compiler refused; it has said why.
    #[error("package `{package}` did not build (cargo {status}); see the compiler's messages above")]
    Failed {
        /// The package.
        package: String,
        /// How Cargo ended.
        status: String,
    },
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

fn of(toolchain: &Option<String>) -> String {
    toolchain.as_ref().map(|name| format!(" with toolchain `{name}`")).unwrap_or_default()
}

fn advice(toolchain: &Option<String>) -> String {
    match toolchain {
        Some(name) => {
            format!(
                ". `rustup toolchain list` shows which there are, `rustup toolchain install {name}` gets it"
            )
        }
        None => ". If it is the toolchain, correct the crate's rust-toolchain file, or name another one"
            .to_owned(),
    }
}

fn named_profile(profile: &Profile) -> String {
    match profile {
        Profile::Named(name) => {
            format!(". If it is the profile: `[profile.{name}]` belongs into the Cargo.toml of the workspace")
        }
        _ => String::new(),
    }
}
