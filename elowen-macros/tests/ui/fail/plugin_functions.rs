#![allow(unused)]
use elowen_macros::plugin;
use elowen_sdk::PluginContext;

#[plugin]
struct NotAFunction;

#[plugin]
fn generic<T>(ctx: &PluginContext) {}

#[plugin]
fn nothing() {}

#[plugin]
fn more(ctx: &PluginContext, count: u8) {}

#[plugin]
fn owned(ctx: PluginContext) {}

#[plugin]
unsafe fn dangerous(ctx: &PluginContext) {}

struct Notes;
impl Notes {
    #[plugin]
    fn register(&self) {}
}

fn main() {}
