//! What did the model mean by a value of the wrong type, if nothing is lost by taking it so?
//!
//! Never done: `null` to a zero value, a boolean to a number or back, a single value to a list.

use serde_json::Value;

use super::json::{DEPTH, Json, Kind, WHITESPACE};
use super::number;

/// Whether the value is of the JSON Schema type as it stands. Unknown types ask for nothing.
pub(super) fn is_type(kind: &str, value: Json) -> bool {
    match kind {
        "string" => value.kind() == Kind::String,
        "number" => value.kind() == Kind::Number && number::is_finite(value.raw()),
        "integer" => value.kind() == Kind::Number && number::is_integer(value.raw()),
        "boolean" => value.kind() == Kind::Bool,
        "array" => value.kind() == Kind::Array,
        "object" => value.kind() == Kind::Object,
        "null" => value.kind() == Kind::Null,
        _ => true,
    }
}

/// The value as JSON text of the type, if it can be had without loss. `depth` containers are around it already.
pub(super) fn to_type(kind: &str, value: Json, depth: usize) -> Option<String> {
    let raw = value.raw();
    match (kind, value.kind()) {
        ("integer", Kind::Number) => number::whole(raw).map(|whole| whole.to_string()),
        ("string", Kind::Number | Kind::Bool) => Some(Value::from(raw).to_string()),
        (_, Kind::String) => {
            let text = value.string()?;
            let text = text.trim_matches(WHITESPACE);
            match kind {
                "integer" if number::is_number(text) && number::is_integer(text) => Some(text.to_owned()),
                "integer" if number::is_number(text) => number::whole(text).map(|whole| whole.to_string()),
                "number" if number::is_number(text) && number::is_finite(text) => Some(text.to_owned()),
                "boolean" if matches!(text, "true" | "false") => Some(text.to_owned()),
                "array" | "object" => {
                    let inner = Json::parse(text, DEPTH.checked_sub(depth)?).ok()?;
                    is_type(kind, inner).then(|| text.to_owned())
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether the value equals one that a schema names. Numbers are equal by value, not by spelling.
pub(super) fn equals(value: Json, named: &Value) -> bool {
    match (value.kind(), named) {
        (Kind::Null, Value::Null) => true,
        (Kind::Bool, Value::Bool(named)) => value.raw() == if *named { "true" } else { "false" },
        (Kind::Number, Value::Number(named)) => {
            number::compare(value.raw(), named) == Some(std::cmp::Ordering::Equal)
        }
        (Kind::String, Value::String(named)) => value.string().is_some_and(|text| text == named.as_str()),
        (Kind::Array | Kind::Object, Value::Array(_) | Value::Object(_)) => {
            serde_json::from_str::<Value>(value.raw()).is_ok_and(|value| value == *named)
        }
        _ => false,
    }
}
