#![allow(unused)]
use elowen_macros::tool;
use std::rc::Rc;

/// Waits.
#[tool]
async fn wait(text: String) -> String {
    let shared = Rc::new(text);
    std::future::ready(()).await;
    shared.to_string()
}

fn main() {}
