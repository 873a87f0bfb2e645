//! How does a doc comment become a one-line description?
//!
//! Rust docs are wrapped by hand and models pay per token, so soft line breaks become spaces; a blank line, a list
//! item, a heading or a table row keeps one line break, and fenced code is left alone.

use serde_json::Value;

/// A doc comment with its soft line breaks removed.
pub(super) fn unwrap_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    let mut breaks = false;
    for line in text.trim().lines() {
        let bare = line.trim();
        let fence = bare.starts_with("```") || bare.starts_with("~~~");
        if bare.is_empty() && !fenced {
            breaks = true;
            continue;
        }
        if !out.is_empty() {
            out.push(if breaks || fenced || fence || starts_block(bare) { '\n' } else { ' ' });
        }
        out.push_str(if fenced { line.trim_end() } else { bare });
        breaks = bare.starts_with('#') || (fence && fenced);
        fenced ^= fence;
    }
    out
}

fn starts_block(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ ", "# ", "## ", "### ", "|", "> "].iter().any(|start| line.starts_with(start))
        || (number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") ")))
}

/// The description with the documentation of an enum's values folded in:
/// `How to run it. job: Runs once; service: Keeps running`.
pub(super) fn with_values(description: Option<String>, values: &[String]) -> Option<String> {
    if values.is_empty() {
        return description;
    }
    let values = values.join("; ");
    Some(match description {
        None => values,
        Some(text) if text.ends_with(['.', '!', '?', ':', '\n']) => format!("{text} {values}"),
        Some(text) => format!("{text}. {values}"),
    })
}

/// One value of an enum with its own documentation, on one line: `job: Runs once`.
pub(super) fn value(names: &[Value], description: &str) -> String {
    let text = description.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}: {}", list(names), text.strip_suffix('.').unwrap_or(&text))
}

/// The description with examples appended, as `The file (e.g. src/lib.rs, Cargo.toml)`.
pub(super) fn with_examples(description: Option<String>, examples: &[Value]) -> Option<String> {
    if examples.is_empty() {
        return description;
    }
    let examples = list(examples);
    Some(match description {
        None => format!("e.g. {examples}"),
        Some(text) => format!("{text} (e.g. {examples})"),
    })
}

/// Values as a reader would write them: strings bare, everything else as JSON.
fn list(values: &[Value]) -> String {
    let shown = values.iter().map(|value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_breaks_become_spaces_and_paragraphs_lists_and_code_keep_theirs() {
        assert_eq!(unwrap_lines("one\ntwo\n\nthree"), "one two\nthree");
        assert_eq!(unwrap_lines("has:\n- a\n  more\n- b\n1. c"), "has:\n- a more\n- b\n1. c");
        assert_eq!(
            unwrap_lines("see\n```\nfn x() {\n    1\n\n}\n```\nend"),
            "see\n```\nfn x() {\n    1\n\n}\n```\nend"
        );
    }

    #[test]
    fn values_and_examples_join_the_sentence_before_them() {
        let docs = [value(&["a".into()], "First.\nOf two."), value(&["b".into()], "Second")];
        assert_eq!(with_values(Some("Mode".into()), &docs).unwrap(), "Mode. a: First. Of two; b: Second");
        assert_eq!(with_values(Some("Mode.".into()), &docs[1..]).unwrap(), "Mode. b: Second");
        assert_eq!(with_examples(Some("N".into()), &[1.into(), "x".into()]).unwrap(), "N (e.g. 1, x)");
    }
}
