use super::*;
use serde_json::json;

fn none() -> ExternalNames {
    ExternalNames::default()
}

fn snapshot(system: &str, tools: &Value, history: &[&str], external: &ExternalNames) -> Snapshot {
    let history: Vec<Value> = history.iter().map(|text| json!({"role": "user", "content": text})).collect();
    let request = Request { system: &json!(system), tools: tools.as_array().unwrap(), history: &history };
    Snapshot::of(request, external)
}

fn tools_compared(before: &Value, after: &Value, external: &ExternalNames) -> String {
    snapshot("s", before, &[], external).compare(&snapshot("s", after, &[], external)).to_string()
}

#[test]
fn k1_an_appended_tool_is_counted() {
    let (one, two) = (json!([{"name": "A"}]), json!([{"name": "A"}, {"name": "B"}]));
    assert_eq!(tools_compared(&one, &two, &none()), "tools changed (1 tool appended, count 1→2)");
    assert_eq!(tools_compared(&two, &one, &none()), "tools changed (segments B, count 2→1)");
    assert_eq!(tools_compared(&one, &one, &none()), "unchanged");
    let swapped = json!([{"name": "B"}, {"name": "A"}]);
    assert_eq!(tools_compared(&two, &swapped, &none()), "tools changed (order)");
}

#[test]
fn k2_an_appended_deferred_tool_is_not_blamed() {
    let before = json!([{"name": "A"}]);
    let after = json!([{"name": "A"}, {"name": "B", "defer_loading": true}]);
    assert_eq!(tools_compared(&before, &after, &none()), "1 deferred tool in the payload");
}

#[test]
fn k3_a4_a_changed_tool_is_named_unless_it_is_external() {
    let before = json!([{"name": "mcp__x", "description": "1"}, {"description": "1"}]);
    let after = json!([{"name": "mcp__x", "description": "2"}, {"description": "2"}]);
    assert_eq!(tools_compared(&before, &after, &none()), "tools changed (segments mcp__x, #1)");
    let external = ExternalNames::of([("mcp__x", true)]);
    assert_eq!(tools_compared(&before, &after, &external), "tools changed (segments external, #1)");
    let function = |text: &str| json!([{"type": "function", "function": {"name": "F", "description": text}}]);
    assert_eq!(tools_compared(&function("1"), &function("2"), &none()), "tools changed (segments F)");
}

#[test]
fn k4_a_changed_system_prompt_and_a_changed_tool_are_both_named() {
    let one = snapshot("one", &json!([{"name": "A", "x": 1}]), &["hi"], &none());
    let two = snapshot("two", &json!([{"name": "A", "x": 2}]), &["hi", "more"], &none());
    assert_eq!(one.compare(&two).to_string(), "system changed; tools changed (segments A)");
}

#[test]
fn a_growing_history_is_no_change_and_a_rewritten_one_is() {
    let with = |history: &[&str]| snapshot("s", &json!([]), history, &none());
    assert_eq!(with(&["a"]).compare(&with(&["a", "b"])).changes, [""; 0]);
    let rewritten = with(&["a", "b", "c"]).compare(&with(&["a", "x", "c"]));
    assert_eq!(rewritten.to_string(), "history changed (from message 1)");
    let shorter = with(&["a", "b"]).compare(&with(&["a"]));
    assert_eq!(shorter.to_string(), "history changed (shortened, count 2→1)");
}

#[test]
fn k5_s73_a_namespace_that_holds_an_external_tool_is_hidden() {
    let external = ExternalNames::of([("Local", false), ("Remote", true)]);
    assert_eq!(["Local", "Remote"].map(|name| external.label(name)), ["Local", "external"]);
    let namespace = |name: &str, tools: Value| json!({"type": "namespace", "name": name, "tools": tools});
    let mixed = namespace("mixed", json!([{"name": "Remote"}, {"name": "Local"}]));
    let local = namespace("local", json!(["Local"]));
    assert_eq!(external.label_of_entry(&mixed, 0), "external");
    assert_eq!(external.label_of_entry(&local, 0), "local");
    assert_eq!(external.label_of_entry(&namespace("n", json!(["Remote"])), 0), "external");
    assert_eq!(none().label_of_entry(&mixed, 0), "mixed");
}

#[test]
fn k6_a25_a_name_is_hidden_only_where_the_session_selected_the_external_one() {
    let of_owner = ExternalNames::of([("Same", true), ("Other", false)]);
    let of_others = ExternalNames::of([("Same", false), ("Other", false)]);
    assert_eq!((of_owner.label("Same"), of_others.label("Same")), ("external", "Same"));
}

#[test]
fn nothing_that_a_snapshot_shows_is_content_or_an_external_name() {
    let external = ExternalNames::of([("secret_server", true)]);
    let tools = json!([{"name": "secret_server", "description": "hidden text"}, {"name": "Local"}]);
    let shown = format!("{:?} {external:?}", snapshot("the prompt", &tools, &["a message"], &external));
    for hidden in ["secret_server", "hidden text", "the prompt", "a message"] {
        assert!(!shown.contains(hidden), "{hidden}");
    }
    assert!(shown.contains("Local"));
}

#[test]
fn more_tools_than_are_told_apart_are_counted() {
    let tools =
        |count: usize| Value::Array((0..count).map(|id| json!({ "name": format!("T{id}") })).collect());
    let text = tools_compared(&tools(300), &tools(302), &none());
    assert_eq!(text, "tools changed (2 tools appended, count 300→302)");
}
