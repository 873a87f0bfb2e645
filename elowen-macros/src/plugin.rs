//! `#[plugin]`: a function becomes the registration of a plugin, and the library gets its entry and metadata.

mod args;
mod check;
mod expand;

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use crate::errors::Errors;
use crate::function;

/// The expansion of `#[plugin(options)] item`.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let function = match function::parse("plugin", &item) {
        Ok(function) => function,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#item #error);
        }
    };
    let mut errors = Errors::default();
    let args = args::parse(options, &mut errors);
    check::check(&args, &function, &mut errors);
    let code = match errors.is_empty() {
        true => expand::plugin(&args, &function),
        false => function.to_token_stream(),
    };
    let errors = errors.into_tokens();
    quote!(#code #errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_expands_to_the_function_and_the_export() {
        let code = attribute(quote!(tools(a, b::c)), quote! { fn register(ctx: &PluginContext) {} });
        assert!(syn::parse2::<syn::File>(code.clone()).is_ok(), "{code}");
        let text = code.to_string();
        assert!(text.contains("fn register (ctx : & PluginContext) { }"), "{text}");
        assert!(text.contains("fn elowen_plugin_entry"), "{text}");
        assert!(text.contains("= b :: c ;"), "{text}");
    }

    #[test]
    fn a_wrong_plugin_is_still_emitted_with_one_error_a_mistake() {
        let code = attribute(quote!(tools(a, a), tool), quote! { fn register<T>() {} });
        let text = code.to_string();
        assert!(text.starts_with("fn register < T > () { }"), "{text}");
        assert!(!text.contains("elowen_plugin_entry"), "{text}");
        assert_eq!(text.matches("compile_error").count(), 4, "{text}");
    }
}
