//! What a tool function can take: values the model supplies, and references the host injects.

use crate::call::{Cancel, Cx, Updates};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// A whole parameter struct, supplied by the model: `async fn find(Params(f): Params<Find>) -> ToolResult`.
#[derive(Clone, Copy, Debug)]
pub struct Params<T>(pub T);

/// Structs that are a tool's parameters. `#[tool_type]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter struct",
    label = "the model supplies one object of named parameters",
    note = "put `#[tool_type]` on the struct, or take the values as loose arguments of the function",
    note = "an enum cannot be all of a tool's parameters, because model providers refuse a choice at the root: make it a field of a `#[tool_type]` struct, or a loose argument"
)]
pub trait ToolParams: DeserializeOwned + JsonSchema + Send + 'static {}

/// Types of one argument. Everything that has a schema and can be read from JSON.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool argument",
    label = "the model cannot supply this type",
    note = "put `#[tool_type]` on `{Self}`; take a whole parameter struct as `Params<T>`; take what the host injects by reference (`&Cx`, `&Cancel`, `&Updates`)"
)]
pub trait ToolArg: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArg for T {}

/// Types that a tool function can take by reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected into a tool",
    label = "not something the host injects",
    note = "by reference a tool takes `&Cx`, `&Cancel` or `&Updates`; what the model supplies is taken by value"
)]
pub trait Inject {
    /// Finds it in the call's context.
    fn inject(cx: &Cx) -> &Self;
}

impl Inject for Cx {
    fn inject(cx: &Cx) -> &Self {
        cx
    }
}

impl Inject for Cancel {
    fn inject(cx: &Cx) -> &Self {
        cx.cancel()
    }
}

impl Inject for Updates {
    fn inject(cx: &Cx) -> &Self {
        cx.updates()
    }
}
