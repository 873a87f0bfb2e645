//! How much of a provider request may an external tool take up?
//!
//! Its description gets 1,000 UTF-8 bytes, its whole definition 8,000 bytes of compact JSON. What is above is
//! cut, or replaced by a schema that takes any object: the tool's own server checks the arguments anyway.
//! Only the composed copy shrinks (A23, C17), and only tools that were registered as external are looked at
//! (C3, C15).

use super::offered::{Definition, Offered};
use serde_json::{Value, json};
use std::io;

/// Most UTF-8 bytes of an external tool's description.
pub const MAX_DESCRIPTION: usize = 1_000;
/// Most bytes of an external tool's name, description and parameters together, as compact JSON.
pub const MAX_DEFINITION: usize = 8_000;

/// What stands at the end of a description whose schema was left out.
pub(super) const NOTE: &str = " [The parameter schema was too large or had no object at its root, so it is left out. \
                               Send the arguments as one JSON object; the server validates them.]";
const ELLIPSIS: &str = "…";

/// What was taken from one external tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capped {
    /// The tool.
    pub name: String,
    /// Bytes of its definition as it was registered (X13).
    pub bytes: usize,
    /// The schema was replaced, not only the description cut.
    pub schema_omitted: bool,
    /// Its schema has an object at its root. One that has not would make a provider refuse the whole request
    /// (A1).
    pub object_root: bool,
}

/// Caps a tool. An internal one, and one that is small enough, comes back as it was.
pub fn cap(mut tool: Offered) -> (Offered, Option<Capped>) {
    if !tool.external {
        return (tool, None);
    }
    let object_root = tool.has_object_root();
    let description = clamp(&tool.description, MAX_DESCRIPTION);
    let shortened = description.len() != tool.description.len();
    let schema_omitted =
        !object_root || size(Definition { description: &description, ..tool.definition() }) > MAX_DEFINITION;
    if !shortened && !schema_omitted {
        return (tool, None);
    }
    let capped =
        Capped { name: tool.name.clone(), bytes: size(tool.definition()), schema_omitted, object_root };
    tool.description = description;
    if schema_omitted {
        tool.description = clamp(&tool.description, MAX_DESCRIPTION - NOTE.len()) + NOTE;
        tool.parameters = permissive();
    }
    (tool, Some(capped))
}

/// The schema of a tool whose own was left out: any object.
pub fn permissive() -> Value {
    json!({"type": "object", "additionalProperties": true})
}

/// What to log once about a composition: which external tools lost their schema, and why.
pub fn warnings(capped: &[Capped]) -> Vec<String> {
    let line = |object_root: bool, why: &str| {
        let names: Vec<&str> = capped
            .iter()
            .filter(|capped| capped.schema_omitted && capped.object_root == object_root)
            .map(|capped| capped.name.as_str())
            .collect();
        (!names.is_empty()).then(|| {
            format!(
                "parameter schema omitted for {} external tool(s) {why}: {} — the model is offered any object, and the tools' own servers check it",
                names.len(),
                names.join(", ")
            )
        })
    };
    let too_large = line(true, &format!("over {MAX_DEFINITION} bytes"));
    let no_object = line(false, "whose root is not an object");
    too_large.into_iter().chain(no_object).collect()
}

/// The text, or as much of its beginning as leaves room in `max` bytes for an ellipsis. Characters stay
/// whole.
fn clamp(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let most = max.saturating_sub(ELLIPSIS.len());
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default().to_owned() + ELLIPSIS
}

/// Bytes of compact JSON, counted and not kept.
fn size(definition: Definition<'_>) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Neither a counter nor a JSON value can fail; if one did, the definition would count as too large.
    serde_json::to_writer(&mut counter, &definition).map_or(usize::MAX, |()| counter.0)
}

#[cfg(test)]
mod tests;
