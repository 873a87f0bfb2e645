//! Loading: which plugin folders of which directories, in which order, and one folder's way to a loaded plugin.
//!
//! One that fails takes nobody down with it. What is wrong with a plugin, or only odd about it, is logged under its
//! name.

use super::{Host, inspect};
use crate::discover::{self, DiscoverError, Found};
use crate::error::{LoadError, LoadFailure};
use crate::folder;
use crate::log::Level;
use crate::manifest::Manifest;
use crate::plugin::{Identity, Loaded, Plugin};
use crate::registry::{Registry, Staging};
use elowen_sdk::abi;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The ABI majors this host speaks.
const ABI: std::ops::RangeInclusive<u16> = abi::MAJOR..=abi::MAJOR;
/// What a plugin that failed to register gets to give its resources back.
const FAREWELL: Duration = Duration::from_secs(1);

/// What came of loading directories.
#[derive(Debug, Default)]
pub struct LoadReport {
    /// The tools of the plugins that were loaded.
    pub registry: Registry,
    /// The plugins that were not.
    pub failures: Vec<LoadError>,
    /// The names that were enabled and not loaded from any directory, sorted; those that failed are among them.
    pub not_found: Vec<String>,
}

impl LoadReport {
    fn has(&self, plugin: &str) -> bool {
        self.registry.plugins().iter().any(|loaded| loaded.name() == plugin)
    }
}

impl Host {
    /// Loads every plugin folder of a directory, in the order of their names. One that fails is logged as an error,
    /// reported and skipped. A directory that does not exist has no plugins, which is worth a warning.
    ///
    /// # Errors
    /// If the directory cannot be listed.
    pub fn load_dir(&self, dir: &Path) -> Result<LoadReport, DiscoverError> {
        let dir = folder::real(dir);
        if fs::metadata(&dir).is_err_and(|error| folder::is_absence(&error)) {
            let line = format!("the plugin directory {dir:?} does not exist, so it has no plugins");
            self.services.host_log(Level::Warn, "", &line);
        }
        self.load_dirs(&[dir], None)
    }

    /// Loads the plugin folders of several directories, in the order of the directories and then of their names:
    /// first what comes with the installation, then the user's own.
    ///
    /// A plugin that was loaded from an earlier directory is not loaded from a later one; one that failed there is
    /// tried again. With a list of `enabled` names the other folders are passed over, whatever is in them, and a
    /// name that was not loaded from anywhere is warned about. Without a list everything is enabled. A directory
    /// that does not exist has no plugins.
    ///
    /// # Errors
    /// If a directory cannot be listed. Then nothing has been loaded.
    pub fn load_dirs(
        &self,
        dirs: &[impl AsRef<Path>],
        enabled: Option<&[String]>,
    ) -> Result<LoadReport, DiscoverError> {
        let found: Vec<Vec<Found>> =
            dirs.iter().map(|dir| discover::discover(dir.as_ref())).collect::<Result<_, _>>()?;
        let mut report = LoadReport::default();
        for found in found.into_iter().flatten() {
            let is_enabled = enabled.is_none_or(|names| names.contains(&found.name));
            if is_enabled && !report.has(&found.name) {
                self.load_found(found, &mut report);
            }
        }
        let missing: BTreeSet<&String> =
            enabled.into_iter().flatten().filter(|name| !report.has(name)).collect();
        report.not_found = missing.into_iter().cloned().collect();
        if !report.not_found.is_empty() {
            let names = report.not_found.join(", ");
            let line = format!("enabled but not found in any plugin directory: {names}");
            self.services.host_log(Level::Warn, "", &line);
        }
        Ok(report)
    }

    fn load_found(&self, Found { folder, name, manifest }: Found, report: &mut LoadReport) {
        let loaded = match manifest {
            Ok(manifest) => self.load_manifest(&folder, manifest),
            Err(error) => Err(LoadError {
                plugin: name.clone(),
                file: folder.join(crate::manifest::FILE_NAME),
                cause: error.into(),
            }),
        };
        match loaded {
            Ok(plugin) => {
                let line = format!("plugin loaded: {}@{}", plugin.name(), plugin.version());
                report.registry.merge(plugin, &self.services);
                self.services.host_log(Level::Info, "", &line);
            }
            Err(error) => {
                let line = format!("plugin skipped: {name}: {error}");
                self.services.host_log(Level::Error, "", &line);
                report.failures.push(error);
            }
        }
    }

    /// Loads one plugin folder. Blocks until its `register` has finished.
    ///
    /// # Errors
    /// With the step that failed, whose fault it is and what to do.
    pub fn load(&self, folder: &Path) -> Result<Plugin, LoadError> {
        let folder = &folder::real(folder);
        match Manifest::read(folder) {
            Ok(manifest) => self.load_manifest(folder, manifest),
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

    /// Adds a plugin to a registry, in this host's words about what is left out. The answer is what its manifest
    /// says in vain; the log has that too.
    pub(crate) fn merge(&self, registry: &mut Registry, plugin: Plugin) -> Vec<String> {
        registry.merge(plugin, &self.services)
    }

    fn load_manifest(&self, folder: &Path, manifest: Manifest) -> Result<Plugin, LoadError> {
        let (mut file, plugin) = (folder.join(&manifest.entry), manifest.name.clone());
        self.try_load(folder, manifest, &mut file).map_err(|cause| LoadError { plugin, file, cause })
    }

    /// What the plugin is configured with: its manifest's defaults below what is set.
    fn config_of(&self, manifest: &Manifest) -> Value {
        let mut config = manifest.config_defaults();
        match self.config.get(&manifest.name) {
            Some(Value::Object(set)) => config.extend(set.clone()),
            Some(other) => return other.clone(),
            None => {}
        }
        config.into()
    }

    fn try_load(&self, folder: &Path, manifest: Manifest, file: &mut PathBuf) -> Result<Plugin, LoadFailure> {
        let begun = Instant::now();
        *file = manifest.library_path(folder)?;
        let (verified, blob) = inspect(file, folder, &self.policy)?;
        self.services.step(&manifest.name, || {
            format!("checked {} ({} bytes) in {:.1?}", file.display(), verified.bytes.len(), begun.elapsed())
        });
        let mismatch = blob.mismatch(&manifest);
        for warning in manifest.warnings.iter().chain(&verified.warnings).chain(&mismatch) {
            self.services.host_log(Level::Warn, &manifest.name, warning);
        }
        blob.check_panic(self.policy.allow_abort)?;
        let abi_major = blob.negotiate(ABI)?;
        let begun = Instant::now();
        let copy = self.copies.store(&verified)?;
        self.services
            .step(&manifest.name, || format!("private copy {} in {:.1?}", copy.display(), begun.elapsed()));
        let (config, staging) = (self.config_of(&manifest), Staging::new(&manifest));
        let identity = Identity { manifest, config, folder: folder.to_path_buf() };
        let plugin = Loaded::new(identity, self.services.clone(), staging);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Trust;
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
}
