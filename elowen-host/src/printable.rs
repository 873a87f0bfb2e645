//! Foreign text, made fit to be shown to a person: it stays on the lines it is given and steers no terminal.
//!
//! What plugins and their files say (names, descriptions, answers, log lines, error texts) goes through here before
//! it is written to a terminal. Programs get it as it is, in JSON.

use std::borrow::Cow;

/// Text of any number of lines. Control characters other than line breaks and tabs are written as escapes, and so
/// are the invisible ones that reorder text.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| steers(c) && c != '\n' && c != '\t')
}

/// Text on one line: line breaks and tabs are written as escapes too.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, steers)
}

/// As [`lines`], with `margin` before every line but the first, so that no line can be taken for another's.
pub(crate) fn indented(text: &str, margin: &str) -> String {
    lines(text.trim_end_matches('\n')).replace('\n', &format!("\n{margin}"))
}

/// As [`line`], and not wider than `width` characters: the rest is cut off, which `…` tells.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let line = line(text);
    if line.chars().count() <= width {
        return line.into_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// JSON text, in which the same characters are escaped as JSON has it.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    // All of them are in the first plane. Those below U+0020 stand in no JSON, but between its tokens.
    let shown =
        |c: char| if steers(c) && !c.is_ascii() { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn escaped(text: &str, escape: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&escape) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if escape(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_written_as_an_escape() {
        assert_eq!(lines("a\u{1b}[31m\rb\u{9b}\u{202e}\u{7}"), r"a\u{1b}[31m\rb\u{9b}\u{202e}\u{7}");
        assert_eq!(lines("grüße\n\tzwei"), "grüße\n\tzwei");
        assert_eq!(line("one\ntwo\t"), r"one\ntwo\t");
    }

    #[test]
    fn json_stays_json() {
        let text = json("{\"a\":\"\u{9b}ü\u{202e}\"}");
        assert_eq!(text, r#"{"a":"\u009bü\u202e"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["a"], "\u{9b}ü\u{202e}");
    }

    #[test]
    fn further_lines_stand_behind_a_margin() {
        assert_eq!(indented("one\ntwo\nthree\n", "  "), "one\n  two\n  three");
    }

    #[test]
    fn a_column_has_a_width() {
        assert_eq!(cut("four", 4), "four");
        assert_eq!(cut("fives", 4), "fiv…");
        assert_eq!(cut("a\nb", 9), r"a\nb");
    }
}
