#![allow(unused)]
use elowen_macros::plugin;

#[plugin]
fn register(ctx: &u32) -> u32 {
    3
}

fn main() {}
