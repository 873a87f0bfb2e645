//! What `session` has composed, as text for people and as JSON for programs.

use crate::cli::output::{DIM, NAME, WARN};
use crate::error::LoadError;
use crate::printable;
use crate::scope::Scope;
use crate::session::{cap::Capped, offered::Offered};
use serde_json::{Value, json};

/// A session's tools.
pub(super) struct Report {
    pub(super) scope: Scope,
    pub(super) plan: bool,
    pub(super) rows: Vec<Row>,
    pub(super) warnings: Vec<String>,
    /// Plugins that were not loaded; the log has told people.
    pub(super) failures: Vec<LoadError>,
}

/// One of them.
pub(super) struct Row {
    name: String,
    plugin: Option<String>,
    external: bool,
    /// Of the definition as the session has it.
    bytes: usize,
    /// What was taken from it.
    capped: Option<Capped>,
    state: State,
}

/// Whether the model has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It is sent it now.
    Offered,
    /// It has to ask for it, by which rule.
    Deferred(&'static str),
    /// It does not have it, and why.
    Hidden(String),
}

impl State {
    fn word(&self) -> &'static str {
        match self {
            State::Offered => "offered",
            State::Deferred(_) => "deferred",
            State::Hidden(_) => "hidden",
        }
    }

    fn reason(&self) -> Option<&str> {
        match self {
            State::Offered => None,
            State::Deferred(rule) => Some(rule),
            State::Hidden(why) => Some(why),
        }
    }
}

impl Row {
    pub(super) fn new(tool: &Offered, capped: Option<Capped>, state: State) -> Self {
        // Strings and JSON values: nothing here can fail to be written.
        let bytes = serde_json::to_string(&tool.definition()).map_or(0, |json| json.len());
        let Offered { name, plugin, external, .. } = tool;
        Row { name: name.clone(), plugin: plugin.clone(), external: *external, bytes, capped, state }
    }
}

impl Report {
    /// How many tools are in that state, and their bytes.
    fn total(&self, word: &str) -> (usize, usize) {
        let bytes: Vec<usize> =
            self.rows.iter().filter(|row| row.state.word() == word).map(|row| row.bytes).collect();
        (bytes.len(), bytes.iter().sum())
    }

    pub(super) fn as_json(&self) -> Value {
        let row = |row: &Row| {
            let mut entry = json!({
                "name": row.name,
                "plugin": row.plugin,
                "external": row.external,
                "bytes": row.bytes,
                "state": row.state.word(),
            });
            if let Some(reason) = row.state.reason() {
                entry["reason"] = json!(reason);
            }
            if let Some(capped) = &row.capped {
                entry["capped"] =
                    json!({"registeredBytes": capped.bytes, "schemaOmitted": capped.schema_omitted});
            }
            entry
        };
        let failure = |error: &LoadError| {
            json!({
                "plugin": error.plugin,
                "file": error.file.to_string_lossy(),
                "error": error.to_string(),
            })
        };
        let total = |word| {
            let (tools, bytes) = self.total(word);
            json!({"tools": tools, "bytes": bytes})
        };
        json!({
            "mode": if self.plan { "plan" } else { "build" },
            "account": self.scope.account,
            "project": self.scope.project,
            "platform": self.scope.platform,
            "tools": self.rows.iter().map(row).collect::<Vec<_>>(),
            "offered": total("offered"),
            "deferred": total("deferred"),
            "hidden": total("hidden"),
            "warnings": self.warnings,
            "failures": self.failures.iter().map(failure).collect::<Vec<_>>(),
        })
    }

    pub(super) fn as_text(&self) -> String {
        let mode = if self.plan { "plan mode" } else { "build mode" };
        let mut text = format!("{DIM}{}, {mode}{DIM:#}\n", printable::line(&self.scope.to_string()));
        let names: Vec<String> =
            self.rows.iter().map(|row| printable::line(&row.name).into_owned()).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(48);
        for (row, name) in self.rows.iter().zip(&names) {
            let gap = width.saturating_sub(name.chars().count());
            text.push_str(&format!("{NAME}{name}{NAME:#}{:gap$}  {:>6} bytes", "", row.bytes));
            if let Some(capped) = &row.capped {
                let what = if capped.schema_omitted { "schema omitted" } else { "description cut" };
                text.push_str(&format!("  {WARN}capped{WARN:#}: {what}, {} bytes before", capped.bytes));
            }
            if let Some(reason) = row.state.reason() {
                let word = row.state.word();
                text.push_str(&format!("  {WARN}{word}{WARN:#}: {}", printable::line(reason)));
            }
            text.push('\n');
        }
        let total = |word| {
            let (tools, bytes) = self.total(word);
            format!("{tools} {word} ({bytes} bytes)")
        };
        text.push_str(&format!("{}, {}, {}\n", total("offered"), total("deferred"), total("hidden")));
        text
    }
}
