//! The generated code uses nothing of the author's scope: no prelude, and every name it could take is another thing.
#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types, unused_imports, unused_macros)]

mod names {
    pub struct Option;
    pub struct Some;
    pub struct None;
    pub struct Result;
    pub struct Ok;
    pub struct Err;
    pub struct String;
    pub struct Box;
    pub struct Vec;
    pub struct Send;
    pub struct Sized;
    pub struct Future;
    pub struct Default;
    pub struct Into;
    pub struct From;
    pub struct ToolFn;
    pub struct ToolParams;
    pub struct Deserialize;
    pub struct JsonSchema;
    pub struct Args;
    pub mod core {}
    pub mod std {}
    pub mod alloc {}
    pub mod serde {}
    pub mod schemars {}
    pub mod elowen_sdk {}
    macro_rules! shadow {
        ($d:tt $($name:ident)*) => { $(
            macro_rules! $name { ($d($d t:tt)*) => { ::core::compile_error!("a macro of the author's was used") } }
            pub(crate) use $name;
        )* };
    }
    shadow!($ concat env vec format panic unreachable assert matches write stringify);
}
use names::*;

/// Returns the supplied text.
#[::elowen_macros::tool(platform = "web")]
async fn my_tool(
    /// Text to return.
    value: ::std::string::String,
    list: ::std::vec::Vec<::core::option::Option<u8>>,
    cx: &::elowen_sdk::Cx,
) -> ::elowen_sdk::ToolResult {
    let _ = (list, cx);
    ::elowen_sdk::text(value)
}

#[::elowen_macros::tool_type]
struct Find {
    /// Glob.
    pattern: ::std::string::String,
    #[schemars(range(min = 1))]
    max_count: ::core::option::Option<u32>,
    kind: Kind,
}

#[::elowen_macros::tool_type]
struct Page<T> {
    items: ::std::vec::Vec<T>,
}

#[::elowen_macros::tool_type]
enum Kind {
    /// A file.
    File,
    Folder { depth: u8 },
    Pair(u8, u8),
}

/// Finds.
#[::elowen_macros::tool]
fn find(find: ::elowen_sdk::Params<Find>) {
    let _ = find;
}

#[::elowen_macros::plugin(tools(my_tool, find))]
fn register(ctx: &::elowen_sdk::PluginContext) -> ::core::result::Result<(), ::std::string::String> {
    let _ = ctx;
    ::core::result::Result::Ok(())
}

fn main() {}
