//! While planning, the tools that write files may write the plan and nothing else.

use super::{Check, Gate, GateCall};
use serde_json::Value;
use std::path::Path;

/// What planning may do with a tool. It goes by where the tool comes from, never by its name: a plugin's tool is
/// read-only where its plugin says so exactly (`planSafe`) and refused otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanUse {
    /// Use it; it changes nothing.
    ReadOnly,
    /// Use it on the session's plan file.
    PlanFile,
    /// Use it; it steers the conversation.
    Control,
    /// Do not use it.
    Refused,
}

/// Holds a core tool that writes (`path` among its arguments) to the plan file, exactly as that is spelled.
#[derive(Clone, Copy, Debug)]
pub struct PlanClamp;

impl Gate for PlanClamp {
    fn name(&self) -> &'static str {
        "plan"
    }

    fn check<'a>(&'a self, call: &'a GateCall<'a>) -> Check<'a> {
        if call.target.plan != PlanUse::PlanFile || !call.turn.is_planning() {
            return Check::PASS;
        }
        let asked = call.params().get("path").and_then(Value::as_str).map(Path::new);
        if asked.is_some() && asked == call.turn.plan() {
            return Check::PASS;
        }
        Check::refuse(format!(
            "Plan mode is read-only: \"{}\" may only write this conversation's plan file. Finish planning and \
             exit plan mode before changing anything else.",
            call.target.name
        ))
    }
}
