//! What does the model get to see of a Rust parameter type?
//!
//! [`parameters`] asks schemars for the type's JSON Schema with everything inlined and rewrites it in one pass into
//! the small subset that every model provider accepts: no references, no `const`, no boolean schemas, no numeric
//! formats, and a key order that never changes. What cannot be said in that subset is refused by name, at
//! registration, instead of being dropped by a provider later.

mod compact;
mod error;
mod keywords;
mod prose;
mod raw;
mod union;

pub use error::{SchemaError, SchemaProblem};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use compact::Pass;

/// The schema of the tool parameters `T`, compact and portable.
///
/// The result is an object with `"type":"object"`, `required` (absent when nothing is), `properties` (always there,
/// in declaration order) and perhaps `additionalProperties`. A unit struct gives the schema of "no parameters". The
/// type's own doc comment is left out: the tool's description says what the tool is for.
///
/// A Rust type can say more than that: the limits of integers of 32 bits and more and of `f32`, which part of a
/// tuple has which type, that an enum's object has one name, and what lies below the first level of a recursive
/// type (which is offered as an object described as `nested Name`). The host cannot check these; the SDK does,
/// when it reads the arguments, and answers in the same words.
///
/// # Errors
///
/// [`SchemaError`] names the type, the place in it and the [`SchemaProblem`]: a root that is a union or no object, a
/// property key that some provider refuses, a value that nothing can match, or a combination of schemas that needs
/// `allOf`.
pub fn parameters<T: JsonSchema + ?Sized>() -> Result<Value, SchemaError> {
    described::<T>().schema
}

/// The schema of a type, and what no portable schema says about it.
pub(crate) struct Described {
    pub(crate) schema: Result<Value, SchemaError>,
    /// An `f32` is in it, whose range is not in the schema.
    pub(crate) holds_f32: bool,
}

pub(crate) fn described<T: JsonSchema + ?Sized>() -> Described {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let holds_f32 = has_format(&schema, "float");
    let schema =
        root(schema).map_err(|(path, problem)| SchemaError::new(std::any::type_name::<T>(), path, problem));
    Described { schema, holds_f32 }
}

/// Whether the format is spoken of anywhere in the schema.
fn has_format(schema: &Value, format: &str) -> bool {
    match schema {
        Value::Object(schema) => {
            schema.get("format").is_some_and(|found| found == format)
                || schema.values().any(|part| has_format(part, format))
        }
        Value::Array(parts) => parts.iter().any(|part| has_format(part, format)),
        _ => false,
    }
}

/// Everything of [`parameters`] that does not need to know the Rust type.
fn root(schema: Value) -> Result<Value, (String, SchemaProblem)> {
    let refused = |problem| Err((String::new(), problem));
    let Value::Object(mut schema) = schema else {
        return refused(SchemaProblem::RootNotObject("any value".into()));
    };

    if ["anyOf", "oneOf", "allOf"].iter().any(|union| schema.contains_key(*union)) {
        return refused(SchemaProblem::RootUnion);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {}
        Some("null") => return Ok(no_parameters()),
        _ if schema.contains_key("not") => return refused(SchemaProblem::Nothing),
        _ => return refused(SchemaProblem::RootNotObject(describe_root(&schema))),
    }

    let definitions = match schema.shift_remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let name = schema.get("title").and_then(Value::as_str).unwrap_or("value").to_owned();
    for annotation in ["description", "default", "examples"] {
        schema.shift_remove(annotation);
    }
    if !schema.contains_key("properties") {
        schema.insert("properties".into(), Value::Object(Map::new()));
    }
    Pass::new(&definitions, &name).root(schema)
}

fn no_parameters() -> Value {
    serde_json::json!({ "type": "object", "properties": {} })
}

fn describe_root(schema: &Map<String, Value>) -> String {
    match schema.get("type") {
        Some(Value::String(name)) if schema.contains_key("enum") => format!("an enum of {name}s"),
        Some(Value::String(name)) => format!("of type {name}"),
        Some(types) => format!("of type {types}"),
        None => "any value".into(),
    }
}

#[cfg(test)]
mod tests;
