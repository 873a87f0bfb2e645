//! Scope selected the tool when the session began; that authorises nothing, so it is compared again now (A18).

use super::{Check, Gate, GateCall, unavailable};

/// Refuses a tool that belongs to another account.
#[derive(Clone, Copy, Debug)]
pub struct OwnerGate;

impl Gate for OwnerGate {
    fn name(&self) -> &'static str {
        "owner"
    }

    fn check<'a>(&'a self, call: &'a GateCall<'a>) -> Check<'a> {
        let owner = call.target.owner_user_id;
        if owner.is_none() || owner == call.turn.scope().account {
            return Check::PASS;
        }
        Check::refuse(format!(
            "The tool \"{}\" belongs to another account and is not available to you in this conversation.",
            call.target.name
        ))
    }
}

/// Refuses a tool of an account that is gone, of a project that is not the session's or no longer within its reach,
/// and of another platform.
#[derive(Clone, Copy, Debug)]
pub struct ScopeGate;

impl Gate for ScopeGate {
    fn name(&self) -> &'static str {
        "scope"
    }

    fn check<'a>(&'a self, call: &'a GateCall<'a>) -> Check<'a> {
        let (target, turn) = (&call.target, call.turn);
        let scope = turn.scope();
        let account =
            target.owner_user_id.is_none_or(|owner| scope.account == Some(owner) && turn.live().is_some());
        let project = target
            .project_id
            .is_none_or(|id| scope.project == Some(id) && turn.access().reach().contains(id));
        let platform = target.platform.is_none_or(|platform| scope.platform.as_deref() == Some(platform));
        let held = account && project && platform;
        if held { Check::PASS } else { Check::refuse(unavailable(target.name)) }
    }
}
