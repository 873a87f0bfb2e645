//! What is put right without asking, and what is not.

use super::*;

#[test]
fn a_numeric_string_becomes_the_number_it_spells() {
    let integer = json!({"v": {"type": "integer"}});
    for (given, taken) in
        [("\"5\"", "5"), ("\" -12 \"", "-12"), ("\"5.0\"", "5"), ("5.0", "5"), ("1e3", "1000"), ("-0.0", "0")]
    {
        becomes(integer.clone(), &format!("{{\"v\":{given}}}"), &format!("{{\"v\":{taken}}}"));
    }
    for wrong in ["\"\"", "\"5.5\"", "5.5", "\"0x10\"", "\"+5\"", "\"05\"", "true", "null", "[5]", "\"five\""]
    {
        let line = format!("v: expected an integer, got {wrong}");
        refused(integer.clone(), &format!("{{\"v\":{wrong}}}"), &[&line]);
    }
    becomes(json!({"v": {"type": "number"}}), r#"{"v":"1.50e1"}"#, r#"{"v":1.50e1}"#);
    for wrong in ["\"NaN\"", "\"1e999\"", "1e999", "true"] {
        let line = format!("v: expected a number, got {wrong}");
        refused(json!({"v": {"type": "number"}}), &format!("{{\"v\":{wrong}}}"), &[&line]);
    }
}

#[test]
fn no_digit_is_ever_lost() {
    let schema = json!({"id": {"type": "integer"}, "n": {"type": "integer"}});
    let (big, exact) = ("123456789012345678901234567890", "9007199254740993");
    unchanged(schema.clone(), &format!(r#"{{"id":{big},"n":{exact}}}"#));
    becomes(schema.clone(), &format!(r#"{{"id":{big},"n":"1"}}"#), &format!(r#"{{"id":{big},"n":1}}"#));
    becomes(schema.clone(), &format!(r#"{{"id":"{big}","n":1}}"#), &format!(r#"{{"id":{big},"n":1}}"#));
    becomes(
        schema.clone(),
        r#"{"id":1,"n":"2","x":0.1000000000000000055511151231257827}"#,
        r#"{"id":1,"n":2,"x":0.1000000000000000055511151231257827}"#,
    );
    becomes(schema.clone(), r#"{"id":9007199254740991.0,"n":1}"#, r#"{"id":9007199254740991,"n":1}"#);
    refused(
        schema,
        r#"{"id":9007199254740992.0,"n":1e300}"#,
        &["id: expected an integer, got 9007199254740992.0", "n: expected an integer, got 1e300"],
    );
}

#[test]
fn scalars_become_text_and_the_two_words_become_booleans() {
    let text = json!({"v": {"type": "string"}});
    for (given, taken) in [("5", "\"5\""), ("1.50", "\"1.50\""), ("true", "\"true\"")] {
        becomes(text.clone(), &format!("{{\"v\":{given}}}"), &format!("{{\"v\":{taken}}}"));
    }
    refused(text.clone(), r#"{"v":null}"#, &["v: expected a string, got null"]);
    refused(text, r#"{"v":["a"]}"#, &[r#"v: expected a string, got ["a"]"#]);

    let boolean = json!({"v": {"type": "boolean"}});
    becomes(boolean.clone(), r#"{"v":"false"}"#, r#"{"v":false}"#);
    for wrong in ["1", "0", "\"TRUE\"", "\"yes\"", "null"] {
        refused(
            boolean.clone(),
            &format!("{{\"v\":{wrong}}}"),
            &[&format!("v: expected true or false, got {wrong}")],
        );
    }
}

#[test]
fn json_text_becomes_the_array_or_object_it_spells_and_is_checked_inside() {
    let schema = json!({"l?": {"type": "array", "items": {"type": "integer"}},
                        "o?": tool(json!({"n": {"type": "integer"}}))});
    becomes(schema.clone(), r#"{"l":"[1, \"2\"]"}"#, r#"{"l":[1, 2]}"#);
    becomes(schema.clone(), r#"{"o":"{\"n\":\"3\"}"}"#, r#"{"o":{"n":3}}"#);
    refused(schema.clone(), r#"{"l":"[1, \"x\"]"}"#, &[r#"l[1]: expected an integer, got "x""#]);
    refused(schema.clone(), r#"{"l":"1, 2"}"#, &[r#"l: expected an array, got "1, 2""#]);
    refused(schema.clone(), r#"{"l":"{}"}"#, &[r#"l: expected an array, got "{}""#]);
    refused(schema, r#"{"l":1}"#, &["l: expected an array, got 1"]);
}

#[test]
fn null_on_an_optional_property_is_the_same_as_leaving_it_out() {
    let schema = json!({"a?": {"type": "string"}, "b": {"type": "integer"}, "c?": {"type": "integer"}});
    becomes(schema.clone(), r#"{"a":null,"b":1,"c":null}"#, r#"{"b":1}"#);
    becomes(schema.clone(), r#"{ "b" : 1 , "a" : null , "c" : 2 }"#, r#"{ "b" : 1 , "c" : 2 }"#);
    becomes(json!({"a?": {"type": "string"}, "c?": {"type": "string"}}), r#"{"a":null,"c":null}"#, "{}");
    becomes(
        json!({"p": tool(json!({"x?": {"type": "integer"}}))}),
        r#"{"p":{"x":null,"y":null}}"#,
        r#"{"p":{"y":null}}"#,
    );
    refused(schema, r#"{"b":null}"#, &["b: expected an integer, got null"]);
}

#[test]
fn null_stays_where_the_schema_takes_it() {
    unchanged(json!({"a?": {"type": ["string", "null"]}}), r#"{"a":null}"#);
    unchanged(json!({"a?": {}}), r#"{"a":null}"#);
    unchanged(json!({"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}), r#"{"a":null}"#);
    unchanged(
        json!({"l": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}),
        r#"{"l":[1,null]}"#,
    );
}
