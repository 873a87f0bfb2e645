//! Names that the schema does not have.

use super::*;

fn search() -> Value {
    json!({"query": {"type": "string"}, "maxCount?": {"type": "integer", "minimum": 1}, "id?": {"type": "string"}})
}

#[test]
fn a_name_that_looks_like_an_unset_optional_one_is_an_error() {
    for slip in ["max_count", "maxCuont", "MaxCount", "maxcount"] {
        let line = format!("{slip}: not an argument — rename it to `maxCount` (an integer of at least 1)");
        refused(search(), &json!({"query": "x", slip: 5}).to_string(), &[&line]);
    }
}

#[test]
fn other_unknown_names_are_let_through() {
    unchanged(search(), r#"{"query":"x","verbose":true,"is":1,"reason":"y","_reason":"z"}"#);
    unchanged(search(), r#"{"query":"x","maxCount":1,"max_count":2}"#);
    unchanged(json!({"reason?": {"type": "string"}}), r#"{"_reason":"looking"}"#);
}

#[test]
fn a_missing_name_is_found_among_the_unknown_ones() {
    refused(
        search(),
        r#"{"qeury":"x","maxCount":"y"}"#,
        &[
            "query: missing; `qeury` is not an argument — rename it to `query` (a string)",
            r#"maxCount: expected an integer of at least 1, got "y""#,
        ],
    );
}

#[test]
fn a_closed_object_names_what_is_not_set_yet() {
    let mut schema = tool(search());
    schema["additionalProperties"] = false.into();
    let text = |arguments: &str| prepare("T", &schema, arguments).unwrap_err().text;
    assert!(
        text(r#"{"query":"x","verbose":1}"#)
            .ends_with("\n- verbose: not an argument; leave it out; not set yet: `maxCount`, `id`")
    );
    assert!(
        text(r#"{"query":"x","maxCuont":1}"#)
            .ends_with("\n- maxCuont: not an argument — rename it to `maxCount` (an integer of at least 1)")
    );
    assert_eq!(prepare("T", &schema, r#"{"query":"x"}"#), Ok(Prepared::Unchanged));
}

#[test]
fn an_object_open_for_further_names_has_no_slips() {
    let mut schema = tool(search());
    schema["additionalProperties"] = json!({"type": "integer"});
    assert_eq!(prepare("T", &schema, r#"{"query":"x","max_count":2}"#), Ok(Prepared::Unchanged));
}

#[test]
fn the_other_half_of_a_flattened_union_is_not_a_slip() {
    let mut inner = tool(json!({"query": {"type": "string"}, "sides?": {"type": "integer"}}));
    inner["anyOf"] =
        json!([tool(json!({"side": {"type": "integer"}})), tool(json!({"radius": {"type": "integer"}}))]);
    unchanged(json!({"v": inner}), r#"{"v":{"query":"x","side":1}}"#);
}
