//! A whole plugin.
#![forbid(unsafe_code)]

use elowen_macros::{plugin, tool};
use elowen_sdk::prelude::*;

mod notes {
    /// Adds a note.
    #[elowen_macros::tool]
    pub async fn add(text: String) -> String {
        text
    }
}

/// Says hello.
#[tool]
fn hello(name: String) -> String {
    format!("Hello, {name}!")
}

#[plugin(tools(hello, notes::add), name = "greeter")]
async fn register(ctx: &PluginContext) -> Result<(), String> {
    ctx.logger().info("registered");
    Ok(())
}

fn main() {}
