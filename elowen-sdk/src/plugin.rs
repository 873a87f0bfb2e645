//! A loaded plugin: what generated code exports, and the instance behind one entry.
//!
//! Everything an instance has hangs off it and nothing off statics, so one library can be entered many times.

use crate::call::State;
use crate::context::{PluginContext, RegisterError, Registered, ToolOptions};
use crate::private::host::Host;
use crate::runtime::LazyRuntime;
use crate::tool::{Body, BoxBody, Callable};
use crate::{Output, ToolError, ToolFn, abi};
use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

/// What `#[plugin]` implements.
pub trait PluginFn: 'static {
    /// What the author's `register` is.
    const BODY: Body;
    /// Lists the static tools.
    fn tools(tools: &mut Tools);
    /// Runs the author's `register`.
    fn register(ctx: &PluginContext) -> impl Future<Output = Result<(), RegisterError>> + Send;
}

/// The tools that `#[plugin(tools(..))]` lists.
#[allow(missing_debug_implementations)]
pub struct Tools(Vec<Registered>);

impl Tools {
    /// Lists one.
    pub fn add<T: ToolFn>(&mut self) {
        self.0.push(Registered::of::<T>(ToolOptions::default()));
    }
}

/// What an author's `register` may return: nothing, or a `Result` whose error is an error or a text.
#[diagnostic::on_unimplemented(
    message = "`register` cannot return `{Self}`",
    label = "not what `register` returns",
    note = "return nothing, or `Result<(), E>` where `E` is an error, `String` or `&str`"
)]
pub trait IntoRegistered {
    /// Converts.
    ///
    /// # Errors
    /// Whatever `register` failed with.
    fn into_registered(self) -> Result<(), RegisterError>;
}

impl IntoRegistered for () {
    fn into_registered(self) -> Result<(), RegisterError> {
        Ok(())
    }
}

impl<E: Into<RegisterError>> IntoRegistered for Result<(), E> {
    fn into_registered(self) -> Result<(), RegisterError> {
        self.map_err(Into::into)
    }
}

type Registering<'a> = Pin<Box<dyn Future<Output = Result<(), RegisterError>> + Send + 'a>>;
type Hook = Box<dyn FnOnce() + Send>;

pub(crate) struct Instance {
    host: Host,
    name: String,
    runtime: LazyRuntime,
    tools: OnceLock<Vec<Box<dyn Callable>>>,
    hooks: Mutex<Vec<Hook>>,
    list: fn(&mut Tools),
    register_body: Body,
    register: for<'a> fn(&'a PluginContext) -> Registering<'a>,
}

impl Instance {
    pub(crate) fn new<P: PluginFn>(host: Host, blob: &[u8]) -> Arc<Self> {
        Arc::new(Instance {
            host,
            name: name_in(blob).unwrap_or_else(|| "plugin".to_owned()),
            runtime: LazyRuntime::new(),
            tools: OnceLock::new(),
            hooks: Mutex::new(Vec::new()),
            list: P::tools,
            register_body: P::BODY,
            register: |ctx| Box::pin(P::register(ctx)),
        })
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What the author's `register` is.
    pub(crate) fn register_body(&self) -> Body {
        self.register_body
    }

    pub(crate) fn runtime(&self) -> &LazyRuntime {
        &self.runtime
    }

    /// A registered tool by the number the host was given for it.
    pub(crate) fn tool(&self, number: u64) -> Option<&dyn Callable> {
        let tool = self.tools.get()?.get(usize::try_from(number).ok()?)?;
        Some(&**tool)
    }

    pub(crate) fn on_shutdown(&self, hook: Hook) {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner).push(hook);
    }

    /// The author's `register`, then the host's for each tool.
    pub(crate) fn registration(state: &Arc<State>) -> BoxBody {
        let state = state.clone();
        Box::pin(async move {
            let mut tools = Tools(Vec::new());
            (state.instance.list)(&mut tools);
            let ctx = PluginContext { instance: state.instance.clone(), tools: Mutex::new(tools.0) };
            if let Err(error) = (state.instance.register)(&ctx).await {
                return Err(ToolError::fault(error));
            }
            let tools = ctx.tools.into_inner().unwrap_or_else(PoisonError::into_inner);
            state.instance.hand_over(state.operation, tools);
            Ok(Output::default())
        })
    }

    fn hand_over(&self, operation: u64, tools: Vec<Registered>) {
        let mut accepted: Vec<Box<dyn Callable>> = Vec::with_capacity(tools.len());
        for tool in tools {
            let definition = match &tool.definition {
                Ok(definition) => definition,
                Err(error) => {
                    let text = format!("registerTool('{}') refused: {error}", tool.name);
                    self.host.log(abi::LOG_WARN, operation, "", &text, "");
                    continue;
                }
            };
            let number = accepted.len() as u64;
            let run = definition.run.to_abi();
            let status = self.host.register_tool(
                operation,
                number,
                run,
                &definition.to_json(),
                &tool.options.to_json(),
            );
            if status == abi::OK {
                accepted.push(tool.tool);
            }
        }
        let _ = self.tools.set(accepted);
    }

    /// Runs the hooks, then stops the runtime. True if that took less than `timeout`.
    pub(crate) fn shutdown(&self, timeout: Duration) -> bool {
        let begun = Instant::now();
        let hooks = std::mem::take(&mut *self.hooks.lock().unwrap_or_else(PoisonError::into_inner));
        for hook in hooks {
            crate::private::trampoline::guarded("a shutdown hook", hook);
        }
        self.runtime.stop(timeout.saturating_sub(begun.elapsed()));
        begun.elapsed() < timeout
    }
}

fn name_in(blob: &[u8]) -> Option<String> {
    let json: serde_json::Value = serde_json::from_slice(blob.get(abi::BLOB_HEADER_LEN..)?).ok()?;
    Some(json.get("plugin")?.get("name")?.as_str()?.to_owned())
}

mod blob;
mod names;
pub use blob::{BlobFields, blob, blob_len};
pub use names::Names;
