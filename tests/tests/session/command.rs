//! `elowen-host session`: what a model would be offered, as text and as JSON.

use crate::{echo, lay_out, tool, with_schema};
use elowen_tests::cli::Place;
use serde_json::{Value, json};

fn plugins(place: &Place) -> String {
    let dir = place.path().join("plugins");
    let properties: serde_json::Map<String, Value> =
        (0..400).map(|index| (format!("property{index}"), json!({"type": "string"}))).collect();
    let large = json!({"type": "object", "properties": properties});
    let mut alpha = vec![
        echo("Look"),
        tool("WebPick", json!({"kind": "echo"}), json!({"platform": "web"})),
        with_schema("Remote", large, json!({"kind": "echo"}), json!({"external": true})),
        echo("GenerateImage"),
    ];
    alpha.extend((0..2).map(|index| echo(&format!("mcp__s__t{index}"))));
    lay_out(&dir, &[("alpha", alpha)], &json!({"planSafe": ["mcp__s__t0"], "deferLoading": ["mcp__s__t1"]}));
    dir.to_str().unwrap().to_owned()
}

fn shown(place: &Place, dir: &str, options: &[&str]) -> Value {
    let ended = place.run(&[&["session", dir, "--json"], options].concat());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

/// `name state` of each tool, in order.
fn states(session: &Value) -> Vec<String> {
    let tools = session["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| format!("{} {}", tool["name"].as_str().unwrap(), tool["state"].as_str().unwrap()))
        .collect()
}

#[test]
fn session_lists_what_is_offered_and_what_it_costs() {
    let place = Place::default();
    let dir = plugins(&place);
    let plain = shown(&place, &dir, &[]);
    assert_eq!(
        states(&plain),
        [
            "Look offered",
            "Remote offered",
            "GenerateImage offered",
            "mcp__s__t0 offered",
            "mcp__s__t1 offered",
            "WebPick hidden",
        ]
    );
    let capped = &plain["tools"][1];
    assert!(capped["capped"]["registeredBytes"].as_u64().unwrap() > 8000);
    assert!(capped["capped"]["schemaOmitted"] == true && capped["bytes"].as_u64().unwrap() < 1000);
    let reason = plain["tools"][5]["reason"].as_str().unwrap();
    assert!(reason.contains("platform \"web\""), "{reason}");
    let bytes: u64 = (0..5).map(|index| plain["tools"][index]["bytes"].as_u64().unwrap()).sum();
    assert_eq!(plain["offered"], json!({"tools": 5, "bytes": bytes}));
    assert_eq!(plain["deferred"]["tools"], 0);
    assert!(plain["warnings"][0].as_str().unwrap().contains("Remote"));
}

#[test]
fn session_options_narrow_and_widen() {
    let place = Place::default();
    let dir = plugins(&place);
    let plain = shown(&place, &dir, &[]);
    let deferring = shown(&place, &dir, &["--defer", "--platform", "web"]);
    assert_eq!(
        states(&deferring),
        [
            "ToolSearch offered",
            "Look offered",
            "WebPick offered",
            "Remote offered",
            "GenerateImage deferred",
            "mcp__s__t0 offered",
            "mcp__s__t1 deferred",
        ]
    );
    assert_eq!(deferring["tools"][4]["reason"], "source-default");
    let with_field = shown(&place, &dir, &["--status-field"]);
    let bytes = |session: &Value, index: usize| session["tools"][index]["bytes"].as_u64().unwrap();
    assert!(bytes(&with_field, 0) > bytes(&plain, 0));
    assert_eq!(bytes(&with_field, 1), bytes(&plain, 1));
    let planning = shown(&place, &dir, &["--plan"]);
    assert_eq!(planning["offered"]["tools"], 1);
    assert_eq!(planning["tools"][3]["state"], "offered");
    assert_eq!(planning["tools"][0]["reason"], "plan mode may not use it");
}

#[test]
fn session_says_the_same_to_people() {
    let place = Place::default();
    let dir = plugins(&place);
    let ended = place.run(&["session", &dir, "--defer"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines[0], "account 1, project 1, no platform, build mode");
    assert!(lines[3].starts_with("Remote ") && lines[3].contains("capped: schema omitted, "), "{}", lines[3]);
    assert!(lines[4].ends_with("deferred: source-default"), "{}", lines[4]);
    let total = lines.last().unwrap();
    assert!(
        total.starts_with("4 offered (")
            && total.contains(", 2 deferred (")
            && total.contains(", 1 hidden ("),
        "{total}"
    );
    assert!(
        ended.stderr.contains("warning: parameter schema omitted for 1 external tool(s)"),
        "{}",
        ended.stderr
    );
}

#[test]
fn session_of_a_directory_that_is_not_there_is_wrong_usage() {
    let place = Place::default();
    let absent = place.path().join("absent");
    let ended = place.run(&["session", absent.to_str().unwrap(), "--json"]);
    assert_eq!(ended.code, 2);
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told["error"]["kind"], "usage");
}
