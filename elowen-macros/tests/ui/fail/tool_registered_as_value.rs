// `register_tool` is for tools made at run time, `register_fn` for functions.
#![allow(unused)]
use elowen_sdk::prelude::*;

/// Finds.
#[tool]
fn find() {}

struct Remote;

#[async_trait]
impl Tool for Remote {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition::new("Remote", "Calls.")
    }
    async fn call(&self, _: elowen_sdk::serde_json::Value, _: &Cx) -> ToolResult {
        text("")
    }
}

#[plugin]
fn register(ctx: &PluginContext) {
    ctx.register_tool(find);
    ctx.register_tool(find {});
    ctx.register_fn::<Remote>(ToolOptions::new());
    ctx.register_fn::<find>(ToolOptions::new());
}

fn main() {}
