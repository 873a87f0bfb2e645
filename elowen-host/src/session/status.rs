//! How does a running call say what it is doing?
//!
//! Every internal tool's schema gains a first, optional property `_reason`: a few words of the model for the
//! user to read while the call runs. [`add`] puts it into the composed copy, [`extract`] reads it from a
//! call's arguments, and [`strip`] takes it out of them before the tool is entered. An older name of the key,
//! `reason`, is read and stripped too, unless the tool's own schema has an argument of that name (A7).

mod members;

use super::offered::Offered;
use members::members;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The property's name.
pub const KEY: &str = "_reason";
/// What it used to be called.
const LEGACY: &str = "reason";
/// The core's own tools of these names explain themselves (X2).
const EXCLUDED: [&str; 2] = ["Bash", "ToolSearch"];
const DESCRIPTION: &str = "Optional, and first if given: what this call is doing, shown to the user while it runs. \
                           At most 4 words, present tense, in the user's language, ending with \"…\".";

/// Adds the status field to a tool's schema, unless the tool is external, one of the two excluded names, has
/// no object with `properties` at its root, or declares `_reason` itself. Everything else in the schema stays
/// (A8).
pub fn add(mut tool: Offered) -> Offered {
    if tool.external || EXCLUDED.contains(&tool.name.as_str()) || !tool.has_object_root() {
        return tool;
    }
    if let Some(properties) = tool.parameters.get_mut("properties").and_then(Value::as_object_mut)
        && !properties.contains_key(KEY)
    {
        properties.shift_insert(0, KEY.to_owned(), json!({"type": "string", "description": DESCRIPTION}));
    }
    tool
}

/// Lets a schema that has the field take its older name too. For checking only; nobody is offered that.
pub fn accept_legacy(schema: &mut Value) {
    if declares(schema, LEGACY) {
        return;
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut)
        && properties.contains_key(KEY)
    {
        properties.insert(LEGACY.to_owned(), json!({}));
    }
}

/// The arguments without status keys; the very text where there is none, and all other bytes in any case.
///
/// `_reason` goes, and `reason` where `schema`, the tool's own as registered, does not declare it. An
/// external tool keeps every key that its schema declares, `_reason` included. Text that is not a JSON object
/// is left alone.
pub fn strip<'a>(arguments: &'a str, schema: &Value, external: bool) -> Cow<'a, str> {
    // Most calls end here; an escape may hide a letter of a key.
    if !arguments.contains(LEGACY) && !arguments.contains("\\u") {
        return Cow::Borrowed(arguments);
    }
    let status = |key: &str| match key {
        KEY => !external || !declares(schema, KEY),
        LEGACY => !declares(schema, LEGACY),
        _ => false,
    };
    let Some(members) = members(arguments) else { return Cow::Borrowed(arguments) };
    if !members.iter().any(|member| status(&member.key)) {
        return Cow::Borrowed(arguments);
    }
    let mut kept = String::with_capacity(arguments.len());
    for member in &members {
        if status(&member.key) {
            continue;
        }
        let first = kept.is_empty();
        let text = arguments.get(member.range.clone()).unwrap_or_default();
        // A member's text begins with the comma before it, which the first one must not have.
        kept.push_str(if first { text.trim_start().trim_start_matches(',') } else { text });
    }
    let opening = members.first().and_then(|first| arguments.get(..first.range.start));
    let closing = members.last().and_then(|last| arguments.get(last.range.end..));
    Cow::Owned([opening.unwrap_or_default(), &kept, closing.unwrap_or_default()].concat())
}

/// What the model said that the call is doing: `_reason`, else `reason`, else for `Bash` its `description`.
///
/// None if that is no text or blank, or if the arguments are no JSON object.
pub fn extract(tool: &str, arguments: &str) -> Option<String> {
    let members = members(arguments)?;
    let given = |key: &str| {
        let last = members.iter().rev().find(|member| member.key == key)?;
        let value: Value = serde_json::from_str(last.value).ok()?;
        (!value.is_null()).then_some(value)
    };
    let described = || if tool == "Bash" { given("description") } else { None };
    match given(KEY).or_else(|| given(LEGACY)).or_else(described)? {
        Value::String(note) => Some(unescape(note)).filter(|note| !note.trim().is_empty()),
        _ => None,
    }
}

/// Undoes escapes that a model wrote twice: `Zad\u00e1v\u00e1m` as text. A note without a complete `\uXXXX`,
/// such as a Windows path, is left alone, and so is one that makes no sense as JSON.
fn unescape(note: String) -> String {
    let complete = |start: usize| hex4(&note, start).is_some();
    if !note.match_indices("\\u").any(|(start, _)| complete(start)) {
        return note;
    }
    let mut end = note.len();
    if let Some((start, _)) = note.match_indices("\\u").last() {
        let rest = note.get(start + 2..).unwrap_or_default();
        if rest.len() < 4 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            end = start;
        }
    }
    // The first half of a pair whose second half was cut off.
    let half = end.checked_sub(6).filter(|start| note.is_char_boundary(*start) && note.is_char_boundary(end));
    if let Some(start) = half
        && matches!(hex4(&note, start), Some(0xd800..=0xdbff))
    {
        end = start;
    }
    let text = note.get(..end).unwrap_or_default();
    // So is the beginning of an escape, but not the second half of a `\\\\`.
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    let text = if backslashes % 2 == 1 { text.strip_suffix('\\').unwrap_or(text) } else { text };
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or(note)
}

/// The unit of a complete `\uXXXX` that begins at `start`.
fn hex4(text: &str, start: usize) -> Option<u16> {
    let digits = text.get(start..start.checked_add(6)?)?.strip_prefix("\\u")?;
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// Whether a schema has an argument of that name: in its `properties`, as required, or in a part that speaks
/// about the same object (`anyOf`, `$ref` and their like).
fn declares(schema: &Value, name: &str) -> bool {
    /// Schemas are foreign: references may run in circles.
    const DEPTH: usize = 16;
    fn within(root: &Value, schema: &Value, name: &str, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let inner = |part: &Value| within(root, part, name, depth);
        let listed = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
        schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
            || listed("required").any(|required| required == name)
            || ["allOf", "anyOf", "oneOf"].into_iter().any(|key| listed(key).any(inner))
            || ["then", "else"].into_iter().any(|key| schema.get(key).is_some_and(inner))
            || schema
                .get("$ref")
                .and_then(|target| root.pointer(target.as_str()?.strip_prefix('#')?))
                .is_some_and(inner)
    }
    within(schema, schema, name, DEPTH)
}

#[cfg(test)]
mod tests;
