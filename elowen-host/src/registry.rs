//! Which tools there are: one plugin's registrations are staged and checked, then merged with the others'.

mod soundness;
mod staging;

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
}

impl Registry {
    /// Adds a plugin's tools, in their order. Those whose name another plugin owns are left out with a warning.
    pub(crate) fn merge(&mut self, plugin: Plugin, services: &Services) {
        for tool in plugin.tools() {
            match self.owner(tool.name()) {
                Some(owner) if owner.name() != plugin.name() => services.host_log(
                    Level::Warn,
                    plugin.name(),
                    &format!(
                        "tool \"{}\" from \"{}\" ignored — already registered by \"{}\"",
                        tool.name(),
                        plugin.name(),
                        owner.name()
                    ),
                ),
                _ => self.tools.push(tool),
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

    /// The plugin whose tool of that name was accepted.
    pub fn owner(&self, name: &str) -> Option<Plugin> {
        self.tools.iter().find(|tool| tool.name() == name).map(Tool::plugin)
    }
}
