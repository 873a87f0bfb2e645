//! How is a place, an expectation and a wrong value put into words for the model?
//!
//! Everything stays on one line and short, however long or odd the value is: models repeat what they are shown.

use std::fmt;

use serde_json::{Map, Value};

use super::json::{Json, Kind};

/// Longer values are cut to this many characters.
const SHOWN: usize = 60;
/// At most this many values or names are listed.
const LISTED: usize = 12;

/// Where in the arguments a value stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    /// How many containers are around the place.
    pub(super) fn depth(&self) -> usize {
        let (mut path, mut depth) = (self, 0);
        while let Path::Key(parent, _) | Path::Index(parent, _) = path {
            path = parent;
            depth += 1;
        }
        depth
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => f.write_str("arguments"),
            Path::Key(Path::Root, key) if is_plain(key) => f.write_str(key),
            Path::Key(parent, key) if is_plain(key) => write!(f, "{parent}.{key}"),
            Path::Key(parent, key) => write!(f, "{parent}[{}]", cut(&Value::from(*key).to_string())),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= 64
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$'))
}

/// A name between backticks.
pub(super) fn name(key: &str) -> String {
    if is_plain(key) { format!("`{key}`") } else { format!("`{}`", cut(&Value::from(key).to_string())) }
}

/// `path: expected X, got Y`.
pub(super) fn mismatch(path: &Path, expected: &str, got: Json) -> String {
    format!("{path}: expected {expected}, got {}", shown(got))
}

/// The value as compact JSON, cut, with its length if it was.
pub(super) fn shown(value: Json) -> String {
    let raw = value.raw();
    if !matches!(value.kind(), Kind::Array | Kind::Object) {
        return cut(raw);
    }
    // Whitespace between tokens would break the line; inside strings it is escaped already, but for spaces.
    let (mut compact, mut quoted, mut escaped) = (String::new(), false, false);
    let mut length = 0usize;
    for c in raw.chars() {
        if !quoted && c.is_ascii_whitespace() {
            continue;
        }
        if length <= SHOWN {
            compact.push(c);
        }
        length += 1;
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !escaped;
    }
    cut_from(&compact, length)
}

fn cut(text: &str) -> String {
    cut_from(text, text.chars().count())
}

/// `text` holds at least the shown part of something `length` characters long.
fn cut_from(text: &str, length: usize) -> String {
    if length <= SHOWN {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN).collect();
    format!("{head}… ({length} characters)")
}

/// What a schema asks for, as in "expected …": `an integer from 1 to 100`, `one of "a", "b"`.
pub(super) fn expected(schema: &Value) -> String {
    let Value::Object(schema) = schema else { return "a value".into() };
    if let Some(value) = schema.get("const") {
        return cut(&value.to_string());
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return match values.as_slice() {
            [only] => cut(&only.to_string()),
            many => format!("one of {}", list(many.iter().map(|value| cut(&value.to_string())), many.len())),
        };
    }
    match schema.get("type") {
        Some(Value::String(kind)) => return of_type(kind, schema),
        Some(Value::Array(kinds)) => {
            return alternatives(kinds.iter().filter_map(Value::as_str).map(|kind| of_type(kind, schema)));
        }
        _ => {}
    }
    for union in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = schema.get(union) {
            return alternatives(branches.iter().map(expected));
        }
    }
    if schema.contains_key("properties") { of_type("object", schema) } else { "a value".into() }
}

/// `a, b or c`, each once.
pub(super) fn alternatives(texts: impl Iterator<Item = String>) -> String {
    let mut known: Vec<String> = Vec::new();
    for text in texts {
        if !known.contains(&text) {
            known.push(text);
        }
    }
    if known.len() > LISTED {
        let more = known.len() - LISTED;
        known.truncate(LISTED);
        return format!("{} or one of {more} more", known.join(", "));
    }
    match known.pop() {
        None => "a value".into(),
        Some(last) if known.is_empty() => last,
        Some(last) => format!("{} or {last}", known.join(", ")),
    }
}

/// `a, b, c` or `a, b, c, ... (20 more)`.
pub(super) fn list(items: impl Iterator<Item = String>, count: usize) -> String {
    let shown: Vec<String> = items.take(LISTED).collect();
    let more = count.saturating_sub(shown.len());
    if more == 0 { shown.join(", ") } else { format!("{}, … ({more} more)", shown.join(", ")) }
}

fn of_type(kind: &str, schema: &Map<String, Value>) -> String {
    let bound =
        |keys: [&str; 2]| keys.iter().find_map(|key| schema.get(*key).filter(|value| value.is_number()));
    let exactly = |low: Option<&Value>, high: Option<&Value>, unit: &str| {
        let plural = |last: &Value| if last.as_u64() == Some(1) { "" } else { "s" };
        match (low, high) {
            (Some(low), Some(high)) if low == high => format!(" of {low} {unit}{}", plural(low)),
            (Some(low), Some(high)) => format!(" of {low} to {high} {unit}{}", plural(high)),
            (Some(low), None) => format!(" of at least {low} {unit}{}", plural(low)),
            (None, Some(high)) => format!(" of at most {high} {unit}{}", plural(high)),
            (None, None) => String::new(),
        }
    };
    match kind {
        "string" => {
            let length = exactly(bound(["minLength"; 2]), bound(["maxLength"; 2]), "character");
            let pattern = schema.get("pattern").and_then(Value::as_str);
            let pattern = pattern.map(|pattern| format!(" matching {}", cut(pattern))).unwrap_or_default();
            let format = schema.get("format").and_then(Value::as_str);
            let format = format.map(|format| format!(" (format {})", cut(format))).unwrap_or_default();
            format!("a string{length}{pattern}{format}")
        }
        "integer" | "number" => {
            let noun = if kind == "integer" { "an integer" } else { "a number" };
            let low = bound(["minimum", "exclusiveMinimum"]);
            let high = bound(["maximum", "exclusiveMaximum"]);
            let range = if schema.contains_key("exclusiveMinimum") || schema.contains_key("exclusiveMaximum")
            {
                let low = low.map(|low| format!(" above {low}")).unwrap_or_default();
                let high = high.map(|high| format!(" below {high}")).unwrap_or_default();
                format!("{low}{high}")
            } else {
                match (low, high) {
                    (Some(low), Some(high)) => format!(" from {low} to {high}"),
                    (Some(low), None) => format!(" of at least {low}"),
                    (None, Some(high)) => format!(" of at most {high}"),
                    (None, None) => String::new(),
                }
            };
            let step =
                schema.get("multipleOf").map(|step| format!(" in steps of {step}")).unwrap_or_default();
            format!("{noun}{range}{step}")
        }
        "array" => {
            let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
            let length = exactly(
                bound(["minItems"; 2]),
                bound(["maxItems"; 2]),
                if unique { "different item" } else { "item" },
            );
            let unique = if unique && length.is_empty() { " of different items" } else { "" };
            format!("an array{length}{unique}")
        }
        "object" => format!("an object{}", told_apart(schema)),
        "boolean" => "true or false".into(),
        "null" => "null".into(),
        other => format!("a value of type {other}"),
    }
}

/// What tells an object from the other branches of a union: its tag, else the names it needs.
fn told_apart(schema: &Map<String, Value>) -> String {
    if let Some((key, value)) = tag(schema) {
        return format!(" with {} {}", name(key), cut(&value.to_string()));
    }
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let names = required.iter().filter_map(Value::as_str).map(name);
    if required.is_empty() { String::new() } else { format!(" with {}", list(names, required.len())) }
}

/// The property with only one possible value, by which a union's branch is recognised.
pub(super) fn tag(schema: &Map<String, Value>) -> Option<(&str, &Value)> {
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find_map(|(key, property)| Some((key.as_str(), only_value(property)?)))
}

fn only_value(schema: &Value) -> Option<&Value> {
    match (schema.get("const"), schema.get("enum").and_then(Value::as_array).map(Vec::as_slice)) {
        (Some(value), _) | (None, Some([value])) => Some(value),
        _ => None,
    }
}
