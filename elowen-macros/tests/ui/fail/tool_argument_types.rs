#![allow(unused)]
use elowen_macros::tool;

struct Foreign;
struct Db;

/// Finds.
#[tool]
fn loose(text: String, foreign: Foreign) {}

/// Finds.
#[tool]
fn injected(db: &Db, text: &String) {}

fn main() {}
