//! All rules of `#[plugin]` that the compiler does not check.

use quote::ToTokens as _;
use syn::{FnArg, Type};

use super::args::Args;
use crate::errors::Errors;
use crate::function::Function;

const ONE: &str = "this function takes one argument: `ctx: &PluginContext`";

/// Applies every rule.
pub(crate) fn check(args: &Args, function: &Function, errors: &mut Errors) {
    check_tools(args, errors);
    if let Some(name) = args.name.as_ref().filter(|name| name.value().is_empty()) {
        errors.at(name, "a plugin's name is that of its folder, not an empty text");
    }
    let generic = "this function cannot be generic: the host calls one concrete function";
    function.check_plain("a plugin's registration", generic, errors);
    check_arguments(function, errors);
}

fn check_tools(args: &Args, errors: &mut Errors) {
    let mut seen = Vec::new();
    for tool in &args.tools {
        let path = tool.to_token_stream().to_string();
        if seen.contains(&path) {
            errors.at(tool, format!("the tool `{}` is listed twice", path.replace(' ', "")));
        } else {
            seen.push(path);
        }
    }
}

fn check_arguments(function: &Function, errors: &mut Errors) {
    let sig = &function.sig;
    match sig.inputs.first() {
        None => errors.at(&sig.ident, ONE),
        Some(FnArg::Receiver(receiver)) => {
            errors.at(
                receiver,
                "`#[plugin]` goes on a free function, not on a method: move it out of the `impl` block",
            );
        }
        Some(FnArg::Typed(argument)) if !is_shared_reference(&argument.ty) => {
            errors.at(&argument.ty, "the plugin's context is lent: take `&PluginContext`");
        }
        Some(FnArg::Typed(_)) => {
            for extra in sig.inputs.iter().skip(1) {
                errors.at(extra, ONE);
            }
        }
    }
}

fn is_shared_reference(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_shared_reference(&group.elem),
        Type::Paren(paren) => is_shared_reference(&paren.elem),
        Type::Reference(reference) => reference.mutability.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::TokenStream;
    use quote::quote;

    fn errors(options: TokenStream, item: TokenStream) -> Vec<String> {
        let mut errors = Errors::default();
        let args = super::super::args::parse(options, &mut errors);
        check(&args, &syn::parse2(item).expect("a function"), &mut errors);
        errors.messages()
    }

    #[test]
    fn a_plain_registration_is_accepted() {
        for item in [
            quote! { fn register(ctx: &PluginContext) {} },
            quote! { pub async fn r(_: &sdk::PluginContext) -> X {} },
        ] {
            assert!(errors(quote!(tools(a, b::a), name = "n"), item).is_empty());
        }
    }

    #[test]
    fn a_tool_is_listed_once() {
        let found = errors(quote!(tools(a, b::c, b::c)), quote! { fn register(ctx: &PluginContext) {} });
        assert_eq!(found, ["the tool `b::c` is listed twice"]);
    }

    #[test]
    fn the_context_is_the_one_argument_and_it_is_lent() {
        for (item, start) in [
            (quote! { fn register() {} }, "this function takes one argument"),
            (quote! { fn register(ctx: &PluginContext, more: u8) {} }, "this function takes one argument"),
            (quote! { fn register(ctx: PluginContext) {} }, "the plugin's context is lent"),
            (quote! { fn register(ctx: &mut PluginContext) {} }, "the plugin's context is lent"),
            (quote! { fn register(&self) {} }, "`#[plugin]` goes on a free function"),
        ] {
            let found = errors(quote!(), item);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found.concat().starts_with(start), "{found:?}");
        }
    }
}
