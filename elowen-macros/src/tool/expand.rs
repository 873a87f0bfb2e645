//! Writes the code of a checked tool: the author's function, a marker of the same name, and a thin `ToolFn`.
//!
//! Paths are absolute, helpers have names that nobody else uses, and locals are invisible to the author's code.
//! Wherever the compiler may have something to say about a type, it says it at the author's own tokens.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote};

use super::args::Run;
use super::check::{Field, Params, Passed, Record};
use super::model::Tool;
use crate::call;
use crate::derived::{argument_bounds, door_text, trait_imports};

/// The code of a tool without mistakes.
pub(crate) fn tool(tool: &Tool, record: &Record) -> TokenStream {
    let body = body(tool, record);
    let bounds = bounds(tool, &record.params);
    code(tool, record, &record.params, &record.description, &bounds, &body)
}

/// The code of a tool with mistakes: the function, and a marker that keeps the tool known to the rest of the
/// crate, so that nothing is reported twice.
pub(crate) fn placeholder(tool: &Tool, record: &Record) -> TokenStream {
    if record.method {
        return tool.function.to_token_stream();
    }
    let params = Params::Fields(Vec::new());
    code(tool, record, &params, &quote!(""), &quote!(), &quote!(async move { loop {} }))
}

fn code(
    tool: &Tool,
    record: &Record,
    params: &Params,
    description: &TokenStream,
    bounds: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let (function, sdk) = (&tool.function, &tool.args.sdk);
    let (name, vis, cfgs) = (&function.sig.ident, &function.vis, function.cfgs());
    let Record { name: tool_name, label, .. } = record;
    let (run, kind) = (run(tool), kind(tool));
    let external = tool.args.external;
    let platform = match &tool.args.platform {
        Some(platform) => quote!(::core::option::Option::Some(#platform)),
        None => quote!(::core::option::Option::None),
    };
    let (definition, params_type) = params_type(tool, params);
    let [params, cx] = locals();
    quote! {
        #[allow(
            clippy::fn_params_excessive_bools,
            clippy::missing_errors_doc,
            clippy::must_use_candidate,
            clippy::needless_pass_by_value,
            clippy::too_many_arguments,
            clippy::unnecessary_wraps,
            clippy::unused_async
        )]
        #function

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #name {}

        #(#cfgs)*
        #[allow(deprecated, non_snake_case)]
        const _: () = {
            #bounds
            #definition
            impl #sdk::ToolFn for #name {
                const NAME: &'static str = #tool_name;
                const META: #sdk::ToolMeta = #sdk::ToolMeta {
                    label: #label,
                    description: #description,
                    run: #sdk::Run::#run,
                    body: #sdk::Body::#kind,
                    external: #external,
                    platform: #platform,
                };
                type Params = #params_type;
                fn call(
                    #params: Self::Params,
                    #cx: #sdk::Cx,
                ) -> impl ::core::future::Future<Output = #sdk::ToolResult> + ::core::marker::Send + 'static {
                    #body
                }
            }
        };
    }
}

/// The names of `call`'s arguments, which the author's code cannot see.
fn locals() -> [Ident; 2] {
    ["params", "cx"].map(|name| Ident::new(name, Span::mixed_site()))
}

fn run(tool: &Tool) -> Ident {
    let variant = match tool.args.run {
        Run::Auto => "Auto",
        Run::Inline => "Inline",
        Run::Spawn | Run::Blocking(_) => "Spawn",
    };
    Ident::new(variant, Span::call_site())
}

fn kind(tool: &Tool) -> Ident {
    let variant = if tool.function.sig.asyncness.is_some() { "Async" } else { "Sync" };
    Ident::new(variant, Span::call_site())
}

/// The struct of the loose arguments, and the type that the arguments are read into.
fn params_type(tool: &Tool, params: &Params) -> (TokenStream, TokenStream) {
    let fields = match params {
        Params::Whole(ty) => return (quote!(), ty.clone()),
        Params::Fields(fields) => {
            fields.iter().map(|Field { attrs, name, ty }| quote!(#(#attrs)* #name: #ty))
        }
    };
    let sdk = &tool.args.sdk;
    let [serde, schemars] = ["serde", "schemars"].map(|door| door_text(sdk, door));
    let traits = trait_imports();
    let definition = quote! {
        #traits
        #[derive(#sdk::__private::serde::Deserialize, #sdk::__private::schemars::JsonSchema)]
        #[serde(crate = #serde, rename_all = "camelCase")]
        #[schemars(crate = #schemars)]
        pub struct __Args { #(#fields),* }
        impl #sdk::ToolParams for __Args {}
    };
    (definition, quote!(__Args))
}

/// Lets the compiler check the type of every loose argument. The other types are checked where they are used:
/// `Params<T>` as the tool's `Params`, `&T` where it is injected.
fn bounds(tool: &Tool, params: &Params) -> TokenStream {
    match params {
        Params::Fields(fields) => argument_bounds(&tool.args.sdk, fields.iter().map(|field| &field.ty)),
        Params::Whole(_) => quote!(),
    }
}

/// Calls the author's function and turns what it returns into a result.
fn body(tool: &Tool, record: &Record) -> TokenStream {
    let (sdk, [params, cx]) = (&tool.args.sdk, locals());
    let arguments = record.passed.iter().map(|passed| match passed {
        Passed::Field(field) => quote!(#params.#field),
        Passed::Whole => quote!(#sdk::Params(#params)),
        Passed::Injected(ty) => quote!(<#ty as #sdk::Inject>::inject(&#cx)),
    });
    call::future(
        &tool.function.sig,
        &quote!(#(#arguments),*),
        &quote!(#sdk::IntoToolResult::into_tool_result),
    )
}
