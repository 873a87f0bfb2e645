//! Why did a provider's cache not hold? Compares two requests by the hashes of their parts and names what changed.
//!
//! A snapshot holds hashes, counts and names of local tools: never content, and never the name of a tool whose
//! schema was authored elsewhere.

mod canonical;

use canonical::Digest;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    fmt,
};

/// What stands for every external name (A4).
pub const EXTERNAL: &str = "external";
/// How many tools a snapshot tells apart.
const TOOLS: usize = 256;
/// How many messages a snapshot tells apart.
const MESSAGES: usize = 512;

/// The names of a session's external tools: a projection for diagnostics alone, which no request ever holds.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ExternalNames(HashSet<String>);

impl ExternalNames {
    /// From the entries that this session selected, each with its own flag (A25): one name may be external in one
    /// session and internal in another.
    pub fn of<'a>(selected: impl IntoIterator<Item = (&'a str, bool)>) -> Self {
        let external = selected.into_iter().filter(|(_, external)| *external);
        ExternalNames(external.map(|(name, _)| name.to_owned()).collect())
    }

    /// What diagnostics call a tool of that name.
    pub fn label<'n>(&self, name: &'n str) -> &'n str {
        if self.0.contains(name) { EXTERNAL } else { name }
    }

    /// What diagnostics call the tool at `index` of a request. A hosted namespace (a name and `tools`) is hidden
    /// if one of its tools is external.
    pub fn label_of_entry(&self, entry: &Value, index: usize) -> String {
        let Some(name) = entry_name(entry) else { return format!("#{index}") };
        let inner = entry.get("tools").and_then(Value::as_array).into_iter().flatten();
        let mut inner = inner.filter_map(|tool| tool.as_str().or_else(|| entry_name(tool)));
        if inner.any(|name| self.0.contains(name)) {
            EXTERNAL.to_owned()
        } else {
            self.label(name).to_owned()
        }
    }
}

impl fmt::Debug for ExternalNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExternalNames({})", self.0.len())
    }
}

/// The name of a provider's tool entry, in either of the usual forms.
fn entry_name(entry: &Value) -> Option<&str> {
    entry.get("name").or_else(|| entry.get("function")?.get("name"))?.as_str()
}

/// A request to a provider, as it is sent.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The system prompt.
    pub system: &'a Value,
    /// The tools.
    pub tools: &'a [Value],
    /// The messages.
    pub history: &'a [Value],
}

/// A request as hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    system: Digest,
    /// The tools that take part in the cached beginning; deferred ones do not.
    tools: Vec<Segment>,
    tool_count: usize,
    deferred: usize,
    history: Vec<Digest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Segment {
    label: String,
    digest: Digest,
}

impl Snapshot {
    /// Of a request. `cache_control` does not count, wherever it stands. Linear in the request.
    pub fn of(request: Request<'_>, external: &ExternalNames) -> Self {
        let deferred = |entry: &Value| entry.get("defer_loading") == Some(&Value::Bool(true));
        let tools = request.tools.iter().enumerate().filter(|(_, entry)| !deferred(entry));
        let tool_count = tools.clone().count();
        let segment = |(index, entry)| Segment {
            label: external.label_of_entry(entry, index),
            digest: canonical::digest(entry),
        };
        Snapshot {
            system: canonical::digest(request.system),
            tools: tools.take(TOOLS).map(segment).collect(),
            tool_count,
            deferred: request.tools.len() - tool_count,
            history: request.history.iter().take(MESSAGES).map(canonical::digest).collect(),
        }
    }

    /// What changed in `next` against this one, so that what was cached no longer fits.
    pub fn compare(&self, next: &Snapshot) -> Comparison {
        let mut changes = Vec::new();
        if self.system != next.system {
            changes.push("system changed".to_owned());
        }
        changes.extend(self.tools_changed(next));
        let same = self.history.iter().zip(&next.history).take_while(|(one, two)| one == two).count();
        if same < self.history.len() {
            let (before, after) = (self.history.len(), next.history.len());
            changes.push(match same == after {
                true => format!("history changed (shortened, count {before}→{after})"),
                false => format!("history changed (from message {same})"),
            });
        }
        let tools = if next.deferred == 1 { "tool" } else { "tools" };
        let note = (next.deferred > 0).then(|| format!("{} deferred {tools} in the payload", next.deferred));
        Comparison { changes, notes: note.into_iter().collect() }
    }

    fn tools_changed(&self, next: &Snapshot) -> Option<String> {
        if self.tools == next.tools && self.tool_count == next.tool_count {
            return None;
        }
        let counts = format!("count {}→{}", self.tool_count, next.tool_count);
        let appended = next.tool_count.saturating_sub(self.tool_count);
        if appended > 0 && next.tools.starts_with(&self.tools) {
            let tools = if appended == 1 { "tool" } else { "tools" };
            return Some(format!("tools changed ({appended} {tools} appended, {counts})"));
        }
        let mut balance: HashMap<&Segment, i64> = HashMap::new();
        self.tools.iter().for_each(|segment| *balance.entry(segment).or_default() += 1);
        next.tools.iter().for_each(|segment| *balance.entry(segment).or_default() -= 1);
        let mut seen = HashSet::new();
        let differing =
            next.tools.iter().chain(&self.tools).filter(|segment| balance.get(segment) != Some(&0));
        let labels: Vec<&str> =
            differing.map(|segment| &*segment.label).filter(|label| seen.insert(*label)).collect();
        let what =
            if labels.is_empty() { "order".to_owned() } else { format!("segments {}", labels.join(", ")) };
        Some(match self.tool_count == next.tool_count {
            true => format!("tools changed ({what})"),
            false => format!("tools changed ({what}, {counts})"),
        })
    }
}

/// The difference between two snapshots, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What makes the cached beginning useless, one sentence each; none if it still fits.
    pub changes: Vec<String>,
    /// What is worth knowing beside that.
    pub notes: Vec<String>,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<&str> = self.changes.iter().chain(&self.notes).map(String::as_str).collect();
        f.write_str(if all.is_empty() { "unchanged" } else { "" })?;
        f.write_str(&all.join("; "))
    }
}

#[cfg(test)]
mod tests;
