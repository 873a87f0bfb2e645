//! What a person gets to see of a tool's result. The model gets all of it in any case.

use crate::answer::Answer;
use crate::policy::covers;
use serde_json::Value;

/// How many notes are shown.
const NOTES: usize = 5;
/// Of a note, in characters.
const NOTE: usize = 200;

/// What there is to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Display<'a> {
    /// The content is shown.
    pub shown: bool,
    /// A change as a diff, which is drawn by itself whether or not the content is shown.
    pub diff: Option<&'a str>,
    /// What hooks have noted; always shown.
    pub notes: Vec<String>,
}

/// Success is shown where one of the `showOutput` entries of the loaded plugins covers the tool; failures always
/// are. The entries are read at each call.
pub fn display<'a, S: AsRef<str>>(
    tool: &str,
    answer: &'a Answer,
    show_output: impl IntoIterator<Item = S>,
) -> Display<'a> {
    let details = |key: &str| answer.details.get(key);
    let exit = details("exitCode").filter(|code| !code.is_null());
    let failed = answer.is_error || exit.is_some_and(|code| code.as_f64() != Some(0.0));
    let mut entries = show_output.into_iter();
    let noted = details("notes").and_then(Value::as_array).into_iter().flatten();
    Display {
        shown: failed || entries.any(|entry| shows(entry.as_ref(), tool)),
        diff: details("diff").and_then(Value::as_str),
        notes: noted
            .filter_map(Value::as_str)
            .map(note)
            .filter(|note| !note.is_empty())
            .take(NOTES)
            .collect(),
    }
}

/// Whether an entry of `showOutput` covers the tool. Space around it and empty entries do not count.
pub fn shows(entry: &str, tool: &str) -> bool {
    let entry = entry.trim();
    !entry.is_empty() && covers(entry, tool)
}

/// On one line, and short.
fn note(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(NOTE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(details: Value) -> Answer {
        Answer { details, ..Answer::text("x") }
    }

    #[test]
    fn e6_s71_e04_success_is_hidden_unless_an_entry_covers_the_tool() {
        let cases: [(&[&str], &str, bool); 10] = [
            (&["Lsp*"], "LspHover", true),
            (&["Lsp*"], "lsp_hover", false),
            (&[], "LspHover", false),
            (&["Show*"], "ShowMe", true),
            (&["Show*"], "HideMe", false),
            (&["Say", "Show*", "  Quiet  ", "", " "], "Quiet", true),
            (&["Say", "Show*", "  Quiet  ", "", " "], "Sayer", false),
            (&["", " "], "", false),
            (&["*"], "B", true),
            (&["a*b"], "axb", false),
        ];
        for (entries, tool, expected) in cases {
            assert_eq!(display(tool, &with(json!({})), entries).shown, expected, "{entries:?} {tool}");
        }
    }

    #[test]
    fn e7_s71_a_failure_is_always_shown() {
        let none: [&str; 0] = [];
        let failed = Answer { is_error: true, ..Answer::text("bad") };
        assert!(display("HideFail", &failed, none).shown);
        let shown = |details: Value| display("T", &with(details), none).shown;
        assert!(shown(json!({"exitCode": 1})));
        assert!(!shown(json!({"exitCode": 0})));
        assert!(!shown(json!({"exitCode": null})));
        assert!(!shown(json!({"ok": false})), "an answer, not a failure");
    }

    #[test]
    fn notes_and_a_diff_are_shown_beside_hidden_output() {
        let long = "é".repeat(300);
        let details = json!({
            "diff": "-a\n+b",
            "notes": ["one\n  two", 7, "", long, "4", "5", "6", "7"]
        });
        let answer = with(details);
        let display = display("T", &answer, ["Other"]);
        assert_eq!((display.shown, display.diff), (false, Some("-a\n+b")));
        let cut = "é".repeat(200);
        assert_eq!(display.notes, ["one two", &cut, "4", "5", "6"]);
    }
}
