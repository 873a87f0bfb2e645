//! Does each kind of Rust parameter type get exactly the schema that was decided for it, byte for byte?
//!
//! The types cover what serde and schemars can express; they are in `schema_targets/types.rs`, the decided
//! schema of each in `targets.json` beside them (`null` where the type must be refused).

#![allow(missing_docs)]

use elowen_sdk::schema::{SchemaError, SchemaProblem, parameters};
use schemars::JsonSchema;
use serde_json::{Map, Value};

#[path = "schema_targets/types.rs"]
mod types;
use types::*;

type Row = (&'static str, Result<Value, SchemaError>);

macro_rules! rows {
    ($($ty:ident),* $(,)?) => { vec![$( (stringify!($ty), parameters::<$ty>()) ),*] };
}

fn rows() -> Vec<Row> {
    rows![
        T01Unit,
        T02Empty,
        T03Simple,
        T04Ints,
        T05Scalars,
        T06Option,
        T07Defaults,
        T08Vecs,
        T09Maps,
        T10UnitEnum,
        T11DocEnum,
        T12OptEnum,
        T13ExtEnum,
        T14IntEnum,
        T15AdjEnum,
        T16Untagged,
        T17Nested,
        T18OptNested,
        T19Flatten,
        T20Rename,
        T21Validate,
        T22Any,
        T23Tuple,
        T24Recursive,
        T25Deny,
        T26Generic,
        T27With,
        T28Ext,
        T29Cow,
        T30Docs,
        T31Examples,
        T32Repr,
        T33ReqOption,
        T34RootEnum,
        T35Newtype,
    ]
}

#[test]
fn every_type_has_exactly_its_decided_schema() {
    let targets: Map<String, Value> =
        serde_json::from_str(include_str!("schema_targets/targets.json")).unwrap();
    let rows = rows();
    assert_eq!(rows.len(), 35);
    assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), targets.keys().collect::<Vec<_>>());

    let (mut total, mut wrong) = (0, Vec::new());
    for ((name, schema), target) in rows.into_iter().zip(targets.values()) {
        let (got, want) = match schema {
            Ok(schema) => (schema.to_string(), target.to_string()),
            Err(error) => {
                assert_eq!(*error.problem(), SchemaProblem::RootUnion, "{name}: {error}");
                ("null".into(), target.to_string())
            }
        };
        total += if target.is_null() { 0 } else { got.len() };
        if got != want {
            wrong.push(format!("{name}\n  got  {got}\n  want {want}"));
        }
    }
    println!("{total} bytes of schema for 34 types, 1 type refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(total, 7063);
}

#[test]
fn nothing_unportable_remains_anywhere() {
    fn check(schema: &Value, name: &str) {
        let Value::Object(schema) = schema else { panic!("{name}: {schema} is not a schema object") };
        for key in ["$ref", "$defs", "$schema", "const", "oneOf", "allOf", "title", "prefixItems"] {
            assert!(!schema.contains_key(key), "{name}: {key}");
        }
        if let Some(format) = schema.get("format") {
            assert_eq!(schema["type"], "string", "{name}: format {format} on a number");
        }
        for (_, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            check(property, name);
        }
        for branch in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            check(branch, name);
        }
        schema.get("items").into_iter().for_each(|items| check(items, name));
        schema
            .get("additionalProperties")
            .into_iter()
            .filter(|rest| **rest != false)
            .for_each(|rest| check(rest, name));
    }
    for (name, schema) in rows() {
        if let Ok(schema) = schema {
            check(&schema, name);
        }
    }
}

#[track_caller]
fn refused<T: JsonSchema>(expected: &str) {
    let error = parameters::<T>().unwrap_err();
    assert_eq!(error.to_string().replace("schema_targets::types::", ""), expected);
}

#[test]
fn a_refusal_names_the_type_the_place_and_the_remedy() {
    refused::<Flattened>(
        "`Flattened` cannot be the parameters of a tool: it is a union at the root, which model providers refuse; \
         make it a field of a struct (and do not flatten that field)",
    );
    refused::<Vec<u8>>(
        "`alloc::vec::Vec<u8>` cannot be the parameters of a tool: it is of type array, and parameters are an object; \
         use a struct with named fields",
    );
    refused::<Option<Point>>(
        "`core::option::Option<Point>` cannot be the parameters of a tool: it is of type [\"object\",\"null\"], and \
         parameters are an object; use a struct with named fields",
    );
    refused::<Hyphenated>(
        "`Hyphenated` cannot be the parameters of a tool: at `page`, the name `max-count` is not portable; use 1 to 64 \
         of A-Z a-z 0-9 _, not starting with a digit (`#[serde(rename = \"...\")]`)",
    );
    refused::<Reserved>(
        "`Reserved` cannot be the parameters of a tool: the host strips an argument called `_reason`; choose another \
         name",
    );
    refused::<WithNever>(
        "`WithNever` cannot be the parameters of a tool: at `at[]`, no value can ever match; remove it or give its \
         type a variant",
    );
    refused::<TwoUnions>(
        "`TwoUnions` cannot be the parameters of a tool: at `inner`, two unions apply to the same value; nest one of \
         them in a field of its own instead of flattening it",
    );
}

#[test]
fn a_recursive_root_and_maps_with_integer_keys_stay_portable() {
    assert_eq!(
        parameters::<Tree>().unwrap().to_string(),
        r#"{"type":"object","required":["label","children"],"properties":{"label":{"type":"string"},"children":{"type":"array","items":{"type":"object","description":"nested Tree"}}}}"#
    );
    assert_eq!(
        parameters::<ByNumber>().unwrap()["properties"].to_string(),
        r#"{"names":{"type":"object","additionalProperties":{"type":"string"}},"signed":{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}}"#
    );
}
