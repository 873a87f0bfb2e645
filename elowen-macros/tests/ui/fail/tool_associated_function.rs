// Without `self` the macro cannot tell it from a free function; the compiler refuses the struct beside it.
#![allow(unused)]
use elowen_macros::tool;

struct Notes;
impl Notes {
    /// Adds.
    #[tool]
    fn add(text: String) {}
}

fn main() {}
