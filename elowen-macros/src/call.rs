//! The call of the author's function inside generated code.
//!
//! What the compiler has to say about it appears at the author's tokens: about the future at the function's name,
//! about the value at the return type.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned as _;
use syn::{ReturnType, Signature};

/// A future that calls the function with `arguments` and gives its value to the function `convert`.
pub(crate) fn future(sig: &Signature, arguments: &TokenStream, convert: &TokenStream) -> TokenStream {
    let name = &sig.ident;
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments.clone());
    arguments.set_span(Span::call_site().located_at(name.span()));
    let output = match &sig.output {
        ReturnType::Default => name.span(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    let returned = Ident::new("returned", Span::mixed_site().located_at(output));
    let (send, value) = match sig.asyncness {
        None => (quote!(), quote!(#name #arguments)),
        Some(_) => {
            let send = quote! {
                fn __send<F: ::core::future::Future + ::core::marker::Send>(future: F) -> F { future }
            };
            (send, quote!(__send(#name #arguments).await))
        }
    };
    quote! {
        #send
        async move {
            let #returned = #value;
            #convert(#returned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn only_an_async_function_is_awaited() {
        let plain = future(&parse_quote! { fn f(a: u8) }, &quote!(1), &quote!(Into::into)).to_string();
        assert!(plain.contains("= f (1) ;") && plain.contains("Into :: into (returned)"), "{plain}");
        let waiting =
            future(&parse_quote! { async fn f(a: u8) }, &quote!(1), &quote!(Into::into)).to_string();
        assert!(waiting.contains("__send (f (1)) . await"), "{waiting}");
    }
}
