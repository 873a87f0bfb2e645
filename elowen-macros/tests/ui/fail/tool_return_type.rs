#![allow(unused)]
use elowen_macros::tool;

/// Counts.
#[tool]
fn count() -> u32 {
    3
}

struct Error;

/// Counts.
#[tool]
async fn fallible() -> Result<String, Error> {
    Err(Error)
}

fn main() {}
