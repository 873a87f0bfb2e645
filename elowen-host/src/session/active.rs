//! Which deferred tools has a session activated so far? In the order of activation, each once.

use super::compose::Composition;
use super::tool_search;
use serde_json::Value;
use std::collections::HashSet;

/// The deferred tools that ToolSearch has activated.
#[derive(Clone, Debug, Default)]
pub struct Activated {
    order: Vec<String>,
    names: HashSet<String>,
}

impl Activated {
    /// Adds names; those it has already stay where they are.
    pub fn extend<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            if self.names.insert(name.to_owned()) {
                self.order.push(name.to_owned());
            }
        }
    }

    /// Whether a tool is activated.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The names, oldest first.
    pub fn names(&self) -> &[String] {
        &self.order
    }

    /// What an earlier life of the session had activated, read from its history. Names that are not deferred
    /// now, and flagged results, do not count.
    pub fn from_history<'a>(history: impl IntoIterator<Item = Past<'a>>, composition: &Composition) -> Self {
        let mut activated = Activated::default();
        for past in history {
            let names = match past {
                Past::Result { tool: tool_search::NAME, is_error: false, details } => details.get("matched"),
                Past::Result { .. } => None,
                Past::Compaction { details } => details.get("activatedTools"),
            };
            let names = names.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            activated.extend(names.filter(|name| composition.is_deferred(name)));
        }
        activated
    }
}

/// One piece of a session's history.
#[derive(Clone, Copy, Debug)]
pub enum Past<'a> {
    /// A tool's result.
    Result {
        /// The tool.
        tool: &'a str,
        /// Whether it was flagged.
        is_error: bool,
        /// As it was kept.
        details: &'a Value,
    },
    /// A summary that took the place of older history.
    Compaction {
        /// What it keeps besides its text; the names stand in `activatedTools`.
        details: &'a Value,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tool_search::tests::{composed, deferred};
    use serde_json::json;

    #[test]
    fn s11_history_activates_again_what_is_still_deferred() {
        let composition =
            composed(vec![deferred("A", ""), deferred("B", ""), deferred("C", ""), deferred("D", "")]);
        let result = |tool, is_error, details| Past::Result { tool, is_error, details };
        let (summary, first, flagged) = (
            json!({"activatedTools": ["D", 7]}),
            json!({"matched": ["B", "Gone"]}),
            json!({"matched": ["C"]}),
        );
        let broken = json!({"matched": "A"});
        let history = [
            Past::Compaction { details: &summary },
            result("ToolSearch", false, &first),
            result("ToolSearch", true, &flagged),
            result("Other", false, &flagged),
            result("ToolSearch", false, &broken),
            result("ToolSearch", false, &first),
        ];
        assert_eq!(Activated::from_history(history, &composition).names(), ["D", "B"]);
    }
}
