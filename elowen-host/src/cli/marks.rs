//! What the manifests' lists say about one tool, for commands that show tools.

use crate::plugin::Tool;
use crate::registry::Registry;
use serde_json::Value;

/// The marks of one tool. A tool whose name another plugin has carries none.
#[derive(Debug, Default)]
pub(super) struct Marks {
    plan_safe: bool,
    read_only: bool,
    deferred: bool,
    shown: bool,
}

impl Marks {
    pub(super) fn of(registry: &Registry, tool: Tool) -> Self {
        if registry.owners().of(tool.name()) != Some(tool.plugin().name()) {
            return Marks::default();
        }
        let (metadata, merged) = (registry.metadata(), tool.merged());
        Marks {
            plan_safe: metadata.is_plan_safe(&merged),
            read_only: metadata.is_read_only(&merged),
            deferred: metadata.is_deferred(&merged),
            shown: metadata.shows(tool.name()),
        }
    }

    /// For programs: each of them, as fields of the tool's object.
    pub(super) fn describe(&self, tool: &mut Value) {
        for (name, holds) in self.all() {
            tool[name] = Value::Bool(holds);
        }
    }

    /// For people: those that hold; empty if none does.
    pub(super) fn line(&self) -> String {
        let names: Vec<&str> =
            self.all().into_iter().filter_map(|(name, holds)| holds.then_some(name)).collect();
        names.join(", ")
    }

    fn all(&self) -> [(&'static str, bool); 4] {
        [
            ("planSafe", self.plan_safe),
            ("readOnly", self.read_only),
            ("deferred", self.deferred),
            ("shown", self.shown),
        ]
    }
}
