//! Which tools there are: one plugin's registrations are staged and checked, then merged with the others'.

pub mod grants;
mod merge;
pub mod metadata;
pub mod report;
mod soundness;
mod staging;
#[cfg(test)]
mod world;

pub use merge::Owners;
pub use staging::Registration;
pub(crate) use staging::Staging;

use crate::host::Services;
use crate::log::Level;
use crate::plugin::{Plugin, Tool};

/// The tools of all loaded plugins. A name belongs to the first plugin that registered it.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    plugins: Vec<Plugin>,
    tools: Vec<Tool>,
    owners: Owners,
}

impl Registry {
    /// Adds a plugin's tools, in their order. Those whose name another plugin owns are left out with a warning.
    pub(crate) fn merge(&mut self, plugin: Plugin, services: &Services) {
        for tool in plugin.tools() {
            match self.owners.claim(tool.name(), plugin.name()) {
                Ok(()) => self.tools.push(tool),
                Err(warning) => services.host_log(Level::Warn, plugin.name(), &warning),
            }
        }
        self.plugins.push(plugin);
    }

    /// The plugins, in the order of loading.
    pub fn plugins(&self) -> &[Plugin] {
        &self.plugins
    }

    /// The accepted tools, in the order of loading and registration. One name may stand here several times with
    /// different scopes.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Which plugin has which tool name.
    pub fn owners(&self) -> &Owners {
        &self.owners
    }

    /// The plugin whose tool of that name was accepted.
    pub fn owner(&self, name: &str) -> Option<Plugin> {
        self.tools.iter().find(|tool| tool.name() == name).map(Tool::plugin)
    }
}
