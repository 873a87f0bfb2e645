#![allow(unused)]
use elowen_macros::tool;
use elowen_sdk::Cx;

/// Finds.
#[tool]
fn generic<T>(a: T) {}

/// Finds.
#[tool]
fn lifetime<'a>(cx: &'a Cx) {}

/// Finds.
#[tool]
fn bounded() where String: Clone {}

/// Finds.
#[tool]
fn opaque(a: impl ToString, b: &impl ToString, c: Vec<impl ToString>) {}

/// Finds.
#[tool]
const fn constant() {}

/// Finds.
#[tool]
unsafe fn dangerous() {}

/// Finds.
#[tool]
extern "C" fn foreign() {}

struct Notes;
impl Notes {
    /// Adds.
    #[tool]
    fn add(&self, text: String) {}
}

fn main() {}
