#![allow(unused)]
use elowen_macros::tool;

#[tool]
fn undocumented() {}

///
#[tool]
fn empty() {}

#[tool(description = "")]
/// The option wins.
fn blank() {}

#[tool(description = 3)]
fn number() {}

fn main() {}
