//! What a call has to pass before its tool runs, in order; the first refusal is the answer.
//!
//! A refusal is text that the model can act on, never a flagged failure. Everything that may be refused without
//! asking anybody is looked at first, so that nobody is asked about a call that would be refused anyway (A10).

mod after;
mod budget;
mod deny;
mod hooks;
mod permission;
mod plan;
mod scope;

pub use after::{AfterHook, AfterHooks};
pub use deny::{DenyList, PolicyGate};
pub use hooks::{Audit, BeforeHook, BeforeHooks, HookCall, Hooked, NoAudit, Veto};
pub use permission::{Approval, Decision, Nobody, PermissionGate, Request};
pub use plan::{PlanClamp, PlanUse};
pub use scope::{OwnerGate, ScopeGate};

use crate::log::Silent;
use crate::policy::Turn;
use serde_json::Value;
use std::{
    fmt,
    pin::Pin,
    sync::{Arc, OnceLock},
};

/// The tool that is called, as far as gates look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// Its name.
    pub name: &'a str,
    /// The plugin it belongs to; `None` for a core tool.
    pub plugin: Option<&'a str>,
    /// What planning may do with it.
    pub plan: PlanUse,
    /// The one account it is for.
    pub owner_user_id: Option<u64>,
    /// The one project it is for.
    pub project_id: Option<u64>,
    /// The one platform it is for.
    pub platform: Option<&'a str>,
    /// Accounts must be granted its plugin.
    pub user_grantable: bool,
}

impl<'a> Target<'a> {
    /// A plugin's tool for everybody, which planning may not use.
    pub const fn of_plugin(name: &'a str, plugin: &'a str) -> Self {
        Target { plugin: Some(plugin), ..Target::core(name, PlanUse::Refused) }
    }

    /// A core tool.
    pub const fn core(name: &'a str, plan: PlanUse) -> Self {
        Target {
            name,
            plugin: None,
            plan,
            owner_user_id: None,
            project_id: None,
            platform: None,
            user_grantable: false,
        }
    }
}

/// One call on its way to its tool.
#[derive(Debug)]
pub struct GateCall<'a> {
    /// The tool.
    pub target: Target<'a>,
    /// The turn it belongs to. What is live is read from it anew each time.
    pub turn: &'a Turn,
    arguments: &'a str,
    params: OnceLock<Value>,
}

impl<'a> GateCall<'a> {
    /// `arguments`: a JSON object, checked, without the status field.
    pub const fn new(target: Target<'a>, turn: &'a Turn, arguments: &'a str) -> Self {
        GateCall { target, turn, arguments, params: OnceLock::new() }
    }

    /// The arguments as text.
    pub fn arguments(&self) -> &'a str {
        self.arguments
    }

    /// The arguments, read when somebody first looks; null if they are not JSON.
    pub fn params(&self) -> &Value {
        self.params.get_or_init(|| serde_json::from_str(self.arguments).unwrap_or_default())
    }
}

/// What a gate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Pass,
    /// Do not run the tool; this is the answer.
    Refuse(String),
}

/// A verdict, or the promise of one.
pub enum Check<'a> {
    /// It is known.
    Now(Verdict),
    /// Somebody has to be asked. Nothing happens before it is polled.
    Later(Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>),
}

impl Check<'_> {
    /// Go on.
    pub const PASS: Self = Check::Now(Verdict::Pass);

    /// Do not run the tool, and say this.
    pub fn refuse(text: impl Into<String>) -> Self {
        Check::Now(Verdict::Refuse(text.into()))
    }
}

impl fmt::Debug for Check<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Check::Now(verdict) => verdict.fmt(f),
            Check::Later(_) => f.write_str("Later"),
        }
    }
}

/// One condition of a call.
pub trait Gate: Send + Sync {
    /// Its name, to put others before it.
    fn name(&self) -> &'static str;

    /// Looks at a call. Asked again after others had to wait, so it must answer from what holds at that moment.
    fn check<'a>(&'a self, call: &'a GateCall<'a>) -> Check<'a>;
}

/// The gates of a session, in order.
pub struct Gates(Vec<Box<dyn Gate>>);

impl Gates {
    /// None at all; every call passes.
    pub fn none() -> Self {
        Gates(Vec::new())
    }

    /// The platform's, in its order: plan clamp, deny list, personal ownership, allow and deny policy, scope,
    /// permission rules, hooks.
    pub fn standard(deny: DenyList, permission: PermissionGate, hooks: BeforeHooks) -> Self {
        let mut gates = Gates::none();
        gates.push(PlanClamp);
        gates.push(deny);
        gates.push(OwnerGate);
        gates.push(PolicyGate);
        gates.push(ScopeGate);
        gates.push(permission);
        gates.push(hooks);
        gates
    }

    /// The platform's, with nobody to be asked and without hooks.
    pub fn unattended(deny: DenyList) -> Self {
        let hooks = BeforeHooks::new(Vec::new(), Arc::new(Silent), Arc::new(NoAudit));
        Gates::standard(deny, PermissionGate::new(Arc::new(Nobody)), hooks)
    }

    /// Adds one at the end.
    pub fn push(&mut self, gate: impl Gate + 'static) {
        self.0.push(Box::new(gate));
    }

    /// Adds one before the gate of that name, or at the end if there is none.
    pub fn insert_before(&mut self, name: &str, gate: impl Gate + 'static) {
        let place = self.0.iter().position(|other| other.name() == name).unwrap_or(self.0.len());
        self.0.insert(place, Box::new(gate));
    }

    /// The gates' names, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|gate| gate.name()).collect()
    }

    /// The first refusal, or pass. Where somebody had to be asked, what can be said at once is said again after
    /// that: waiting takes time, and access may have been revoked meanwhile.
    pub async fn check(&self, call: &GateCall<'_>) -> Verdict {
        let mut waited = false;
        for gate in &self.0 {
            let verdict = match gate.check(call) {
                Check::Now(verdict) => verdict,
                Check::Later(verdict) => {
                    waited = true;
                    verdict.await
                }
            };
            if verdict != Verdict::Pass {
                return verdict;
            }
        }
        if waited {
            for gate in &self.0 {
                if let Check::Now(refusal @ Verdict::Refuse(_)) = gate.check(call) {
                    return refusal;
                }
            }
        }
        Verdict::Pass
    }
}

impl fmt::Debug for Gates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gates").field(&self.names()).finish()
    }
}

/// The text for a tool that is not, or no longer, for this conversation.
fn unavailable(tool: &str) -> String {
    format!("The tool \"{tool}\" is not available to you in this conversation.")
}

#[cfg(test)]
mod tests;
