//! The host: what it holds, and the way from a folder to a loaded plugin.

mod builder;
mod register;
mod services;

pub use builder::{HostBuilder, HostError};
pub(crate) use services::Services;

use crate::blob::{self, Blob};
use crate::cache::PrivateCopies;
use crate::discover;
use crate::error::{LoadError, LoadFailure};
use crate::folder;
use crate::library::Trust;
use crate::log::Level;
use crate::manifest::Manifest;
use crate::plugin::{Identity, Loaded, Plugin};
use crate::registry::{Registry, Staging};
use crate::trust::{self, TrustPolicy};
use elowen_sdk::abi;
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    fmt, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The ABI majors this host speaks.
const ABI: std::ops::RangeInclusive<u16> = abi::MAJOR..=abi::MAJOR;
/// What a plugin that failed to register gets to give its resources back.
const FAREWELL: Duration = Duration::from_secs(1);

/// Loads plugins.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use elowen_host::{Host, Trust};
///
/// // SAFETY: the folder is ours, and so is every plugin in it.
/// let host = Host::builder(unsafe { Trust::native_code() }).build()?;
/// let plugin = host.load("plugins/hello".as_ref())?;
/// let tool = plugin.tool("MyTool").ok_or("no such tool")?;
/// let answer = pollster::block_on(tool.call(r#"{"value":"hello"}"#))?.parse()?;
/// assert_eq!(answer.to_text(), "hello");
/// # Ok(())
/// # }
/// ```
pub struct Host {
    trust: Trust,
    policy: TrustPolicy,
    copies: PrivateCopies,
    services: Services,
    register_timeout: Duration,
    config: HashMap<String, Value>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// What came of loading a directory.
#[derive(Debug, Default)]
pub struct LoadReport {
    /// The tools of the plugins that were loaded.
    pub registry: Registry,
    /// The plugins that were not.
    pub failures: Vec<LoadError>,
}

impl Host {
    /// Loads every plugin folder of a directory, in the order of their names. One that fails is logged as an error,
    /// reported and skipped. A directory that does not exist has no plugins, which is worth a warning.
    ///
    /// # Errors
    /// If the directory cannot be listed.
    pub fn load_dir(&self, dir: &Path) -> Result<LoadReport, discover::DiscoverError> {
        let mut report = LoadReport::default();
        let dir = folder::real(dir);
        if fs::metadata(&dir).is_err_and(|error| folder::is_absence(&error)) {
            let line = format!("the plugin directory {dir:?} does not exist, so it has no plugins");
            self.services.host_log(Level::Warn, "", &line);
        }
        for found in discover::discover(&dir)? {
            let loaded = match found.manifest {
                Ok(manifest) => self.load_manifest(&found.folder, &manifest),
                Err(error) => Err(LoadError {
                    plugin: found.name.clone(),
                    file: found.folder.join(crate::manifest::FILE_NAME),
                    cause: error.into(),
                }),
            };
            match loaded {
                Ok(plugin) => {
                    let line = format!("plugin loaded: {}@{}", plugin.name(), plugin.version());
                    self.services.host_log(Level::Info, "", &line);
                    report.registry.merge(plugin, &self.services);
                }
                Err(error) => {
                    let line = format!("plugin skipped: {}: {error}", found.name);
                    self.services.host_log(Level::Error, "", &line);
                    report.failures.push(error);
                }
            }
        }
        Ok(report)
    }

    /// Loads one plugin folder. Blocks until its `register` has finished.
    ///
    /// # Errors
    /// With the step that failed, whose fault it is and what to do.
    pub fn load(&self, folder: &Path) -> Result<Plugin, LoadError> {
        let folder = &folder::real(folder);
        match Manifest::read(folder) {
            Ok(manifest) => self.load_manifest(folder, &manifest),
            Err(error) => Err(LoadError {
                plugin: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
                file: folder.join(crate::manifest::FILE_NAME),
                cause: error.into(),
            }),
        }
    }

    /// A registry of one plugin.
    ///
    /// # Errors
    /// As [`Host::load`].
    pub fn load_alone(&self, folder: &Path) -> Result<Registry, LoadError> {
        let mut registry = Registry::default();
        registry.merge(self.load(folder)?, &self.services);
        Ok(registry)
    }

    /// Adds a plugin to a registry, in this host's words about what is left out.
    pub(crate) fn merge(&self, registry: &mut Registry, plugin: Plugin) {
        registry.merge(plugin, &self.services);
    }

    fn load_manifest(&self, folder: &Path, manifest: &Manifest) -> Result<Plugin, LoadError> {
        let mut file = folder.join(&manifest.entry);
        self.try_load(folder, manifest, &mut file).map_err(|cause| LoadError {
            plugin: manifest.name.clone(),
            file,
            cause,
        })
    }

    fn try_load(
        &self,
        folder: &Path,
        manifest: &Manifest,
        file: &mut PathBuf,
    ) -> Result<Plugin, LoadFailure> {
        let begun = Instant::now();
        *file = manifest.library_path(folder)?;
        let (verified, blob) = inspect(file, folder, &self.policy)?;
        self.services.step(&manifest.name, || {
            format!("checked {} ({} bytes) in {:.1?}", file.display(), verified.bytes.len(), begun.elapsed())
        });
        let mismatch = blob.mismatch(manifest);
        for warning in manifest.warnings().iter().chain(&verified.warnings).chain(&mismatch) {
            self.services.host_log(Level::Warn, &manifest.name, warning);
        }
        blob.check_panic(self.policy.allow_abort)?;
        let abi_major = blob.negotiate(ABI)?;
        let begun = Instant::now();
        let copy = self.copies.store(&verified)?;
        self.services
            .step(&manifest.name, || format!("private copy {} in {:.1?}", copy.display(), begun.elapsed()));
        let identity = Identity {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            config: self.config.get(&manifest.name).cloned().unwrap_or_else(|| Map::new().into()),
            folder: folder.to_path_buf(),
        };
        let plugin = Loaded::new(identity, self.services.clone(), Staging::new(manifest));
        let sha256 = verified.sha256;
        drop(verified);
        match self.register(plugin, copy, sha256, blob, abi_major) {
            Ok(()) => Ok(Plugin(plugin)),
            Err(failure) => {
                // What it has built up by now is its own to give back; how that goes changes nothing here.
                let _ = Plugin(plugin).shutdown(FAREWELL);
                Err(failure)
            }
        }
    }
}

/// Reads and checks a library file without running it.
///
/// # Errors
/// What is wrong with it.
pub fn inspect(
    file: &Path,
    root: &Path,
    policy: &TrustPolicy,
) -> Result<(trust::VerifiedFile, Blob), LoadFailure> {
    // One and the same folder, whether the file was named by what is on the disk or by how the root is called.
    let real_root = if root.is_absolute() { folder::real(root) } else { root.to_path_buf() };
    let file = file.strip_prefix(root).map_or_else(|_| file.to_path_buf(), |inside| real_root.join(inside));
    let verified = trust::verify(&file, &real_root, policy)?;
    let blob = blob::read(&verified.bytes)?;
    Ok((verified, blob))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Log, Record};
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<String>>>);

    impl Log for Lines {
        fn enabled(&self, level: Level) -> bool {
            level <= Level::Warn
        }

        fn log(&self, record: &Record<'_>) {
            self.0.lock().unwrap().push(format!("{} {record}", record.level));
        }
    }

    #[test]
    fn a_directory_that_does_not_exist_has_no_plugins_and_is_named_in_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let lines = Lines::default();
        let host = Host::builder(Trust::of_the_command_line()).state_dir(dir.path().join("state"));
        let host = host.log(lines.clone()).register_timeout(Duration::MAX).build().unwrap();
        let report = host.load_dir(&dir.path().join("plugns")).unwrap();
        assert!(report.registry.plugins().is_empty() && report.failures.is_empty());
        let lines = lines.0.lock().unwrap();
        assert_eq!(lines.len(), 1);
        assert!(
            lines[0].starts_with("warn the plugin directory \"/")
                && lines[0].contains("plugns\" does not exist")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_inside_its_root_however_that_is_called() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        fs::create_dir_all(dir.join("todo/deep")).unwrap();
        fs::write(dir.join("todo/lib"), "no library").unwrap();
        let called = dir.join("todo/deep/..");
        let policy = TrustPolicy::default();
        for file in [called.join("lib"), dir.join("todo/lib")] {
            let failure = inspect(&file, &called, &policy).unwrap_err();
            assert!(matches!(failure, LoadFailure::Blob(_)), "{failure}");
        }
        let outside = inspect(&dir.join("lib"), &called, &policy).unwrap_err();
        assert!(matches!(outside, LoadFailure::Trust(trust::TrustError::OutsideRoot { .. })), "{outside}");
    }

    #[test]
    fn a_state_folder_that_cannot_be_is_named_with_its_setting() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Host::builder(Trust::of_the_command_line()).state_dir(&file).build().unwrap_err();
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(
            error
                .to_string()
                .ends_with("Let `HostBuilder::state_dir` name a folder that this user can write to")
        );
    }
}
