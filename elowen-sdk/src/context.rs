//! What `register` may do: read its configuration, log, and register tools.

use crate::plugin::Instance;
use crate::query::{self, QueryError};
use crate::tool::{Callable, DynamicTool, StaticTool};
use crate::{Tool, ToolDefinition, ToolFn, abi};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// Why `register` failed: any error or text.
pub type RegisterError = Box<dyn std::error::Error + Send + Sync>;

/// Handed to `register`. Nothing in it belongs to a turn: who is calling is asked for at each call.
pub struct PluginContext {
    pub(crate) instance: Arc<Instance>,
    pub(crate) tools: Mutex<Vec<Registered>>,
}

/// A tool with its options, in the order of registration.
pub(crate) struct Registered {
    pub(crate) definition: Result<ToolDefinition, crate::SchemaError>,
    pub(crate) name: String,
    pub(crate) options: ToolOptions,
    pub(crate) tool: Box<dyn Callable>,
}

impl PluginContext {
    /// Registers a tool that is known only at run time. The platform's rules may refuse it, with a warning in
    /// the host's log; the plugin goes on without it.
    ///
    /// Two registrations of one name need different scopes in their options.
    pub fn register_tool(&self, tool: impl Tool) -> &Self {
        self.register_tool_with(tool, ToolOptions::default())
    }

    /// The same, with options.
    pub fn register_tool_with(&self, tool: impl Tool, options: ToolOptions) -> &Self {
        let definition = tool.definition();
        let name = definition.name.clone();
        let tool = Box::new(DynamicTool(Arc::new(tool), name.clone()));
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).push(Registered {
            definition: Ok(definition),
            name: name.into_owned(),
            options,
            tool,
        });
        self
    }

    /// Registers a function under `#[tool]`, or changes the options of one that `#[plugin(tools(..))]` lists.
    pub fn register_fn<T: ToolFn>(&self, options: ToolOptions) -> &Self {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        match tools.iter_mut().find(|t| t.name == T::NAME) {
            Some(listed) => listed.options = listed.options.clone().or(options),
            None => tools.push(Registered::of::<T>(options)),
        }
        self
    }

    /// The plugin's log.
    pub fn logger(&self) -> Logger {
        Logger::of(self.instance.clone(), 0)
    }

    /// The plugin's own configuration, as the person who runs the host has set it, above the defaults of the
    /// manifest's `configSchema`.
    ///
    /// # Errors
    /// If it does not have the shape of `T`.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, QueryError> {
        let value = self.query("config", ())?;
        crate::arguments::read(&value.to_string(), false)
            .map_err(|problem| QueryError::Unfit(format!("its configuration does not fit: {problem}")))
    }

    /// A folder for what the plugin keeps, made if it was missing. Same for every version of the plugin.
    ///
    /// # Errors
    /// If the host could not make it.
    pub fn data_dir(&self) -> Result<PathBuf, QueryError> {
        self.query("dataDir", ()).and_then(path)
    }

    /// The folder the plugin was installed in, with its manifest. The library itself runs from a private copy.
    ///
    /// # Errors
    /// If the host does not say.
    pub fn plugin_dir(&self) -> Result<PathBuf, QueryError> {
        self.query("pluginDir", ()).and_then(path)
    }

    /// Asks the host a question by name and waits for the answer.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn query(&self, name: &str, request: impl Serialize) -> Result<Value, QueryError> {
        query::ask(self.instance.host(), 0, name, &request)?.wait()
    }

    /// Runs `hook` when the host shuts the plugin down, before its runtime stops. It may block for as long as
    /// the host gives the plugin, and not longer.
    pub fn on_shutdown(&self, hook: impl FnOnce() + Send + 'static) -> &Self {
        self.instance.on_shutdown(Box::new(hook));
        self
    }
}

impl Registered {
    pub(crate) fn of<T: ToolFn>(options: ToolOptions) -> Self {
        let mut listed = ToolOptions::new();
        if T::META.external {
            listed = listed.external(true);
        }
        if let Some(platform) = T::META.platform {
            listed = listed.platform(platform);
        }
        let (tool, definition) = StaticTool::<T>::new();
        Registered { definition, name: T::NAME.to_owned(), options: listed.or(options), tool: Box::new(tool) }
    }
}

impl fmt::Debug for PluginContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginContext").field("plugin", &self.instance.name()).finish_non_exhaustive()
    }
}

fn path(answer: Value) -> Result<PathBuf, QueryError> {
    match answer.get("path") {
        Some(Value::String(path)) => Ok(path.into()),
        _ => Err(QueryError::Invalid("the host's answer names no path".to_owned())),
    }
}

/// Scopes and flags of a registration (the platform's `PluginToolRegistrationOptions`). Without scopes a tool is
/// available instance-wide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOptions(Map<String, Value>);

impl ToolOptions {
    /// No options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only this account's sessions are offered the tool.
    #[must_use]
    pub fn owner_user_id(self, id: u64) -> Self {
        self.set("ownerUserId", id)
    }

    /// Only sessions in this project are offered the tool.
    #[must_use]
    pub fn project_id(self, id: u64) -> Self {
        self.set("projectId", id)
    }

    /// Only conversations from this platform are offered the tool.
    #[must_use]
    pub fn platform(self, platform: impl Into<String>) -> Self {
        self.set("platform", platform.into())
    }

    /// Marks a schema that was authored elsewhere; its author is then the validator of arguments.
    #[must_use]
    pub fn external(self, external: bool) -> Self {
        self.set("external", external)
    }

    /// Sets an option by the platform's name for it: for those that a newer host knows. The host checks every
    /// option (rule A2).
    #[must_use]
    pub fn set(mut self, option: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.insert(option.into(), value.into());
        self
    }

    /// `later` where it says something, else `self`.
    fn or(mut self, later: ToolOptions) -> Self {
        self.0.extend(later.0);
        self
    }

    pub(crate) fn to_json(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }
}

/// Writes to the host's log, under the plugin's name. `log` and `tracing` records get there as well.
#[derive(Clone)]
pub struct Logger {
    instance: Arc<Instance>,
    operation: u64,
}

impl Logger {
    pub(crate) fn of(instance: Arc<Instance>, operation: u64) -> Self {
        Logger { instance, operation }
    }

    fn write(&self, level: u32, message: &str) {
        let host = self.instance.host();
        if host.log_enabled(level) {
            host.log(level, self.operation, "", message, "");
        }
    }

    /// An error.
    pub fn error(&self, message: impl AsRef<str>) {
        self.write(abi::LOG_ERROR, message.as_ref());
    }

    /// A warning.
    pub fn warn(&self, message: impl AsRef<str>) {
        self.write(abi::LOG_WARN, message.as_ref());
    }

    /// Information.
    pub fn info(&self, message: impl AsRef<str>) {
        self.write(abi::LOG_INFO, message.as_ref());
    }

    /// For debugging.
    pub fn debug(&self, message: impl AsRef<str>) {
        self.write(abi::LOG_DEBUG, message.as_ref());
    }
}

impl fmt::Debug for Logger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Logger")
    }
}
