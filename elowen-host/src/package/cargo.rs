//! How Cargo is started for a plugin, and what it says about a crate before anything is built.
//!
//! Whoever starts us may be Cargo itself (`cargo run`, `cargo test`), and what it tells its own children in the
//! environment must not reach the plugin's build: its toolchain file would be ignored, its build scripts would
//! take our package for theirs.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::Deserialize;

use super::BuildError;

/// A crate's manifest file.
pub(super) const MANIFEST: &str = "Cargo.toml";

/// Set by Cargo or rustup for those they start, and meant for those alone.
const FOR_OTHERS: [&str; 12] = [
    "CARGO",
    "CARGO_CRATE_NAME",
    "CARGO_MAKEFLAGS",
    "CARGO_PRIMARY_PACKAGE",
    "CARGO_TARGET_TMPDIR",
    "OUT_DIR",
    "RUSTC",
    "RUSTC_LINKER",
    "RUSTDOC",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_TOOLCHAIN_SOURCE",
    "RUST_RECURSION_COUNT",
];
const FOR_OTHERS_BEGIN: [&str; 5] =
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CFG_", "CARGO_FEATURE_"];
/// Folders that the user may have set relative to where we are, which is not where Cargo will be.
const FOLDERS: [&str; 4] =
    ["CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "CARGO_BUILD_BUILD_DIR"];

/// `cargo`, as if from the shell in `folder`: with the user's own settings, without those of a Cargo around us,
/// and with the toolchain that the folder asks for unless one is named.
pub fn command(folder: &Path, toolchain: Option<&str>) -> Command {
    let mut command = Command::new("cargo");
    // Toolchain files and Cargo's configuration are looked for from here upwards.
    command.current_dir(folder);
    if let Some(toolchain) = toolchain {
        command.arg(format!("+{toolchain}"));
    }
    for (name, value) in std::env::vars_os() {
        let Some(text) = name.to_str() else { continue };
        if FOR_OTHERS.contains(&text) || FOR_OTHERS_BEGIN.iter().any(|begin| text.starts_with(begin)) {
            command.env_remove(&name);
        } else if FOLDERS.contains(&text)
            && let Ok(absolute) = std::path::absolute(&value)
        {
            command.env(&name, absolute);
        }
    }
    command
}

/// Runs it with its progress on our stderr, and returns what it wrote to stdout.
pub(super) fn run(command: &mut Command) -> Result<Output, BuildError> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => BuildError::NoCargo,
        _ => BuildError::Start(error),
    })
}

/// What `cargo metadata` says about a workspace.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    pub(super) target_directory: PathBuf,
}

/// One of its packages.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) description: Option<String>,
    pub(super) manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    crate_types: Vec<String>,
}

impl Package {
    /// Whether it makes a library that can be loaded.
    pub(super) fn has_cdylib(&self) -> bool {
        self.targets.iter().any(|target| target.crate_types.iter().any(|kind| kind == "cdylib"))
    }
}
