//! The user's permission rules: run, ask somebody, or refuse.

use super::{Check, Gate, GateCall, Verdict};
use crate::policy::permission::{Action, Rule, Unattended};
use async_trait::async_trait;
use serde_json::Value;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// The tool whose `command` is looked at by the rules about commands.
const SHELL: &str = "Bash";

/// What somebody is asked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The plugin it belongs to; `None` for a core tool.
    pub plugin: Option<&'a str>,
    /// What the shell tool is to run.
    pub command: Option<&'a str>,
    /// The arguments.
    pub params: &'a Value,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Once,
    /// Run it, and do not ask about the like again.
    Always,
    /// Do not run it.
    Deny,
}

/// Asks a person; an embedder's. It may take as long as it takes, and is dropped when the call is.
#[async_trait]
pub trait Approval: Send + Sync {
    /// Whether somebody is there to be asked. If not, the rules say what happens.
    fn is_attended(&self) -> bool {
        true
    }

    /// Asks. `None`: the question was turned away, which counts as a denial.
    async fn ask(&self, request: Request<'_>) -> Option<Decision>;

    /// Keeps a rule that came of [`Decision::Always`]. The session itself remembers it in any case.
    async fn remember(&self, _rule: &Rule) {}
}

/// Nobody is there.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

#[async_trait]
impl Approval for Nobody {
    fn is_attended(&self) -> bool {
        false
    }

    async fn ask(&self, _: Request<'_>) -> Option<Decision> {
        None
    }
}

/// Applies the rules that the session started with. Without any, everything passes.
pub struct PermissionGate {
    approval: Arc<dyn Approval>,
    /// Answers of "always" in this session.
    remembered: Mutex<Vec<Rule>>,
}

impl PermissionGate {
    /// Asks there.
    pub fn new(approval: Arc<dyn Approval>) -> Self {
        PermissionGate { approval, remembered: Mutex::default() }
    }

    async fn ask(&self, call: &GateCall<'_>, command: Option<&str>) -> Verdict {
        let target = &call.target;
        let request = Request { tool: target.name, plugin: target.plugin, command, params: call.params() };
        match self.approval.ask(request).await {
            Some(Decision::Once) => Verdict::Pass,
            Some(Decision::Always) => {
                let rules = call.turn.ceiling().permissions().map(|boundary| {
                    let mut remembered = self.remembered();
                    let rules = boundary.rules_to_remember(&remembered, target.name, command);
                    remembered.extend_from_slice(&rules);
                    rules
                });
                for rule in rules.iter().flatten() {
                    self.approval.remember(rule).await;
                }
                Verdict::Pass
            }
            Some(Decision::Deny) | None => Verdict::Refuse(format!(
                "The user denied running \"{}\"{}. Do not retry it without asking them first.",
                target.name,
                command.map(|command| format!(" ({command})")).unwrap_or_default()
            )),
        }
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, Vec<Rule>> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gate for PermissionGate {
    fn name(&self) -> &'static str {
        "permission"
    }

    fn check<'a>(&'a self, call: &'a GateCall<'a>) -> Check<'a> {
        let Some(boundary) = call.turn.ceiling().permissions() else { return Check::PASS };
        let tool = call.target.name;
        // The shell's command, or none of it if the argument is missing: what no rule knows is asked.
        let command = || call.params().get("command").and_then(Value::as_str).unwrap_or_default();
        let command = (tool == SHELL).then(command);
        let remembered = self.remembered();
        let ruling = boundary.ruling(&remembered, tool, command);
        let refuse =
            |why: &str| Check::refuse(format!("Denied by permission rule \"{}\" — {why}", ruling.pattern));
        match ruling.action {
            Action::Allow => Check::PASS,
            Action::Deny => refuse("the user's settings forbid this call."),
            Action::Ask if !self.approval.is_attended() => match boundary.unattended {
                Unattended::Run => Check::PASS,
                Unattended::Deny => refuse("ask rule blocked in unattended run (strict mode)."),
            },
            Action::Ask if boundary.approve_all => Check::PASS,
            Action::Ask => Check::Later(Box::pin(self.ask(call, command))),
        }
    }
}

impl fmt::Debug for PermissionGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermissionGate").field("remembered", &self.remembered).finish_non_exhaustive()
    }
}
