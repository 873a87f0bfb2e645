//! Reads the options of an attribute, `key`, `key = value` and `key(list)`, and says which key is wrong.
//!
//! A wrong key does not hide the others: each is reported at its own place and the rest is read.

use proc_macro2::TokenStream;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

use crate::errors::Errors;

/// The options of one attribute: known, each at most once.
pub(crate) struct Options(Vec<Entry>);

struct Entry {
    key: Ident,
    value: Value,
}

enum Value {
    None,
    Expr(Box<Expr>),
    List(TokenStream),
}

impl Options {
    /// Reads the tokens between the parentheses of `#[attribute(..)]`, of which `known` are the keys.
    pub(crate) fn parse(attribute: &str, known: &[&str], tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                let entry = entry(input)?;
                let key = entry.key.to_string();
                if !known.contains(&key.as_str()) {
                    errors.at(&entry.key, unknown(attribute, &key, known));
                } else if entries.iter().any(|earlier| earlier.key == entry.key) {
                    errors.at(&entry.key, format!("duplicate `{key}`: keep one"));
                } else {
                    entries.push(entry);
                }
                if !input.is_empty() && !input.peek(Token![,]) {
                    // What precedes is only half an option: nothing to say about it besides.
                    entries.pop();
                    return Err(input.error("expected `,`: an option is `key`, `key = value` or `key(list)`"));
                }
                input.parse::<Option<Token![,]>>()?;
            }
            Ok(())
        };
        if let Err(error) = parser.parse2(tokens) {
            errors.push(error);
        }
        Options(entries)
    }

    /// An option without a value: its key, if it is there.
    pub(crate) fn flag(&mut self, key: &str, errors: &mut Errors) -> Option<Ident> {
        let entry = self.take(key)?;
        if !matches!(entry.value, Value::None) {
            errors.at(&entry.key, format!("`{key}` takes no value: write it or leave it out"));
        }
        Some(entry.key)
    }

    /// An option whose value is a string literal.
    pub(crate) fn text(&mut self, key: &str, errors: &mut Errors) -> Option<LitStr> {
        let entry = self.take(key)?;
        if let Value::Expr(value) = entry.value {
            match ungrouped(*value) {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => return Some(text),
                other => errors.at(other, format!("`{key}` is a string literal: `{key} = \"..\"`")),
            }
        } else {
            errors.at(entry.key, format!("`{key}` needs a string literal: `{key} = \"..\"`"));
        }
        None
    }

    /// An option whose value is any expression.
    pub(crate) fn expr(&mut self, key: &str, errors: &mut Errors) -> Option<Expr> {
        let entry = self.take(key)?;
        match entry.value {
            Value::Expr(value) => Some(*value),
            Value::None | Value::List(_) => {
                errors.at(entry.key, format!("`{key}` needs a value: `{key} = ..`"));
                None
            }
        }
    }

    /// The path of the SDK: the option `crate`, or `::elowen_sdk`.
    pub(crate) fn sdk(&mut self, errors: &mut Errors) -> Path {
        if let Some(value) = self.expr("crate", errors) {
            match ungrouped(value) {
                Expr::Path(path) if path.qself.is_none() => return path.path,
                other => errors.at(other, "`crate` is the path of the SDK: `crate = my_crate::elowen_sdk`"),
            }
        }
        syn::parse_quote!(::elowen_sdk)
    }

    /// An option with a list of paths in parentheses; empty if it is not there.
    pub(crate) fn paths(&mut self, key: &str, errors: &mut Errors) -> Vec<Path> {
        let Some(entry) = self.take(key) else { return Vec::new() };
        let Value::List(list) = entry.value else {
            errors.at(entry.key, format!("`{key}` is a list of paths: `{key}(a, b::c)`"));
            return Vec::new();
        };
        let paths = |input: ParseStream<'_>| Punctuated::<_, Token![,]>::parse_terminated_with(input, path);
        match paths.parse2(list) {
            Ok(paths) => paths.into_iter().collect(),
            Err(error) => {
                errors.push(error);
                Vec::new()
            }
        }
    }

    fn take(&mut self, key: &str) -> Option<Entry> {
        let index = self.0.iter().position(|entry| entry.key == key)?;
        Some(self.0.swap_remove(index))
    }
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    let key = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        Value::Expr(input.parse()?)
    } else if input.peek(syn::token::Paren) {
        let list;
        syn::parenthesized!(list in input);
        Value::List(list.parse()?)
    } else {
        Value::None
    };
    Ok(Entry { key, value })
}

/// One path of a list.
fn path(input: ParseStream<'_>) -> syn::Result<Path> {
    match input.peek(Lit) {
        true => Err(input.error("this is a list of paths, not of texts: write the name without quotes")),
        false => Path::parse_mod_style(input),
    }
}

/// The expression itself, where a `macro_rules` fragment wrapped it.
fn ungrouped(mut expr: Expr) -> Expr {
    while let Expr::Group(group) = expr {
        expr = *group.expr;
    }
    expr
}

fn unknown(attribute: &str, key: &str, known: &[&str]) -> String {
    let list = known.iter().map(|option| format!("`{option}`")).collect::<Vec<_>>().join(", ");
    let guess = known
        .iter()
        .map(|option| (distance(key, option), option))
        .filter(|(distance, option)| *distance <= 2 && *distance < option.len())
        .min();
    match guess {
        Some((_, guess)) => {
            format!("unknown `#[{attribute}]` option `{key}`: did you mean `{guess}`? The options are {list}")
        }
        None => format!("unknown `#[{attribute}]` option `{key}`: the options are {list}"),
    }
}

/// How many letters must be inserted, removed or replaced to make one of the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (1..=b.chars().count()).collect();
    for (i, letter) in a.chars().enumerate() {
        let (mut diagonal, mut left) = (i, i + 1);
        for (above, other) in row.iter_mut().zip(b.chars()) {
            left = (diagonal + usize::from(letter != other)).min(*above + 1).min(left + 1);
            diagonal = std::mem::replace(above, left);
        }
    }
    row.last().copied().unwrap_or_else(|| a.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{ToTokens as _, quote};

    const KNOWN: &[&str] = &["name", "external", "tools", "crate"];

    fn read(tokens: TokenStream) -> (Options, Errors) {
        let mut errors = Errors::default();
        (Options::parse("tool", KNOWN, tokens, &mut errors), errors)
    }

    #[test]
    fn each_kind_of_option_is_read() {
        let (mut options, mut errors) =
            read(quote!(name = "X", external, tools(a, b::c,), crate = ::other::sdk,));
        assert_eq!(options.text("name", &mut errors).map(|name| name.value()), Some("X".into()));
        assert!(options.flag("external", &mut errors).is_some());
        let tools: Vec<String> = options
            .paths("tools", &mut errors)
            .iter()
            .map(|path| path.to_token_stream().to_string())
            .collect();
        assert_eq!(tools, ["a", "b :: c"]);
        assert_eq!(options.sdk(&mut errors).to_token_stream().to_string(), ":: other :: sdk");
        assert!(errors.is_empty());
    }

    #[test]
    fn the_sdk_is_found_under_its_own_name_by_default() {
        let (mut options, mut errors) = read(quote!());
        assert_eq!(options.sdk(&mut errors).to_token_stream().to_string(), ":: elowen_sdk");
    }

    #[test]
    fn unknown_and_duplicate_keys_are_reported_together_and_the_rest_is_read() {
        let (mut options, mut errors) = read(quote!(nmae = "A", external, external, colour = 3, name = "B"));
        assert_eq!(options.text("name", &mut errors).map(|name| name.value()), Some("B".into()));
        assert_eq!(
            errors.messages(),
            [
                "unknown `#[tool]` option `nmae`: did you mean `name`? The options are `name`, `external`, `tools`, `crate`",
                "duplicate `external`: keep one",
                "unknown `#[tool]` option `colour`: the options are `name`, `external`, `tools`, `crate`",
            ]
        );
    }

    #[test]
    fn a_value_of_the_wrong_kind_says_what_belongs_there() {
        let (mut options, mut errors) = read(quote!(name = 3, external = true, tools = a, crate = "sdk"));
        options.text("name", &mut errors);
        options.flag("external", &mut errors);
        options.paths("tools", &mut errors);
        options.sdk(&mut errors);
        assert_eq!(
            errors.messages(),
            [
                "`name` is a string literal: `name = \"..\"`",
                "`external` takes no value: write it or leave it out",
                "`tools` is a list of paths: `tools(a, b::c)`",
                "`crate` is the path of the SDK: `crate = my_crate::elowen_sdk`",
            ]
        );
    }
}
