//! What serde's and schemars' derives need to work inside somebody else's code.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{Path, Type};

/// Where a derive finds its own crate behind the SDK's door, as the text that `crate = ".."` asks for.
pub(crate) fn door_text(sdk: &Path, door: &str) -> String {
    format!("{}::__private::{door}", sdk.to_token_stream()).replace(' ', "")
}

/// The traits whose methods schemars' derive calls by name. They are in every prelude, but the author may have none.
pub(crate) fn trait_imports() -> TokenStream {
    quote! {
        use ::core::{convert::{From as _, Into as _}, default::Default as _};
    }
}

/// Lets the compiler say, at the author's own tokens and before the derives complain in their words, which of these
/// types the model cannot supply.
pub(crate) fn argument_bounds<'a>(sdk: &Path, types: impl Iterator<Item = &'a Type>) -> TokenStream {
    quote! {
        const _: fn() = || {
            fn __arg<T: #sdk::ToolArg>() {}
            #(__arg::<#types>();)*
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn a_door_is_spelled_without_spaces() {
        assert_eq!(door_text(&parse_quote!(::elowen_sdk), "serde"), "::elowen_sdk::__private::serde");
        assert_eq!(door_text(&parse_quote!(my::sdk), "schemars"), "my::sdk::__private::schemars");
    }
}
