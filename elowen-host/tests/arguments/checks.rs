//! What is checked, and how the answer reads.

use super::*;

#[test]
fn the_answer_has_the_agreed_form() {
    let schema = tool(json!({
        "mode": {"type": "string", "enum": ["content", "files"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "edits": {"type": "array", "items": tool(json!({"old": {"type": "string"}, "new": {"type": "string"}}))},
        "path": {"type": "string", "minLength": 1},
        "shape": {"anyOf": [
            tool(json!({"type": {"type": "string", "enum": ["Circle"]}, "r": {"type": "number"}})),
            tool(json!({"type": {"type": "string", "enum": ["Square"]}, "side": {"type": "number"}})),
        ]},
    }));
    let arguments = json!({
        "mode": "file", "limit": 900, "edits": [{"old": "a", "new": "b"}, {"old": "c"}], "patth": "x",
        "shape": {"type": "Circle", "r": "big"},
    });
    assert_eq!(
        prepare("Edit", &schema, &arguments.to_string()).unwrap_err().text,
        "Edit was not run. Fix these arguments and call it again:\n\
         - mode: expected one of \"content\", \"files\", got \"file\" — did you mean \"files\"?\n\
         - limit: expected an integer from 1 to 100, got 900\n\
         - edits[1].new: missing; expected a string\n\
         - path: missing; `patth` is not an argument — rename it to `path` (a string of at least 1 character)\n\
         - shape.r: expected a number, got \"big\""
    );
}

#[test]
fn bounds_lengths_and_patterns_are_checked() {
    let schema = json!({
        "n?": {"type": "number", "minimum": 0}, "i?": {"type": "integer", "maximum": 255},
        "s?": {"type": "string", "minLength": 2, "maxLength": 3}, "p?": {"type": "string", "pattern": "^[a-z]+$"},
        "l?": {"type": "array", "items": {}, "minItems": 2, "maxItems": 2},
    });
    unchanged(schema.clone(), r#"{"n":0,"i":255,"s":"äöü","p":"abc","l":[1,2]}"#);
    refused(schema.clone(), r#"{"n":-0.1}"#, &["n: expected a number of at least 0, got -0.1"]);
    refused(schema.clone(), r#"{"i":"256"}"#, &[r#"i: expected an integer of at most 255, got "256""#]);
    refused(schema.clone(), r#"{"s":"ä"}"#, &[r#"s: expected a string of 2 to 3 characters, got "ä""#]);
    refused(schema.clone(), r#"{"p":"A"}"#, &[r#"p: expected a string matching ^[a-z]+$, got "A""#]);
    refused(schema, r#"{"l":[1]}"#, &["l: expected an array of 2 items, got [1]"]);
}

#[test]
fn integers_of_any_size_are_compared_exactly() {
    let schema = json!({"v": {"type": "integer", "minimum": 0, "maximum": u64::MAX}});
    unchanged(schema.clone(), r#"{"v":18446744073709551615}"#);
    refused(
        schema,
        r#"{"v":18446744073709551616}"#,
        &["v: expected an integer from 0 to 18446744073709551615, got 18446744073709551616"],
    );
}

#[test]
fn what_rust_cannot_compile_as_a_pattern_and_formats_are_not_enforced() {
    unchanged(json!({"v": {"type": "string", "pattern": "^(?=a)"}}), r#"{"v":"b"}"#);
    unchanged(json!({"v": {"type": "string", "format": "date-time"}}), r#"{"v":"tomorrow"}"#);
}

#[test]
fn a_map_is_checked_in_every_value() {
    let schema = json!({"m": {"type": "object", "additionalProperties": {"type": "integer"}}});
    unchanged(schema.clone(), r#"{"m":{"a":1,"b c":2}}"#);
    becomes(schema.clone(), r#"{"m":{"a":"1"}}"#, r#"{"m":{"a":1}}"#);
    refused(schema, r#"{"m":{"a":1,"b c":"x"}}"#, &[r#"m["b c"]: expected an integer, got "x""#]);
}

#[test]
fn at_most_five_lines_are_given_and_values_are_cut_with_their_length() {
    let schema = json!({"l": {"type": "array", "items": {"type": "integer"}}});
    let text = call(schema.clone(), &json!({"l": vec!["x"; 50]}).to_string()).unwrap_err().text;
    assert_eq!(text.lines().count(), 6);
    let long = format!(r#"{{"l":["{}"]}}"#, "x".repeat(5000));
    let line = format!(r#"l[0]: expected an integer, got "{}… (5002 characters)"#, "x".repeat(59));
    refused(schema, &long, &[&line]);
    let spread = "{\"l\": {\n  \"a b\" : [ 1,\n 2 ]\n}}";
    refused(json!({"l": {"type": "string"}}), spread, &[r#"l: expected a string, got {"a b":[1,2]}"#]);
}

#[test]
fn hostile_names_stay_on_one_short_line() {
    let schema = json!({"m": {"type": "object", "additionalProperties": {"type": "integer"}}});
    let arguments = json!({"m": {format!("a\nb{}", "x".repeat(1000)): "x"}}).to_string();
    let text = call(schema, &arguments).unwrap_err().text;
    assert_eq!(text.lines().count(), 2);
    assert!(text.len() < 300, "{text}");
}
