#![allow(unused)]
use elowen_macros::tool;

/// Finds.
#[tool]
fn text(a: str, b: [u8]) {}

fn main() {}
