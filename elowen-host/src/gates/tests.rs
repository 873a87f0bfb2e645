//! Calls go through [`Gates::standard`], as a session's do.

mod hooks;
mod permission;
mod policy;

use super::*;
use crate::log::{Level, Log, Record};
use crate::policy::permission::Boundary;
use crate::policy::{AccessSource, Captured, Ceiling, Grants, Live, Mode, ToolPolicy};
use crate::scope::Scope;
use async_trait::async_trait;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// The live authority, which tests change in the middle of things.
#[derive(Clone)]
struct Authority(Arc<Mutex<Option<Live>>>);

impl Authority {
    fn new(live: Live) -> Self {
        Authority(Arc::new(Mutex::new(Some(live))))
    }

    fn says(&self, live: Option<Live>) {
        *self.0.lock().unwrap() = live;
    }
}

impl AccessSource for Authority {
    fn live(&self, _: Option<u64>) -> Option<Live> {
        self.0.lock().unwrap().clone()
    }
}

/// Log lines, vetoes and questions, as text.
#[derive(Clone, Default)]
struct Book(Arc<Mutex<Vec<String>>>);

impl Book {
    fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Log for Book {
    fn enabled(&self, _: Level) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        self.write(format!("{} {record}", record.level));
    }
}

impl Audit for Book {
    fn veto(&self, veto: Veto<'_>) {
        let outcome = if veto.honoured { "honoured" } else { "rejected" };
        self.write(format!("{outcome}: {} on {}: {}", veto.plugin, veto.tool, veto.reason));
    }
}

fn scope() -> Scope {
    Scope { account: Some(1), project: Some(1), platform: Some("web".to_owned()) }
}

/// A turn of account 1 in project 1, which holds projects 1 and 2.
fn turn_with(policy: Option<ToolPolicy>, permissions: Option<Boundary>) -> Turn {
    let live = Live::projects([1, 2]);
    let captured = Captured { tool_policy: policy, permissions, ..Captured::new(live.clone()) };
    Turn::new(scope(), Ceiling::capture(captured), Arc::new(live))
}

fn turn() -> Turn {
    turn_with(None, None)
}

fn no_hooks() -> BeforeHooks {
    BeforeHooks::new(Vec::new(), Arc::new(Book::default()), Arc::new(NoAudit))
}

fn gates() -> Gates {
    Gates::standard(DenyList::new(), PermissionGate::new(Arc::new(Nobody)), no_hooks())
}

fn run(gates: &Gates, turn: &Turn, target: Target<'_>, arguments: &str) -> Verdict {
    pollster::block_on(gates.check(&GateCall::new(target, turn, arguments)))
}

/// The refusal, or nothing if the call passed.
fn refusal(gates: &Gates, turn: &Turn, target: Target<'_>) -> String {
    match run(gates, turn, target, "{}") {
        Verdict::Pass => String::new(),
        Verdict::Refuse(text) => text,
    }
}

fn not_available(tool: &str) -> String {
    format!("The tool \"{tool}\" is not available to you in this conversation.")
}

fn list(entries: &[&str]) -> Option<Vec<String>> {
    Some(entries.iter().map(|entry| (*entry).to_owned()).collect())
}

#[test]
fn the_standard_gates_stand_in_the_platforms_order_and_take_others_between() {
    struct Mine;
    impl Gate for Mine {
        fn name(&self) -> &'static str {
            "mine"
        }
        fn check<'a>(&'a self, _: &'a GateCall<'a>) -> Check<'a> {
            Check::refuse("mine first")
        }
    }
    let mut gates = gates();
    assert_eq!(gates.names(), ["plan", "deny", "owner", "policy", "scope", "permission", "hooks"]);
    gates.insert_before("permission", Mine);
    gates.push(Mine);
    gates.insert_before("nothing of that name", Mine);
    let expected =
        ["plan", "deny", "owner", "policy", "scope", "mine", "permission", "hooks", "mine", "mine"];
    assert_eq!(gates.names(), expected);
    assert_eq!(refusal(&gates, &turn(), Target::of_plugin("T", "p")), "mine first");
    assert_eq!(run(&Gates::none(), &turn(), Target::of_plugin("T", "p"), "{}"), Verdict::Pass);
}
