#![allow(unused)]
use elowen_macros::plugin;
use elowen_sdk::PluginContext;

#[plugin(tools("find"))]
fn register(_: &PluginContext) {}

fn main() {}
