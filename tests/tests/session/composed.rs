//! What a model is offered: status field, caps, deferral, scope.

use crate::{call, echo, load, load_declaring, names, options, said, tool, with_schema};
use elowen_host::scope::Scope;
use elowen_host::session::defer::Deferral;
use elowen_host::session::{Session, SessionOptions};
use serde_json::{Value, json};

#[test]
fn a8_q1_the_status_field_comes_first_and_what_is_required_stays() {
    let loaded = load(&[("alpha", vec![echo("Look")])]);
    let with = Session::new(&loaded.registry, SessionOptions { status_field: true, ..options() });
    let offered = with.offered();
    let properties: Vec<&String> = offered[0].parameters["properties"].as_object().unwrap().keys().collect();
    assert_eq!(properties, ["_reason", "value", "count"]);
    assert_eq!(offered[0].parameters["required"], json!(["value"]));
    // The registration is as it was (A23), and so is a session that wants no field.
    let registered = with.tools()[0].registration().parameters();
    assert!(registered["properties"].get("_reason").is_none());
    let without = Session::new(&loaded.registry, options());
    assert_eq!(&without.offered()[0].parameters, registered);
}

#[test]
fn q2_external_tools_and_bash_get_no_status_field() {
    let external = tool("Foo", json!({"kind": "echo"}), json!({"external": true}));
    let loaded = load(&[("alpha", vec![external, echo("Bash"), echo("mcp__x")])]);
    let session = Session::new(&loaded.registry, SessionOptions { status_field: true, ..options() });
    let has = |name: &str| {
        session
            .offered()
            .iter()
            .any(|tool| tool.name == name && tool.parameters.to_string().contains("_reason"))
    };
    assert_eq!((has("Foo"), has("Bash"), has("mcp__x")), (false, false, true));
}

#[test]
fn c4_c6_an_external_definition_is_capped_and_its_owner_gets_any_object() {
    let properties: serde_json::Map<String, Value> = (0..300)
        .map(|index| (format!("property{index}"), json!({"type": "string", "minLength": 3})))
        .collect();
    let large = json!({"type": "object", "properties": properties, "required": ["property1"]});
    let mut long = tool("Long", json!({"kind": "echo"}), json!({"external": true}));
    long["tool"]["description"] = json!("é".repeat(700));
    let big = with_schema("Big", large.clone(), json!({"kind": "echo"}), json!({"external": true}));
    let own = with_schema("Own", large.clone(), json!({"kind": "echo"}), json!({}));
    let loaded = load(&[("alpha", vec![big, long, own])]);
    let session = Session::new(&loaded.registry, options());
    let offered = session.offered();
    assert_eq!(offered[0].parameters, json!({"type": "object", "additionalProperties": true}));
    assert!(offered[0].description.contains("parameter schema was too large"));
    assert!(offered[1].description.len() <= 1000 && offered[1].description.ends_with("é…"));
    assert_eq!(offered[2].parameters, large);
    let capped: Vec<_> = session
        .composition()
        .capped()
        .iter()
        .map(|capped| (capped.name.as_str(), capped.schema_omitted))
        .collect();
    assert_eq!(capped, [("Big", true), ("Long", false)]);
    assert_eq!(session.composition().warnings().len(), 1);
    assert_eq!(session.tools()[0].registration().parameters(), &large);
    assert_eq!(said(&session, "Big", json!({"anything": [1]})), r#"{"anything":[1]}"#);
}

fn deferring() -> SessionOptions {
    SessionOptions { deferral: Some(Deferral::default()), ..options() }
}

#[test]
fn f11_s1_a_deferred_tool_is_unknown_until_tool_search_has_activated_it() {
    let tools = vec![echo("Hidden"), echo("Other"), echo("Look")];
    let loaded = load_declaring(&[("alpha", tools)], &json!({"deferLoading": ["Hidd*", "Other"]}));
    let session = Session::new(&loaded.registry, deferring());
    assert_eq!(names(&session), ["ToolSearch", "Look"]);
    assert!(session.deferred_block().unwrap().contains("- Hidden: Hidden does it\n"));
    let early = call(&session, "Hidden", json!({"value": "a"}));
    assert_eq!((early.to_text().as_str(), early.is_error), ("Tool Hidden not found", true));
    let found = call(&session, "ToolSearch", json!({"query": "select:Hidden"}));
    assert_eq!(found.to_text(), "Activated 1 tool(s): Hidden. They are callable on your next turn.");
    assert_eq!((found.details, found.is_error), (json!({"matched": ["Hidden"]}), false));
    assert_eq!(names(&session), ["ToolSearch", "Look", "Hidden"]);
    assert_eq!(said(&session, "Hidden", json!({"value": "a"})), r#"{"value":"a"}"#);
    // A session that comes back is told so by its history.
    let again = Session::new(&loaded.registry, deferring());
    let details = json!({"matched": ["Hidden", "Look"]});
    let past =
        elowen_host::session::active::Past::Result { tool: "ToolSearch", is_error: false, details: &details };
    again.restore([past]);
    assert_eq!(again.activated(), ["Hidden"]);
}

#[test]
fn s8_tool_search_answers_where_nothing_is_deferred() {
    let loaded = load(&[("alpha", vec![echo("Look"), echo("ToolSearch")])]);
    for (options, expected) in [
        (
            deferring(),
            "No deferred tools in this session — every tool is already active and callable directly.",
        ),
        // One that never defers does not know it at all.
        (options(), "Tool ToolSearch not found"),
    ] {
        let session = Session::new(&loaded.registry, options);
        assert_eq!(names(&session), ["Look"]);
        assert_eq!(call(&session, "ToolSearch", json!({"query": "x"})).to_text(), expected);
        // A plugin cannot take the name.
        assert!(session.tool("ToolSearch").is_none());
    }
}

#[test]
fn f10_more_than_ten_bridged_tools_are_deferred() {
    let bridged =
        |count: usize| (0..count).map(|index| echo(&format!("mcp__s__t{index:02}"))).collect::<Vec<_>>();
    for (count, offered) in [(10, 10), (11, 1)] {
        let loaded = load(&[("alpha", bridged(count))]);
        let session = Session::new(&loaded.registry, deferring());
        assert_eq!(session.offered().len(), offered, "{count}");
    }
}

#[test]
fn a18_a_tool_for_a_platform_is_absent_elsewhere_and_refused_by_name() {
    let web = tool("WebPick", json!({"kind": "echo"}), json!({"platform": "web"}));
    let loaded = load(&[("alpha", vec![web, echo("Look")])]);
    let here = Session::new(&loaded.registry, options());
    assert_eq!(names(&here), ["Look"]);
    let refused = call(&here, "WebPick", json!({"value": "a"}));
    assert_eq!((refused.to_text().as_str(), refused.is_error), ("Tool WebPick not found", true));
    let scope = Scope { platform: Some("web".into()), ..Scope::command_line() };
    let there = Session::new(&loaded.registry, scope);
    assert_eq!(names(&there), ["WebPick", "Look"]);
    assert_eq!(said(&there, "WebPick", json!({"value": "a"})), r#"{"value":"a"}"#);
}

#[test]
fn a18_what_a_platform_does_not_have_tool_search_does_not_find() {
    let web = tool("WebPick", json!({"kind": "echo"}), json!({"platform": "web"}));
    let plugin = ("alpha", vec![web, echo("Hidden")]);
    let loaded = load_declaring(&[plugin], &json!({"deferLoading": ["WebPick", "Hidden"]}));
    let session = Session::new(&loaded.registry, deferring());
    assert!(!session.deferred_block().unwrap().contains("WebPick"));
    let text = said(&session, "ToolSearch", json!({"query": "select:WebPick"}));
    assert!(
        text.starts_with("ToolSearch matched nothing for \"select:WebPick\". 1 tool(s) are deferred"),
        "{text}"
    );
}
