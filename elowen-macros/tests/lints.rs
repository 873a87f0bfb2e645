//! Generated code keeps the strictest promises an author's crate can make: compile and lint this file.
#![forbid(unsafe_code)]
#![deny(
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    unused,
    unused_qualifications,
    nonstandard_style,
    rust_2018_idioms,
    single_use_lifetimes,
    trivial_casts,
    unused_results,
    clippy::pedantic,
    clippy::nursery
)]

use elowen_macros::{plugin, tool, tool_type};
use elowen_sdk::prelude::*;
use elowen_sdk::serde_json::json;
use elowen_sdk::{Body, Run, ToolFn};

/// Returns the supplied text.
#[tool]
pub async fn my_tool(
    /// Text to return.
    value: String,
    _unused: Option<u32>,
    _cx: &Cx,
) -> ToolResult {
    Ok(value.into())
}

/// Has many
/// switches:
/// - all of them off.
#[tool(name = "Switch", label = "Switch on", external, platform = "web", inline)]
pub fn switches(red: bool, blue: bool, on: bool, off: bool, one: u8, two: u8, three: u8, four: u8) -> String {
    format!("{red}{blue}{on}{off}{one}{two}{three}{four}")
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

const fn fifty() -> u32 {
    50
}

/// What a file is.
#[tool_type]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Has bytes.
    PlainFile,
    /// Has entries.
    Folder {
        /// How deep.
        depth_limit: u8,
    },
}

#[doc = concat!("Finds", " files.")]
#[tool(spawn)]
pub async fn find(Params(find): Params<Find>) -> String {
    format!("{find:?}")
}

/// Old.
#[tool(blocking)]
#[deprecated]
pub fn old(r#type: Vec<String>) -> String {
    r#type.concat()
}

/// Takes nothing and ignores the host.
#[tool]
#[allow(non_snake_case)]
pub fn nothing(camelCase: String, _: &Cx) {
    drop(camelCase);
}

/// Takes nothing at all.
#[tool]
pub async fn nothing_at_all() {}

#[plugin(tools(my_tool, switches, find, nothing_at_all))]
fn register(ctx: &PluginContext) -> Result<(), String> {
    ctx.logger().info("registered");
    Ok(())
}

#[test]
fn constants_say_what_the_author_wrote() {
    assert_eq!(<my_tool as ToolFn>::NAME, "MyTool");
    let meta = <my_tool as ToolFn>::META;
    assert_eq!((meta.label, meta.description), ("My tool", "Returns the supplied text."));
    assert_eq!((meta.run, meta.body, meta.external, meta.platform), (Run::Auto, Body::Async, false, None));

    assert_eq!(<switches as ToolFn>::NAME, "Switch");
    let meta = <switches as ToolFn>::META;
    assert_eq!((meta.label, meta.description), ("Switch on", "Has many switches:\n- all of them off."));
    assert_eq!(
        (meta.run, meta.body, meta.external, meta.platform),
        (Run::Inline, Body::Sync, true, Some("web"))
    );

    let meta = <find as ToolFn>::META;
    assert_eq!((meta.description, meta.run, meta.body), ("Finds files.", Run::Spawn, Body::Async));
    let meta = <old as ToolFn>::META;
    assert_eq!((meta.run, meta.body), (Run::Spawn, Body::Sync));
}

#[test]
fn loose_arguments_are_read_in_camel_case_and_documented() {
    type Arguments = <my_tool as ToolFn>::Params;
    assert!(elowen_sdk::serde_json::from_value::<Arguments>(json!({"value": "x"})).is_ok());
    assert!(elowen_sdk::serde_json::from_value::<Arguments>(json!({"_unused": 3})).is_err());
    let schema = elowen_sdk::__private::schemars::schema_for!(Arguments).to_value();
    assert_eq!(schema["properties"]["value"]["description"], "Text to return.");
    assert_eq!(schema["required"], json!(["value"]));
    assert!(schema["properties"].get("unused").is_some(), "{schema}");
}

#[test]
fn a_parameter_struct_is_read_in_camel_case_with_its_defaults() {
    let arguments = json!({"pattern": "*", "kind": {"folder": {"depthLimit": 2}}});
    let find: <find as ToolFn>::Params =
        elowen_sdk::serde_json::from_value(arguments).expect("valid arguments");
    assert_eq!((find.pattern.as_str(), find.max_count), ("*", 50));
    assert_eq!(find.kind, Some(Kind::Folder { depth_limit: 2 }));
    let kind: Kind = elowen_sdk::serde_json::from_value(json!("plainFile")).expect("a variant");
    assert_eq!(kind, Kind::PlainFile);
}

#[test]
fn the_function_can_still_be_called() {
    assert!(switches(true, false, false, false, 1, 2, 3, 4).starts_with("truefalse"));
}
