//! Builds the Rust plugins under `fixtures` and loads them.

use elowen_host::{Host, HostBuilder, Trust};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// How a plugin is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Cargo's `dev`.
    Debug,
    /// Cargo's `release`.
    Release,
}

/// The plugin's folder of `fixtures/<name>`, built now if need be.
///
/// # Panics
/// When it cannot be built; cargo has said why.
pub fn folder(name: &str, profile: Profile) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    let mut cargo = Command::new("cargo");
    for (key, _) in std::env::vars_os() {
        let key = key.to_string_lossy();
        let outer = ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"].contains(&&*key);
        if outer || key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&*key);
        }
    }
    cargo.args(["build", "--quiet", "--message-format=json-render-diagnostics", "--manifest-path"]);
    cargo.arg(source.join("Cargo.toml")).args((profile == Profile::Release).then_some("--release"));
    let output = cargo.stderr(Stdio::inherit()).output().expect("cargo can be run");
    assert!(output.status.success(), "{name} does not build: {cargo:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    let library = said.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let file = message["filenames"].as_array()?.iter().filter_map(|file| file.as_str());
        (message["target"]["name"] == name)
            .then(|| file.map(PathBuf::from).find(|file| file.ends_with(crate::cc::library_name(name))))?
    });
    let library = library.last().expect("cargo names the library it has built");
    let folder = library.with_file_name("elowen-tests").join(name);
    fs::create_dir_all(&folder).expect("the plugin's folder can be made");
    let copy = |from: &Path| {
        let to = folder.join(from.file_name().unwrap_or_default());
        fs::copy(from, to).expect("the plugin's folder can be written");
    };
    copy(&library);
    copy(&source.join(elowen_host::manifest::FILE_NAME));
    folder
}

/// A host that may run the fixtures, and the folder of its state, which is removed when dropped.
///
/// # Panics
/// When the state has no place.
pub fn host() -> (tempfile::TempDir, HostBuilder) {
    let state = tempfile::tempdir().expect("there is room for the host's state");
    // SAFETY: the fixtures are built here, from this repository.
    let builder = Host::builder(unsafe { Trust::native_code() }).state_dir(state.path());
    (state, builder)
}
