#![allow(unused)]
use elowen_macros::tool_type;

#[tool_type]
struct Pair(u8, u8);

#[tool_type]
struct Nothing;

#[tool_type]
union Both {
    a: u8,
    b: i8,
}

#[tool_type]
fn find() {}

#[tool_type(rename_all = "snake_case")]
struct Options {
    a: u8,
}

#[tool_type]
struct Keys {
    _reason: String,
    #[serde(rename = "a b")]
    a: u8,
}

struct Foreign;

#[tool_type]
struct Fields {
    foreign: Foreign,
}

fn main() {}
