//! What a session may do: who is asking, how far it reaches, and which tools it is allowed.
//!
//! Pure: what is captured when a session starts and what the live authority answers come in as data or through a
//! trait that an embedder implements; nothing here knows a plugin, a file or a clock. The [`gates`](crate::gates)
//! ask these types before a call, the [path guard](crate::path_guard) before a file is opened.

mod access;
mod delegation;
mod identity;
pub mod permission;
mod turn;

pub use access::{Access, AccessSource, Captured, Ceiling, Grants, Live, Origin, Reach, effective, may_use};
pub use delegation::{AgentType, EmptyToolScope, derive_child};
pub use identity::{Conversation, Identity, effective_identity};
pub use turn::{Mode, Turn};

use serde::{Deserialize, Serialize};

/// Whether an entry of a list of tool names covers a name: exactly, or as a prefix if it ends in `*`. A `*`
/// elsewhere is an ordinary character.
pub fn covers(entry: &str, name: &str) -> bool {
    match entry.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => entry == name,
    }
}

/// The tools a session is allowed; entries as [`covers`] reads them. Denying wins over allowing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPolicy {
    /// Only these, where the list is present; an empty list allows nothing. Narrows plugins' tools only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    /// None of these, core tools included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<String>>,
}

impl ToolPolicy {
    /// Whether the allow list, if there is one, covers the name.
    pub fn allows(&self, name: &str) -> bool {
        self.allow.as_ref().is_none_or(|list| list.iter().any(|entry| covers(entry, name)))
    }

    /// Whether the deny list covers the name.
    pub fn denies(&self, name: &str) -> bool {
        self.deny.iter().flatten().any(|entry| covers(entry, name))
    }

    /// Whether a plugin's tool of that name may run: allowed and not denied.
    pub fn permits(&self, name: &str) -> bool {
        self.allows(name) && !self.denies(name)
    }
}

/// The entries that cover exactly what both lists cover, in the order of the first.
fn intersection(first: &[String], second: &[String]) -> Vec<String> {
    let mut common: Vec<String> = Vec::new();
    for one in first {
        for other in second {
            // Two entries overlap only where one contains the other, and then in the narrower one.
            let narrower = match (within(one, other), within(other, one)) {
                (true, _) => one,
                (false, true) => other,
                (false, false) => continue,
            };
            if !common.contains(narrower) {
                common.push(narrower.clone());
            }
        }
    }
    common
}

/// Whether everything that `inner` covers is covered by `outer`.
fn within(inner: &str, outer: &str) -> bool {
    match (inner.strip_suffix('*'), outer.strip_suffix('*')) {
        (Some(inner), Some(outer)) => inner.starts_with(outer),
        (Some(_), None) => false,
        (None, _) => covers(outer, inner),
    }
}

#[cfg(test)]
mod tests;
