//! Finds in an argument's type what cannot be there, however deep: the value is made of JSON, for this one call.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::visit_mut::{self, VisitMut};
use syn::{Lifetime, Type, TypeImplTrait, TypeReference};

/// A part of a type that an argument cannot have.
pub(super) enum Foreign {
    /// An `impl Trait`.
    Generic(TokenStream),
    /// A reference or a lifetime.
    Borrowed(TokenStream),
}

/// The first `impl Trait`, reference or lifetime other than `'static` inside a type.
pub(super) fn foreign_part(ty: &Type) -> Option<Foreign> {
    struct Finder(Option<Foreign>);
    impl VisitMut for Finder {
        fn visit_type_impl_trait_mut(&mut self, part: &mut TypeImplTrait) {
            self.0.get_or_insert_with(|| Foreign::Generic(part.to_token_stream()));
        }
        fn visit_type_reference_mut(&mut self, part: &mut TypeReference) {
            self.0.get_or_insert_with(|| Foreign::Borrowed(part.to_token_stream()));
        }
        fn visit_lifetime_mut(&mut self, part: &mut Lifetime) {
            if part.ident != "static" {
                self.0.get_or_insert_with(|| Foreign::Borrowed(part.to_token_stream()));
            }
        }
    }
    let mut finder = Finder(None);
    visit_mut::visit_type_mut(&mut finder, &mut ty.clone());
    finder.0
}
