//! What a manifest says about its plugin, as types: the lists that complete its tools, and the smaller fields.
//!
//! The lists stand here as written. What they mean depends on what is registered, see
//! [`registry::metadata`](crate::registry::metadata).

use serde_json::{Map, Value};

use super::{Manifest, config};

/// The lists that complete a plugin's tools, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// `provides.tools`: names, or prefixes before a `*`. Without the list any tool may be registered, with an empty
    /// one none.
    pub tools: Option<Vec<String>>,
    /// `provides.readOnlyTools`: names, or prefixes before a `*`.
    pub read_only_tools: Vec<String>,
    /// `planSafe`: names.
    pub plan_safe: Vec<String>,
    /// `showOutput`: names, or prefixes before a `*`.
    pub show_output: Vec<String>,
    /// `deferLoading`: names, or prefixes before a `*`.
    pub defer_loading: Vec<String>,
    /// `icons`: names, or prefixes before a `*`, and what is shown for them, in the order of the file.
    pub icons: Vec<(String, String)>,
    /// `userGrantable`: accounts need a grant for the plugin.
    pub user_grantable: bool,
}

/// What a plugin says it changes, reads and reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// What its hooks may change: `prompt`, `turnContext`, `tools`, `memory`, `events`, `workflow-dag`, `users`.
    pub mutates: Vec<String>,
    /// What it reads of the host.
    pub reads: Vec<String>,
    /// Whether it uses the network.
    pub network: bool,
}

impl Capabilities {
    /// Whether its hooks may change this.
    pub fn may_mutate(&self, what: &str) -> bool {
        self.mutates.iter().any(|declared| declared == what)
    }
}

impl Declared {
    /// Reads a manifest whose shape has been checked.
    pub(super) fn read(manifest: &Map<String, Value>) -> Self {
        let provides = |key| manifest.get("provides").and_then(|provides| provides.get(key)).map(texts);
        let list = |key| manifest.get(key).map(texts).unwrap_or_default();
        let icons = manifest.get("icons").and_then(Value::as_object).into_iter().flatten();
        Declared {
            tools: provides("tools"),
            read_only_tools: provides("readOnlyTools").unwrap_or_default(),
            plan_safe: list("planSafe"),
            show_output: list("showOutput"),
            defer_loading: list("deferLoading"),
            icons: icons.filter_map(|(name, icon)| Some((name.clone(), icon.as_str()?.to_owned()))).collect(),
            user_grantable: flag(manifest.get("userGrantable")),
        }
    }
}

impl Manifest {
    /// The lists that complete its tools.
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    /// `provides.tools`; see [`Declared::tools`].
    pub fn provides_tools(&self) -> Option<&[String]> {
        self.declared.tools.as_deref()
    }

    /// `provides.readOnlyTools`.
    pub fn read_only_tools(&self) -> &[String] {
        &self.declared.read_only_tools
    }

    /// `planSafe`.
    pub fn plan_safe(&self) -> &[String] {
        &self.declared.plan_safe
    }

    /// `showOutput`.
    pub fn show_output(&self) -> &[String] {
        &self.declared.show_output
    }

    /// `deferLoading`.
    pub fn defer_loading(&self) -> &[String] {
        &self.declared.defer_loading
    }

    /// `icons`, in the order of the file.
    pub fn icons(&self) -> &[(String, String)] {
        &self.declared.icons
    }

    /// `userGrantable`; no if it is not there.
    pub fn user_grantable(&self) -> bool {
        self.declared.user_grantable
    }

    /// `capabilities`, if it has any.
    pub fn capabilities(&self) -> Option<Capabilities> {
        let of = self.raw.get("capabilities")?;
        let list = |key| of.get(key).map(texts).unwrap_or_default();
        Some(Capabilities {
            mutates: list("mutates"),
            reads: list("reads"),
            network: flag(of.get("network")),
        })
    }

    /// The defaults in `configSchema` by key: what the installation's configuration starts from.
    pub fn config_defaults(&self) -> Map<String, Value> {
        config::defaults(&self.raw, config::SCHEMAS[0])
    }

    /// The defaults in `userConfigSchema` by key: what an account's own configuration starts from.
    pub fn user_config_defaults(&self) -> Map<String, Value> {
        config::defaults(&self.raw, config::SCHEMAS[1])
    }

    /// `label`: the plugin's name for people; its name if it has none.
    pub fn label(&self) -> &str {
        self.text("label").filter(|label| !label.trim().is_empty()).unwrap_or(&self.name)
    }

    /// `icon`: the plugin's own picture, as a path below its folder.
    pub fn icon(&self) -> Option<&str> {
        self.text("icon")
    }

    /// `requiresCore`: the oldest platform that it works with. Whoever installs plugins compares it.
    pub fn requires_core(&self) -> Option<&str> {
        self.text("requiresCore")
    }

    /// `requiresControls`: what other plugins must offer for it to work. Whoever enables plugins compares it.
    pub fn requires_controls(&self) -> Vec<String> {
        self.raw.get("requiresControls").map(texts).unwrap_or_default()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.raw.get(key)?.as_str()
    }
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn flag(value: Option<&Value>) -> bool {
    value.and_then(Value::as_bool).unwrap_or_default()
}
