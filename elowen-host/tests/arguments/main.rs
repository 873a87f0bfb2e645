//! What the model's arguments become before a plugin sees them, and what the model is told when they do not fit.

#![allow(missing_docs)]

mod checks;
mod coercion;
mod foreign;
mod hostile;
mod names;
mod shape;
mod unions;

use elowen_host::arguments::{Prepared, Rejection, prepare};
use serde_json::{Value, json};

/// The schema of a tool with these properties; names ending in `?` are optional.
fn tool(properties: Value) -> Value {
    let (mut fields, mut required) = (serde_json::Map::new(), Vec::new());
    for (name, schema) in properties.as_object().unwrap() {
        match name.strip_suffix('?') {
            Some(name) => {
                fields.insert(name.into(), schema.clone());
            }
            None => {
                required.push(name.clone());
                fields.insert(name.clone(), schema.clone());
            }
        }
    }
    json!({ "type": "object", "required": required, "properties": fields })
}

fn call(properties: Value, arguments: &str) -> Result<Prepared, Rejection> {
    prepare("T", &tool(properties), arguments)
}

#[track_caller]
fn unchanged(properties: Value, arguments: &str) {
    assert_eq!(call(properties, arguments), Ok(Prepared::Unchanged), "{arguments}");
}

#[track_caller]
fn becomes(properties: Value, arguments: &str, expected: &str) {
    assert_eq!(call(properties, arguments), Ok(Prepared::Coerced(expected.into())), "{arguments}");
}

/// The lines that follow the heading.
#[track_caller]
fn refused(properties: Value, arguments: &str, lines: &[&str]) {
    let rejection = call(properties, arguments).unwrap_err();
    assert!(!rejection.is_syntax());
    let expected = lines.iter().map(|line| format!("\n- {line}")).collect::<String>();
    assert_eq!(rejection.text, format!("T was not run. Fix these arguments and call it again:{expected}"));
}
