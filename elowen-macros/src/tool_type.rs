//! `#[tool_type]`: a struct or an enum becomes something the model can supply.
//!
//! Small enough for one file: the only option is `crate`, the model is the parsed type.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Path, Token};

use crate::derived::{argument_bounds, door_text, trait_imports};
use crate::errors::Errors;
use crate::function;
use crate::key;
use crate::options::Options;

/// The expansion of `#[tool_type(options)] item`.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let sdk = Options::parse("tool_type", &["crate"], options, &mut errors).sdk(&mut errors);
    let code = match syn::parse2::<DeriveInput>(item.clone()) {
        Ok(input) => {
            check(&input, &mut errors);
            expand(&input, &item, &sdk)
        }
        Err(_) => {
            errors.at(function::head(&item), "`#[tool_type]` goes on a struct with named fields or an enum");
            item
        }
    };
    let errors = errors.into_tokens();
    quote!(#code #errors)
}

fn check(input: &DeriveInput, errors: &mut Errors) {
    let rule = "parameters are a struct with named fields or an enum";
    match &input.data {
        Data::Enum(_) => {}
        Data::Union(data) => errors.at(data.union_token, rule),
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                for field in &fields.named {
                    if let Some(name) = &field.ident {
                        key::check(name, &field.attrs, errors);
                    }
                }
            }
            Fields::Unnamed(fields) => {
                let name = &input.ident;
                let remedy = format!("name them, `struct {name} {{ first: .., second: .. }}`");
                errors.at(
                    fields,
                    format!("the model sees a name for each value, and these have none: {remedy}"),
                );
            }
            Fields::Unit => errors.at(&input.ident, format!("{rule}: write `struct {} {{}}`", input.ident)),
        },
    }
}

fn expand(input: &DeriveInput, item: &TokenStream, sdk: &Path) -> TokenStream {
    if matches!(input.data, Data::Union(_)) {
        return item.clone();
    }
    let [serde, schemars] = ["serde", "schemars"].map(|door| door_text(sdk, door));
    let derives = derives(&input.attrs, sdk);
    let renames = renames(input);
    let params = matches!(input.data, Data::Struct(_)).then(|| params(input, sdk));
    let (traits, bounds) = (trait_imports(), bounds(input, sdk));
    quote! {
        #traits
        #bounds
        #derives
        #[serde(crate = #serde #renames)]
        #[schemars(crate = #schemars)]
        #item
        #params
    }
}

/// Lets the compiler check the fields' types, where a type stands for itself.
fn bounds(input: &DeriveInput, sdk: &Path) -> TokenStream {
    let converted =
        ["from", "try_from", "remote", "with"].iter().any(|option| key::has(option, &input.attrs));
    if converted || !input.generics.params.is_empty() {
        return quote!();
    }
    let fields: Vec<&Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data
            .variants
            .iter()
            .filter(|variant| key::is_plain(&variant.attrs))
            .flat_map(|variant| &variant.fields)
            .collect(),
        Data::Union(_) => Vec::new(),
    };
    let types = fields.iter().filter(|field| key::is_plain(&field.attrs)).map(|field| &field.ty);
    let bounds = argument_bounds(sdk, types.filter(|ty| !mentions_self(ty.to_token_stream())));
    let cfgs = cfgs(input);
    quote!(#(#cfgs)* #bounds)
}

/// Whether `Self` is among the tokens, which means nothing outside of the type.
fn mentions_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions_self(group.stream()),
        TokenTree::Ident(ident) => ident == "Self",
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn cfgs(input: &DeriveInput) -> Vec<&Attribute> {
    input.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

/// The SDK's derives, but for those that the author wrote.
fn derives(attrs: &[Attribute], sdk: &Path) -> TokenStream {
    let written: Vec<String> = attrs
        .iter()
        .filter(|attr| attr.path().is_ident("derive"))
        .filter_map(|attr| attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated).ok())
        .flatten()
        .filter_map(|path| path.segments.last().map(|last| last.ident.to_string()))
        .collect();
    let missing = |name: &str| !written.iter().any(|derive| derive == name);
    let serde = missing("Deserialize").then(|| quote! { #[derive(#sdk::__private::serde::Deserialize)] });
    let schemars = missing("JsonSchema").then(|| quote! { #[derive(#sdk::__private::schemars::JsonSchema)] });
    quote!(#serde #schemars)
}

/// camelCase for fields and variants, where the author has not decided otherwise.
fn renames(input: &DeriveInput) -> TokenStream {
    let wanted: &[&str] = match input.data {
        Data::Enum(_) => &["rename_all", "rename_all_fields"],
        Data::Struct(_) | Data::Union(_) => &["rename_all"],
    };
    let missing = wanted.iter().filter(|option| !key::has(option, &input.attrs));
    missing
        .map(|option| Ident::new(option, Span::call_site()))
        .map(|option| quote!(, #option = "camelCase"))
        .collect()
}

/// `ToolParams`; for a generic struct wherever its arguments allow it.
fn params(input: &DeriveInput, sdk: &Path) -> TokenStream {
    let name = &input.ident;
    let cfgs = cfgs(input);
    let (generics, arguments, clause) = input.generics.split_for_impl();
    let clause = match input.generics.params.is_empty() {
        true => quote!(#clause),
        false => {
            let written = input.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
            quote! {
                where
                    Self: #sdk::__private::serde::de::DeserializeOwned
                        + #sdk::__private::schemars::JsonSchema
                        + ::core::marker::Send
                        + 'static,
                    #(#written,)*
            }
        }
    };
    quote!(#(#cfgs)* impl #generics #sdk::ToolParams for #name #arguments #clause {})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(options: TokenStream, item: TokenStream) -> String {
        let code = attribute(options, item);
        assert!(syn::parse2::<syn::File>(code.clone()).is_ok(), "{code}");
        code.to_string()
    }

    #[test]
    fn a_struct_gets_both_derives_and_becomes_parameters() {
        let text = code(quote!(), quote! { #[derive(Debug)] pub struct Find { a: u8 } });
        assert!(text.contains("serde :: Deserialize") && text.contains("schemars :: JsonSchema"), "{text}");
        assert!(text.contains("rename_all = \"camelCase\""), "{text}");
        assert!(text.contains("pub struct Find { a : u8 }"), "{text}");
        assert!(text.contains("impl :: elowen_sdk :: ToolParams for Find"), "{text}");
        assert!(!text.contains("compile_error"), "{text}");
    }

    #[test]
    fn an_enum_is_an_argument_but_not_parameters() {
        let text = code(quote!(crate = sdk), quote! { enum Kind { A, B { max_count: u8 } } });
        assert!(text.contains("rename_all_fields = \"camelCase\""), "{text}");
        assert!(text.contains("\"sdk::__private::serde\""), "{text}");
        assert!(!text.contains("ToolParams"), "{text}");
    }

    #[test]
    fn what_the_author_wrote_wins() {
        let item =
            quote! { #[derive(sdk::Deserialize)] #[serde(rename_all = "snake_case")] struct Find { a: u8 } };
        let text = code(quote!(), item);
        assert_eq!(text.matches("rename_all").count(), 1, "{text}");
        assert_eq!(text.matches("Deserialize").count(), 1, "{text}");
    }

    #[test]
    fn a_generic_struct_is_parameters_where_its_arguments_allow_it() {
        let text = code(quote!(), quote! { struct Page<T> where T: Copy, { items: Vec<T> } });
        assert!(
            text.contains("impl < T > :: elowen_sdk :: ToolParams for Page < T > where Self :"),
            "{text}"
        );
        assert!(text.contains("T : Copy"), "{text}");
    }

    #[test]
    fn the_types_of_plain_fields_are_checked() {
        let item = quote! { struct Find { a: Kind, #[serde(with = "m")] b: Other, c: Vec<Box<Self>> } };
        let text = code(quote!(), item);
        assert!(text.contains("__arg :: < Kind >"), "{text}");
        assert_eq!(text.matches("__arg :: <").count(), 1, "{text}");
    }

    #[test]
    fn other_shapes_are_emitted_with_one_error() {
        for item in [
            quote! { struct Pair(u8, u8); },
            quote! { struct Nothing; },
            quote! { union Both { a: u8, b: i8 } },
            quote! { fn f() {} },
            quote! { struct Odd { _reason: u8 } },
        ] {
            let text = code(quote!(), item.clone());
            assert!(text.contains(&item.to_string()), "{text}");
            assert_eq!(text.matches("compile_error").count(), 1, "{text}");
        }
    }
}
