#![allow(unused)]
use elowen_macros::{plugin, tool};
use elowen_sdk::PluginContext;

mod notes {
    /// Adds.
    #[elowen_macros::tool]
    pub fn add() {}
}

/// Finds.
#[tool]
fn find() {}

#[plugin(tools(find, notes::add, find, notes::add), tool(find), name = "", name = "n")]
fn register(_: &PluginContext) {}

#[plugin(tools = [find])]
fn list(_: &PluginContext) {}

fn main() {}
