//! What becomes of a call's arguments, and which answers are flagged.

use crate::{call, echo, load, options, said, tool, with_schema};
use elowen_host::Answer;
use elowen_host::session::{INVALID_ARGUMENTS, Session, SessionOptions};
use serde_json::{Value, json};

fn with_status(options: SessionOptions) -> SessionOptions {
    SessionOptions { status_field: true, ..options }
}

#[test]
fn a7_status_keys_are_taken_out_before_the_tool_sees_them() {
    let declares = json!({"type": "object", "properties": {"reason": {"type": "string"}}, "additionalProperties": false});
    let closed =
        json!({"type": "object", "properties": {"v": {"type": "integer"}}, "additionalProperties": false});
    let loaded = load(&[(
        "alpha",
        vec![
            echo("Look"),
            with_schema("Close", declares, json!({"kind": "echo"}), json!({})),
            with_schema("Closed", closed, json!({"kind": "echo"}), json!({})),
        ],
    )]);
    let session = Session::new(&loaded.registry, with_status(options()));
    for (tool, arguments, given) in [
        ("Look", r#"{"_reason":"Looking…","value":"a"}"#, r#"{"value":"a"}"#),
        ("Look", r#"{"value":"a","reason":"old name"}"#, r#"{"value":"a"}"#),
        ("Look", r#"{"_reason":"x","value":"a","count":"5"}"#, r#"{"value":"a","count":5}"#),
        ("Close", r#"{"_reason":"x","reason":"because"}"#, r#"{"reason":"because"}"#),
        ("Closed", r#"{"_reason":"x","v":1}"#, r#"{"v":1}"#),
        ("Closed", r#"{"reason":"x","v":1}"#, r#"{"v":1}"#),
    ] {
        let answer = pollster::block_on(session.call(tool, arguments));
        let echoed: Value =
            serde_json::from_str(&answer.to_text()).unwrap_or_else(|_| panic!("{tool} {answer:?}"));
        assert_eq!(echoed, serde_json::from_str::<Value>(given).unwrap(), "{tool} {arguments}");
    }
}

#[test]
fn a7_without_a_status_field_the_keys_mean_nothing() {
    let open = json!({"type": "object", "properties": {}});
    let loaded = load(&[("alpha", vec![with_schema("Open", open, json!({"kind": "echo"}), json!({}))])]);
    let session = Session::new(&loaded.registry, options());
    assert_eq!(said(&session, "Open", json!({"_reason": "x"})), r#"{"_reason":"x"}"#);
}

#[test]
fn a11_an_internal_tool_is_not_entered_with_arguments_that_do_not_fit() {
    let loaded = load(&[("alpha", vec![echo("Look")])]);
    for options in [options(), with_status(options())] {
        let session = Session::new(&loaded.registry, options);
        for arguments in
            [json!({}), json!({"value": 5.5, "count": "many"}), json!({"vaule": "a"}), json!([1])]
        {
            let answer = call(&session, "Look", arguments);
            assert!(answer.is_rejection() && !answer.is_error, "{answer:?}");
            assert_eq!(answer.details["error"]["kind"], INVALID_ARGUMENTS);
            assert!(answer.to_text().starts_with("Look was not run"), "{answer:?}");
        }
    }
}

#[test]
fn a11_the_status_field_is_checked_with_the_composed_schema() {
    let loaded = load(&[("alpha", vec![echo("Look")])]);
    let session = Session::new(&loaded.registry, with_status(options()));
    let answer = call(&session, "Look", json!({"_reason": {"a": 1}, "value": "a"}));
    assert!(answer.is_rejection() && answer.to_text().contains("_reason"), "{answer:?}");
}

#[test]
fn a11_a12_an_external_tool_gets_whatever_is_an_object() {
    let external = tool("Remote", json!({"kind": "echo"}), json!({"external": true}));
    let loaded = load(&[("alpha", vec![external])]);
    let session = Session::new(&loaded.registry, with_status(options()));
    for arguments in [json!({}), json!({"value": null, "count": "5"}), json!({"vaule": 1, "value": false})] {
        assert_eq!(said(&session, "Remote", arguments.clone()), arguments.to_string());
    }
    // Its schema has no such arguments, so they are the host's.
    assert_eq!(
        said(&session, "Remote", json!({"_reason": "x", "reason": "y", "value": 1})),
        r#"{"value":1}"#
    );
    assert!(call(&session, "Remote", json!([1])).is_rejection());
}

#[test]
fn only_what_a_model_cannot_mend_is_flagged() {
    let tool = |name: &str, behavior: Value| tool(name, behavior, json!({}));
    let loaded = load(&[(
        "alpha",
        vec![
            tool("Says", json!({"kind": "text", "text": "no such file"})),
            tool("Throws", json!({"kind": "throw", "message": "broken"})),
            tool("Offline", json!({"kind": "transport", "message": "no route"})),
            tool("Panics", json!({"kind": "panic", "message": "boom"})),
            echo("Look"),
        ],
    )]);
    let session = Session::new(&loaded.registry, options());
    let ended = |name: &str| -> (String, bool) {
        let Answer { is_error, details, .. } = call(&session, name, json!({"value": "a"}));
        if is_error {
            // What a throw had besides its text is lost, as on the platform.
            assert_eq!(details, json!({}), "{name}");
        }
        (call(&session, name, json!({"value": "a"})).to_text(), is_error)
    };
    assert_eq!(ended("Says"), ("no such file".into(), false));
    assert_eq!(ended("Throws"), ("broken".into(), true));
    assert_eq!(ended("Offline"), ("no route".into(), true));
    let (text, flagged) = ended("Panics");
    assert!(flagged && text.starts_with("plugin `alpha` panicked: boom (at "), "{text}");
    assert_eq!(ended("Absent"), ("Tool Absent not found".into(), true));
    assert_eq!(ended("Look"), (r#"{"value":"a"}"#.into(), false));
}

#[test]
fn two_plugins_with_one_name_make_one_tool_of_the_first() {
    let loaded = load(&[
        ("alpha", vec![tool("Dup", json!({"kind": "text", "text": "alpha"}), json!({}))]),
        ("beta", vec![tool("Dup", json!({"kind": "text", "text": "beta"}), json!({"external": true}))]),
    ]);
    let session = Session::new(&loaded.registry, options());
    assert_eq!(said(&session, "Dup", json!({"value": "a"})), "alpha");
    assert!(!session.offered()[0].external);
}
