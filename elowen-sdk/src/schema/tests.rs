//! What hand-written and unusual schemas become; the derived types are in `tests/schema_targets.rs`.

use serde_json::{Value, json};

use super::{SchemaProblem, root};

/// The compact form of one property `v`; required unless `optional`.
fn property(schema: Value, optional: bool) -> Result<Value, (String, SchemaProblem)> {
    let required = if optional { json!([]) } else { json!(["v"]) };
    let compact = root(json!({ "type": "object", "properties": { "v": schema }, "required": required }))?;
    Ok(compact["properties"]["v"].clone())
}

#[track_caller]
fn becomes(schema: Value, target: Value) {
    assert_eq!(property(schema, false).unwrap().to_string(), target.to_string());
}

#[track_caller]
fn refused(schema: Value, path: &str, problem: SchemaProblem) {
    assert_eq!(root(schema).unwrap_err(), (path.to_owned(), problem));
}

#[test]
fn a_root_that_is_not_a_plain_object_is_refused() {
    refused(json!(true), "", SchemaProblem::RootNotObject("any value".into()));
    refused(json!({"title": "AnyValue"}), "", SchemaProblem::RootNotObject("any value".into()));
    refused(json!({"type": "integer"}), "", SchemaProblem::RootNotObject("of type integer".into()));
    refused(
        json!({"type": "string", "enum": ["a"]}),
        "",
        SchemaProblem::RootNotObject("an enum of strings".into()),
    );
    refused(
        json!({"type": ["object", "null"], "properties": {}}),
        "",
        SchemaProblem::RootNotObject(r#"of type ["object","null"]"#.into()),
    );
    refused(json!({"type": "object", "anyOf": [{}]}), "", SchemaProblem::RootUnion);
    refused(json!({"oneOf": [{"type": "object"}]}), "", SchemaProblem::RootUnion);
    refused(json!({"not": {}}), "", SchemaProblem::Nothing);
}

#[test]
fn a_key_that_a_provider_would_refuse_is_refused_where_it_stands() {
    for key in ["a b", "", "1st", "ä", &"x".repeat(65)] {
        refused(json!({"type": "object", "properties": {key: true}}), "", SchemaProblem::Key(key.into()));
    }
    let nested = json!({"type": "object", "properties": {"list": {"type": "array", "items": {
        "type": "object", "properties": {"a.b": {"type": "string"}}}}}});
    refused(nested, "list[]", SchemaProblem::Key("a.b".into()));
}

#[test]
fn the_status_key_is_reserved_at_the_root_only() {
    refused(
        json!({"type": "object", "properties": {"_reason": {"type": "string"}}}),
        "",
        SchemaProblem::ReservedKey("_reason".into()),
    );
    becomes(
        json!({"type": "object", "properties": {"_reason": true}}),
        json!({"type": "object", "properties": {"_reason": {}}}),
    );
    assert!(root(json!({"type": "object", "properties": {"reason": {"type": "string"}}})).is_ok());
}

#[test]
fn a_place_where_nothing_matches_is_refused() {
    for never in
        [json!(false), json!({"not": {}}), json!({"enum": []}), json!({"type": "array", "items": false})]
    {
        assert!(matches!(property(never, false), Err((_, SchemaProblem::Nothing))));
    }
    let error = property(json!("string"), false).unwrap_err();
    assert_eq!(error, ("v".into(), SchemaProblem::Malformed("\"string\"".into())));
}

#[test]
fn null_is_dropped_where_absence_says_it_and_spelled_one_way_elsewhere() {
    let nullable = [
        json!({"type": ["string", "null"], "description": "d"}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"}),
        json!({"oneOf": [{"type": "null"}, {"type": "string"}], "description": "d"}),
    ];
    for schema in nullable {
        assert_eq!(property(schema.clone(), true).unwrap(), json!({"type": "string", "description": "d"}));
        becomes(schema, json!({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"}));
    }
    becomes(
        json!({"type": ["string", "null"], "enum": ["a", null]}),
        json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
    );
    becomes(
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
    );
    assert_eq!(property(json!({"type": "null"}), true).unwrap(), json!({"type": "null"}));
    becomes(json!({"const": null}), json!({"type": "null"}));
}

#[test]
fn values_spelled_one_by_one_become_one_enum_with_their_documentation() {
    becomes(
        json!({"oneOf": [{"type": "string", "enum": ["z"]}, {"type": "string", "const": "a", "description": "First."}],
               "description": "Which"}),
        json!({"type": "string", "enum": ["z", "a"], "description": "Which. a: First"}),
    );
    becomes(json!({"const": "x"}), json!({"type": "string", "enum": ["x"]}));
    becomes(json!({"anyOf": [{"const": 1}, {"const": 2}]}), json!({"type": "integer", "enum": [1, 2]}));
    becomes(
        json!({"anyOf": [{"oneOf": [{"const": "a", "description": "A"}, {"const": "b"}]}, {"type": "null"}],
               "description": "Which"}),
        json!({"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}], "description": "Which. a: A"}),
    );
    becomes(
        json!({"oneOf": [{"const": "a"}, {"type": "object", "properties": {}, "additionalProperties": false},
                         {"const": "b", "description": "B"}]}),
        json!({"anyOf": [{"type": "string", "enum": ["a", "b"], "description": "b: B"},
                         {"type": "object", "properties": {}}]}),
    );
}

#[test]
fn all_of_is_merged_and_two_unions_at_one_place_are_refused() {
    becomes(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
               "allOf": [{"properties": {"b": {"type": "integer"}}, "required": ["b"]}]}),
        json!({"type": "object", "required": ["a", "b"],
               "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}),
    );
    let union = json!({"oneOf": [{"type": "string"}, {"type": "integer"}]});
    let both = json!({"allOf": [union, {"anyOf": [{"type": "string"}, {"type": "boolean"}]}]});
    assert_eq!(property(both, false).unwrap_err(), ("v".into(), SchemaProblem::AllOf));
}

#[test]
fn integer_keys_lists_of_types_and_exclusive_bounds_are_said_portably() {
    becomes(
        json!({"type": "object", "patternProperties": {"^\\d+$": {"type": "string"}}, "additionalProperties": false}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
    );
    becomes(
        json!({"type": ["string", "integer"], "minLength": 1, "minimum": 0, "description": "d"}),
        json!({"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}],
               "description": "d"}),
    );
    becomes(
        json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9}),
        json!({"type": "integer", "minimum": 1, "maximum": 8}),
    );
    becomes(json!({"type": "number", "exclusiveMinimum": 0, "format": "double"}), json!({"type": "number"}));
    becomes(json!({"type": "array", "uniqueItems": true}), json!({"type": "array", "items": {}}));
}

#[test]
fn a_reference_stands_in_with_the_type_that_is_certain() {
    let schema = |reference: &str| {
        json!({"type": "object", "title": "Tree", "properties": {"v": {"$ref": reference}}, "required": ["v"],
               "$defs": {"Expr": {"oneOf": [{"const": "x"}, {"type": "object"}]},
                         "List": {"type": "array", "items": {"$ref": "#/$defs/List"}}}})
    };
    let target = |reference: &str| root(schema(reference)).unwrap()["properties"]["v"].clone();
    assert_eq!(target("#"), json!({"type": "object", "description": "nested Tree"}));
    assert_eq!(target("#/$defs/Expr"), json!({"description": "nested Expr"}));
    assert_eq!(target("#/$defs/List"), json!({"type": "array", "items": {}, "description": "nested List"}));
}

#[test]
fn a_deprecated_field_is_not_offered_unless_that_would_forbid_it() {
    let fields = json!({"old": {"type": "string", "deprecated": true}, "new": {"type": "string"}});
    let open = root(json!({"type": "object", "properties": fields})).unwrap();
    assert_eq!(open["properties"], json!({"new": {"type": "string"}}));
    let closed =
        root(json!({"type": "object", "properties": fields, "additionalProperties": false})).unwrap();
    assert_eq!(closed["properties"], json!({"old": {"type": "string"}, "new": {"type": "string"}}));
}
