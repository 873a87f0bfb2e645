//! The tool by which a model asks for the schemas of deferred tools.
//!
//! [`run`] is a whole call: resolve the query against the deferred tools, drop what the turn may not use,
//! activate the rest, say so. An embedder whose own tool list decides what sticks does the same in two steps,
//! [`find`] and [`Finding::answer`]. Activated tools are callable on the next turn.

mod block;
mod resolve;

pub use block::block;

use super::active::Activated;
use super::compose::Composition;
use super::offered::Offered;
use super::turn::Turn;
use crate::answer::Answer;
use resolve::{Matches, named, resolve};
use serde_json::{Value, json};

/// Its name, which no plugin and no embedder can take.
pub const NAME: &str = "ToolSearch";
/// The answer where there is no session to activate anything in.
pub const NO_SESSION: &str = "ToolSearch is not available in this session.";
/// The answer where no tool is deferred; the tool is not offered there, but a model may remember it.
pub const NOTHING_DEFERRED: &str =
    "No deferred tools in this session — every tool is already active and callable directly.";

/// Most tools that one call activates, whatever it asks for.
const MOST: usize = 25;
const DEFAULT_RESULTS: usize = 5;

/// The tool as it is offered. Plan mode may call it (A5).
pub fn tool() -> Offered {
    Offered {
        name: NAME.to_owned(),
        description: "Loads tools that this session has but lists by name only. Found tools become callable on your \
                      next turn. Ask for names (\"select:ToolA,ToolB\"), for a server's tools (\"mcp__server\"), or \
                      by keywords; a keyword with + before it must match."
            .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "\"select:<name>,<name>\", a tool's exact name, an mcp__ prefix, or keywords."
                },
                "max_results": {
                    "type": "number",
                    "description": "How many tools to load at most, from 1 to 25; 5 if left out. Not for select:."
                }
            },
            "required": ["query"]
        }),
        external: false,
        plugin: None,
        read_only: true,
        plan_safe: true,
    }
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// As the model wrote it.
    pub text: String,
    /// From 1 to 25.
    pub max_results: usize,
}

impl Query {
    /// Reads a call's arguments. What is missing or of the wrong kind counts as left out.
    pub fn parse(arguments: &str) -> Self {
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let text = arguments.get("query").and_then(Value::as_str).unwrap_or_default().to_owned();
        let wanted = arguments.get("max_results").and_then(Value::as_f64);
        // The conversion rounds down and stops at the ends of the range.
        let max_results = wanted.map_or(DEFAULT_RESULTS, |wanted| (wanted as usize).clamp(1, MOST));
        Query { text, max_results }
    }
}

/// Runs a call: everything found is activated.
pub fn run(composition: &Composition, arguments: &str, turn: Turn<'_>, activated: &mut Activated) -> Answer {
    let query = Query::parse(arguments);
    let finding = find(composition, &query, turn);
    let found = finding.found();
    activated.extend(found.iter().copied());
    finding.answer(&found)
}

/// What a query comes to.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    query: &'a str,
    /// Whether the session defers anything, in whatever mode.
    defers: bool,
    /// How many tools are deferred that this mode may use.
    deferred: usize,
    /// How many of them the query resolved to, before the lists were asked.
    matched: usize,
    found: Vec<&'a str>,
    not_in_plan: Vec<&'a str>,
    already: Vec<&'a str>,
}

/// Resolves a query in a turn. Nothing is activated yet.
pub fn find<'a>(composition: &'a Composition, query: &'a Query, turn: Turn<'_>) -> Finding<'a> {
    let deferred: Vec<&Offered> = composition.deferred().collect();
    let Matches { ranked, most } = resolve(&deferred, query);
    // Only tools that the mode may use count towards the limit (A5).
    let (usable, unusable): (Vec<&Offered>, Vec<&Offered>) =
        ranked.into_iter().partition(|tool| turn.mode_permits(tool));
    let matched = usable.len().min(most);
    let named_active = match usable.is_empty() && unusable.is_empty() {
        true => named(composition.immediate().filter(|tool| turn.permits(tool)), query),
        false => Vec::new(),
    };
    let (already, closed): (Vec<&Offered>, Vec<&Offered>) =
        named_active.into_iter().partition(|tool| turn.mode_permits(tool));
    let names = |tools: Vec<&'a Offered>, most: usize| -> Vec<&'a str> {
        let permitted = tools.into_iter().take(most).filter(|tool| turn.permits(tool));
        permitted.map(|tool| tool.name.as_str()).collect()
    };
    Finding {
        query: &query.text,
        defers: !deferred.is_empty(),
        deferred: deferred.iter().filter(|tool| turn.mode_permits(tool)).count(),
        matched,
        found: names(usable, most),
        not_in_plan: [names(unusable, most), names(closed, MOST)].concat(),
        already: names(already, MOST),
    }
}

impl<'a> Finding<'a> {
    /// The tools to be activated.
    pub fn found(&self) -> Vec<&'a str> {
        self.found.clone()
    }

    /// Says what was activated, given those names of [`Finding::found`] that really are active now.
    pub fn answer(&self, active: &[impl AsRef<str>]) -> Answer {
        let is_active = |name: &&str| active.iter().any(|active| active.as_ref() == *name);
        let (stuck, failed): (Vec<&str>, Vec<&str>) = self.found.iter().copied().partition(is_active);
        let mut details = json!({"matched": stuck});
        let mut text = self.activation(&stuck, &failed);
        if !self.not_in_plan.is_empty() {
            let verb = if self.not_in_plan.len() == 1 { "is" } else { "are" };
            text.push(format!("{} {verb} not available in plan mode.", self.not_in_plan.join(", ")));
        }
        if !self.already.is_empty() {
            let (verb, them) = if self.already.len() == 1 { ("is", "it") } else { ("are", "them") };
            let names = self.already.join(", ");
            text.push(format!("{names} {verb} already active — call {them} directly; no ToolSearch needed."));
            details = json!({"matched": [], "alreadyActive": self.already});
        }
        if text.is_empty() {
            text.push(self.nothing());
        }
        if !self.defers {
            text = vec![NOTHING_DEFERRED.to_owned()];
            details = json!({"matched": []});
        }
        Answer { details, ..Answer::text(text.join(" ")) }
    }

    /// The sentences about tools that were to be activated.
    fn activation(&self, stuck: &[&str], failed: &[&str]) -> Vec<String> {
        let mut text = Vec::new();
        if !stuck.is_empty() {
            let names = stuck.join(", ");
            text.push(format!(
                "Activated {} tool(s): {names}. They are callable on your next turn.",
                stuck.len()
            ));
        }
        if !failed.is_empty() {
            let (names, them) = (failed.join(", "), if failed.len() == 1 { "it" } else { "them" });
            text.push(match stuck.is_empty() {
                true => format!("ToolSearch could not activate {names} — proceed without {them}."),
                false => format!("{names} could NOT be activated — proceed without {them}."),
            });
        }
        text
    }

    fn nothing(&self) -> String {
        let what = match self.matched {
            0 => format!("matched nothing for \"{}\"", self.query),
            many => {
                format!(
                    "matched {many} tool(s) but your permissions allow none of them for \"{}\"",
                    self.query
                )
            }
        };
        format!(
            "ToolSearch {what}. {} tool(s) are deferred; try different keywords or \"select:<exact-name>\".",
            self.deferred
        )
    }
}

#[cfg(test)]
pub(super) mod tests;
