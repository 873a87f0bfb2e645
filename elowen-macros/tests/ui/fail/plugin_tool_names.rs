// Two functions may not give the model two tools of one name.
#![allow(unused)]
use elowen_macros::{plugin, tool};
use elowen_sdk::PluginContext;

/// Finds.
#[tool]
fn find() {}

mod notes {
    /// Finds.
    #[elowen_macros::tool]
    pub fn find() {}

    /// Finds.
    #[elowen_macros::tool(name = "NoteFind")]
    pub fn find_one() {}
}

#[plugin(tools(find, notes::find_one, notes::find))]
fn register(_: &PluginContext) {}

fn main() {}
