//! Writes the code of a checked plugin: the author's function, the metadata in its section, the exported entry.
//!
//! Everything that runs is in the SDK. The `unsafe` here is what an exported C function is made of.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{FnArg, Path};

use super::args::Args;
use crate::call;
use crate::function::Function;

/// The code of a plugin without mistakes.
pub(crate) fn plugin(args: &Args, function: &Function) -> TokenStream {
    let (sdk, paths, cfgs) = (&args.sdk, &args.tools, function.cfgs());
    // One name for each path: a path that is no tool is reported once.
    let names = (0..paths.len()).map(|i| format_ident!("__Tool{i}"));
    let tools: Vec<Ident> = names
        .zip(paths)
        .map(|(mut name, path)| {
            name.set_span(Span::call_site().located_at(path.span()));
            name
        })
        .collect();
    let name = match &args.name {
        Some(name) => name.to_token_stream(),
        None => quote!(::core::env!("CARGO_PKG_NAME")),
    };
    let unique = unique_names(sdk, paths, &tools);
    let list = Ident::new("tools", Span::mixed_site());
    let argument = function.sig.inputs.first().map_or_else(Span::call_site, |argument| match argument {
        FnArg::Typed(argument) => argument.ty.span(),
        FnArg::Receiver(receiver) => receiver.span(),
    });
    let ctx = Ident::new("ctx", Span::mixed_site().located_at(argument));
    let kind = format_ident!("{}", if function.sig.asyncness.is_some() { "Async" } else { "Sync" });
    let convert = quote!(#sdk::__private::IntoRegistered::into_registered);
    let body = call::future(&function.sig, &ctx.to_token_stream(), &convert);
    quote! {
        #[allow(clippy::unnecessary_wraps, clippy::unused_async)]
        #function

        #(#cfgs)*
        const _: () = {
            #(type #tools = #paths;)*
            #unique
            struct __Plugin;
            impl #sdk::__private::PluginFn for __Plugin {
                const BODY: #sdk::Body = #sdk::Body::#kind;
                fn tools(#list: &mut #sdk::__private::Tools) {
                    #(#list.add::<#tools>();)*
                }
                fn register(
                    #ctx: &#sdk::PluginContext,
                ) -> impl ::core::future::Future<
                    Output = ::core::result::Result<(), #sdk::__private::RegisterError>,
                > + ::core::marker::Send {
                    #body
                }
            }
            const FIELDS: #sdk::__private::BlobFields = #sdk::__private::BlobFields {
                name: #name,
                version: ::core::env!("CARGO_PKG_VERSION"),
                panic: if ::core::cfg!(panic = "abort") { "abort" } else { "unwind" },
                profile: if ::core::cfg!(debug_assertions) { "debug" } else { "release" },
                tools: &[#(<#tools as #sdk::ToolFn>::NAME),*],
            };
            #[used]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__elowen_abi"))]
            #[cfg_attr(windows, unsafe(link_section = ".elwabi"))]
            #[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".elowen.abi"))]
            static BLOB: [u8; #sdk::__private::blob_len(&FIELDS)] = #sdk::__private::blob(&FIELDS);
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn elowen_plugin_entry(
                abi_major: u32,
                host: *const #sdk::abi::Host,
                out: *mut #sdk::abi::Plugin,
            ) -> #sdk::abi::Status {
                unsafe { #sdk::__private::entry::<__Plugin>(abi_major, host, out, &BLOB) }
            }
            const _: #sdk::abi::EntryFn = elowen_plugin_entry;
        };
    }
}

/// For each tool, at its place in the list, an assertion that no earlier one has its name.
fn unique_names(sdk: &Path, paths: &[Path], tools: &[Ident]) -> TokenStream {
    let texts: Vec<String> =
        paths.iter().map(|path| path.to_token_stream().to_string().replace(' ', "")).collect();
    let known = tools.iter().zip(&texts).map(|(tool, text)| quote!((<#tool as #sdk::ToolFn>::NAME, #text)));
    let known: Vec<TokenStream> = known.collect();
    let checks = (1..known.len()).filter_map(|last| {
        let (span, known) = (paths.get(last)?.span(), known.get(..=last)?);
        Some(quote_spanned!(span=> const _: () = __Names::differ(&[#(#known),*]);))
    });
    quote! {
        #[allow(dead_code)]
        type __Names = #sdk::__private::Names;
        #(#checks)*
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Errors;
    use crate::plugin::args;
    use elowen_sdk::abi;

    #[test]
    fn the_names_in_the_binary_are_those_of_the_abi() {
        let function = syn::parse_quote! { fn register(ctx: &PluginContext) {} };
        let code = plugin(&args::parse(quote!(), &mut Errors::default()), &function).to_string();
        let section = abi::BLOB_SECTION;
        for name in [section.elf.to_owned(), format!("__DATA,{}", section.macho), section.pe.to_owned()] {
            assert!(code.contains(&format!("link_section = {name:?}")), "{name} in {code}");
        }
        assert!(code.contains(&format!("fn {} (", abi::ENTRY_SYMBOL)), "{code}");
    }
}
