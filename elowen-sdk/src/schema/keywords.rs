//! Which keywords of a level are kept as they are, and in what order?
//!
//! What JSON Schema has beyond the portable ones is dropped (it only narrowed; serde or the tool still checks); what
//! JSON Schema does not know is an author's extension and stays.

use serde_json::{Map, Value};

/// Keywords that are copied as they are, in the order in which they are written, after the structural ones.
const BOUNDS: [&str; 8] =
    ["minLength", "maxLength", "minItems", "maxItems", "pattern", "format", "minimum", "maximum"];

/// Formats that providers' strict modes accept; numeric ones (`uint32`) make some refuse the request.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// What JSON Schema knows and this subset says in another way or not at all.
#[rustfmt::skip]
const DROPPED: [&str; 46] = [
    "$schema", "$id", "$ref", "$defs", "$anchor", "$comment", "$vocabulary", "$dynamicRef",
    "$dynamicAnchor", "definitions", "title", "description", "default", "examples", "deprecated",
    "readOnly", "writeOnly", "type", "enum", "required", "properties", "additionalProperties",
    "patternProperties", "unevaluatedProperties", "propertyNames", "minProperties", "maxProperties",
    "dependentRequired", "dependentSchemas", "items", "prefixItems", "unevaluatedItems", "contains",
    "minContains", "maxContains", "uniqueItems", "multipleOf", "exclusiveMinimum", "exclusiveMaximum",
    "not", "if", "then", "else", "nullable", "contentEncoding", "contentMediaType",
];

/// Copies the bounds that providers accept.
pub(super) fn bounds(keywords: &Map<String, Value>, out: &mut Map<String, Value>) {
    for key in BOUNDS {
        let Some(bound) = keywords.get(key) else { continue };
        if key != "format" || bound.as_str().is_some_and(|format| FORMATS.contains(&format)) {
            out.insert(key.into(), bound.clone());
        }
    }
    // Providers refuse exclusive bounds; for whole numbers they have an inclusive twin.
    for (exclusive, inclusive, step) in
        [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)]
    {
        if let Some(bound) = keywords.get(exclusive).and_then(Value::as_i64)
            && out.get("type").is_some_and(|kind| kind == "integer")
            && !out.contains_key(inclusive)
        {
            out.insert(inclusive.into(), bound.saturating_add(step).into());
        }
    }
}

/// Adds the default, the description and an author's extensions.
pub(super) fn annotate(
    keywords: &Map<String, Value>,
    out: &mut Map<String, Value>,
    description: Option<String>,
) {
    if let Some(default) = keywords.get("default").filter(|default| !is_trivial(default)) {
        out.insert("default".into(), default.clone());
    }
    if let Some(description) = description {
        out.insert("description".into(), description.into());
    }
    for (key, value) in keywords {
        if !DROPPED.contains(&key.as_str()) && !BOUNDS.contains(&key.as_str()) {
            out.insert(key.clone(), value.clone());
        }
    }
}

fn is_trivial(default: &Value) -> bool {
    match default {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// The JSON type that all values share.
pub(super) fn common_type(values: &[Value]) -> Option<Value> {
    let name = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let first = name(values.first()?);
    values.iter().all(|value| name(value) == first).then(|| first.into())
}
