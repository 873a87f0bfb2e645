//! Turns a doc comment into the text that a model reads.
//!
//! Line breaks that only wrap a sentence become spaces; paragraphs, list items, headings, table rows and code
//! blocks keep theirs. Text that is known only later (`#[doc = include_str!(..)]`) is passed on as it is.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment among `attrs` as an expression of type `&'static str`, or nothing if there is none or only an
/// empty one.
pub(crate) fn description(attrs: &[Attribute]) -> Option<TokenStream> {
    let mut parts: Vec<TokenStream> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for doc in attrs.iter().filter_map(doc) {
        match doc {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => lines.extend(comment_lines(&text.value())),
            other => {
                parts.extend(paragraphs(&std::mem::take(&mut lines)));
                parts.push(other.to_token_stream());
            }
        }
    }
    parts.extend(paragraphs(&lines));
    match parts.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        [first, rest @ ..] => Some(quote!(::core::concat!(#first #(, "\n", #rest)*))),
    }
}

/// What a doc attribute says; nothing for other attributes and for forms such as `#[doc(hidden)]`.
fn doc(attr: &Attribute) -> Option<&Expr> {
    match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _ => None,
    }
}

fn paragraphs(lines: &[String]) -> Option<TokenStream> {
    let text = prose(lines);
    (!text.is_empty()).then(|| text.to_token_stream())
}

/// The lines of one doc attribute. A `/** block */` has several, perhaps each with a star in front.
fn comment_lines(text: &str) -> Vec<String> {
    let starred = text.contains('\n')
        && text
            .lines()
            .skip(1)
            .map(str::trim)
            .all(|line| line.is_empty() || line == "*" || line.starts_with("* "));
    let strip = |line: &str| {
        let bare = line.trim_start();
        if starred { bare.strip_prefix('*').unwrap_or(bare).to_owned() } else { line.to_owned() }
    };
    // Not `lines`, which finds none in an empty text: an empty comment line ends a paragraph.
    text.split('\n').map(strip).collect()
}

/// Joins wrapped lines.
fn prose(lines: &[String]) -> String {
    let mut text = String::new();
    let (mut fenced, mut break_next) = (false, false);
    for line in lines {
        let bare = line.trim();
        let fence = bare.starts_with("```");
        if bare.is_empty() && !fenced {
            break_next = true;
            continue;
        }
        let alone = fence || fenced || is_heading(bare) || bare.starts_with('|');
        if !text.is_empty() {
            text.push(if alone || break_next || is_item(bare) { '\n' } else { ' ' });
        }
        text.push_str(if fenced { line.strip_prefix(' ').unwrap_or(line).trim_end() } else { bare });
        break_next = alone;
        fenced ^= fence;
    }
    text
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}

fn is_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after_number.len() < line.len();
    ["- ", "* ", "+ "].iter().any(|marker| line.starts_with(marker))
        || numbered && [". ", ") "].iter().any(|marker| after_number.starts_with(marker))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn of(attrs: &[Attribute]) -> Option<String> {
        description(attrs).map(|tokens| tokens.to_string())
    }

    #[test]
    fn wrapped_lines_are_joined_and_paragraphs_and_items_are_kept() {
        let attrs: [Attribute; 9] = [
            parse_quote!(#[doc = " Finds files"]),
            parse_quote!(#[doc = " by name."]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = " Kinds:"]),
            parse_quote!(#[doc = " - text,"]),
            parse_quote!(#[doc = "   also code"]),
            parse_quote!(#[doc = " 2. images"]),
            parse_quote!(#[doc = " # More"]),
            parse_quote!(#[doc = " Text."]),
        ];
        let text = "Finds files by name.\nKinds:\n- text, also code\n2. images\n# More\nText.";
        assert_eq!(of(&attrs), Some(format!("{text:?}")));
    }

    #[test]
    fn a_code_block_keeps_its_lines() {
        let attrs: [Attribute; 5] = [
            parse_quote!(#[doc = " Such as"]),
            parse_quote!(#[doc = " ```"]),
            parse_quote!(#[doc = " if x {"]),
            parse_quote!(#[doc = "     y"]),
            parse_quote!(#[doc = " ```"]),
        ];
        assert_eq!(of(&attrs), Some(format!("{:?}", "Such as\n```\nif x {\n    y\n```")));
    }

    #[test]
    fn docs_before_and_after_other_attributes_belong_together() {
        let attrs: [Attribute; 4] = [
            parse_quote!(#[doc = " Before"]),
            parse_quote!(#[allow(dead_code)]),
            parse_quote!(#[doc(hidden)]),
            parse_quote!(#[doc = " after."]),
        ];
        assert_eq!(of(&attrs), Some("\"Before after.\"".into()));
    }

    #[test]
    fn a_block_comment_loses_its_stars() {
        let attrs: [Attribute; 1] =
            [parse_quote!(#[doc = "\n     * Finds\n     * files.\n     *\n     * All.\n     "])];
        assert_eq!(of(&attrs), Some("\"Finds files.\\nAll.\"".into()));
    }

    #[test]
    fn text_that_is_known_later_is_passed_on() {
        let one: [Attribute; 1] = [parse_quote!(#[doc = include_str!("find.md")])];
        assert_eq!(of(&one), Some("include_str ! (\"find.md\")".into()));
        let mixed: [Attribute; 2] =
            [parse_quote!(#[doc = " Finds."]), parse_quote!(#[doc = include_str!("find.md")])];
        let expected = ":: core :: concat ! (\"Finds.\" , \"\\n\" , include_str ! (\"find.md\"))";
        assert_eq!(of(&mixed), Some(expected.into()));
    }

    #[test]
    fn an_empty_comment_is_no_description() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[parse_quote!(#[doc = "  "]), parse_quote!(#[doc(alias = "x")])]), None);
    }
}
