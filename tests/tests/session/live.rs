//! Authority that changes in the middle of a session (A9, A18), and what plugins are told of it.

use crate::{call, load, load_declaring, options, said, tool};
use elowen_host::gates::Gates;
use elowen_host::policy::{AccessSource, Conversation, Identity, Live, Mode};
use elowen_host::scope::Scope;
use elowen_host::session::{Session, SessionOptions};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The authority over accounts, which tests change.
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
    fn live(&self, account: Option<u64>) -> Option<Live> {
        assert_eq!(account, Some(4));
        self.0.lock().unwrap().clone()
    }
}

fn under(authority: &Authority) -> SessionOptions {
    let scope = Scope { account: Some(4), project: Some(3), platform: None };
    let identity = Identity {
        platform: "web".into(),
        user_id: "u4".into(),
        elowen_user_id: Some(4),
        elowen_username: None,
        admin: true,
        owner: true,
        conversation: Conversation::Own,
    };
    SessionOptions { source: Arc::new(authority.clone()), identity: Some(identity), ..scope.into() }
}

fn questions() -> Vec<Value> {
    let mut tools: Vec<Value> = [("Access", "access"), ("Who", "identity"), ("Account", "accountUserId")]
        .map(|(name, kind)| tool(name, json!({"kind": kind}), json!({})))
        .into();
    tools.push(tool("Here", json!({"kind": "text", "text": "done"}), json!({"projectId": 3})));
    tools.push(tool("Mine", json!({"kind": "text", "text": "done"}), json!({"ownerUserId": 4})));
    tools
}

fn asked(session: &Session, tool: &str) -> Value {
    serde_json::from_str(&said(session, tool, json!({"value": ""}))).unwrap()
}

#[test]
fn a9_access_and_identity_are_what_holds_when_a_tool_asks() {
    let loaded = load(&[("alpha", questions())]);
    let authority = Authority::new(Live { owner: true, ..Live::admin() });
    let session = Session::new(&loaded.registry, under(&authority));
    let access = asked(&session, "Access");
    assert_eq!(
        (&access["admin"], &access["projectIds"], &access["owner"]),
        (&json!(true), &json!([]), &json!(true))
    );
    assert_eq!(access["principal"], "elowen:4");
    let who = asked(&session, "Who");
    assert_eq!((&who["admin"], &who["owner"], &who["elowenUserId"]), (&json!(true), &json!(true), &json!(4)));
    assert_eq!(asked(&session, "Account"), 4);
    // A demotion counts at once.
    authority.says(Some(Live::projects([3, 7])));
    let access = asked(&session, "Access");
    assert_eq!((&access["admin"], &access["projectIds"]), (&json!(false), &json!([3, 7])));
    let who = asked(&session, "Who");
    assert_eq!((&who["admin"], &who["owner"]), (&json!(false), &json!(false)));
    // An account that is gone has nothing left.
    authority.says(None);
    assert_eq!(asked(&session, "Access")["projectIds"], json!([]));
    assert_eq!(asked(&session, "Access")["admin"], false);
}

#[test]
fn a9_a_later_grant_does_not_widen_a_session() {
    let loaded = load(&[("alpha", questions())]);
    let authority = Authority::new(Live::projects([3]));
    let session = Session::new(&loaded.registry, under(&authority));
    authority.says(Some(Live { owner: true, ..Live::admin() }));
    let access = asked(&session, "Access");
    assert_eq!(
        (&access["admin"], &access["projectIds"], &access["owner"]),
        (&json!(false), &json!([3]), &json!(false))
    );
}

#[test]
fn v9_a_planning_turn_tells_its_tools_so() {
    let loaded = load_declaring(&[("alpha", questions())], &json!({"planSafe": ["Access"]}));
    let session = Session::new(&loaded.registry, under(&Authority::new(Live::projects([3]))));
    assert_eq!(asked(&session, "Access")["readOnly"], false);
    session.turn().admit(Some(Mode::Plan));
    let access = asked(&session, "Access");
    assert_eq!((&access["readOnly"], &access["planMode"]), (&json!(true), &json!(true)));
}

#[test]
fn a18_a_project_that_is_revoked_refuses_its_tools_in_the_same_session() {
    let loaded = load(&[("alpha", questions())]);
    let authority = Authority::new(Live::projects([3]));
    let session = Session::new(&loaded.registry, under(&authority));
    assert_eq!(said(&session, "Here", json!({"value": ""})), "done");
    authority.says(Some(Live::projects([7])));
    let text = "The tool \"Here\" is not available to you in this conversation.";
    assert_eq!(said(&session, "Here", json!({"value": ""})), text);
    assert_eq!(said(&session, "Mine", json!({"value": ""})), "done");
    authority.says(None);
    assert_eq!(said(&session, "Mine", json!({"value": ""})), text.replace("Here", "Mine"));
    // An embedder that has gates of its own says so by name, and is then on its own.
    let ungated = SessionOptions { gates: Some(Gates::none()), ..under(&authority) };
    assert_eq!(said(&Session::new(&loaded.registry, ungated), "Here", json!({"value": ""})), "done");
}

#[test]
fn a9_a_call_of_no_session_has_nobody_to_ask_about() {
    let loaded = load(&[("alpha", questions())]);
    for name in ["Access", "Who", "Account"] {
        let tool = loaded.registry.tools().iter().find(|tool| tool.name() == name).unwrap();
        let failure = pollster::block_on(tool.call(r#"{"value":""}"#)).unwrap_err();
        assert!(failure.to_string().starts_with("this host knows no question `"), "{failure}");
    }
}

#[test]
fn nobody_known_is_told_as_null() {
    let loaded = load(&[("alpha", questions())]);
    let session = Session::new(&loaded.registry, options());
    assert_eq!(asked(&session, "Who"), Value::Null);
    assert_eq!(asked(&session, "Account"), 1);
    assert!(!call(&session, "Access", json!({"value": ""})).is_error);
}
