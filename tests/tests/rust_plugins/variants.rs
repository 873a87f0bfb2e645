//! Crates that are written in another edition, or know the SDK by another name, become plugins like any other.

use elowen_tests::table::{Test, case};
use serde_json::json;

use crate::bench::{Bench, call};

pub(crate) fn cases() -> Vec<Test> {
    vec![
        case("a_crate_of_edition_2021_is_a_plugin", "Add, Repeat", edition_2021),
        case("a_crate_that_renames_the_sdk_is_a_plugin", "Greet", renamed),
        case("a_library_under_another_folders_name_has_that_name", "hello as `twin`", another_name),
    ]
}

fn edition_2021() -> String {
    let mut bench = Bench::new();
    let plugin = bench.load("edition2021");
    let tool = |name: &str| plugin.tool(name).expect("it has it");
    let add = pollster::block_on(tool("Add").call(r#"{"gen":2,"other":3}"#).call_id("!")).unwrap();
    assert_eq!(add.parse().unwrap().to_text(), "5!");
    assert_eq!(call(tool("Add"), json!({"gen": 2})).unwrap().to_text(), "2");
    assert_eq!(call(tool("Repeat"), json!({"gen": "ab", "times": 3})).unwrap().to_text(), "ababab");
    assert_eq!(bench.log.wait_for("registered").plugin, "hello");
    assert!(bench.log.all().iter().any(|line| line.plugin == "edition2021" && line.message == "registered"));
    bench.all_is_well();
    "5!, 2, ababab".to_owned()
}

fn renamed() -> String {
    let mut bench = Bench::new();
    let greet = bench.load("renamed").tool("Greet").expect("it has it");
    assert_eq!(call(greet, json!({"name": "Ada"})).unwrap().to_text(), "Hello, Ada");
    let warm = call(greet, json!({"name": "Ada", "manner": "warm"})).unwrap().to_text();
    assert_eq!(warm, "How good to see you, Ada");
    bench.all_is_well();
    warm
}

fn another_name() -> String {
    let mut bench = Bench::new();
    let twin = bench.load_as("hello", "twin");
    let tool = twin.tool("MyTool").expect("it has it");
    assert_eq!(call(tool, json!({"value": "from the twin"})).unwrap().to_text(), "from the twin");
    assert_eq!((twin.name(), tool.plugin().name()), ("twin", "twin"));
    bench.all_is_well();
    "two plugins of one image, each called".to_owned()
}
