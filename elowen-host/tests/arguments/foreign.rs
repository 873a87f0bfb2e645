//! Schemas that the SDK never writes, but authors of other languages do.

use super::*;

#[test]
fn references_are_followed() {
    let schema = json!({"type": "object", "required": ["a"], "$defs": {"pos": {"type": "integer", "minimum": 1}},
                        "properties": {"a": {"$ref": "#/$defs/pos"}}});
    let text = |arguments: &str| prepare("T", &schema, arguments).unwrap_err().text;
    assert_eq!(prepare("T", &schema, r#"{"a":1}"#), Ok(Prepared::Unchanged));
    assert!(text(r#"{"a":0}"#).ends_with("\n- a: expected an integer of at least 1, got 0"));
    assert!(text("{}").ends_with("\n- a: missing; expected an integer of at least 1"));
}

#[test]
fn constants_and_composition_are_understood() {
    let constants = json!({"e": {"anyOf": [{"const": "x"}, {"const": "y"}]}});
    unchanged(constants.clone(), r#"{"e":"x"}"#);
    refused(constants, r#"{"e":"z"}"#, &[r#"e: expected "x" or "y", got "z""#]);

    let one = json!({"u": {"oneOf": [{"type": "integer"}, {"type": "number"}]}});
    unchanged(one.clone(), r#"{"u":1.5}"#);
    refused(
        one,
        r#"{"u":1}"#,
        &["u: 1 fits more than one of an integer or a number; exactly one is expected"],
    );

    refused(json!({"a": {"not": {"type": "string"}}}), r#"{"a":"x"}"#, &[r#"a: "x" is not allowed here"#]);
    let both = json!({"a": {"allOf": [{"type": "integer"}, {"type": "integer", "exclusiveMinimum": 0}]}});
    unchanged(both.clone(), r#"{"a":1}"#);
    becomes(both.clone(), r#"{"a":"1"}"#, r#"{"a":1}"#);
    refused(both, r#"{"a":0}"#, &["a: expected an integer above 0, got 0"]);
}

#[test]
fn steps_and_different_items_are_checked() {
    let schema =
        json!({"n?": {"type": "number", "multipleOf": 0.1}, "l?": {"type": "array", "uniqueItems": true}});
    unchanged(schema.clone(), r#"{"n":0.3,"l":[1,2]}"#);
    refused(schema.clone(), r#"{"n":0.35}"#, &["n: expected a number in steps of 0.1, got 0.35"]);
    refused(schema, r#"{"l":[1,1]}"#, &["l: expected an array of different items, got [1,1]"]);
}

#[test]
fn an_untyped_enum_is_not_coerced() {
    let schema = json!({"e": {"enum": ["1", 2]}});
    unchanged(schema.clone(), r#"{"e":2}"#);
    unchanged(schema.clone(), r#"{"e":2.0}"#);
    refused(schema.clone(), r#"{"e":1}"#, &[r#"e: expected one of "1", 2, got 1"#]);
    refused(schema, r#"{"e":"2"}"#, &[r#"e: expected one of "1", 2, got "2""#]);
}

#[test]
fn names_by_pattern_are_known_names() {
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {},
                        "patternProperties": {"^x_": {"type": "integer"}}});
    let text = |arguments: &str| prepare("T", &schema, arguments).unwrap_err().text;
    assert_eq!(prepare("T", &schema, r#"{"x_a":1}"#), Ok(Prepared::Unchanged));
    assert!(text(r#"{"x_a":"b"}"#).ends_with("\n- x_a: expected an integer, got \"b\""));
    assert!(text(r#"{"y":1}"#).ends_with("\n- y: not an argument; leave it out"));
}

#[test]
fn a_root_union_and_an_empty_schema_work_as_well() {
    let root =
        json!({"anyOf": [tool(json!({"a": {"type": "string"}})), tool(json!({"b": {"type": "string"}}))]});
    assert_eq!(prepare("T", &root, r#"{"b":"y"}"#), Ok(Prepared::Unchanged));
    assert!(
        prepare("T", &root, r#"{"c":1}"#)
            .unwrap_err()
            .text
            .ends_with("\n- arguments: expected an object with `a` or an object with `b`, got {\"c\":1}")
    );
    assert_eq!(prepare("T", &json!({}), r#"{"a":1}"#), Ok(Prepared::Unchanged));
    assert_eq!(prepare("T", &json!(true), r#"{"a":1}"#), Ok(Prepared::Unchanged));
}

#[test]
fn a_schema_that_makes_no_sense_asks_for_nothing() {
    let odd = json!({"type": 7, "properties": [], "required": "a", "enum": {}, "anyOf": {}, "items": 3,
                     "minimum": "x", "pattern": 1, "$ref": "#/nowhere", "additionalProperties": 0});
    assert_eq!(prepare("T", &odd, r#"{"a":1}"#), Ok(Prepared::Unchanged));
}
