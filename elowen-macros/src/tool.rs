//! `#[tool]`: a function becomes a `ToolFn`.

mod args;
mod check;
mod expand;
mod foreign;
mod model;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::function;

/// The expansion of `#[tool(options)] item`.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let function = match function::parse("tool", &item) {
        Ok(function) => function,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#item #error);
        }
    };
    let mut errors = Errors::default();
    let args = args::parse(options, &mut errors);
    let tool = model::tool(args, function);
    let record = check::record(&tool, &mut errors);
    let code = match errors.is_empty() {
        true => expand::tool(&tool, &record),
        false => expand::placeholder(&tool, &record),
    };
    let errors = errors.into_tokens();
    quote!(#code #errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parses(tokens: &TokenStream) -> bool {
        syn::parse2::<syn::File>(tokens.clone()).is_ok()
    }

    #[test]
    fn a_tool_expands_to_the_function_a_marker_and_an_impl() {
        let code = attribute(
            quote!(),
            quote! { #[doc = "Adds."] pub async fn add(#[doc = "A."] a: u8) -> String { x } },
        );
        assert!(parses(&code));
        let text = code.to_string();
        assert!(text.contains("pub async fn add (a : u8) -> String { x }"), "{text}");
        assert!(text.contains("pub struct add { }"), "{text}");
        assert!(text.contains("ToolFn for add"), "{text}");
        assert!(!text.contains("compile_error"), "{text}");
    }

    #[test]
    fn a_wrong_tool_is_still_emitted_with_its_marker_and_one_error_a_mistake() {
        let code = attribute(quote!(colour), quote! { fn add(a: &str, (b, c): (u8, u8)) {} });
        assert!(parses(&code));
        let text = code.to_string();
        assert!(text.contains("fn add (a : & str , (b , c) : (u8 , u8)) { }"), "{text}");
        assert!(text.contains("struct add { }"), "{text}");
        assert_eq!(text.matches("compile_error").count(), 4, "{text}");
    }

    #[test]
    fn a_method_is_emitted_alone_because_no_item_fits_beside_it() {
        let text = attribute(quote!(), quote! { #[doc = "Adds."] fn add(&self) {} }).to_string();
        assert!(text.contains("fn add (& self) { }"), "{text}");
        assert!(!text.contains("struct add"), "{text}");
        assert_eq!(text.matches("compile_error").count(), 1, "{text}");
    }

    #[test]
    fn what_is_not_a_function_is_emitted_as_it_was() {
        let text = attribute(quote!(), quote! { struct S; }).to_string();
        assert!(text.starts_with("struct S ;"), "{text}");
        assert_eq!(text.matches("compile_error").count(), 1, "{text}");
    }
}
