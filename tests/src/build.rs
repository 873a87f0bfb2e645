//! Builds the plugins of this repository with cargo, and lays out the folders that a host loads.
//!
//! All functions here serve tests: they panic, after the compiler's output, when something cannot be built.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::Value;

use crate::cc::library_name;

/// The library of the workspace's cdylib package `name`, built once a process. `target` is the target folder.
///
/// # Panics
/// When cargo fails or says nothing of such a library.
pub fn library(target: &Path, name: &str) -> PathBuf {
    static BUILT: OnceLock<Mutex<HashMap<String, PathBuf>>> = OnceLock::new();
    let mut built = BUILT.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    built.entry(name.to_owned()).or_insert_with(|| build(target, name)).clone()
}

fn build(target: &Path, name: &str) -> PathBuf {
    assert!(target.is_absolute(), "a relative target folder would be looked for in another place");
    let mut cargo = Command::new("cargo");
    for (variable, _) in std::env::vars_os() {
        if is_of_the_outer_cargo(&variable) {
            cargo.env_remove(variable);
        }
    }
    cargo.args(["build", "--package", name, "--lib", "--message-format=json-render-diagnostics"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    cargo.arg("--target-dir").arg(target).current_dir(root()).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = cargo.output().expect("cargo can be run");
    assert!(output.status.success(), "{cargo:?} ended with {}", output.status);
    let messages = output.stdout.split(|byte| *byte == b'\n');
    let libraries = messages.filter_map(|line| library_in(&serde_json::from_slice(line).ok()?, name));
    libraries.last().unwrap_or_else(|| panic!("{name} has no cdylib"))
}

/// What a cargo that runs the tests has set for them would be wrong for the plugin, its toolchain above all.
fn is_of_the_outer_cargo(variable: &OsStr) -> bool {
    let variable = variable.to_string_lossy();
    let prefixes = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CFG_"];
    let names = ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN", "CARGO_TARGET_TMPDIR", "CARGO_CRATE_NAME"];
    names.contains(&&*variable) || prefixes.iter().any(|prefix| variable.starts_with(prefix))
}

fn library_in(message: &Value, name: &str) -> Option<PathBuf> {
    let target = &message["target"];
    let kinds = target["kind"].as_array()?;
    if message["reason"] != "compiler-artifact"
        || target["name"] != name
        || !kinds.iter().any(|k| k == "cdylib")
    {
        return None;
    }
    let files = message["filenames"].as_array()?.iter().filter_map(Value::as_str);
    files.map(PathBuf::from).find(|file| file.file_name() == Some(OsStr::new(&library_name(name))))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Lays out the plugin folder `dir/name` around a library: a manifest, and a copy of it.
///
/// # Panics
/// When the folder cannot be written.
pub fn folder(dir: &Path, name: &str, library: &Path) -> PathBuf {
    let folder = dir.join(name);
    fs::create_dir_all(&folder).expect("the plugin folder can be created");
    let file = library.file_name().expect("a library has a name");
    let manifest = serde_json::json!({
        "name": name,
        "version": "1.0.0",
        "apiVersion": "1",
        "description": "A plugin under test",
        "entry": file.to_str().expect("its name is UTF-8"),
    });
    fs::write(folder.join("elowen-plugin.json"), manifest.to_string()).expect("the manifest can be written");
    fs::copy(library, folder.join(file)).expect("the library can be copied");
    folder
}
