//! Write plugins for the Elowen AI agent platform in Rust.
//!
//! A plugin registers tools that a language model calls. Write an async function, document it, and put
//! [`#[tool]`](macro@tool) on it; list it in [`#[plugin]`](macro@plugin). The crate builds as a `cdylib`, and
//! any Elowen host loads it, whichever compiler and dependency versions built either side.
//!
#![cfg_attr(feature = "plugin", doc = "```standalone_crate")]
#![cfg_attr(not(feature = "plugin"), doc = "```ignore")]
//! use elowen_sdk::prelude::*;
//!
//! /// Returns the supplied text.
//! #[tool]
//! async fn my_tool(
//!     /// Text to return.
//!     value: String,
//! ) -> ToolResult {
//!     Ok(value.into())
//! }
//!
//! #[plugin(tools(my_tool))]
//! fn register(ctx: &PluginContext) -> Result<(), RegisterError> {
//!     ctx.logger().info("example tool registered");
//!     Ok(())
//! }
//! # fn main() {}
//! ```
//!
//! - What a tool takes: [`Params`], [`tool_type`](macro@tool_type), and by reference what the host injects: [`Cx`], [`Cancel`], [`Updates`].
//! - What it returns: [`ToolResult`], [`Output`], [`Content`], [`Json`].
//! - How it fails: [`ToolError`].
//! - What `register` may do: [`PluginContext`].
//! - Tools whose schema is known only at run time: [`Tool`].
//! - The border itself: [`abi`].
#![cfg_attr(not(feature = "plugin"), no_std)]

#[cfg(feature = "plugin")]
extern crate self as elowen_sdk;

pub mod abi;

#[cfg(feature = "plugin")]
mod arguments;
#[cfg(feature = "plugin")]
mod call;
#[cfg(feature = "plugin")]
mod context;
#[cfg(feature = "plugin")]
mod error;
#[cfg(feature = "plugin")]
mod log_bridge;
#[cfg(feature = "plugin")]
mod params;
#[cfg(feature = "plugin")]
mod plugin;
#[cfg(feature = "plugin")]
#[doc(hidden)]
pub mod private;
#[cfg(feature = "plugin")]
mod query;
#[cfg(feature = "plugin")]
mod result;
#[cfg(feature = "plugin")]
mod runtime;
#[cfg(feature = "plugin")]
pub mod schema;
#[cfg(feature = "plugin")]
mod scope;
#[cfg(feature = "plugin")]
mod task;
#[cfg(feature = "plugin")]
mod tool;

#[cfg(feature = "plugin")]
pub use self::exports::*;
#[cfg(feature = "plugin")]
#[doc(hidden)]
pub use self::private as __private;

#[cfg(feature = "plugin")]
mod exports {
    pub use crate::call::{Cancel, Cx, Updates};
    pub use crate::context::{Logger, PluginContext, RegisterError, ToolOptions};
    pub use crate::error::{
        Classify, ResultExt, ToolError, ToolErrorKind, TransportFailure, is_transport_failure,
        mark_transport_failure,
    };
    pub use crate::params::{Inject, Params, ToolArg, ToolParams};
    pub use crate::query::QueryError;
    pub use crate::result::{Content, IntoOutput, IntoToolResult, Json, Output, ToolResult, text};
    pub use crate::schema::SchemaError;
    pub use crate::tool::{Body, Run, Tool, ToolDefinition, ToolFn, ToolMeta};
    pub use async_trait::async_trait;
    pub use elowen_macros::{plugin, tool, tool_type};

    pub use serde_json;
}

/// What a plugin usually imports.
#[cfg(feature = "plugin")]
pub mod prelude {
    pub use crate::exports::{
        Cancel, Content, Cx, Json, Output, Params, PluginContext, RegisterError, ResultExt, Tool,
        ToolDefinition, ToolError, ToolOptions, ToolResult, Updates, async_trait, plugin, text, tool,
        tool_type,
    };
}
