//! What the manifests' lists mean for the tools that were accepted: plan mode, deferral, shown output, icons, what
//! only reads, and which plugins need a grant.
//!
//! Plain data in, plain data out. Lists that belong to one plugin (`planSafe`, `deferLoading`, `readOnlyTools`) count
//! for tools that this plugin has after the merge and for no others; `showOutput` and `icons` count for all. None of
//! them allows or forbids a call.

mod icons;
mod lists;

pub use icons::Icons;

use std::collections::{BTreeSet, HashMap};

use super::merge::Owners;
use super::staging::Registration;
use crate::manifest::Declared;
use crate::policy::covers;
use lists::Lists;

/// An accepted tool, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Merged<'a> {
    /// The plugin that has its name.
    pub plugin: &'a str,
    /// What was registered.
    pub registration: &'a Registration,
}

/// The manifests' lists, read against what was registered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    plugins: HashMap<String, Lists>,
    shown: BTreeSet<String>,
    icons: Icons,
}

impl Metadata {
    /// Takes what one plugin declares, once its tools are merged; `accepted` are the names of those it kept. The
    /// answer is the warnings, for the log under the plugin's name.
    pub fn declare<'a>(
        &mut self,
        plugin: &str,
        declared: &Declared,
        accepted: impl IntoIterator<Item = &'a str>,
    ) -> Vec<String> {
        self.icons.add(&declared.icons);
        self.shown.extend(lists::trimmed(&declared.show_output).map(str::to_owned));
        let (lists, warnings) = Lists::read(plugin, declared, &accepted.into_iter().collect());
        self.plugins.insert(plugin.to_owned(), lists);
        warnings
    }

    /// Whether plan mode may use the tool (`planSafe`, A15).
    pub fn is_plan_safe(&self, tool: &Merged<'_>) -> bool {
        self.lists(tool).is_some_and(|lists| lists.plan_safe.contains(&tool.registration.name))
    }

    /// The names declared for plan mode, registered or not, without those that another plugin has.
    pub fn plan_safe_names(&self, owners: &Owners) -> BTreeSet<&str> {
        let names = self.plugins.iter().flat_map(|(plugin, lists)| {
            let names = lists.plan_safe.iter().map(String::as_str);
            names.filter(move |name| owners.of(name).is_none_or(|owner| owner == plugin))
        });
        names.collect()
    }

    /// Whether the tool is deferred by its plugin (`deferLoading`).
    pub fn is_deferred(&self, tool: &Merged<'_>) -> bool {
        self.lists(tool).is_some_and(|lists| lists.deferred.contains(&tool.registration.name))
    }

    /// The names of all tools that their plugins defer.
    pub fn deferred_names(&self) -> BTreeSet<&str> {
        self.plugins.values().flat_map(|lists| &lists.deferred).map(String::as_str).collect()
    }

    /// Whether a tool that its plugin calls read-only is meant (`provides.readOnlyTools`, A3). It classifies and
    /// grants nothing.
    pub fn is_read_only(&self, tool: &Merged<'_>) -> bool {
        let Merged { registration, .. } = tool;
        self.lists(tool).is_some_and(|lists| {
            lists.read_only.contains(&registration.name)
                || registration.external
                    && lists.read_only_families.iter().any(|family| covers(family, &registration.name))
        })
    }

    /// Whether a tool's output is shown when it succeeds (`showOutput`).
    pub fn shows(&self, tool: &str) -> bool {
        self.shown.contains(tool) || self.shown.iter().any(|entry| covers(entry, tool))
    }

    /// The entries of all plugins' `showOutput`.
    pub fn shown(&self) -> &BTreeSet<String> {
        &self.shown
    }

    /// The tools' icons.
    pub fn icons(&self) -> &Icons {
        &self.icons
    }

    /// Whether accounts need a grant for the plugin (`userGrantable`).
    pub fn is_user_grantable(&self, plugin: &str) -> bool {
        self.plugins.get(plugin).is_some_and(|lists| lists.user_grantable)
    }

    /// The plugins that accounts need a grant for.
    pub fn user_grantable(&self) -> BTreeSet<&str> {
        let gated = self.plugins.iter().filter(|(_, lists)| lists.user_grantable);
        gated.map(|(plugin, _)| plugin.as_str()).collect()
    }

    fn lists(&self, tool: &Merged<'_>) -> Option<&Lists> {
        self.plugins.get(tool.plugin)
    }
}

#[cfg(test)]
mod tests;
