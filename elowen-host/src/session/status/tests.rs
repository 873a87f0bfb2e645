//! The status field on its way in and out (Q1-Q12; A7, A8; seed s03, s20, s22; platform i01-i04, j09).

use super::*;
use proptest::prelude::*;

fn tool(name: &str, parameters: Value, external: bool) -> Offered {
    Offered {
        name: name.into(),
        description: String::new(),
        parameters,
        external,
        plugin: Some("p".into()),
        read_only: false,
        plan_safe: false,
    }
}

/// The schema as composed, as text: the order of keys counts.
fn composed(name: &str, parameters: Value, external: bool) -> String {
    add(tool(name, parameters, external)).parameters.to_string()
}

fn field() -> String {
    json!({"type": "string", "description": DESCRIPTION}).to_string()
}

#[test]
fn q1_the_field_is_the_first_property_and_not_required() {
    let own = json!({"type": "object", "properties": {"path": {"type": "string"}, "count": {"type": "number"}}, "required": ["path"]});
    let expected = format!(
        r#"{{"type":"object","properties":{{"_reason":{},"path":{{"type":"string"}},"count":{{"type":"number"}}}},"required":["path"]}}"#,
        field()
    );
    assert_eq!(composed("Write", own, false), expected);
}

#[test]
fn q2_bash_tool_search_and_external_tools_are_left_alone() {
    let own =
        json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]});
    for (name, external) in [("Bash", false), ("ToolSearch", false), ("Foo", true)] {
        assert_eq!(composed(name, own.clone(), external), own.to_string());
    }
}

#[test]
fn q3_q10_without_an_object_and_its_properties_nothing_is_added() {
    for own in [
        json!({"type": "string"}),
        json!({"properties": {"a": {"type": "string"}}}),
        json!({"anyOf": [{"type": "object", "properties": {}}]}),
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": "object", "properties": true}),
    ] {
        assert_eq!(composed("T", own.clone(), false), own.to_string());
    }
}

#[test]
fn q9_an_empty_object_gains_only_the_field() {
    let expected = format!(r#"{{"type":"object","properties":{{"_reason":{}}}}}"#, field());
    assert_eq!(composed("T", json!({"type": "object", "properties": {}}), false), expected);
}

#[test]
fn q11_a8_every_other_keyword_and_required_stay_as_they_are() {
    let own = json!({
        "$defs": {"x": {"type": "string"}},
        "title": "Rich",
        "type": "object",
        "required": ["m", "a"],
        "properties": {"z": {"$ref": "#/$defs/x"}, "a": {"enum": ["x"], "default": "x"}, "m": {"type": "integer"}},
        "description": "outer",
        "minProperties": 1,
        "additionalProperties": false
    });
    let mut with = add(tool("Raw", own.clone(), false)).parameters;
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&with), keys(&own));
    assert_eq!(keys(&with["properties"]), ["_reason", "z", "a", "m"]);
    with["properties"].as_object_mut().unwrap().shift_remove(KEY);
    assert_eq!(with.to_string(), own.to_string());
}

#[test]
fn a8_a_tool_that_declares_the_key_itself_is_left_as_it_is() {
    let own = json!({"type": "object", "required": ["_reason"], "properties": {"reason": {"type": "string"}, "_reason": {"type": "number"}}});
    assert_eq!(composed("T", own.clone(), false), own.to_string());
}

#[test]
fn q12_an_internal_name_like_mcp_is_augmented_and_an_external_plain_name_is_not() {
    let own = json!({"type": "object", "properties": {}});
    assert!(composed("mcp__x__y", own.clone(), false).contains(KEY));
    assert!(!composed("Foo", own, true).contains(KEY));
}

#[test]
fn the_note_to_the_model_names_its_rules() {
    for rule in ["Optional", "first", "4 words", "present tense", "user's language", "…"] {
        assert!(DESCRIPTION.contains(rule), "{rule}");
    }
}

/// `(arguments, own schema, external, what the tool is given)`.
fn stripped(arguments: &str, schema: Value, external: bool) -> String {
    strip(arguments, &schema, external).into_owned()
}

fn with(names: &[&str]) -> Value {
    let properties: serde_json::Map<_, _> = names.iter().map(|name| (name.to_string(), json!({}))).collect();
    json!({"type": "object", "properties": properties})
}

#[test]
fn q4_q5_status_keys_are_taken_out_and_the_rest_keeps_its_bytes() {
    let own = with(&["path", "count"]);
    for (given, left) in [
        (r#"{"_reason":"x","path":"a","count":1}"#, r#"{"path":"a","count":1}"#),
        (r#"{"path":"a","_reason":"x","count":1}"#, r#"{"path":"a","count":1}"#),
        (r#"{"path":"a","count":1.50,"_reason":"x"}"#, r#"{"path":"a","count":1.50}"#),
        (r#"{"reason":"old","path":"a"}"#, r#"{"path":"a"}"#),
        (r#"{"_reason":"x","reason":"old"}"#, "{}"),
        (r#"{"_reason":{"a":[1,"}"]},"path":"\u0061"}"#, r#"{"path":"\u0061"}"#),
        (r#"{"_reason":"x","path":1,"_reason":"y"}"#, r#"{"path":1}"#),
        (" { \"_reason\" : \"x\" , \"path\" : 1e5 }\n", " { \"path\" : 1e5 }\n"),
        (r#"{"\u005freason":"x","path":1}"#, r#"{"path":1}"#),
    ] {
        assert_eq!(stripped(given, own.clone(), false), left, "{given}");
    }
}

#[test]
fn q6_arguments_without_status_keys_are_the_same_text() {
    for given in [
        r#"{"path":"reason","nested":{"_reason":1}}"#,
        "{}",
        r#"{"path":"\u005f"}"#,
        r#"["_reason"]"#,
        r#""_reason""#,
        r#"{"_reason":"#,
        r#"{"_reason":1}x"#,
        "",
    ] {
        assert!(matches!(strip(given, &with(&[]), false), Cow::Borrowed(same) if same == given), "{given}");
    }
}

#[test]
fn a7_a_declared_reason_reaches_the_tool_and_the_status_key_never_does() {
    let both = r#"{"_reason":"Closing…","reason":"because"}"#;
    assert_eq!(stripped(both, with(&["reason"]), false), r#"{"reason":"because"}"#);
    assert_eq!(stripped(both, with(&["_reason"]), false), "{}");
    assert_eq!(
        stripped(both, json!({"type": "object", "required": ["reason"]}), false),
        r#"{"reason":"because"}"#
    );
}

#[test]
fn a7_an_external_tool_keeps_what_its_schema_declares() {
    let both = r#"{"_reason":"a","reason":"b","v":1}"#;
    assert_eq!(stripped(both, with(&["_reason", "reason"]), true), both);
    assert_eq!(stripped(both, with(&["_reason"]), true), r#"{"_reason":"a","v":1}"#);
    assert_eq!(stripped(both, with(&["v"]), true), r#"{"v":1}"#);
}

#[test]
fn a7_a_part_of_the_schema_that_speaks_about_the_same_object_declares_too() {
    let given = r#"{"reason":"b"}"#;
    for own in [
        json!({"anyOf": [{"type": "string"}, with(&["reason"])]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [with(&["reason"])]}}}),
        json!({"if": true, "then": with(&["reason"])}),
    ] {
        assert_eq!(stripped(given, own, true), given);
    }
    // Deeper inside it is another object's, and a reference may run in a circle.
    assert_eq!(stripped(given, json!({"properties": {"a": with(&["reason"])}}), true), "{}");
    assert_eq!(stripped(given, json!({"$ref": "#"}), true), "{}");
}

#[test]
fn q7_a_status_is_text_that_is_not_blank() {
    for (tool, arguments, expected) in [
        ("Write", r#"{"_reason":"Reading…"}"#, Some("Reading…")),
        ("Write", r#"{"_reason":"  "}"#, None),
        ("Write", r#"{"_reason":42,"reason":"x"}"#, None),
        ("Write", r#"{"_reason":null,"reason":"old"}"#, Some("old")),
        ("Write", r#"{"reason":"old"}"#, Some("old")),
        ("Write", "{}", None),
        ("Write", "null", None),
        ("Write", "42", None),
        ("Write", r#""nope""#, None),
        ("Bash", r#"{"description":"List files"}"#, Some("List files")),
        ("Write", r#"{"description":"List files"}"#, None),
        ("Bash", r#"{"description":"List files","_reason":"Listing…"}"#, Some("Listing…")),
    ] {
        assert_eq!(extract(tool, arguments).as_deref(), expected, "{tool} {arguments}");
    }
}

#[test]
fn q8_escapes_written_twice_are_undone_and_what_was_cut_off_is_dropped() {
    for (note, expected) in [
        (r"Zad\u00e1v\u00e1m…", "Zadávám…"),
        (r"Zad\u00e1v\u00", "Zadáv"),
        (r"Zad\u00e1v\u", "Zadáv"),
        (r"Zad\u00e1v\", "Zadáv"),
        (r"Hot\u00e1 \ud83d", "Hotá "),
        (r"Hot\u00e1 \ud83d\ude0", "Hotá "),
        (r"Hot\u00e1 \\", r"Hotá \"),
        (r"\ud83d\ude00 ok", "😀 ok"),
        (r"C:\temp\file…", r"C:\temp\file…"),
        (r"C:\users", r"C:\users"),
        (r#"a "\u00e1" b"#, r#"a "\u00e1" b"#),
        (r"C:\temp \u00e1 \q", r"C:\temp \u00e1 \q"),
        ("…é字", "…é字"),
    ] {
        let arguments = json!({"_reason": note}).to_string();
        assert_eq!(extract("T", &arguments).as_deref(), Some(expected), "{note}");
    }
}

proptest! {
    #[test]
    fn stripping_leaves_exactly_the_other_members(
        pairs in prop::collection::vec((prop_oneof!["_?reason", "[a-z\"\\\\é]{0,4}"], any::<Option<i32>>()), 0..6),
        pretty in any::<bool>(),
    ) {
        let mut object = serde_json::Map::new();
        for (key, value) in &pairs {
            object.insert(key.clone(), json!(value));
        }
        let object = Value::Object(object);
        let text = if pretty { format!("{object:#}") } else { object.to_string() };
        let left: Value = serde_json::from_str(&strip(&text, &json!({}), false)).unwrap();
        let mut expected = object;
        let members = expected.as_object_mut().unwrap();
        members.shift_remove("_reason");
        members.shift_remove("reason");
        prop_assert_eq!(left, expected);
    }

    #[test]
    fn no_note_makes_extraction_fail(note in any::<String>(), tail in "(\\\\u?[0-9a-fd]{0,4}){0,3}") {
        let note = note + &tail;
        let arguments = json!({"_reason": note}).to_string();
        let extracted = extract("T", &arguments);
        prop_assert!(extracted.as_ref().is_none_or(|status| !status.trim().is_empty()));
        if !note.contains('\\') {
            let extracted = extracted.unwrap_or_default();
            prop_assert_eq!(extracted.trim(), note.trim());
        }
    }
}
