//! Which tools does a query mean?
//!
//! Four ways, tried in this order: `select:` with names, one exact name, a prefix `mcp__…`, keywords.

use super::{MOST, Query};
use crate::session::offered::Offered;

/// Words of a query beyond these are not looked at, so that its length does not multiply the catalogue's.
const WORDS: usize = 32;

/// The tools that a query means, best first, and how many of them to take.
pub(super) struct Matches<'a> {
    pub(super) ranked: Vec<&'a Offered>,
    pub(super) most: usize,
}

/// Resolves a query among `tools`.
pub(super) fn resolve<'a>(tools: &[&'a Offered], query: &Query) -> Matches<'a> {
    let text = query.text.trim().to_lowercase();
    let is_select = select(&text).is_some();
    let names = named(tools.iter().copied(), query);
    if is_select || !names.is_empty() {
        return Matches { ranked: names, most: MOST };
    }
    let most = query.max_results;
    if text.len() > "mcp__".len() && text.starts_with("mcp__") {
        let ranked: Vec<&Offered> =
            tools.iter().copied().filter(|tool| tool.name.to_lowercase().starts_with(&text)).collect();
        if !ranked.is_empty() {
            return Matches { ranked, most };
        }
    }
    Matches { ranked: keywords(tools, &text), most }
}

/// The tools that a query calls by their names, in their own order; letter case does not matter unless it
/// tells several tools apart.
pub(super) fn named<'a>(tools: impl Iterator<Item = &'a Offered>, query: &Query) -> Vec<&'a Offered> {
    let text = query.text.trim().to_lowercase();
    if let Some(list) = select(&text) {
        let wanted: std::collections::HashSet<&str> =
            list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        return tools.filter(|tool| wanted.contains(tool.name.to_lowercase().as_str())).collect();
    }
    let same: Vec<&Offered> = tools.filter(|tool| tool.name.to_lowercase() == text).collect();
    let exact = same.iter().copied().find(|tool| tool.name == query.text.trim());
    exact.or(same.first().copied()).into_iter().collect()
}

/// The names behind `select:`, of a query in small letters.
fn select(text: &str) -> Option<&str> {
    text.strip_prefix("select:")
}

/// Tools with at least one word of the query, those with the most and best places first, otherwise in their
/// order.
fn keywords<'a>(tools: &[&'a Offered], text: &str) -> Vec<&'a Offered> {
    let words: Vec<Word> = text.split_whitespace().filter_map(Word::new).take(WORDS).collect();
    let mut scored: Vec<(usize, &Offered)> = tools
        .iter()
        .filter_map(|tool| {
            let entry = Entry { parts: parts(&tool.name), description: tool.description.to_lowercase() };
            let score = entry.score(&words)?;
            (score > 0).then_some((score, *tool))
        })
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, tool)| tool).collect()
}

struct Word<'q> {
    text: &'q str,
    required: bool,
}

impl<'q> Word<'q> {
    fn new(word: &'q str) -> Option<Self> {
        let (text, required) = word.strip_prefix('+').map_or((word, false), |text| (text, true));
        (!text.is_empty()).then_some(Word { text, required })
    }
}

/// What a tool is found by, in small letters.
struct Entry {
    parts: Vec<String>,
    description: String,
}

impl Entry {
    /// None if a required word is missing.
    fn score(&self, words: &[Word<'_>]) -> Option<usize> {
        words.iter().try_fold(0, |score, word| {
            let in_name = if self.parts.iter().any(|part| part == word.text) {
                10
            } else if self.parts.iter().any(|part| part.contains(word.text)) {
                5
            } else {
                0
            };
            let found = in_name + if has_word(&self.description, word.text) { 2 } else { 0 };
            (found > 0 || !word.required).then_some(score + found)
        })
    }
}

/// The words that a name is made of: without `mcp__`, split at capitals, acronyms and anything that is no
/// letter or digit.
fn parts(name: &str) -> Vec<String> {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    let chars: Vec<char> = name.chars().collect();
    let mut parts = vec![String::new()];
    for (index, &char) in chars.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| chars.get(before));
        let after = chars.get(index + 1);
        let begins = char.is_uppercase()
            && before.is_some_and(|before| {
                let acronym_ends = before.is_uppercase() && after.is_some_and(|after| after.is_lowercase());
                before.is_lowercase() || before.is_numeric() || acronym_ends
            });
        if begins || !char.is_alphanumeric() {
            parts.push(String::new());
        }
        if char.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            part.extend(char.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether `text` has `word` with no letter, digit or underscore beside it.
fn has_word(text: &str, word: &str) -> bool {
    let inner = |char: char| char.is_alphanumeric() || char == '_';
    text.match_indices(word).any(|(start, found)| {
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let after = text.get(start + found.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(inner) && !after.is_some_and(inner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_falls_into_words() {
        for (name, expected) in [
            ("DiscordCreateChannel", &["discord", "create", "channel"][..]),
            ("mcp__github__create_issue", &["github", "create", "issue"]),
            ("XMLParser2Go", &["xml", "parser2", "go"]),
            ("readHTTPHeaders", &["read", "http", "headers"]),
            ("ÄrgerMelden-über", &["ärger", "melden", "über"]),
            ("__", &[]),
        ] {
            assert_eq!(parts(name), expected, "{name}");
        }
    }

    #[test]
    fn a_word_stands_alone() {
        assert!(
            has_word("read a thread", "read") && has_word("(read)", "read") && has_word("c++ code", "c++")
        );
        assert!(
            !has_word("a thread, spread", "read") && !has_word("read_all", "read") && !has_word("", "read")
        );
    }
}
