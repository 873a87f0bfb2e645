#![allow(unused)]
use elowen_macros::tool;

/// Finds.
#[tool]
pub struct Find {
    pattern: String,
}

trait Finder {
    #[tool]
    fn find();
}

fn main() {
    let _ = Find { pattern: String::new() };
}
