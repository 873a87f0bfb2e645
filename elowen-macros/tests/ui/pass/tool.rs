//! The forms a tool may take.

use elowen_macros::{tool, tool_type};
use elowen_sdk::prelude::*;
use std::collections::BTreeMap;

/// Returns the supplied text.
#[tool]
async fn my_tool(
    /// Text to return.
    value: String,
    cx: &Cx,
) -> ToolResult {
    let _ = cx;
    Ok(value.into())
}

/// Adds.
#[tool(name = "Sum", label = "Sum up", external, platform = "web", inline)]
pub fn add(mut a: i64, #[serde(default)] b: Option<i64>, _note: String) -> String {
    a += b.unwrap_or(0);
    a.to_string()
}

const SEARCH: &str = "Searches.";

#[tool(description = SEARCH, spawn)]
pub(crate) async fn search(cancel: &Cancel, #[schemars(range(min = 1))] max_count: u32, updates: &Updates) {
    let _ = (cancel, max_count, updates);
}

#[doc = concat!("Hashes", ".")]
#[tool(blocking)]
#[allow(dead_code)]
/// Slowly.
fn hash(#[allow(unused_variables)] r#type: Vec<u8>, by_name: BTreeMap<String, f64>) -> Result<(), std::io::Error> {
    let _ = by_name;
    Ok(())
}

/// What to find.
#[tool_type]
#[derive(Debug)]
pub struct Find {
    /// Glob, relative to the project.
    pattern: String,
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 200))]
    max_count: u32,
    kind: Option<Kind>,
}

fn fifty() -> u32 {
    50
}

#[tool_type]
#[derive(Clone, Copy, Debug)]
enum Kind {
    File,
    Folder { depth_limit: u8 },
}

#[tool_type]
#[allow(dead_code)]
#[serde(tag = "kind")]
enum Tree {
    Leaf,
    Node {
        children: Vec<Self>,
        #[serde(skip)]
        cache: Option<std::sync::mpsc::SyncSender<u8>>,
        #[cfg(not(all()))]
        elsewhere: NoSuchType,
    },
}

#[tool_type]
#[cfg(not(all()))]
struct Elsewhere {
    value: NoSuchType,
}

/// Plants.
#[tool]
fn plant(tree: Tree) {
    let _ = tree;
}

#[tool_type]
struct Page<T> {
    items: Vec<T>,
}

/// Finds files.
#[tool]
async fn find(Params(find): Params<Find>, _: &Cx) -> ToolResult<String> {
    Ok(format!("{find:?} {}", find.pattern.len() as u32 + find.max_count))
}

/// Takes a page.
#[tool]
fn page(p: elowen_sdk::Params<Page<Kind>>) -> impl elowen_sdk::IntoToolResult {
    format!("{:?}", p.0.items)
}

/// Takes nothing.
#[tool]
fn nothing() {}

/// Only elsewhere.
#[tool]
#[cfg(not(all()))]
fn elsewhere(value: NoSuchType) {}

macro_rules! text_tool {
    ($vis:vis $name:ident, $ty:ty, $reference:ty, $label:literal) => {
        /// Made by a macro.
        #[tool(label = $label)]
        $vis fn $name(value: $ty, cx: $reference) -> $ty {
            let _ = cx;
            value
        }
    };
}
text_tool!(pub made, String, &Cx, "Made");

mod inner {
    /// Names of the generated code as tools.
    #[super::tool]
    pub(super) async fn send(params: String, cx: bool) -> String {
        format!("{params}{cx}")
    }
    /// Another.
    #[super::tool]
    pub(super) fn call(call: u8) {
        let _ = call;
    }
    /// And `arg`.
    #[super::tool]
    pub(super) async fn arg(__send: u8, returned: u8) {
        let _ = (__send, returned);
    }
}

fn listed<T: elowen_sdk::ToolFn>() -> &'static str {
    T::NAME
}

fn main() {
    fn local() -> &'static str {
        /// Inside a function.
        #[tool]
        fn inside() {}
        inside();
        listed::<inside>()
    }
    let names = [
        listed::<my_tool>(),
        listed::<add>(),
        listed::<search>(),
        listed::<hash>(),
        listed::<find>(),
        listed::<page>(),
        listed::<plant>(),
        listed::<nothing>(),
        listed::<made>(),
        listed::<inner::send>(),
        listed::<inner::call>(),
        listed::<inner::arg>(),
        local(),
    ];
    let expected = [
        "MyTool", "Sum", "Search", "Hash", "Find", "Page", "Plant", "Nothing", "Made", "Send", "Call", "Arg", "Inside",
    ];
    assert_eq!(names, expected);
    assert_eq!(add(1, Some(2), String::new()), "3");
}
