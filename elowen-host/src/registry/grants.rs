//! Which tools an account is offered and which it is denied, by the grants it holds.
//!
//! A plugin may ask that accounts are granted it one by one. Who holds no grant is not offered its tools, and finds
//! them among the names that it is denied, so that a call that comes all the same is refused.

use std::collections::HashSet;

use super::metadata::{Merged, Metadata};
use crate::policy;
use crate::scope::{self, Scope};

/// The plugins that an account was granted. Nobody known has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grants {
    /// Every plugin: an administrator, or whoever owns the installation.
    All,
    /// These, by name.
    Only(Vec<String>),
}

impl Default for Grants {
    fn default() -> Self {
        Grants::Only(Vec::new())
    }
}

impl Grants {
    /// An account's: administrators need none.
    pub fn of_account(admin: bool, granted: Vec<String>) -> Self {
        if admin { Grants::All } else { Grants::Only(granted) }
    }

    /// Whether they cover the plugin.
    pub fn cover(&self, plugin: &str) -> bool {
        match self {
            Grants::All => true,
            Grants::Only(granted) => granted.iter().any(|name| name == plugin),
        }
    }
}

/// What an account held when its session began, for the gates to hold calls to.
impl policy::Grants for Grants {
    fn is_granted(&self, _account: u64, plugin: &str) -> bool {
        self.cover(plugin)
    }
}

impl Metadata {
    /// Whether an account with these grants may use the plugin.
    pub fn allows(&self, plugin: &str, grants: &Grants) -> bool {
        !self.is_user_grantable(plugin) || grants.cover(plugin)
    }
}

/// Positions of the tools that a session is offered: those that its scope and grants select, in order of
/// registration, one of each name (A13).
pub fn tools_for(tools: &[Merged<'_>], metadata: &Metadata, grants: &Grants, scope: &Scope) -> Vec<usize> {
    let allowed = tools.iter().enumerate().filter(|(_, tool)| metadata.allows(tool.plugin, grants));
    let (positions, registrations): (Vec<_>, Vec<_>) =
        allowed.map(|(position, tool)| (position, tool.registration)).unzip();
    let chosen = scope::chosen(&registrations, scope);
    chosen.into_iter().filter_map(|index| positions.get(index).copied()).collect()
}

/// The names that an account is denied: those it has switched off, then the tools of plugins it holds no grant for.
pub fn denied_tools(
    disabled: &[String],
    tools: &[Merged<'_>],
    metadata: &Metadata,
    grants: &Grants,
) -> Vec<String> {
    let ungranted = tools.iter().filter(|tool| !metadata.allows(tool.plugin, grants));
    let names = disabled.iter().chain(ungranted.map(|tool| &tool.registration.name));
    let mut seen = HashSet::new();
    names.filter(|name| seen.insert(name.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests;
