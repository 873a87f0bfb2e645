// Every mistake is reported, once, and the plugin that lists the tool says nothing more about it.
#![allow(unused)]
use elowen_macros::{plugin, tool};
use elowen_sdk::PluginContext;

#[tool(name = "a b", nmae = "c")]
async fn find(pattern: &str, (a, b): (u8, u8), _reason: String) -> u8 {
    a + b
}

#[plugin(tools(find))]
fn register(_: &PluginContext) {}

fn main() {
    let _ = find("", (1, 2), String::new());
}
