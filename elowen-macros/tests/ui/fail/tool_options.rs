#![allow(unused)]
use elowen_macros::tool;

/// Finds.
#[tool(nmae = "Find", read_only)]
fn unknown() {}

/// Finds.
#[tool(name = "A", label = "L", name = "B", external, external)]
fn duplicate() {}

/// Finds.
#[tool(name, label = 3, external = true, platform = "", crate = "sdk")]
fn kinds() {}

/// Finds.
#[tool(inline, blocking, spawn)]
fn modes() {}

/// Finds.
#[tool(blocking)]
async fn asynchronous() {}

/// Finds.
#[tool(name: "Find")]
fn syntax() {}

fn main() {}
