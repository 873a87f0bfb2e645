//! The two kinds of tool: [`ToolFn`], which `#[tool]` implements, and [`Tool`] for what is known only at run time.

use crate::call::{Cx, State};
use crate::{Output, SchemaError, ToolParams, ToolResult};
use serde_json::{Value, json};
use std::{borrow::Cow, future::Future, pin::Pin, sync::Arc};

/// A function under `#[tool]`. Not implemented by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function under `#[tool]`",
    label = "put `#[tool]` on this function",
    note = "a type that implements `Tool` is registered with `ctx.register_tool(value)`"
)]
pub trait ToolFn: 'static {
    /// The name the model calls.
    const NAME: &'static str;
    /// The rest of the definition.
    const META: ToolMeta;
    /// What the model supplies.
    type Params: ToolParams;
    /// Runs it.
    fn call(params: Self::Params, cx: Cx) -> impl Future<Output = ToolResult> + Send + 'static;
}

/// The constant part of a tool's definition.
#[derive(Clone, Copy, Debug)]
pub struct ToolMeta {
    /// For people.
    pub label: &'static str,
    /// For the model.
    pub description: &'static str,
    /// Where it runs.
    pub run: Run,
    /// What its body is.
    pub body: Body,
    /// Whether its schema is authored elsewhere.
    pub external: bool,
    /// The one platform whose conversations are offered it, or all.
    pub platform: Option<&'static str>,
}

/// Where a tool's body runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Run {
    /// The host decides from what it measures.
    #[default]
    Auto,
    /// On the host's thread until it first waits: for bodies that never block.
    Inline,
    /// Never on the host's thread.
    Spawn,
}

impl Run {
    pub(crate) fn to_abi(self) -> u32 {
        match self {
            Run::Auto => crate::abi::RUN_AUTO,
            Run::Inline => crate::abi::RUN_INLINE,
            Run::Spawn => crate::abi::RUN_NEVER_INLINE,
        }
    }
}

/// Whether a tool's body may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// An `async fn`, spawned on the plugin's runtime.
    Async,
    /// A plain `fn`, run on a thread that may block.
    Sync,
}

/// A tool whose definition is known only at run time. Hand it to
/// [`PluginContext::register_tool`](crate::PluginContext::register_tool). (A function under `#[tool]` is no such
/// value: it is listed in `#[plugin(tools(..))]`, or registered with
/// [`PluginContext::register_fn`](crate::PluginContext::register_fn).)
///
/// The attribute [`#[async_trait]`](macro@crate::async_trait) belongs on the `impl`; without it the compiler says
/// that `call` and the trait have different lifetime parameters (E0195).
///
/// ```
/// use elowen_sdk::prelude::*;
/// use elowen_sdk::serde_json::{Value, json};
///
/// struct Remote { name: String }
///
/// #[async_trait]
/// impl Tool for Remote {
///     fn definition(&self) -> ToolDefinition {
///         ToolDefinition::new(&self.name, "Calls the remote of that name.")
///             .parameters(json!({"type": "object", "properties": {}}))
///     }
///
///     async fn call(&self, arguments: Value, _cx: &Cx) -> ToolResult {
///         text(format!("{} got {arguments}", self.name))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `Tool`",
    label = "not a tool that is made at run time",
    note = "a function under `#[tool]` is listed in `#[plugin(tools(name))]` or registered with `ctx.register_fn::<name>(ToolOptions::new())`; a type of your own implements `Tool` in an `impl` under `#[async_trait]`"
)]
#[async_trait::async_trait]
pub trait Tool: Send + Sync + 'static {
    /// Its definition; asked once, at registration.
    fn definition(&self) -> ToolDefinition;

    /// Runs it. `arguments` is an object, checked by the host unless the tool is external.
    async fn call(&self, arguments: Value, cx: &Cx) -> ToolResult;
}

/// The definition of a [`Tool`].
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    pub(crate) name: Cow<'static, str>,
    pub(crate) label: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) parameters: Value,
    pub(crate) run: Run,
}

impl ToolDefinition {
    /// A tool without parameters, labelled with its name.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let name = name.into();
        ToolDefinition {
            label: name.clone().into(),
            name: name.into(),
            description: description.into().into(),
            parameters: json!({"type": "object", "properties": {}}),
            run: Run::Auto,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the label that people see.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into().into();
        self
    }

    /// Sets the JSON Schema of the arguments.
    #[must_use]
    pub fn parameters(mut self, schema: Value) -> Self {
        self.parameters = schema;
        self
    }

    /// Sets where it runs.
    #[must_use]
    pub fn run(mut self, run: Run) -> Self {
        self.run = run;
        self
    }

    pub(crate) fn to_json(&self) -> String {
        json!({"name": self.name, "label": self.label, "description": self.description, "parameters": self.parameters})
            .to_string()
    }
}

pub(crate) type BoxBody = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// A registered tool of either kind, as the trampoline runs it.
pub(crate) trait Callable: Send + Sync {
    fn body(&self) -> Body;
    /// Reads the arguments and makes the body; the bytes are not needed afterwards.
    fn start(&self, arguments: &str, state: &Arc<State>) -> Result<BoxBody, ToolResult>;
}

pub(crate) struct StaticTool<T> {
    holds_f32: bool,
    function: std::marker::PhantomData<fn() -> T>,
}

impl<T: ToolFn> StaticTool<T> {
    /// The tool and its definition.
    pub(crate) fn new() -> (Self, Result<ToolDefinition, SchemaError>) {
        let described = crate::schema::described::<T::Params>();
        let definition = described.schema.map(|parameters| ToolDefinition {
            name: T::NAME.into(),
            label: T::META.label.into(),
            description: T::META.description.trim().into(),
            parameters,
            run: T::META.run,
        });
        (StaticTool { holds_f32: described.holds_f32, function: std::marker::PhantomData }, definition)
    }
}

impl<T: ToolFn> Callable for StaticTool<T> {
    fn body(&self) -> Body {
        T::META.body
    }

    fn start(&self, arguments: &str, state: &Arc<State>) -> Result<BoxBody, ToolResult> {
        let params = crate::arguments::read(arguments, self.holds_f32)
            .map_err(|line| bad_arguments(T::NAME, &line))?;
        Ok(Box::pin(T::call(params, Cx::new(state.clone()))))
    }
}

pub(crate) struct DynamicTool<T: ?Sized>(pub(crate) Arc<T>, pub(crate) Cow<'static, str>);

impl<T: Tool + ?Sized> Callable for DynamicTool<T> {
    fn body(&self) -> Body {
        Body::Async
    }

    fn start(&self, arguments: &str, state: &Arc<State>) -> Result<BoxBody, ToolResult> {
        let arguments =
            crate::arguments::read(arguments, false).map_err(|line| bad_arguments(&self.1, &line))?;
        let (tool, cx) = (self.0.clone(), Cx::new(state.clone()));
        Ok(Box::pin(async move { tool.call(arguments, &cx).await }))
    }
}

/// The last line behind the host's own check, in the same form (rule A11: an answer, not an error).
#[cold]
fn bad_arguments(tool: &str, line: &str) -> ToolResult {
    let text = format!("{tool} was not run. Fix these arguments and call it again:\n- {line}");
    Ok(Output::text(text).details(json!({"ok": false, "error": {"kind": "invalid_arguments"}})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_arguments_are_an_answer_in_the_form_of_the_hosts_own_check() {
        let output = bad_arguments("Find", "a.b: missing").expect("an answer, not an error");
        let text = "Find was not run. Fix these arguments and call it again:\n- a.b: missing";
        assert_eq!(
            output,
            Output::text(text).details(json!({"ok": false, "error": {"kind": "invalid_arguments"}}))
        );
    }
}
