//! A registration may return nothing and list nothing.

use elowen_macros::plugin;
use elowen_sdk::PluginContext;

#[plugin]
fn register(_: &PluginContext) {}

fn main() {}
