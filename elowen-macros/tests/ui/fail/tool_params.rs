#![allow(unused)]
use elowen_macros::{tool, tool_type};
use elowen_sdk::Params;

#[tool_type]
struct Find {
    pattern: String,
}

#[tool_type]
enum Kind {
    File,
}

type Alias = Params<Find>;

/// Finds.
#[tool]
fn mixed(Params(find): Params<Find>, more: u8) {}

/// Finds.
#[tool]
fn two(a: Params<Find>, b: Params<Find>) {}

/// Finds.
#[tool]
fn number(a: Params<u32>) {}

/// Finds.
#[tool]
fn choice(a: Params<Kind>) {}

/// Finds.
#[tool]
fn alias(a: Alias) {}

/// Finds.
#[tool]
fn unpacked_alias(Params(a): Alias) {}

/// Finds.
#[tool]
fn decorated(#[serde(default)] a: Params<Find>, #[schemars(range(min = 1))] cx: &elowen_sdk::Cx) {}

fn main() {}
