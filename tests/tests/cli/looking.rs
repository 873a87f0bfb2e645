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
        "\nCWait\n  label         C wait\n",
        "\n  Waits, and reports how far it has come.\n",
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
    assert_eq!((report["loaded"].clone(), report["warnings"].clone()), (json!(true), json!([])));
    // What a plugin does not say is left out.
    assert!(!shown.stdout.contains("rustc") && !shown.stdout.contains("not said"), "{}", shown.stdout);
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
    assert_eq!(
        (list["plugins"][0]["loaded"].clone(), list["failures"][1]["loaded"].clone()),
        (json!(true), json!(false))
    );
    let declared = parsed(&place.run(&["list", "--no-load", "--json", dir.to_str().unwrap()]));
    assert_eq!(declared["plugins"][0]["loaded"], false);
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

#[test]
fn a_plugin_that_does_not_register_is_shown_as_far_as_it_is_known() {
    let place = Place::default();
    let plugin = place.misbehaving("refuses", &["CASE_REGISTER_FAULT"]);
    let shown = place.run(&["inspect", plugin.to_str().unwrap()]);
    assert_eq!(shown.code, 3);
    assert!(shown.stdout.contains("  declares      Probe\n"), "{}", shown.stdout);
    assert!(shown.stdout.ends_with("\nnot loaded: see the error\n"), "{}", shown.stdout);
    assert!(shown.stderr.contains("its registration failed: the database is locked"), "{}", shown.stderr);
    assert!(shown.stderr.ends_with("\nWith --no-load nothing of it is run.\n"), "{}", shown.stderr);
    let report = parsed(&place.run(&["inspect", "--json", plugin.to_str().unwrap()]));
    assert_eq!((report["loaded"].clone(), report["error"]["kind"].clone()), (json!(false), json!("load")));
    assert_eq!(report["blob"]["tools"], json!(["Probe"]));
}

#[test]
fn what_only_reads_files_needs_no_place_for_state_and_makes_none() {
    let place = Place::default();
    let plugin = place.c_hello();
    let (folder, dir) = (plugin.to_str().unwrap(), plugin.parent().unwrap().to_str().unwrap());
    // Below a file nothing can be made.
    let file = place.write("file", "");
    for command in [&["inspect", "--no-load", folder][..], &["list", "--no-load", dir]] {
        let state = file.join("state");
        let under_a_file = place.run(&[command, &["--state-dir", state.to_str().unwrap()]].concat());
        assert_eq!(under_a_file.code, 0, "{}", under_a_file.stderr);
        let mut nowhere = place.command(command);
        ["ELOWEN_STATE_DIR", "XDG_STATE_HOME", "HOME"].into_iter().for_each(|name| {
            nowhere.env_remove(name);
        });
        let nowhere = ended(nowhere);
        assert_eq!(nowhere.code, 0, "{}", nowhere.stderr);
        assert!(!nowhere.stdout.contains("private copy"), "{}", nowhere.stdout);
        assert_eq!(place.run(command).code, 0);
    }
    assert!(!place.path().join("state").exists());
}

#[test]
fn what_was_refused_or_looks_wrong_is_shown_with_the_plugin() {
    let place = Place::default();
    let plugin = place.misbehaves();
    let broken = json!({"type": "object", "properties": [], "required": "a"});
    let config = json!({"tools": [
        {"name": "Probe", "parameters": {"type": "object"}},
        {"name": "Broken", "parameters": broken},
    ]});
    let arguments = ["inspect", plugin.to_str().unwrap(), "--config", &config.to_string()];
    let shown = place.run(&arguments);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let expected = [
        "registerTool('Probe') refused: already registered",
        "registerTool('Broken'): parameters/required is not a list of names",
        "registerTool('Broken'): parameters/properties is not an object of schemas",
    ];
    for warning in expected {
        assert!(shown.stdout.contains(&format!("\n  warning       {warning}\n")), "{}", shown.stdout);
        assert!(shown.stderr.contains(&format!("warn  [plugin:misbehaves] {warning}\n")), "{}", shown.stderr);
    }
    assert!(shown.stdout.contains("\nBroken\n"), "a broken schema does not keep a tool out");
    let report = parsed(&place.run(&[&arguments[..], &["--json"]].concat()));
    assert_eq!(report["warnings"], json!(expected));
}

#[test]
fn a_library_of_another_plugin_is_loaded_with_a_warning() {
    let place = Place::default();
    let made = place.misbehaving("made", &[]);
    let dir = place.path().join("others");
    let folder = dir.join("taken");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(made.join(elowen_tests::cc::library_name("misbehave")), folder.join("misbehave")).unwrap();
    let manifest = r#"{"name":"taken","version":"2","apiVersion":"1","description":"","entry":"misbehave"}"#;
    place.write("others/taken/elowen-plugin.json", manifest);
    let text = r#"the library says that it is plugin "made", version "1.0.0"; the manifest says "taken", version "2""#;
    let called = place.run(&["call", folder.to_str().unwrap(), "Probe"]);
    assert_eq!((called.code, called.stdout.as_str()), (0, "ok\n"));
    assert!(called.stderr.contains(&format!("warn  [plugin:taken] {text}")), "{}", called.stderr);
    let inspected = place.run(&["inspect", "--no-load", folder.to_str().unwrap()]);
    assert!(inspected.stdout.contains("  built as      made 1.0.0\n"), "{}", inspected.stdout);
    let listed = place.run(&["list", "--no-load", dir.to_str().unwrap()]);
    assert!(listed.stdout.contains(&format!("\n  warning: {text}")), "{}", listed.stdout);
}

#[test]
fn a_declaration_that_is_no_list_refuses_the_plugin_with_advice() {
    let place = Place::default();
    let plugin = place.c_hello();
    let manifest = r#"{"name":"c-hello","version":"1.0.0","apiVersion":"1","description":"","entry":"c_hello","provides":{"tools":"CHello"}}"#;
    place.write("plugins/c-hello/elowen-plugin.json", manifest);
    let called = place.run(&["call", plugin.to_str().unwrap(), "CHello", "--arg", "value=x"]);
    assert_eq!((called.code, called.stdout.as_str()), (3, ""));
    for part in [
        "invalid plugin manifest: /provides/tools must be array",
        r#"Give "provides/tools" in elowen-plugin.json a list: ["one", "two"]"#,
    ] {
        assert!(called.stderr.contains(part), "{}", called.stderr);
    }
}

#[test]
fn no_line_ends_in_blanks() {
    let place = Place::default();
    place.c_hello();
    let manifest =
        r#"{"name":"bare","version":"1.0.0","apiVersion":"1","description":"","entry":"misbehave"}"#;
    let bare = place.misbehaving("bare", &[]);
    place.write("plugins/bare/elowen-plugin.json", manifest);
    let dir = bare.parent().unwrap().to_str().unwrap();
    let bare = bare.to_str().unwrap();
    for arguments in
        [&["list", dir][..], &["list", "--no-load", dir], &["inspect", bare], &["inspect", "--no-load", bare]]
    {
        let shown = place.run(arguments);
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        let padded = shown.stdout.lines().find(|line| line.trim_end() != *line);
        assert_eq!(padded, None, "{arguments:?}");
    }
}
