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

#[cfg(test)]
mod tests {
    #[test]
    fn it_returns_its_text() {
        let output = pollster::block_on(super::my_tool("hello".to_owned()));
        assert_eq!(output.unwrap(), "hello".into());
    }
}
