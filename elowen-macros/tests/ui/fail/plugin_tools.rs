#![allow(unused)]
use elowen_macros::plugin;
use elowen_sdk::PluginContext;

fn plain() {}
struct Plain;

#[plugin(tools(plain, Plain))]
fn register(_: &PluginContext) {}

fn main() {}
