//! Collects everything that is wrong with one item, so that the author sees all of it at once.
//!
//! Knows nothing about the rules; `check` of each macro does.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The problems found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Records a problem, underlining all of `tokens`.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Records a problem that has its place already.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Whether nothing was wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// One `compile_error!` a problem; nothing if there was none.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(|error| error.to_compile_error()).unwrap_or_default()
    }

    /// The messages in the order they were recorded.
    #[cfg(test)]
    pub(crate) fn messages(self) -> Vec<String> {
        self.0.into_iter().flatten().map(|error| error.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn every_problem_becomes_one_compile_error() {
        let mut errors = Errors::default();
        assert!(errors.is_empty());
        errors.at(quote!(a), "first");
        errors.at(quote!(b), "second");
        let tokens = errors.into_tokens().to_string();
        assert_eq!(tokens.matches("compile_error").count(), 2);
    }
}
