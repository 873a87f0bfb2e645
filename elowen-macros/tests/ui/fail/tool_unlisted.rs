// A tool that nothing registers is reported as any other unused function is.
#![deny(dead_code)]
use elowen_macros::tool;

/// Finds.
#[tool]
fn find() {}

fn main() {}
