//! What a call has to pass: lists, plan mode, rules, hooks, an embedder's own gate.

use crate::{call, echo, load, load_declaring, names, options, said};
use async_trait::async_trait;
use elowen_host::gates::{
    AfterHook, AfterHooks, Approval, BeforeHook, BeforeHooks, Check, Decision, DenyList, Gate, GateCall,
    Gates, HookCall, Hooked, NoAudit, Nobody, PermissionGate, Request,
};
use elowen_host::log::Silent;
use elowen_host::policy::permission::{Action, Boundary, Rule, Unattended};
use elowen_host::policy::{Mode, ToolPolicy};
use elowen_host::session::defer::Deferral;
use elowen_host::session::{Session, SessionOptions};
use elowen_host::{Answer, CancelToken, Grants};
use serde_json::json;
use std::sync::Arc;

const NOT_HERE: &str = "The tool \"Act\" is not available to you in this conversation.";

fn act() -> serde_json::Value {
    json!({"value": "a"})
}

#[test]
fn v3_v7_a_denied_tool_is_not_offered_and_a_call_of_it_is_answered_with_text() {
    let loaded = load(&[("alpha", vec![echo("Act"), echo("Look")])]);
    let policies = [
        ToolPolicy { allow: None, deny: Some(vec!["A*".into()]) },
        ToolPolicy { allow: Some(vec!["Look".into()]), deny: None },
        ToolPolicy { allow: Some(vec!["*".into()]), deny: Some(vec!["Act".into()]) },
    ];
    for policy in policies {
        let session = Session::new(&loaded.registry, SessionOptions { policy: Some(policy), ..options() });
        assert_eq!(names(&session), ["Look"]);
        let answer = call(&session, "Act", act());
        assert_eq!(
            (answer.to_text().as_str(), answer.is_error, answer.details),
            (NOT_HERE, false, json!({}))
        );
        assert_eq!(said(&session, "Look", act()), r#"{"value":"a"}"#);
    }
}

#[test]
fn a6_plan_mode_narrows_and_refuses_until_it_is_over() {
    let tools = vec![echo("Act"), echo("Look")];
    let loaded = load_declaring(&[("alpha", tools)], &json!({"planSafe": ["Look"]}));
    let options = SessionOptions { mode: Some(Mode::Plan), ..options() };
    let session = Session::new(&loaded.registry, options);
    assert_eq!(names(&session), ["Look"]);
    assert_eq!(said(&session, "Look", act()), r#"{"value":"a"}"#);
    let text = "The tool \"Act\" is not available in plan mode, which may not change anything. Finish the plan and call \
                ExitPlanMode first.";
    assert_eq!(said(&session, "Act", act()), text);
    session.turn().admit(Some(Mode::Build));
    assert_eq!(names(&session), ["Act", "Look"]);
    assert_eq!(said(&session, "Act", act()), r#"{"value":"a"}"#);
}

#[test]
fn a5_x3_tool_search_in_plan_mode_activates_what_plan_mode_may_use() {
    let tools = vec![echo("Act"), echo("Look")];
    let fields = json!({"planSafe": ["Look"], "deferLoading": ["*"]});
    let loaded = load_declaring(&[("alpha", tools)], &fields);
    let options = SessionOptions { mode: Some(Mode::Plan), deferral: Some(Deferral::default()), ..options() };
    let session = Session::new(&loaded.registry, options);
    assert_eq!(names(&session), ["ToolSearch"]);
    assert_eq!(
        said(&session, "ToolSearch", json!({"query": "select:Act,Look"})),
        "Activated 1 tool(s): Look. They are callable on your next turn. Act is not available in plan mode."
    );
    assert_eq!(names(&session), ["ToolSearch", "Look"]);
}

#[test]
fn s7_tool_search_activates_nothing_that_is_denied_and_can_be_denied_itself() {
    let tools = vec![echo("Act"), echo("Look")];
    let loaded = load_declaring(&[("alpha", tools)], &json!({"deferLoading": ["Act"]}));
    let denying = |name: &str| SessionOptions {
        policy: Some(ToolPolicy { allow: None, deny: Some(vec![name.into()]) }),
        deferral: Some(Deferral::default()),
        ..options()
    };
    let session = Session::new(&loaded.registry, denying("Act"));
    let text = said(&session, "ToolSearch", json!({"query": "select:Act"}));
    assert!(text.contains("your permissions allow none of them"), "{text}");
    assert!(session.activated().is_empty());
    let session = Session::new(&loaded.registry, denying("ToolSearch"));
    let text = said(&session, "ToolSearch", json!({"query": "select:Act"}));
    assert_eq!(text, NOT_HERE.replace("Act", "ToolSearch"));
    assert!(session.activated().is_empty());
}

fn asking(gates: Gates, unattended: Unattended) -> SessionOptions {
    let rules = vec![Rule::tools("*", Action::Allow), Rule::tools("Act", Action::Ask)];
    let permissions = Some(Boundary { rules, unattended, approve_all: false });
    SessionOptions { permissions, gates: Some(gates), ..options() }
}

fn gates(approval: impl Approval + 'static) -> Gates {
    let hooks = BeforeHooks::new(Vec::new(), Arc::new(Silent), Arc::new(NoAudit));
    Gates::standard(DenyList::new(), PermissionGate::new(Arc::new(approval)), hooks)
}

/// Somebody who answers so, or never.
struct Person(Option<Decision>);

#[async_trait]
impl Approval for Person {
    async fn ask(&self, request: Request<'_>) -> Option<Decision> {
        assert_eq!((request.tool, request.plugin), ("Act", Some("alpha")));
        match self.0 {
            Some(decision) => Some(decision),
            None => std::future::pending().await,
        }
    }
}

#[test]
fn g1_g6_a_rule_that_asks_runs_what_is_agreed_to_and_nothing_else() {
    let loaded = load(&[("alpha", vec![echo("Act"), echo("Look")])]);
    let ran = r#"{"value":"a"}"#;
    let denied = "The user denied running \"Act\". Do not retry it without asking them first.";
    let strict = "Denied by permission rule \"Act\" — ask rule blocked in unattended run (strict mode).";
    for (gates, unattended, expected) in [
        (gates(Person(Some(Decision::Once))), Unattended::Deny, ran),
        (gates(Person(Some(Decision::Deny))), Unattended::Deny, denied),
        (gates(Nobody), Unattended::Deny, strict),
        (gates(Nobody), Unattended::Run, ran),
    ] {
        let session = Session::new(&loaded.registry, asking(gates, unattended));
        assert_eq!(said(&session, "Act", act()), expected);
        assert_eq!(said(&session, "Look", act()), ran);
    }
}

#[test]
fn a28_a_call_that_waits_for_a_person_can_be_cancelled() {
    let loaded = load(&[("alpha", vec![echo("Act")])]);
    let session = Session::new(&loaded.registry, asking(gates(Person(None)), Unattended::Deny));
    let token = CancelToken::new();
    let cancel = token.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        cancel.cancel();
    });
    let answer = pollster::block_on(session.call("Act", act().to_string()).cancel_with(&token));
    thread.join().unwrap();
    assert_eq!((answer.to_text().as_str(), answer.is_error), ("Operation aborted", true));
}

/// Vetoes calls with that argument, and notes what it saw of results.
struct Watcher;

#[async_trait]
impl BeforeHook for Watcher {
    async fn before(&self, call: HookCall<'_>) -> Result<Option<String>, String> {
        assert!(call.params.get("_reason").is_none());
        Ok((call.params["value"] == "bad").then(|| "not that".to_owned()))
    }
}

#[async_trait]
impl AfterHook for Watcher {
    async fn after(&self, call: HookCall<'_>, result: &Answer) -> Result<Vec<String>, String> {
        Ok(vec![format!("{} {} gave {}", call.tool, call.params, result.to_text())])
    }
}

fn hooked<H: ?Sized>(hook: Arc<H>) -> Hooked<H> {
    Hooked { plugin: "guard".to_owned(), mutates_tools: true, hook }
}

#[test]
fn g13_g19_hooks_see_stripped_arguments_may_veto_and_leave_notes() {
    let loaded = load(&[("alpha", vec![echo("Act")])]);
    let before: Arc<dyn BeforeHook> = Arc::new(Watcher);
    let before = BeforeHooks::new(vec![hooked(before)], Arc::new(Silent), Arc::new(NoAudit));
    let after: Arc<dyn AfterHook> = Arc::new(Watcher);
    let options = SessionOptions {
        gates: Some(Gates::standard(DenyList::new(), PermissionGate::new(Arc::new(Nobody)), before)),
        after: AfterHooks::new(vec![hooked(after)], Arc::new(Silent)),
        status_field: true,
        ..options()
    };
    let session = Session::new(&loaded.registry, options);
    let answer = call(&session, "Act", json!({"_reason": "x", "value": "a"}));
    assert_eq!(answer.to_text(), r#"{"value":"a"}"#);
    assert_eq!(answer.details["notes"], json!([r#"Act {"value":"a"} gave {"value":"a"}"#]));
    assert_eq!(answer.details["ok"], true);
    let vetoed = call(&session, "Act", json!({"value": "bad"}));
    let text = vetoed.to_text();
    assert!(text.starts_with("The \"Act\" call was blocked by a plugin.\n\n<plugin_denial>\n"), "{text}");
    assert!(text.contains("\nnot that\n") && !vetoed.is_error);
    assert_eq!(vetoed.details, json!({}));
}

/// An embedder's own rule.
struct OnlyShort;

impl Gate for OnlyShort {
    fn name(&self) -> &'static str {
        "short"
    }

    fn check<'a>(&'a self, call: &'a GateCall<'a>) -> Check<'a> {
        if call.arguments().len() < 20 { Check::PASS } else { Check::refuse("Too long.") }
    }
}

#[test]
fn an_embedder_puts_gates_of_its_own_among_the_others() {
    let loaded = load(&[("alpha", vec![echo("Act")])]);
    let mut gates = Gates::unattended(DenyList::new());
    gates.insert_before("permission", OnlyShort);
    let session = Session::new(&loaded.registry, SessionOptions { gates: Some(gates), ..options() });
    assert_eq!(said(&session, "Act", act()), r#"{"value":"a"}"#);
    assert_eq!(said(&session, "Act", json!({"value": "a rather long one"})), "Too long.");
}

#[test]
fn r17_r18_a_plugin_that_must_be_granted_is_for_whoever_holds_it() {
    let loaded = load_declaring(&[("alpha", vec![echo("Act")])], &json!({"userGrantable": true}));
    let session = Session::new(&loaded.registry, options());
    assert!(session.offered().is_empty());
    assert_eq!(call(&session, "Act", act()).to_text(), "Tool Act not found");
    let granted = || Grants::Only(vec!["alpha".into()]);
    let session = Session::new(&loaded.registry, SessionOptions { grants: granted(), ..options() });
    assert_eq!(names(&session), ["Act"]);
    assert_eq!(said(&session, "Act", act()), r#"{"value":"a"}"#);
    // Gates that ask somebody else are heard at each call, whatever the session began with.
    let gates = Some(Gates::unattended(DenyList::with_grants(Arc::new(Grants::default()))));
    let session = Session::new(&loaded.registry, SessionOptions { grants: granted(), gates, ..options() });
    assert_eq!(said(&session, "Act", act()), NOT_HERE);
}
