// What the host injects is lent; a type of one's own may have the same name.
#![allow(unused)]
use elowen_macros::{tool, tool_type};
use elowen_sdk::Cx;

/// Finds.
#[tool]
fn context(cx: Cx) {}

/// Finds.
#[tool]
fn paths(cancel: elowen_sdk::Cancel, updates: elowen_sdk::Updates) {}

mod own {
    #[elowen_macros::tool_type]
    pub struct Updates {
        count: u8,
    }
}

/// Finds.
#[tool]
fn of_my_own(updates: own::Updates) {}

fn main() {}
