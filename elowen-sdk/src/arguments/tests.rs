//! The line that the model reads for each way in which arguments can fit a schema and not the Rust type.

#![allow(dead_code)] // Most fields are only read by serde.

use super::read;
use elowen_macros::tool_type;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

#[tool_type]
enum Shape {
    Circle { r: u8 },
    Line(u8, u8),
    Square(u8),
    Dot,
}

#[tool_type]
#[serde(tag = "kind")]
enum Tagged {
    Near { at: u8 },
}

#[tool_type]
#[serde(untagged)]
enum Either {
    Number(u8),
    Text(String),
}

#[tool_type]
#[serde(deny_unknown_fields)]
struct Tree {
    label: String,
    #[serde(default, alias = "kids")]
    children: Vec<Tree>,
}

#[tool_type]
struct Flattened {
    #[serde(flatten)]
    more: More,
}

#[tool_type]
struct More {
    depth: Option<u8>,
}

fn line<T: DeserializeOwned + JsonSchema>(text: &str) -> String {
    match read::<T>(text, crate::schema::described::<T>().holds_f32) {
        Ok(_) => format!("{text} was accepted"),
        Err(line) => line,
    }
}

#[tool_type]
struct Plain {
    all: All,
}

#[tool_type]
struct All {
    wide: Option<u64>,
    wider: Option<i128>,
    narrow: Option<f32>,
    narrows: Option<Vec<f32>>,
    nonzero: Option<std::num::NonZeroU8>,
    pair: Option<(u8, String)>,
    shape: Option<Shape>,
    tagged: Option<Tagged>,
    either: Option<Either>,
    tree: Option<Tree>,
    by_number: Option<BTreeMap<u32, bool>>,
    letter: Option<char>,
    address: Option<std::net::IpAddr>,
    choice: Option<Choice>,
}

#[tool_type]
enum Choice {
    First,
    Second,
}

#[track_caller]
fn says(inner: &str, expected: &str) {
    assert_eq!(line::<Plain>(&format!("{{\"all\": {inner}}}")), expected);
}

#[test]
fn an_integer_beyond_its_type_is_shown_with_all_its_digits() {
    says(
        r#"{"wide": 18446744073709551616}"#,
        "all.wide: expected an integer from 0 to 18446744073709551615, got 18446744073709551616",
    );
    says(r#"{"wide": -1}"#, "all.wide: expected an integer from 0 to 18446744073709551615, got -1");
    let digits = "9".repeat(39);
    says(
        &format!(r#"{{"wider": {digits}}}"#),
        &format!("all.wider: expected an integer from {} to {}, got {digits}", i128::MIN, i128::MAX),
    );
    says(r#"{"nonzero": 0}"#, "all.nonzero: expected an integer from 0 to 255, but not 0, got 0");
}

#[test]
fn a_number_that_an_f32_cannot_hold_is_refused_and_not_made_infinite() {
    let range = "expected a number from -3.4028235e38 to 3.4028235e38";
    says(r#"{"narrow": 1e39}"#, &format!("all.narrow: {range}, got 1e39"));
    says(r#"{"narrows": [0.1, -4e38]}"#, &format!("all.narrows[1]: {range}, got -4e38"));
    let kept = read::<Plain>(r#"{"all": {"narrow": 3.4028235e38, "narrows": [1, 0.1]}}"#, true);
    let All { narrow, narrows, .. } = kept.expect("both fit").all;
    assert_eq!((narrow, narrows), (Some(f32::MAX), Some(vec![1.0, 0.1])));
}

#[test]
fn only_a_type_with_an_f32_is_watched_for_it() {
    assert!(crate::schema::described::<Plain>().holds_f32);
    assert!(!crate::schema::described::<Tree>().holds_f32);
}

#[test]
fn the_parts_of_a_tuple_are_told_apart() {
    says(r#"{"pair": ["a", "b"]}"#, r#"all.pair[0]: expected an integer from 0 to 255, got "a""#);
    says(r#"{"pair": [1, 2]}"#, "all.pair[1]: expected a string, got 2");
    says(r#"{"pair": [1]}"#, "all.pair: expected an array of 2 items, got [1]");
    says(r#"{"pair": [1, "b", 3]}"#, r#"all.pair: expected an array with fewer items, got [1,"b",3]"#);
}

#[test]
fn an_enum_wants_one_name_and_a_known_one() {
    says(
        r#"{"shape": {"circle": {"r": 1}, "square": 2}}"#,
        r#"all.shape: expected an object with exactly one name, got {"circle":{"r":1},"square":2}"#,
    );
    says(r#"{"shape": {}}"#, "all.shape: expected an object with exactly one name, got {}");
    says(r#"{"shape": 5}"#, "all.shape: expected a name, or an object with exactly one name, got 5");
    says(
        r#"{"shape": "disc"}"#,
        r#"all.shape: expected one of "circle", "line", "square", "dot", got "disc""#,
    );
    says(r#"{"choice": "third"}"#, r#"all.choice: expected one of "first", "second", got "third""#);
    says(r#"{"shape": {"circle": {}}}"#, "all.shape.circle.r: missing");
    says(
        r#"{"shape": {"circle": {"r": 256}}}"#,
        "all.shape.circle.r: expected an integer from 0 to 255, got 256",
    );
    says(
        r#"{"shape": {"line": [1, true]}}"#,
        "all.shape.line[1]: expected an integer from 0 to 255, got true",
    );
    says(r#"{"shape": {"line": [1]}}"#, "all.shape.line: expected an array of 2 items, got [1]");
    says(r#"{"shape": {"square": null}}"#, "all.shape.square: expected an integer from 0 to 255, got null");
}

#[test]
fn a_recursive_value_names_the_place_however_deep() {
    says(
        r#"{"tree": {"label": "a", "children": [{"label": "b"}, {"label": "c", "children": [{"label": 3}]}]}}"#,
        "all.tree.children[1].children[0].label: expected a string, got 3",
    );
    says(
        r#"{"tree": {"label": "a", "children": [{"label": "b", "children": [{}]}]}}"#,
        "all.tree.children[0].children[0].label: missing",
    );
    says(
        r#"{"tree": {"label": "a", "children": [{"label": "b", "colour": 1}]}}"#,
        "all.tree.children[0].colour: not an argument; leave it out",
    );
    says(
        r#"{"tree": {"label": "a", "children": [], "kids": []}}"#,
        "all.tree.children: given more than once; keep one",
    );
}

#[test]
fn names_of_a_map_are_values_too() {
    says(
        r#"{"byNumber": {"1": true, "x y": true}}"#,
        r#"all.byNumber["x y"]: expected a name that is an integer from 0 to 4294967295, got "x y""#,
    );
    says(r#"{"byNumber": {"1": 5}}"#, "all.byNumber.1: expected true or false, got 5");
}

#[test]
fn what_serde_reads_through_a_buffer_still_has_the_place_of_the_buffer() {
    says(
        r#"{"tagged": {"kind": "near", "at": 300}}"#,
        r#"all.tagged: expected an integer from 0 to 255, got {"kind":"near","at":300}"#,
    );
    says(r#"{"tagged": {"kind": "near"}}"#, "all.tagged.at: missing");
    says(r#"{"either": 300}"#, "all.either: fits none of its alternatives, got 300");
    assert_eq!(
        line::<Flattened>(r#"{"depth": 300}"#),
        r#"arguments: expected an integer from 0 to 255, got {"depth":300}"#
    );
}

#[test]
fn an_authors_own_parser_keeps_its_own_words() {
    says(r#"{"letter": "ab"}"#, r#"all.letter: expected a string of one character, got "ab""#);
    says(r#"{"address": "here"}"#, r#"all.address: invalid IP address syntax, got "here""#);
}

#[test]
fn the_line_is_one_line_and_short() {
    let long = format!("{{\"pair\": [\"{}\", \"b\"]}}", "x".repeat(500));
    let shown = format!("\"{}… (502 characters)", "x".repeat(59));
    says(&long, &format!("all.pair[0]: expected an integer from 0 to 255, got {shown}"));
    says(
        "{\"pair\":\n [ 1,\n \"a\\\" b\", 2 ]}",
        r#"all.pair: expected an array with fewer items, got [1,"a\" b",2]"#,
    );
    assert_eq!(line::<Tree>("{\"label\": "), "arguments: expected one JSON object");
    assert_eq!(line::<Tree>("[]"), "arguments: expected an object, got []");
    assert_eq!(line::<Tree>("5"), "arguments: expected an object, got 5");
}

#[test]
fn a_unit_struct_takes_an_empty_object() {
    #[derive(serde::Deserialize, JsonSchema)]
    struct Nothing;
    assert!(read::<Nothing>("{}", false).is_ok());
    assert!(read::<Nothing>("null", false).is_ok());
    assert_eq!(line::<Nothing>("[]"), "arguments: expected null, got []");
}
