//! The attribute macros of `elowen-sdk`, which re-exports them: use them from there.
//!
//! This file only declares them. Each macro goes the same way, one module a step: `args` reads the
//! attribute's options, `model` says what the author wrote, `check` applies every rule and collects all
//! problems, `expand` writes the code. The author's item is emitted whatever happens.

mod call;
mod derived;
mod errors;
mod function;
mod key;
mod names;
mod options;
mod plugin;
mod prose;
mod tool;
mod tool_type;

use proc_macro::TokenStream;

/// Makes a function a tool.
///
/// ```
/// # use elowen_macros::tool;
/// use elowen_sdk::prelude::*;
///
/// /// Returns the supplied text.
/// #[tool]
/// async fn my_tool(
///     /// Text to return.
///     value: String,
///     cx: &Cx,
/// ) -> ToolResult {
///     Ok(value.into())
/// }
/// ```
///
/// The function stays what it is and can be called as before. Beside it appears an empty struct of the same
/// name and visibility that implements `elowen_sdk::ToolFn`, which is how `#[plugin(tools(my_tool))]` knows it, and
/// `ctx.register_fn::<my_tool>(ToolOptions::new())`, which registers it while the plugin starts or gives options to
/// one that is listed. (`ctx.register_tool(value)` is for values of types that implement `elowen_sdk::Tool`.)
///
/// Because of that struct the attribute goes on free functions: beside a method or an associated function the
/// compiler says ``struct is not supported in `trait`s or `impl`s``.
///
/// # Arguments
///
/// - **By value**: the model supplies it. Its name is offered in camelCase, its `///` comment is what the model
///   reads about it, and `#[serde(..)]`, `#[schemars(..)]`, `#[validate(..)]` and `#[garde(..)]` attributes mean
///   what they mean on a struct's field.
/// - **By shared reference**: the host injects it: `&Cx` and everything else that implements
///   `elowen_sdk::Inject`.
/// - **`Params<T>`**: the model's arguments as one struct, made with [`#[tool_type]`](macro@tool_type). Instead of
///   arguments by value, not beside them.
///
/// The function may be `async` or not, and returns anything that implements `elowen_sdk::IntoToolResult`.
///
/// # Options
///
/// | option | meaning | if absent |
/// |---|---|---|
/// | `name = "MyTool"` | the name the model calls; 1 to 64 of `A-Z a-z 0-9 _ -`, not starting with a digit or `-` | the function's name in PascalCase |
/// | `label = "My tool"` | the name a person reads | the function's name as words |
/// | `description = EXPR` | what the model reads, any constant `&'static str` | the function's doc comment |
/// | `external` | the schema was written by somebody else, who also checks the arguments | internal |
/// | `platform = "web"` | offered in conversations of that platform only | offered in all |
/// | `inline` | never blocks: may run on the host's thread from the first call on | the host decides from what it measures |
/// | `spawn` | never runs on the host's thread | |
/// | `blocking` | a plain `fn` that blocks: always runs on a thread of its own | |
/// | `crate = path` | where the SDK is | `::elowen_sdk` |
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::attribute(options.into(), item.into()).into()
}

/// Makes a struct or an enum something the model can supply.
///
/// ```
/// # use elowen_macros::tool_type;
/// use elowen_sdk::prelude::*;
///
/// #[tool_type]
/// struct Find {
///     /// Glob, relative to the project.
///     pattern: String,
///     max_count: Option<u32>,
/// }
/// ```
///
/// It derives `Deserialize` and `JsonSchema` from the SDK's own serde and schemars, so a plugin needs neither in
/// its `Cargo.toml`. Fields and variants are offered in camelCase unless the type has a `rename_all` of its own. A
/// struct can be the `T` of `Params<T>`; both structs and enums can be arguments and fields. Further derives and
/// `#[serde(..)]` or `#[schemars(..)]` attributes are welcome. The only option is `crate = path`, as for
/// [`#[tool]`](macro@tool).
#[proc_macro_attribute]
pub fn tool_type(options: TokenStream, item: TokenStream) -> TokenStream {
    tool_type::attribute(options.into(), item.into()).into()
}

/// Makes a function the registration of this library's plugin, and exports the library's entry.
///
/// ```
/// # use elowen_macros::{plugin, tool};
/// use elowen_sdk::prelude::*;
/// # /// Does nothing.
/// # #[tool]
/// # fn my_tool() {}
///
/// #[plugin(tools(my_tool))]
/// fn register(ctx: &PluginContext) {
///     ctx.logger().info("registered");
/// }
/// ```
///
/// The function takes one `&PluginContext`, may be `async`, and returns nothing or a `Result<(), E>`. The tools
/// of the list are registered by default and named in the library's metadata, which a host reads without running
/// any of the plugin's code; the function may give them options and add tools that are not in the list.
///
/// Two listed tools with one name do not compile. A listed function that is not under `#[tool]` is reported by the
/// compiler as `expected type, found function`. A library has one plugin: with two, building it (not `cargo check`)
/// ends with ``symbol `elowen_plugin_entry` is already defined``.
///
/// # Options
///
/// | option | meaning | if absent |
/// |---|---|---|
/// | `tools(a, b::c)` | the tools, by the paths of their functions | none |
/// | `name = "my-plugin"` | the plugin's name, equal to its folder's | the package's name |
/// | `crate = path` | where the SDK is | `::elowen_sdk` |
#[proc_macro_attribute]
pub fn plugin(options: TokenStream, item: TokenStream) -> TokenStream {
    plugin::attribute(options.into(), item.into()).into()
}
