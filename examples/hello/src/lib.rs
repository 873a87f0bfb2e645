//! One tool that returns its text: the whole of a plugin.
#![forbid(unsafe_code)]

use elowen_sdk::prelude::*;

/// Returns the supplied text.
#[tool]
async fn my_tool(
    /// Text to return.
    value: String,
) -> ToolResult {
    Ok(value.into())
}

#[plugin(tools(my_tool))]
fn register(ctx: &PluginContext) {
    ctx.logger().info("example tool registered");
}
