//! The SDK behind another path.

mod vendor {
    pub use elowen_sdk as sdk;
}
use elowen_macros::{plugin, tool, tool_type};

/// Finds.
#[tool(crate = crate::vendor::sdk)]
async fn find(Params(find): Params<Find>) -> String {
    find.pattern
}
use vendor::sdk::Params;

/// Adds.
#[tool(crate = vendor::sdk)]
fn add(a: u8, b: u8) -> String {
    (a + b).to_string()
}

#[tool_type(crate = vendor::sdk)]
struct Find {
    pattern: String,
}

#[plugin(tools(find, add), crate = vendor::sdk)]
fn register(_: &vendor::sdk::PluginContext) {}

fn main() {}
