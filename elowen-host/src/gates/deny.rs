//! Tools that are denied to the session, to the account, or to planning; and tools that are not on its list.

use super::{Check, Gate, GateCall, PlanUse, unavailable};
use crate::policy::{Grants, may_use};
use std::sync::Arc;

/// Refuses, for all tools: what planning may not use, what the policy denies, what the account has switched off,
/// and tools of plugins that it was not granted.
#[derive(Clone, Default)]
pub struct DenyList {
    grants: Option<Arc<dyn Grants>>,
}

impl DenyList {
    /// Without grants: tools of plugins that must be granted are then for administrators alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for grants, at each call.
    pub fn with_grants(grants: Arc<dyn Grants>) -> Self {
        DenyList { grants: Some(grants) }
    }

    fn denies(&self, call: &GateCall<'_>) -> bool {
        let (target, account) = (&call.target, call.turn.scope().account);
        let denied = call.turn.ceiling().tool_policy().is_some_and(|policy| policy.denies(target.name));
        let asked = self.grants.as_ref().zip(account);
        let disabled = || asked.as_ref().is_some_and(|(grants, id)| grants.is_disabled(*id, target.name));
        let granted = || {
            let plugin = target.plugin.unwrap_or_default();
            asked.as_ref().is_some_and(|(grants, id)| grants.is_granted(*id, plugin))
        };
        let usable = || !target.user_grantable || may_use(true, call.turn.access().admin(), granted);
        denied || disabled() || !usable()
    }
}

impl Gate for DenyList {
    fn name(&self) -> &'static str {
        "deny"
    }

    fn check<'a>(&'a self, call: &'a GateCall<'a>) -> Check<'a> {
        let tool = call.target.name;
        let planning = call.turn.is_planning();
        let unplanned = planning && call.target.plan == PlanUse::Refused;
        if !unplanned && !self.denies(call) {
            return Check::PASS;
        }
        if planning {
            return Check::refuse(format!(
                "The tool \"{tool}\" is not available in plan mode, which may not change anything. Finish the \
                 plan and call ExitPlanMode first."
            ));
        }
        Check::refuse(unavailable(tool))
    }
}

impl std::fmt::Debug for DenyList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DenyList")
    }
}

/// Refuses plugins' tools that the session's policy does not permit. Core tools are never narrowed by a list of
/// what is allowed.
#[derive(Clone, Copy, Debug)]
pub struct PolicyGate;

impl Gate for PolicyGate {
    fn name(&self) -> &'static str {
        "policy"
    }

    fn check<'a>(&'a self, call: &'a GateCall<'a>) -> Check<'a> {
        let tool = call.target.name;
        let permitted = call.turn.ceiling().tool_policy().is_none_or(|policy| policy.permits(tool));
        if call.target.plugin.is_none() || permitted { Check::PASS } else { Check::refuse(unavailable(tool)) }
    }
}
