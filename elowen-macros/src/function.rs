//! Reads a function without looking into its body, and holds the rules that every exported function shares.
//!
//! The body is kept as the tokens it came in, so that it is emitted exactly as written and may use syntax that
//! this crate's parser does not know.

use proc_macro2::{Group, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Attribute, Safety, Signature, Visibility};

use crate::errors::Errors;

/// A function with its body left alone.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    body: Group,
}

impl Function {
    /// The `#[cfg]`s, which everything generated beside the function repeats.
    pub(crate) fn cfgs(&self) -> Vec<Attribute> {
        self.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect()
    }

    /// Reports everything that makes a function more than one safe Rust function of concrete types. `what` is
    /// how the author knows it, `generic` why it cannot be generic.
    pub(crate) fn check_plain(&self, what: &str, generic: &str, errors: &mut Errors) {
        let sig = &self.sig;
        if !sig.generics.params.is_empty() {
            errors.at(&sig.generics, generic);
        } else if let Some(clause) = &sig.generics.where_clause {
            errors.at(clause, generic);
        }
        if let Some(token) = &sig.constness {
            errors.at(token, format!("{what} cannot be `const`: it runs when the host calls it"));
        }
        if let Safety::Unsafe(token) = &sig.safety {
            errors.at(
                token,
                format!("{what} cannot be `unsafe`: the host knows no promise that it would have to keep"),
            );
        }
        if let Some(abi) = &sig.abi {
            errors.at(abi, format!("{what} is an ordinary Rust function: remove `extern`"));
        }
        if let Some(variadic) = &sig.variadic {
            errors.at(variadic, format!("{what} has a fixed list of arguments"));
        }
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Function {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attr in &self.attrs {
            attr.to_tokens(tokens);
        }
        self.vis.to_tokens(tokens);
        self.sig.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}

/// The function under `#[attribute]`, or the one error that says why there is none.
pub(crate) fn parse(attribute: &str, item: &TokenStream) -> syn::Result<Function> {
    syn::parse2(item.clone()).map_err(|_| {
        let message = format!("`#[{attribute}]` goes on a function with a body");
        syn::Error::new_spanned(head(item), message)
    })
}

/// The first two tokens after the attributes, such as `struct Name`.
pub(crate) fn head(item: &TokenStream) -> TokenStream {
    let after_attributes = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>()
    };
    after_attributes.parse2(item.clone()).unwrap_or_else(|_| item.clone()).into_iter().take(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn a_function_is_emitted_as_it_was_written() {
        let item = quote!(/** Doc. */ #[cfg(unix)] pub(crate) async fn f<T>(x: T) -> u8 where T: Copy { !syntax of tomorrow! });
        let function = parse("tool", &item).expect("a function");
        assert_eq!(function.to_token_stream().to_string(), item.to_string());
        assert_eq!(function.cfgs().len(), 1);
    }

    #[test]
    fn anything_else_is_refused_at_its_name() {
        for (item, at) in [
            (quote! { #[doc = "x"] struct S { x: u8 } }, "struct S"),
            (quote! { fn declared(); }, "fn declared"),
        ] {
            let error = parse("tool", &item).err().expect("not a function");
            assert_eq!(error.to_string(), "`#[tool]` goes on a function with a body");
            assert_eq!(head(&item).to_string(), at);
        }
    }

    #[test]
    fn everything_that_is_not_plain_is_reported_at_once() {
        let item = quote! { const unsafe extern "C" fn f<T>(x: T, ...) {} };
        let mut errors = Errors::default();
        parse("tool", &item).expect("a function").check_plain("a tool", "not generic", &mut errors);
        assert_eq!(errors.messages().len(), 5);
    }
}
