//! The JSON key under which a field or an argument is offered to the model, and whether a provider accepts it.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Token};

use crate::errors::Errors;
use crate::names;

/// Reports a key that the host would take away or that a provider refuses, at the name that causes it, and returns
/// the key. Nothing if the field has no key of its own (`#[serde(flatten)]`) or a wrong one.
pub(crate) fn check(field: &Ident, attrs: &[Attribute], errors: &mut Errors) -> Option<String> {
    let rust = field.unraw().to_string();
    let metas = metas(attrs);
    if metas.iter().any(|meta| meta.path().is_ident("flatten") || meta.path().is_ident("skip")) {
        return None;
    }
    let renamed = metas.iter().rev().find_map(rename);
    let (key, at): (String, TokenStream) = match &renamed {
        Some(literal) => (literal.value(), literal.to_token_stream()),
        None => (names::camel(&rust), field.to_token_stream()),
    };
    if key == "_reason" || renamed.is_none() && rust == "_reason" {
        errors.at(at, "the host strips an argument called `_reason`: choose another name");
    } else if !names::is_argument_name(&key) {
        let rule = "use 1 to 64 of A-Z a-z 0-9 _, starting with a letter or _";
        errors.at(at, format!("argument name `{key}` is not portable: {rule}"));
    } else {
        return Some(key);
    }
    None
}

/// Whether a container says itself how its fields (or an enum's variants) are named.
pub(crate) fn has(option: &str, attrs: &[Attribute]) -> bool {
    metas(attrs).iter().any(|meta| meta.path().is_ident(option))
}

/// Whether a field is read and described by its type alone, so that its type has to be an argument's.
pub(crate) fn is_plain(attrs: &[Attribute]) -> bool {
    let known = ["doc", "allow", "serde", "schemars", "validate", "garde"];
    let inert = ["default", "rename", "alias", "range", "length", "regex", "title", "description", "example"];
    attrs.iter().all(|attr| known.iter().any(|name| attr.path().is_ident(name)))
        && metas(attrs).iter().all(|meta| inert.iter().any(|name| meta.path().is_ident(name)))
}

/// Everything inside `#[serde(..)]` and then `#[schemars(..)]`, which overrides it. What cannot be read is left to
/// their own derives to report.
fn metas(attrs: &[Attribute]) -> Vec<Meta> {
    let of = |name: &'static str| attrs.iter().filter(move |attr| attr.path().is_ident(name));
    of("serde")
        .chain(of("schemars"))
        .filter_map(|attr| attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok())
        .flatten()
        .collect()
}

/// The name in `rename = ".."` or `rename(deserialize = "..")`.
fn rename(meta: &Meta) -> Option<LitStr> {
    match meta {
        Meta::NameValue(pair) if pair.path.is_ident("rename") => text(&pair.value),
        Meta::List(list) if list.path.is_ident("rename") => {
            list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?.iter().find_map(
                |side| match side {
                    Meta::NameValue(pair) if pair.path.is_ident("deserialize") => text(&pair.value),
                    _ => None,
                },
            )
        }
        _ => None,
    }
}

fn text(value: &Expr) -> Option<LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn key(field: &str, attrs: &[Attribute]) -> Result<Option<String>, Vec<String>> {
        let mut errors = Errors::default();
        let field = syn::parse_str::<Ident>(field)
            .unwrap_or_else(|_| Ident::new_raw(field, proc_macro2::Span::call_site()));
        let key = check(&field, attrs, &mut errors);
        if errors.is_empty() { Ok(key) } else { Err(errors.messages()) }
    }

    #[test]
    fn a_key_is_the_name_in_camel_case_or_what_it_is_renamed_to() {
        assert_eq!(key("max_count", &[]), Ok(Some("maxCount".into())));
        assert_eq!(key("type", &[]), Ok(Some("type".into())));
        assert_eq!(key("a", &[parse_quote! { #[serde(default, rename = "b")] }]), Ok(Some("b".into())));
        assert_eq!(
            key("a", &[parse_quote! { #[serde(rename(serialize = "b", deserialize = "c"))] }]),
            Ok(Some("c".into()))
        );
        let both: [Attribute; 2] =
            [parse_quote! { #[schemars(rename = "d")] }, parse_quote! { #[serde(rename = "b")] }];
        assert_eq!(key("a", &both), Ok(Some("d".into())));
    }

    #[test]
    fn a_flattened_field_has_no_key() {
        assert_eq!(key("a", &[parse_quote! { #[serde(flatten)] }]), Ok(None));
    }

    #[test]
    fn the_reserved_key_is_refused_under_any_name() {
        let reserved =
            Err(vec!["the host strips an argument called `_reason`: choose another name".to_owned()]);
        assert_eq!(key("_reason", &[]), reserved);
        assert_eq!(key("why", &[parse_quote! { #[serde(rename = "_reason")] }]), reserved);
        assert_eq!(key("reason", &[]), Ok(Some("reason".into())));
    }

    #[test]
    fn a_key_outside_ascii_or_empty_is_refused() {
        for (field, attrs) in
            [("größe", vec![]), ("__", vec![]), ("a", vec![parse_quote! { #[serde(rename = "a b")] }])]
        {
            assert_eq!(key(field, &attrs).err().map(|errors| errors.len()), Some(1), "{field}");
        }
    }
}
