//! The arguments of a call, from the command line or stdin, as JSON text.
//!
//! JSON is passed on as it was written. What is not JSON, or says one thing twice, is shown with its place.

mod strict;

use std::io::{self, Read as _};

use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use strict::Strict;

/// Longest part of a line that is shown on either side of the place.
const SHOWN: usize = 50;

/// JSON text from standard input.
pub(super) fn from_stdin(whose: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| format!("stdin cannot be read: {error}"))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| format!("stdin is not UTF-8: byte {} is wrong", error.utf8_error().valid_up_to()))?;
    // Some shells write a byte order mark into pipes.
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    if text.trim().is_empty() {
        return Err("stdin is empty: it must hold the arguments, a JSON object such as {}".to_owned());
    }
    checked(text, whose)
}

/// JSON text, if it is that and no object in it has a key twice. `whose` begins the sentence about what is not.
pub(super) fn checked(text: String, whose: &str) -> Result<String, String> {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(&text) {
        let place = with_place(&text, &error, &what(&error));
        return Err(format!("{whose} not JSON: {place}{}", hint(&text)));
    }
    match serde_json::from_str::<Strict>(&text) {
        Err(error) if error.is_data() => {
            Err(format!("{whose} ambiguous: {}", with_place(&text, &error, &what(&error))))
        }
        Err(error) if what(&error) == "recursion limit exceeded" => {
            Err(format!("{whose} nested more than 127 levels deep, which cannot be read"))
        }
        // Numbers that this reader does not take may be good for others.
        _ => Ok(text),
    }
}

/// An object from `key=value` pairs. A value that is JSON stands for that, any other for itself as a string.
pub(super) fn from_pairs(pairs: &[String]) -> Result<String, String> {
    let mut object = Map::new();
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(format!("--arg {pair:?} has no `=`: write --arg key=value"));
        };
        if key.is_empty() {
            return Err(format!("--arg {pair:?} has no key before the `=`: write --arg key=value"));
        }
        let value = match serde_json::from_str(value) {
            Ok(json) => {
                checked(value.to_owned(), &format!("the value of --arg {key} is"))?;
                json
            }
            Err(_) => Value::String(value.to_owned()),
        };
        if object.insert(key.to_owned(), value).is_some() {
            return Err(format!("--arg gives `{key}` twice"));
        }
    }
    Ok(Value::Object(object).to_string())
}

/// The parser's words, without the place.
fn what(error: &serde_json::Error) -> String {
    let what = error.to_string();
    what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what).to_owned()
}

/// What was probably meant by text that is not JSON.
fn hint(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('{') && !text.contains('"') {
        "\nPut the JSON in single quotes, so that the shell leaves its double quotes alone.".to_owned()
    } else if !text.starts_with(['{', '[', '"']) && text.find('=').is_some_and(|at| at > 0) {
        format!("\nTo give one argument by its name, write --arg {text:?}")
    } else {
        String::new()
    }
}

/// Line and column, what is wrong, and the place itself with a caret beneath it.
fn with_place(text: &str, error: &serde_json::Error, what: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let last = || (lines.len(), lines.last().map_or(0, |line| line.trim_end().len()));
    // The parser counts bytes, and names the last byte it has seen when there should have been more.
    let (line, at) = if error.is_eof() { last() } else { (error.line(), error.column().saturating_sub(1)) };
    let shown = lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
    let at = (0..=at.min(shown.len())).rev().find(|&at| shown.is_char_boundary(at)).unwrap_or(0);
    let (before, after) = shown.split_at(at);
    let column = before.chars().count() + 1;
    let skipped = before.chars().count().saturating_sub(SHOWN);
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let before: String = before.chars().skip(skipped).map(visible).collect();
    let after: String = after.trim_end().chars().take(SHOWN).map(visible).collect();
    let dots = if skipped > 0 { "..." } else { "" };
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let indent = " ".repeat(dots.len() + before.chars().count());
    format!(
        "line {line}, column {column}: {what}\n{margin} |\n{number} | {dots}{before}{after}\n{margin} | {indent}^"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        checked(text.to_owned(), "the arguments are").unwrap_err()
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        let message = shown(r#"{"value":"hello" "x":1}"#);
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(lines[0], "the arguments are not JSON: line 1, column 18: expected `,` or `}`");
        assert_eq!(lines[2], r#"1 | {"value":"hello" "x":1}"#);
        assert_eq!(lines[3], "  |                  ^");
    }

    #[test]
    fn columns_count_characters_and_lines_are_found() {
        let message = shown("{\n  \"grüße\": truth\n}");
        assert!(message.contains("line 2, column 15: expected ident"), "{message}");
        assert!(message.ends_with("2 |   \"grüße\": truth\n  |               ^"), "{message}");
    }

    #[test]
    fn text_that_ends_too_early_is_shown_at_its_end() {
        let message = shown("{\"a\": [1,");
        assert!(message.ends_with("1 | {\"a\": [1,\n  |          ^"), "{message}");
        assert!(shown("").contains("line 1, column 1: EOF"));
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let message = shown(&format!("[\"{}\" {}]", "a".repeat(300), "b".repeat(300)));
        assert!(message.lines().all(|line| line.len() < 120), "{message}");
        assert!(message.contains("| ...aaa"), "{message}");
    }

    #[test]
    fn quotes_that_the_shell_has_eaten_are_recognised() {
        assert!(shown("{value:hello}").ends_with("leaves its double quotes alone."));
        assert!(shown("x=1").ends_with("write --arg \"x=1\""));
        assert!(!shown("{\"a\"=1}").contains("--arg"));
    }

    #[test]
    fn depth_has_its_own_words() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert_eq!(shown(&deep), "the arguments are nested more than 127 levels deep, which cannot be read");
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_with_its_place() {
        let message = shown("{\"a\": {\"b\": 1,\n \"b\": 2}}");
        assert!(message.starts_with("the arguments are ambiguous: line 2, column "), "{message}");
        assert!(message.contains("the key \"b\" stands twice in one object"), "{message}");
        let fine = r#"{"a":{"b":1},"b":[1e999,{"b":null}]}"#;
        assert_eq!(checked(fine.to_owned(), "it is").unwrap(), fine);
        assert!(
            from_pairs(&[r#"a={"b":1,"b":2}"#.to_owned()])
                .unwrap_err()
                .contains("the value of --arg a is ambiguous")
        );
    }

    #[test]
    fn pairs_become_an_object_and_their_values_json_where_they_can() {
        let pairs =
            ["a=1", "b=true", "c=plain text", "d={\"x\":[]}", "e=", "f=\"1\"", "g=a=b"].map(str::to_owned);
        assert_eq!(
            from_pairs(&pairs).unwrap(),
            r#"{"a":1,"b":true,"c":"plain text","d":{"x":[]},"e":"","f":"1","g":"a=b"}"#
        );
        assert!(from_pairs(&["a".to_owned()]).unwrap_err().contains("--arg key=value"));
        assert!(from_pairs(&["=3".to_owned()]).unwrap_err().contains("no key before the `=`"));
        assert!(from_pairs(&["a=1".to_owned(), "a=2".to_owned()]).unwrap_err().contains("twice"));
    }
}
