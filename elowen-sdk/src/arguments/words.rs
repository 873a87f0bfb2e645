//! What does the model read about arguments that do not fit?
//!
//! serde says what it expected in the words of Rust; here they become the words of the host's check, which are those
//! of JSON. What is not known passes unchanged, without the line and column: the model never saw that text.

use super::place::{Place, is_json};
use super::track::Failure;

/// At most this many names are listed.
const LISTED: usize = 12;

/// One line: the place, what belongs there and what was found.
pub(super) fn problem(error: &serde_json::Error, failure: &Failure, text: &str) -> String {
    if !is_json(text) {
        return "arguments: expected one JSON object".to_owned();
    }
    let place = Place::of(failure, text);
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&position).unwrap_or(&message);
    if let Some(name) = quoted(message, "missing field ") {
        return format!("{}: missing", place.member(name));
    }
    if let Some(name) = quoted(message, "unknown field ") {
        // Behind a flattened field or a tag the place is the object that has the name.
        let path = if place.name().is_some() { place.path().to_owned() } else { place.member(name) };
        return format!("{path}: not an argument; leave it out");
    }
    if let Some(name) = quoted(message, "duplicate field ") {
        let path = if place.name().is_some() { place.path().to_owned() } else { place.member(name) };
        return format!("{path}: given more than once; keep one");
    }
    let got = place.shown().map(|shown| format!(", got {shown}")).unwrap_or_default();
    let what = match said(message).or_else(|| asked(error, failure, &place)) {
        Some(expected) if place.name().is_some() => format!("expected a name that is {expected}"),
        Some(expected) => format!("expected {expected}"),
        None if message.starts_with("data did not match any variant") => {
            "fits none of its alternatives".to_owned()
        }
        None => message.to_owned(),
    };
    format!("{}: {what}{got}", place.path())
}

/// The name between backticks after `start`.
fn quoted<'m>(message: &'m str, start: &str) -> Option<&'m str> {
    let (name, _) = message.strip_prefix(start)?.strip_prefix('`')?.split_once('`')?;
    Some(name)
}

/// What serde's message says that it expected.
fn said(message: &str) -> Option<String> {
    let known = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "];
    if !known.iter().any(|start| message.starts_with(start)) {
        return None;
    }
    message.rsplit_once(", expected ").map(|(_, expected)| in_json(expected))
}

/// What must have been expected where the parser, and not the type, refused.
fn asked(error: &serde_json::Error, failure: &Failure, place: &Place) -> Option<String> {
    if !error.is_syntax() {
        return None;
    }
    match failure.asked? {
        "enum" if place.members().is_some() => Some("an object with exactly one name".to_owned()),
        "enum" => Some("a name, or an object with exactly one name".to_owned()),
        "seq" => Some("an array with fewer items".to_owned()),
        number => integer(number).or_else(|| Some(in_json(number)).filter(|_| number.starts_with('f'))),
    }
}

/// An expectation of serde in the words of JSON.
fn in_json(expected: &str) -> String {
    let starts = |starts: &[&str]| starts.iter().any(|start| expected.starts_with(start));
    if let Some(integer) = integer(expected) {
        return integer;
    }
    if let Some(other) = expected.strip_prefix("a nonzero ").and_then(integer) {
        return format!("{other}, but not 0");
    }
    if expected.contains('`') && starts(&["`", "one of `"]) {
        return names(expected);
    }
    if let Some(count) = count(expected) {
        return format!("an array of {count} items");
    }
    match expected {
        "f32" => format!("a number from {:e} to {:e}", f32::MIN, f32::MAX),
        "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "string" | "a borrowed string" => "a string".into(),
        "a character" => "a string of one character".into(),
        "unit" => "null".into(),
        "variant identifier" => "one of its names".into(),
        "sequence" | "a sequence" => "an array".into(),
        "map" | "a map" => "an object".into(),
        _ if starts(&["unit struct "]) => "null".into(),
        _ if starts(&["struct ", "internally tagged enum ", "adjacently tagged enum "]) => "an object".into(),
        other => other.into(),
    }
}

fn integer(name: &str) -> Option<String> {
    macro_rules! ranges {
        ($($ty:ident)*) => { match name {
            $(stringify!($ty) => Some(format!("an integer from {} to {}", $ty::MIN, $ty::MAX)),)*
            _ => None,
        } };
    }
    ranges!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize)
}

/// The number of items in `a tuple of size 2`, `an array of length 2`, `tuple struct Pair with 2 elements`.
fn count(expected: &str) -> Option<&str> {
    let digits = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let sized =
        ["a tuple of size ", "an array of length "].iter().find_map(|start| expected.strip_prefix(start));
    let counted = || {
        let text =
            ["tuple struct ", "tuple variant "].iter().find_map(|start| expected.strip_prefix(start))?;
        text.strip_suffix(" elements")?.rsplit_once(' ').map(|(_, count)| count)
    };
    sized.or_else(counted).filter(digits)
}

/// `"a"`, or `one of "a", "b"`.
fn names(expected: &str) -> String {
    let names: Vec<String> = expected
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|name| serde_json::Value::from(name).to_string())
        .collect();
    let more = names.len().saturating_sub(LISTED);
    let listed = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match (names.len(), more) {
        (1, _) => listed,
        (_, 0) => format!("one of {listed}"),
        _ => format!("one of {listed}, … ({more} more)"),
    }
}
