//! What counts as arguments at all.

use super::*;

#[test]
fn arguments_that_fit_keep_their_own_bytes() {
    let text = " {\n \"n\" : 1.50, \"s\":\"\\u0041\", \"more\": [ 1e2 ] } ";
    unchanged(json!({"n": {"type": "number"}, "s": {"type": "string"}}), text);
    unchanged(json!({}), "{}");
}

#[test]
fn nothing_stands_for_no_arguments() {
    for nothing in ["", "  \n", "null", " null "] {
        becomes(json!({"a?": {"type": "string"}}), nothing, "{}");
        refused(json!({"a": {"type": "string"}}), nothing, &["a: missing; expected a string"]);
    }
}

#[test]
fn a_string_that_holds_an_object_is_that_object() {
    let schema = json!({"n": {"type": "integer"}});
    becomes(schema.clone(), r#""{\"n\": 7}""#, r#"{"n": 7}"#);
    becomes(schema.clone(), r#""{\"n\": \"7\"}""#, r#"{"n": 7}"#);
    refused(schema.clone(), r#""n = 7""#, &[r#"arguments: expected an object, got "n = 7""#]);
    refused(schema.clone(), r#""[1]""#, &[r#"arguments: expected an object, got "[1]""#]);
}

#[test]
fn anything_but_an_object_is_refused_whatever_the_schema_says() {
    for (text, got) in [("[1, 2]", "[1,2]"), ("7", "7"), ("true", "true")] {
        let rejection = prepare("T", &json!({}), text).unwrap_err();
        assert!(rejection.text.ends_with(&format!("\n- arguments: expected an object, got {got}")));
    }
}

#[test]
fn text_that_is_no_json_is_told_apart_and_says_where() {
    let rejection = call(json!({}), "{\"a\": 1,\n \"b\": x}").unwrap_err();
    assert!(rejection.is_syntax());
    assert_eq!(
        rejection.text,
        "T was not run: its arguments are not valid JSON (expected a value at line 2 column 7). \
         Send one JSON object and call it again."
    );
    for text in ["{", "{\"a\":1} x", "{'a':1}", "{a:1}", "{\"a\":1,}", "\"\\ud800\"", "NaN", "{\"a\":01}"] {
        assert!(call(json!({}), text).unwrap_err().is_syntax(), "{text}");
    }
}

#[test]
fn of_a_key_given_twice_the_last_one_counts() {
    let schema = json!({"a": {"type": "integer"}, "b?": {"type": "integer"}});
    becomes(schema.clone(), r#"{"a":1,"a":2}"#, r#"{"a":2}"#);
    becomes(schema.clone(), r#"{"a":"x","b":1,"a":2, "a":"3"}"#, r#"{"b":1, "a":3}"#);
    becomes(schema.clone(), r#"{"\u0061":1,"a":2}"#, r#"{"a":2}"#);
    refused(schema, r#"{"a":1,"a":"x"}"#, &[r#"a: expected an integer, got "x""#]);
}
