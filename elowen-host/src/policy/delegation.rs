//! What a delegated session may do: never more than whoever delegates it, read at that moment (A20).

use super::access::Terms;
use super::permission::{Action, Boundary, Rule, Unattended};
use super::{Access, Ceiling, Origin, ToolPolicy, intersection};
use std::sync::Arc;

/// A kind of agent that work can be delegated to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentType {
    /// Its name.
    pub name: String,
    /// The tools it works with, as patterns; absent means all that the caller has.
    pub tools: Option<Vec<String>>,
    /// The tools that are left when it may only read, as patterns.
    pub read_only_tools: Vec<String>,
    /// Imposed: this kind of agent only reads. Requested: whoever delegates asked for one that only reads.
    pub read_only: Option<Origin>,
    /// Permission rules of its own, which come after the caller's.
    pub restrictions: Vec<Rule>,
}

/// A child that could not use a single tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("delegated tool scope is empty: agent `{agent}` and its caller have no tool in common")]
pub struct EmptyToolScope {
    /// The kind of agent.
    pub agent: String,
}

/// The ceiling of a session that `parent` delegates to such an agent. The only way to make one.
///
/// The child reaches what its parent reaches now. It is read-only if its kind or its parent is, and stays so with
/// its own children. Nobody can be asked on its behalf, so what its rules would ask is denied.
///
/// # Errors
/// If there is no tool that both may use.
pub fn derive_child(parent: &Access, agent: &AgentType) -> Result<Ceiling, EmptyToolScope> {
    let origin = if agent.read_only == Some(Origin::Imposed) || parent.plan_mode {
        Some(Origin::Imposed)
    } else if agent.read_only == Some(Origin::Requested) || parent.read_only {
        Some(Origin::Requested)
    } else {
        None
    };
    let policy = parent.tool_policy();
    let preset = match origin {
        Some(_) => Some(&agent.read_only_tools),
        None => agent.tools.as_ref(),
    };
    let allow = match (preset, policy.and_then(|policy| policy.allow.as_ref())) {
        (Some(preset), Some(allow)) => Some(intersection(preset, allow)),
        (preset, allow) => preset.or(allow).cloned(),
    };
    let tool_policy = ToolPolicy { allow, deny: policy.and_then(|policy| policy.deny.clone()) };
    let usable = |entry: &String| match entry.strip_suffix('*') {
        Some(_) => !tool_policy.deny.iter().flatten().any(|denied| super::within(entry, denied)),
        None => !tool_policy.denies(entry),
    };
    if tool_policy.allow.as_ref().is_some_and(|allow| !allow.iter().any(usable)) {
        return Err(EmptyToolScope { agent: agent.name.clone() });
    }
    let terms = Terms {
        account: parent.account(),
        principal: parent.principal().map(str::to_owned),
        tool_policy: Some(tool_policy).filter(|policy| *policy != ToolPolicy::default()),
        permissions: child_boundary(parent.permissions(), &agent.restrictions),
    };
    Ok(Ceiling { reach: parent.reach.clone(), owner: parent.owner, origin, terms: Arc::new(terms) })
}

/// The last matching rule wins, so the parent's denials are repeated at the end. Without rules of the parent
/// everything ran; only the child's own restrictions then hold.
fn child_boundary(parent: Option<&Boundary>, restrictions: &[Rule]) -> Option<Boundary> {
    if parent.is_none() && restrictions.is_empty() {
        return None;
    }
    let free = || vec![Rule::tools("*", Action::Allow), Rule::bash("*", Action::Allow)];
    let mut rules = parent.map_or_else(free, |parent| parent.rules.clone());
    rules.extend_from_slice(restrictions);
    let denials = parent.iter().flat_map(|parent| &parent.rules).filter(|rule| rule.action == Action::Deny);
    rules.extend(denials.cloned());
    let approve_all = parent.is_some_and(|parent| parent.approve_all);
    Some(Boundary { rules, unattended: Unattended::Deny, approve_all })
}
