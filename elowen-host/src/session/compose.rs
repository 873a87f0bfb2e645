//! What is one session's model offered, in which order, and what of it from the start?
//!
//! [`compose`] takes the tools that were selected for a session and the core's own, decides which are
//! deferred, caps external schemas, adds the status field where it is wanted, and orders the result. It is done once a session;
//! what a turn may see of it is [`Composition::visible`]. Pure: the same parts give the same composition, in
//! time linear in the catalogue.

use super::active::Activated;
use super::cap::{self, Capped};
use super::defer::{self, Decision, Deferral, Loading};
use super::offered::Offered;
use super::turn::Turn;
use super::{status, tool_search};
use std::collections::{HashMap, HashSet};

pub use crate::gates::PlanUse;

/// Where a core tool stands (A27).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Before ToolSearch.
    Leading,
    /// Between ToolSearch and the plugins' tools.
    Middle,
    /// At the end.
    Trailing,
}

/// A tool that the embedding application brings itself.
#[derive(Clone, Debug)]
pub struct Core {
    /// Its definition; `plugin` and `plan_safe` are set here.
    pub tool: Offered,
    /// Its place.
    pub group: Group,
    /// Its use in plan mode.
    pub plan: PlanUse,
}

/// What a session is made of.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The core's tools, in order.
    pub core: Vec<Core>,
    /// The plugins' tools that were selected for the session, in order.
    pub plugins: Vec<Offered>,
    /// Names of plugin tools that their owners' `deferLoading` covers.
    pub defer_loading: &'a HashSet<String>,
    /// The instance's settings.
    pub deferral: &'a Deferral,
    /// Whether tools can be activated later. A session that cannot, such as a worker's, gets all of them at
    /// once.
    pub grows: bool,
    /// Whether calls may say what they are doing.
    pub status_field: bool,
}

/// One session's tools.
#[derive(Clone, Debug, Default)]
pub struct Composition {
    entries: Vec<Entry>,
    places: HashMap<String, usize>,
    capped: Vec<Capped>,
    warnings: Vec<String>,
}

#[derive(Clone, Debug)]
struct Entry {
    tool: Offered,
    decision: Decision,
    deferred: bool,
}

/// Composes a session.
pub fn compose(parts: Parts<'_>) -> Composition {
    let mut composition = Composition::default();
    let tools = in_order(parts.core, parts.plugins, &mut composition.warnings);
    let named = tools.iter().map(|(_, tool)| (tool.name.as_str(), tool.plugin.as_deref()));
    let decisions = defer::decide(named, parts.defer_loading, parts.deferral);
    let deferred = |decision: &Decision| parts.grows && decision.loading == Loading::Deferred;
    let searched = decisions.iter().any(deferred);

    // ToolSearch does not take part in the decisions; its place is after the leading tools.
    let search = tool_search::tool();
    let decided_search = defer::decide([(tool_search::NAME, None)], parts.defer_loading, parts.deferral);
    let search = decided_search
        .into_iter()
        .filter(|_| searched)
        .map(|decision| (Place::Search, search.clone(), decision));
    let mut all: Vec<(Place, Offered, Decision)> = tools
        .into_iter()
        .zip(decisions)
        .map(|((place, tool), decision)| (place, tool, decision))
        .chain(search)
        .collect();
    all.sort_by_key(|(place, ..)| *place);

    for (_, tool, decision) in all {
        let (tool, capped) = cap::cap(tool);
        composition.capped.extend(capped);
        let tool = if parts.status_field { status::add(tool) } else { tool };
        composition.places.insert(tool.name.clone(), composition.entries.len());
        composition.entries.push(Entry { tool, decision, deferred: deferred(&decision) });
    }
    composition.warnings.extend(cap::warnings(&composition.capped));
    composition
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Leading,
    Search,
    Middle,
    Plugins,
    Trailing,
}

/// The tools with their places, one of each name: the core's before the plugins', and none called ToolSearch.
fn in_order(core: Vec<Core>, plugins: Vec<Offered>, warnings: &mut Vec<String>) -> Vec<(Place, Offered)> {
    let mut taken = HashSet::from([tool_search::NAME.to_owned()]);
    let core = core.into_iter().map(|Core { tool, group, plan }| {
        let place = match group {
            Group::Leading => Place::Leading,
            Group::Middle => Place::Middle,
            Group::Trailing => Place::Trailing,
        };
        (place, Offered { plugin: None, plan_safe: plan != PlanUse::Refused, ..tool })
    });
    let all = core.chain(plugins.into_iter().map(|tool| (Place::Plugins, tool)));
    all.filter(|(_, tool)| {
        let free = taken.insert(tool.name.clone());
        if !free {
            let from =
                tool.plugin.as_ref().map_or("of the core".to_owned(), |plugin| format!("from \"{plugin}\""));
            warnings.push(format!(
                "tool \"{}\" {from} left out — this session has another one of that name, which goes first",
                tool.name
            ));
        }
        free
    })
    .collect()
}

impl Composition {
    /// All tools in order, deferred ones too.
    pub fn tools(&self) -> impl Iterator<Item = &Offered> {
        self.entries.iter().map(|entry| &entry.tool)
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<&Offered> {
        self.entry(name).map(|entry| &entry.tool)
    }

    /// What was decided about the tool of that name.
    pub fn decision(&self, name: &str) -> Option<Decision> {
        self.entry(name).map(|entry| entry.decision)
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(*self.places.get(name)?)
    }

    /// The tools that have to be asked for, in order, whatever the mode.
    pub fn deferred(&self) -> impl Iterator<Item = &Offered> {
        self.entries.iter().filter(|entry| entry.deferred).map(|entry| &entry.tool)
    }

    /// Whether the tool of that name has to be asked for.
    pub fn is_deferred(&self, name: &str) -> bool {
        self.entry(name).is_some_and(|entry| entry.deferred)
    }

    /// The tools that are active from the start, in order.
    pub fn immediate(&self) -> impl Iterator<Item = &Offered> {
        self.entries.iter().filter(|entry| !entry.deferred).map(|entry| &entry.tool)
    }

    /// What a turn's model is sent: the immediate tools in order, then the activated ones in the order of
    /// their activation, so that a provider's cache of the beginning stays valid. Plan mode narrows both (A6,
    /// X5).
    pub fn visible(&self, turn: Turn<'_>, activated: &Activated) -> Vec<&Offered> {
        let activated = activated.names().iter().filter_map(|name| self.entry(name));
        let activated = activated.filter(|entry| entry.deferred).map(|entry| &entry.tool);
        self.immediate().chain(activated).filter(|tool| turn.shows(tool)).collect()
    }

    /// The names that plan mode may use, in order.
    pub fn plan_allowed(&self) -> impl Iterator<Item = &str> {
        self.tools().filter(|tool| tool.plan_safe).map(|tool| tool.name.as_str())
    }

    /// What was taken from external tools.
    pub fn capped(&self) -> &[Capped] {
        &self.capped
    }

    /// To be logged once.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Whether a turn's tools are others than the turn's before; their order alone is no reason to send them
/// anew.
pub fn differ(before: &[&Offered], after: &[&Offered]) -> bool {
    let names = |tools: &[&Offered]| tools.iter().map(|tool| tool.name.clone()).collect::<HashSet<_>>();
    names(before) != names(after)
}

#[cfg(test)]
mod tests;
