//! How do a few changed values get into a text that otherwise keeps its bytes?

use std::ops::Range;

/// One piece of a JSON text and what stands there instead.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// The text with the edits made. Of edits that overlap (two rules of one schema changed the same value) the first
/// and widest counts.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by(|a, b| a.range.start.cmp(&b.range.start).then(b.range.end.cmp(&a.range.end)));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        if edit.range.start < done {
            continue;
        }
        out.push_str(text.get(done..edit.range.start).unwrap_or_default());
        out.push_str(&edit.text);
        done = edit.range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}
