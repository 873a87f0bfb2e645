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
use grants::Grants;
use metadata::{Merged, Metadata};
use report::Contribution;

/// The tools of all loaded plugins, and what their manifests say about them. A name belongs to the first plugin
/// that registered it.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    plugins: Vec<Plugin>,
    tools: Vec<Tool>,
    owners: Owners,
    metadata: Metadata,
}

impl Registry {
    /// Adds a plugin's tools, in their order, and what its manifest says about them. Those whose name another plugin
    /// owns are left out with a warning. Everything is logged under the plugin's name; what its manifest says in
    /// vain is the answer as well.
    pub(crate) fn merge(&mut self, plugin: Plugin, services: &Services) -> Vec<String> {
        let mut kept = Vec::new();
        for tool in plugin.tools() {
            match self.owners.claim(tool.name(), plugin.name()) {
                Ok(()) => kept.push(tool),
                Err(warning) => services.host_log(Level::Warn, plugin.name(), &warning),
            }
        }
        let names = kept.iter().map(Tool::name);
        let warnings = self.metadata.declare(plugin.name(), plugin.manifest().declared(), names);
        for warning in &warnings {
            services.host_log(Level::Warn, plugin.name(), warning);
        }
        self.tools.append(&mut kept);
        self.plugins.push(plugin);
        warnings
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

    /// What the manifests say about the tools: which plan mode may use, which only read, which are deferred or
    /// shown, their icons, and which plugins need a grant.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The names that an account with these grants is denied: those it has switched off, then the tools of plugins
    /// that it holds no grant for.
    pub fn denied(&self, disabled: &[String], grants: &Grants) -> Vec<String> {
        grants::denied_tools(disabled, &self.merged(), &self.metadata, grants)
    }

    /// Which tools are live and whose they are; see [`report`].
    pub fn contributions(&self) -> Vec<Contribution<'static>> {
        report::contributions(&self.merged())
    }

    fn merged(&self) -> Vec<Merged<'static>> {
        self.tools.iter().map(Tool::merged).collect()
    }

    /// The plugin whose tool of that name was accepted.
    pub fn owner(&self, name: &str) -> Option<Plugin> {
        self.tools.iter().find(|tool| tool.name() == name).map(Tool::plugin)
    }
}
