// The compiler's own words; the documentation of `Tool` says what they mean.
#![allow(unused)]
use elowen_sdk::prelude::*;

struct Remote;

impl Tool for Remote {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition::new("Remote", "Calls.")
    }
    async fn call(&self, _: elowen_sdk::serde_json::Value, _: &Cx) -> ToolResult {
        text("")
    }
}

fn main() {}
