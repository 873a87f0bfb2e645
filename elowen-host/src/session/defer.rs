//! Is a tool's schema given to the model at once, or only when it asks for it through ToolSearch?
//!
//! Decided by name and owner alone: neither origin (F16) nor `planSafe` (X3) has a say.

use crate::policy::covers;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};

/// When a tool's schema is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loading {
    /// From the first turn on.
    Immediate,
    /// Once ToolSearch has activated it.
    Deferred,
}

/// Which rule decided. The first that applies does, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Deferral is switched off.
    GlobalDisabled,
    /// The name is one the core relies on; this cannot be overridden.
    NeverDefer,
    /// Configured for this tool of this source.
    ToolOverride,
    /// Configured for the whole source.
    SourceOverride,
    /// `deferLoading` of its plugin, or the core's own list.
    SourceDefault,
    /// One of the bridged tools, which are deferred together once there are too many.
    McpThreshold,
    /// Nothing speaks against it.
    DefaultImmediate,
}

impl Reason {
    /// Its name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::GlobalDisabled => "global-disabled",
            Reason::NeverDefer => "never-defer",
            Reason::ToolOverride => "tool-override",
            Reason::SourceOverride => "source-override",
            Reason::SourceDefault => "source-default",
            Reason::McpThreshold => "mcp-threshold",
            Reason::DefaultImmediate => "default-immediate",
        }
    }
}

/// What was decided about one tool, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When its schema is loaded.
    pub loading: Loading,
    /// The rule that said so.
    pub reason: Reason,
}

/// The instance's settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Deferral {
    /// Off means that every tool is immediate.
    pub enabled: bool,
    /// Most `mcp__` tools, not decided otherwise, that stay immediate.
    pub threshold: usize,
    /// What is configured for single tools and whole sources.
    pub overrides: Overrides,
}

impl Default for Deferral {
    fn default() -> Self {
        Deferral { enabled: true, threshold: 10, overrides: Overrides::default() }
    }
}

/// Configured decisions. A source is `plugin:<name>`, or `builtin` for the core.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// Source, then name.
    pub tools: HashMap<String, HashMap<String, Loading>>,
    /// Source.
    pub sources: HashMap<String, Loading>,
}

/// Deferred by default whoever registers them.
const DEFERRED: [&str; 2] = ["GenerateImage", "EditImage"];
const MCP: &str = "mcp__";
/// Names on the way of every interaction. A model that had to search for them first would be stuck.
const NEVER: [&str; 24] = [
    "ToolSearch",
    "Read",
    "Edit",
    "Write",
    "Search",
    "Grep",
    "Glob",
    "ListDir",
    "FileInfo",
    "GitStatus",
    "Bash",
    "ListProcesses",
    "ProcessOutput",
    "KillProcess",
    "AskUserQuestion",
    "ShareImage",
    "ShareFile",
    "ExitPlanMode",
    "Todo*",
    "Elowen*",
    "Memory*",
    "Lsp*",
    "Delegate*",
    "Workflow*",
];

/// Decides about each of `tools`, given as name and owning plugin (none for the core), in their order.
///
/// `defer_loading` holds the names that the owners' `deferLoading` lists come down to.
pub fn decide<'a>(
    tools: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    defer_loading: &HashSet<String>,
    settings: &Deferral,
) -> Vec<Decision> {
    let configured: Vec<(&str, Option<Decision>)> = tools
        .into_iter()
        .map(|(name, plugin)| (name, configured(name, plugin, defer_loading, settings)))
        .collect();
    let bridged = configured.iter().filter(|(name, decision)| decision.is_none() && name.starts_with(MCP));
    let many = bridged.count() > settings.threshold;
    let rest = |name: &str| match (name.starts_with(MCP), many) {
        (true, true) => Decision { loading: Loading::Deferred, reason: Reason::McpThreshold },
        (true, false) => Decision { loading: Loading::Immediate, reason: Reason::McpThreshold },
        (false, _) => Decision { loading: Loading::Immediate, reason: Reason::DefaultImmediate },
    };
    configured.into_iter().map(|(name, decision)| decision.unwrap_or_else(|| rest(name))).collect()
}

/// What is decided without counting.
fn configured(
    name: &str,
    plugin: Option<&str>,
    defer_loading: &HashSet<String>,
    settings: &Deferral,
) -> Option<Decision> {
    let decided = |loading, reason| Some(Decision { loading, reason });
    if !settings.enabled {
        return decided(Loading::Immediate, Reason::GlobalDisabled);
    }
    if NEVER.iter().any(|entry| covers(entry, name)) {
        return decided(Loading::Immediate, Reason::NeverDefer);
    }
    let source = plugin.map_or_else(|| "builtin".to_owned(), |plugin| format!("plugin:{plugin}"));
    let Overrides { tools, sources } = &settings.overrides;
    if let Some(loading) = tools.get(&source).and_then(|tools| tools.get(name)) {
        return decided(*loading, Reason::ToolOverride);
    }
    if let Some(loading) = sources.get(&source) {
        return decided(*loading, Reason::SourceOverride);
    }
    if DEFERRED.contains(&name) || defer_loading.contains(name) {
        return decided(Loading::Deferred, Reason::SourceDefault);
    }
    None
}

#[cfg(test)]
mod tests;
