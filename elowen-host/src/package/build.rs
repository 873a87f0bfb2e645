//! Lets Cargo build a crate, and finds the library among what it made.
//!
//! Cargo is asked, nothing is guessed: `cargo metadata` knows the package and the target folder, the build's
//! messages name the files.

mod error;

use std::env::consts::DLL_SUFFIX;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;

use super::cargo::{self, MANIFEST, Metadata, Package};
pub use error::BuildError;

use crate::folder;

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

/// Builds the library of the crate in `crate_dir`. Progress and compiler messages go to stderr.
///
/// # Errors
/// If there is no such crate, Cargo is missing, the build fails, or it makes no `cdylib`.
pub fn build(crate_dir: &Path, options: &BuildOptions) -> Result<Built, BuildError> {
    let folder = folder::real(crate_dir);
    let manifest = folder.join(MANIFEST);
    if manifest.metadata().is_err_and(|error| folder::is_absence(&error)) {
        return Err(BuildError::NoManifest { folder });
    }
    let (package, target_dir) = describe(&folder, &manifest, options)?;
    if !package.has_cdylib() {
        return Err(BuildError::NoCdylib { package: package.name, manifest });
    }
    let output = cargo::run(&mut command(&folder, &manifest, &package, options))?;
    if !output.status.success() {
        let (package, status) = (package.name, output.status.to_string());
        return Err(if has_begun(&output.stdout)? {
            BuildError::Failed { package, status }
        } else {
            BuildError::NotBegun { package, status, profile: options.profile.clone() }
        });
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
        // Where cargo cannot even tell its version, the manifest is not to blame.
        let mut version = cargo_in(folder, options);
        let version = version.arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
        return Err(match version {
            Ok(version) if version.status.success() => {
                BuildError::Metadata { manifest: manifest.to_path_buf() }
            }
            _ => BuildError::Toolchain { toolchain: options.toolchain.clone() },
        });
    }
    let mut metadata: Metadata = serde_json::from_slice(&output.stdout).map_err(BuildError::Messages)?;
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let wanted = real(manifest);
    match metadata.packages.iter().position(|package| real(&package.manifest_path) == wanted) {
        Some(at) => Ok((metadata.packages.swap_remove(at), metadata.target_directory)),
        None => Err(not_here(folder.to_path_buf(), &metadata.packages)),
    }
}

fn not_here(folder: PathBuf, packages: &[Package]) -> BuildError {
    match packages {
        [] => BuildError::NoPackage { folder },
        [only] => BuildError::PackageElsewhere {
            folder,
            package: only.name.clone(),
            elsewhere: only.manifest_path.parent().unwrap_or(&only.manifest_path).to_path_buf(),
        },
        several => BuildError::SeveralPackages {
            folder,
            packages: several.iter().map(|package| package.name.as_str()).collect::<Vec<_>>().join(", "),
        },
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

fn messages(text: &[u8]) -> impl Iterator<Item = Result<Message, BuildError>> {
    // Whatever else writes there (a wrapper of the compiler, say) writes no objects.
    let lines = text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{"));
    lines.map(|line| serde_json::from_slice(line).map_err(BuildError::Messages))
}

/// Whether a build that failed had come to compiling: Cargo then says that it is finished.
fn has_begun(text: &[u8]) -> Result<bool, BuildError> {
    messages(text).try_fold(false, |begun, message| Ok(begun || message?.reason == "build-finished"))
}

/// The `cdylib` of the package among the messages of its build.
fn library(text: &[u8], package_id: &str) -> Result<Option<PathBuf>, BuildError> {
    let mut found = None;
    for message in messages(text) {
        let message = message?;
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
        assert!(has_begun(messages.as_bytes()).unwrap());
        assert!(!has_begun(b"a wrapper's chatter\n").unwrap());
    }
}
