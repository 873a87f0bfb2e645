//! Builds the plugins of this repository, and lays out the folders that a host loads.
//!
//! All functions here serve tests: they panic, after the compiler's output, when something cannot be built.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use elowen_host::package::{self, BuildOptions, Built, Profile};
use elowen_host::{Host, HostBuilder, Trust};

use crate::cli::repository;

/// The library of the crate in `folder`, which is relative to the repository; built once a process.
///
/// # Panics
/// When it does not build.
pub fn library(folder: &str) -> PathBuf {
    static BUILT: OnceLock<Mutex<HashMap<String, PathBuf>>> = OnceLock::new();
    let mut built = BUILT.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(library) = built.get(folder) {
        return library.clone();
    }
    let profile = if cfg!(debug_assertions) { Profile::Debug } else { Profile::Release };
    let options = BuildOptions { profile, ..BuildOptions::default() };
    let library = built_library(folder, &options).library;
    built.insert(folder.to_owned(), library.clone());
    library
}

fn built_library(folder: &str, options: &BuildOptions) -> Built {
    package::build(&repository().join(folder), options).unwrap_or_else(|error| panic!("{error}"))
}

/// The plugin's folder of the crate in `folder`, which is relative to the repository, as the command line makes it.
///
/// # Panics
/// When it does not build.
pub fn packaged(folder: &str, options: &BuildOptions) -> (Built, PathBuf) {
    let built = built_library(folder, options);
    let packaged =
        package::package(&repository().join(folder), &built, &built.target_dir.join("elowen-tests"));
    let folder = packaged.unwrap_or_else(|error| panic!("{error}")).folder;
    (built, folder)
}

/// A host that may run the plugins of this repository, and the folder of its state, which is removed when dropped.
///
/// # Panics
/// When the state has no place.
pub fn host() -> (tempfile::TempDir, HostBuilder) {
    let state = tempfile::tempdir().expect("there is room for the host's state");
    // SAFETY: the plugins are built here, from this repository.
    let builder = Host::builder(unsafe { Trust::native_code() }).state_dir(state.path());
    (state, builder)
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
        // That of the workspace, as the libraries say.
        "version": env!("CARGO_PKG_VERSION"),
        "apiVersion": "1",
        "description": "A plugin under test",
        "entry": file.to_str().expect("its name is UTF-8"),
    });
    fs::write(folder.join("elowen-plugin.json"), manifest.to_string()).expect("the manifest can be written");
    fs::copy(library, folder.join(file)).expect("the library can be copied");
    folder
}
