//! Lets Cargo build a crate, and finds the library among what it made.
//!
//! Cargo is asked, nothing is guessed: `cargo metadata` knows the package and the target folder, the build's
//! messages name the files.

use std::env::consts::DLL_SUFFIX;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::cargo::{self, MANIFEST, Metadata, Package};

/// How a crate is built.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// The profile.
    pub profile: Profile,
    /// A toolchain that rustup knows, such as `nightly`; else the crate's folder decides.
    pub toolchain: Option<String>,
    /// Where Cargo builds; else where it is configured to.
    pub target_dir: Option<PathBuf>,
    /// Further arguments of `cargo build`.
    pub cargo_args: Vec<OsString>,
    /// Show warnings and errors, but no progress.
    pub quiet: bool,
}

/// A Cargo profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// `dev`: quick to build.
    #[default]
    Debug,
    /// `release`.
    Release,
    /// One that the workspace defines.
    Named(String),
}

/// A crate's library, built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The library; absolute.
    pub library: PathBuf,
    /// The package's name.
    pub name: String,
    /// The package's version.
    pub version: String,
    /// The package's description; may be empty.
    pub description: String,
    /// Cargo's target folder; absolute.
    pub target_dir: PathBuf,
}

/// Why a crate was not built.
#[derive(Debug, thiserror::Error)]
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
    /// `cargo metadata` refused; it has said why.
    #[error("cargo could not read {manifest:?}; see what it said above")]
    Metadata {
        /// The crate's manifest.
        manifest: PathBuf,
    },
    /// Cargo said something that this host does not understand.
    #[error("cargo's messages could not be read: {0}")]
    Messages(#[source] serde_json::Error),
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
    /// The compiler refused; it has said why.
    #[error("package `{package}` did not build (cargo {status}); see the compiler's messages above")]
    Failed {
        /// The package.
        package: String,
        /// How Cargo ended.
        status: String,
    },
}

/// Builds the library of the crate in `crate_dir`. Progress and compiler messages go to stderr.
///
/// # Errors
/// If there is no such crate, Cargo is missing, the build fails, or it makes no `cdylib`.
pub fn build(crate_dir: &Path, options: &BuildOptions) -> Result<Built, BuildError> {
    let folder = std::path::absolute(crate_dir).unwrap_or_else(|_| crate_dir.to_path_buf());
    let manifest = folder.join(MANIFEST);
    if !manifest.is_file() {
        return Err(BuildError::NoManifest { folder });
    }
    let (package, target_dir) = describe(&folder, &manifest, options)?;
    if !package.has_cdylib() {
        return Err(BuildError::NoCdylib { package: package.name, manifest });
    }
    let output = cargo::run(&mut command(&folder, &manifest, &package, options))?;
    if !output.status.success() {
        return Err(BuildError::Failed { package: package.name, status: output.status.to_string() });
    }
    match library(&output.stdout, &package.id)? {
        Some(library) => Ok(Built {
            library,
            name: package.name,
            version: package.version,
            description: package.description.unwrap_or_default(),
            target_dir,
        }),
        None => Err(BuildError::NoCdylib { package: package.name, manifest }),
    }
}

/// Asks Cargo which package this is and where it builds.
fn describe(
    folder: &Path,
    manifest: &Path,
    options: &BuildOptions,
) -> Result<(Package, PathBuf), BuildError> {
    let mut command = cargo_in(folder, options);
    command.args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"]).arg(manifest);
    let output = cargo::run(&mut command)?;
    if !output.status.success() {
        return Err(BuildError::Metadata { manifest: manifest.to_path_buf() });
    }
    let mut metadata: Metadata = serde_json::from_slice(&output.stdout).map_err(BuildError::Messages)?;
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let wanted = real(manifest);
    match metadata.packages.iter().position(|package| real(&package.manifest_path) == wanted) {
        Some(at) => Ok((metadata.packages.swap_remove(at), metadata.target_directory)),
        None => Err(BuildError::SeveralPackages {
            folder: folder.to_path_buf(),
            packages: metadata
                .packages
                .into_iter()
                .map(|package| package.name)
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}

fn cargo_in(folder: &Path, options: &BuildOptions) -> std::process::Command {
    let mut command = cargo::command(folder, options.toolchain.as_deref());
    if let Some(dir) = &options.target_dir {
        // For `cargo metadata` too, which has no such argument.
        command.env("CARGO_TARGET_DIR", std::path::absolute(dir).unwrap_or_else(|_| dir.clone()));
    }
    command
}

fn command(
    folder: &Path,
    manifest: &Path,
    package: &Package,
    options: &BuildOptions,
) -> std::process::Command {
    let mut command = cargo_in(folder, options);
    command.args(["build", "--lib", "--message-format=json-render-diagnostics", "--manifest-path"]);
    // By its id: the package at a workspace's root would bring the workspace's default members along.
    command.arg(manifest).arg("--package").arg(&package.id);
    match &options.profile {
        Profile::Debug => {}
        Profile::Release => {
            command.arg("--release");
        }
        Profile::Named(name) => {
            command.arg("--profile").arg(name);
        }
    }
    if options.quiet {
        command.arg("--quiet");
    }
    command.args(&options.cargo_args);
    command
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    target: Target,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

#[derive(Default, Deserialize)]
struct Target {
    #[serde(default)]
    crate_types: Vec<String>,
}

/// The `cdylib` of the package among the messages of its build.
fn library(messages: &[u8], package_id: &str) -> Result<Option<PathBuf>, BuildError> {
    let mut found = None;
    for line in messages.split(|&byte| byte == b'\n') {
        // Whatever else writes there (a wrapper of the compiler, say) writes no objects.
        if !line.starts_with(b"{") {
            continue;
        }
        let message: Message = serde_json::from_slice(line).map_err(BuildError::Messages)?;
        let ours = message.reason == "compiler-artifact" && message.package_id == package_id;
        if ours && message.target.crate_types.iter().any(|kind| kind == "cdylib") {
            let is_library =
                |file: &PathBuf| file.as_os_str().as_encoded_bytes().ends_with(DLL_SUFFIX.as_bytes());
            found = message.filenames.into_iter().find(is_library).or(found);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_found_among_other_packages_and_files() {
        let file = format!("/t/debug/libmine{DLL_SUFFIX}");
        let message = |id: &str, kind: &str, files: [&str; 2]| {
            serde_json::json!({
                "reason": "compiler-artifact", "package_id": id, "target": {"crate_types": [kind, "rlib"]},
                "filenames": files, "new": {"field": 1},
            })
            .to_string()
        };
        let messages = [
            message("other", "cdylib", ["/t/debug/libother.rlib", &format!("/t/debug/libother{DLL_SUFFIX}")]),
            "a wrapper's chatter".to_owned(),
            message("mine", "proc-macro", ["/t/a", &format!("/t/debug/libmacro{DLL_SUFFIX}")]),
            message("mine", "cdylib", ["/t/debug/libmine.rlib", &file]),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ]
        .join("\n");
        assert_eq!(library(messages.as_bytes(), "mine").unwrap(), Some(PathBuf::from(file)));
        assert_eq!(library(messages.as_bytes(), "third").unwrap(), None);
    }
}
