//! Which branch of a union is taken or complained about.

use super::*;

#[test]
fn a_branch_that_fits_as_it_stands_goes_before_one_that_needs_coercion() {
    let either = json!({"u": {"anyOf": [{"type": "integer"}, {"type": "string"}]}});
    unchanged(either.clone(), r#"{"u":"5"}"#);
    unchanged(either.clone(), r#"{"u":5}"#);
    becomes(either.clone(), r#"{"u":5.0}"#, r#"{"u":5}"#);
    becomes(either.clone(), r#"{"u":true}"#, r#"{"u":"true"}"#);
    refused(either.clone(), r#"{"u":[]}"#, &["u: expected an integer or a string, got []"]);
    refused(either, r#"{"u":null}"#, &["u: expected an integer or a string, got null"]);
}

#[test]
fn the_tag_or_the_only_name_says_which_branch_was_meant() {
    let external = json!({"u": {"anyOf": [
        {"type": "string", "enum": ["Unit"]},
        tool(json!({"Circle": tool(json!({"r": {"type": "number"}}))})),
        tool(json!({"Square": {"type": "number"}})),
    ]}});
    unchanged(external.clone(), r#"{"u":"Unit"}"#);
    becomes(external.clone(), r#"{"u":{"Square":"2"}}"#, r#"{"u":{"Square":2}}"#);
    refused(external.clone(), r#"{"u":{"Circle":{}}}"#, &["u.Circle.r: missing; expected a number"]);
    refused(
        external,
        r#"{"u":{"Oval":1}}"#,
        &[r#"u: expected "Unit", an object with `Circle` or an object with `Square`, got {"Oval":1}"#],
    );
}

#[test]
fn a_nullable_object_says_what_is_wrong_inside() {
    let schema = json!({"u": {"anyOf": [tool(json!({"x": {"type": "integer"}})), {"type": "null"}]}});
    refused(schema.clone(), r#"{"u":{"x":"a"}}"#, &[r#"u.x: expected an integer, got "a""#]);
    refused(schema, r#"{"u":1}"#, &["u: expected an object with `x` or null, got 1"]);
}
