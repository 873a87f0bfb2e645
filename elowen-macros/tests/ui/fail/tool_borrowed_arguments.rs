#![allow(unused)]
use elowen_macros::tool;
use elowen_sdk::{Cx, Params};
use std::borrow::Cow;

/// Finds.
#[tool]
fn text(pattern: &str, list: &[String]) {}

/// Finds.
#[tool]
fn nested(pattern: Option<&str>, text: Cow<'_, str>) {}

/// Finds.
#[tool]
fn injected(cx: &mut Cx, other: &'static Cx) {}

/// Finds.
#[tool]
fn params(find: Params<Vec<&str>>) {}

fn main() {}
