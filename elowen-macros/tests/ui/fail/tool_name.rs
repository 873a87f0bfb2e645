#![allow(unused)]
use elowen_macros::tool;

/// Finds.
#[tool(name = "my tool")]
fn find() {}

/// Measures.
#[tool]
fn größe() {}

/// Counts.
#[tool(name = "_2nd-Tool")]
fn fine() {}

fn main() {}
