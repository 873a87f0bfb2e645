//! What every plugin of a host is served with: its log, its answers, its data folder.

use crate::log::{Level, Log, Record};
use crate::query::Questions;
use std::{fs, io, path::PathBuf, sync::Arc};

/// What every plugin of a host is served with.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) log: Arc<dyn Log>,
    pub(crate) questions: Arc<dyn Questions>,
    /// Whether plugins may run on the threads that poll their calls.
    pub(crate) inline: bool,
    pub(super) data_root: PathBuf,
    /// What says where the host keeps its state, for advice.
    pub(crate) state_setting: &'static str,
}

impl Services {
    /// A line about a plugin, in the host's words.
    pub(crate) fn host_log(&self, level: Level, plugin: &str, message: &str) {
        if self.log.enabled(level) {
            self.log.log(&Record { level, plugin, target: "", message, fields: "" });
        }
    }

    /// A line for debugging, put together only if somebody reads it.
    pub(crate) fn step(&self, plugin: &str, message: impl FnOnce() -> String) {
        if self.log.enabled(Level::Debug) {
            self.host_log(Level::Debug, plugin, &message());
        }
    }

    /// The plugin's data folder, made if need be.
    pub(crate) fn data_dir(&self, plugin: &str) -> io::Result<PathBuf> {
        let dir = self.data_root.join(plugin);
        fs::create_dir_all(&dir)
            .map_err(|e| io::Error::new(e.kind(), format!("{dir:?} cannot be made: {e}")))?;
        Ok(dir)
    }
}
