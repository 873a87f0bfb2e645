#![allow(unused)]
use elowen_macros::tool;

/// Finds.
#[tool]
fn unnamed(_: u8, (a, b): (u8, u8)) {}

/// Finds.
#[tool]
fn reserved(_reason: String, #[serde(rename = "_reason")] why: String, reason: String) {}

/// Finds.
#[tool]
fn twice(max_count: u8, maxCount: u8, #[serde(rename = "maxCount")] third: u8) {}

/// Finds.
#[tool]
fn portable(größe: u8, #[serde(rename = "a b")] a: u8) {}

/// Finds.
#[tool]
fn conditional(#[cfg(unix)] a: u8, #[cfg_attr(unix, serde(default))] b: u8) {}

fn main() {}
