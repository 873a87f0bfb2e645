//! `inspect` and `list`: what they show, and that `--no-load` runs nothing.

use elowen_tests::cli::{Ended, Place, ended};
use serde_json::{Value, json};
use std::fs;

fn parsed(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

#[test]
fn inspect_shows_manifest_file_metadata_and_tools() {
    let place = Place::default();
    let plugin = place.c_hello();
    let shown = place.run(&["inspect", plugin.to_str().unwrap()]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    for part in [
        "c-hello 1.0.0  A plugin in C",
        "  entry         c_hello\n",
        "  speaks ABI    1 (this host: 1)\n",
        "  panic         unwind\n",
        "  declares      CHello, CWait\n",
        "\nCWait  C wait\n  Waits, and reports how far it has come.\n",
        "      \"maximum\": 60000\n",
    ] {
        assert!(shown.stdout.contains(part), "{part:?} in\n{}", shown.stdout);
    }
    let report = parsed(&place.run(&["inspect", "--json", plugin.to_str().unwrap()]));
    assert_eq!(report["manifest"]["entry"], "c_hello");
    assert_eq!(report["file"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(
        fs::metadata(report["file"]["privateCopy"].as_str().unwrap()).unwrap().len(),
        report["file"]["size"]
    );
    assert_eq!(report["blob"]["tools"], json!(["CHello", "CWait"]));
    assert_eq!(report["tools"][0]["definition"]["parameters"]["required"], json!(["value"]));
    assert_eq!(report["tools"][0]["options"], json!({}));
}

#[test]
fn no_load_runs_no_code_of_the_plugin() {
    let place = Place::default();
    let plugin = place.loud();
    let marker = place.path().join("marker");
    let run = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env("LOUD_MARKER", &marker);
        let ended = ended(command);
        assert_eq!(ended.code, 0, "{ended:?}");
        ended
    };
    let (folder, dir) = (plugin.to_str().unwrap(), plugin.parent().unwrap().to_str().unwrap());
    let inspected = run(&["inspect", "--no-load", folder]);
    assert!(inspected.stdout.contains("declares      Probe\n"), "{}", inspected.stdout);
    assert!(inspected.stdout.ends_with("not loaded: the tools it registers are not known\n"));
    assert_eq!(parsed(&run(&["inspect", "--no-load", "--json", folder])).get("tools"), None);
    assert!(run(&["list", "--no-load", dir]).stdout.contains("loud 1.0.0 (declared, not loaded)"));
    assert!(!marker.exists(), "a plugin that was only read has run");
    run(&["inspect", folder]);
    assert!(marker.exists(), "a plugin that was loaded has run");
}

#[test]
fn list_shows_tools_and_failures_side_by_side() {
    let place = Place::default();
    let dir = place.c_hello().parent().unwrap().to_owned();
    place.misbehaving("refuses", &["CASE_REGISTER_FAULT"]);
    place.write("plugins/broken/elowen-plugin.json", "{");
    let listed = place.run(&["list", dir.to_str().unwrap()]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    let lines: Vec<&str> = listed.stdout.lines().collect();
    assert_eq!(lines[1], "  CHello  C hello  Returns the supplied text.");
    assert_eq!(lines[2], "  CWait   C wait   Waits, and reports how far it has come.");
    assert!(
        lines[3].starts_with("failed: plugin `broken` (") && lines[3].contains("line 1, column 1"),
        "{}",
        lines[3]
    );
    assert!(lines[4].contains("its registration failed: the database is locked"), "{}", lines[4]);
    let list = parsed(&place.run(&["list", "--json", dir.to_str().unwrap()]));
    assert_eq!(list["plugins"][0]["tools"][1]["label"], "C wait");
    assert_eq!(list["failures"][1]["plugin"], "refuses");
}

#[test]
fn a_tool_whose_name_is_taken_is_marked() {
    let place = Place::default();
    place.misbehaving("first", &[]);
    let dir = place.misbehaving("second", &[]).parent().unwrap().to_owned();
    let list = parsed(&place.run(&["list", "--json", dir.to_str().unwrap()]));
    assert_eq!(list["plugins"][0]["tools"][0].get("ignoredFor"), None);
    assert_eq!(list["plugins"][1]["tools"][0]["ignoredFor"], "first");
}

#[test]
fn list_fails_only_when_nothing_could_be_loaded() {
    let place = Place::default();
    let dir = place.path().join("plugins");
    fs::create_dir(&dir).unwrap();
    let list = |rest: &[&str]| place.run(&[&["list", dir.to_str().unwrap()], rest].concat());
    assert_eq!(list(&[]).code, 0);
    place.write("plugins/broken/elowen-plugin.json", "{");
    assert_eq!((list(&[]).code, list(&["--no-load"]).code), (3, 3));
    place.misbehaving("works", &[]);
    assert_eq!((list(&[]).code, list(&["--no-load"]).code), (0, 0));
    assert_eq!(place.run(&["list", dir.join("absent").to_str().unwrap()]).code, 2);
}
