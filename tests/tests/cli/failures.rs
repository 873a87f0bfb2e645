//! What programs are told when a call or a plugin fails: one JSON object on stdout, whatever comes.

use elowen_tests::cli::{Ended, Place};
use serde_json::{Value, json};

fn object(ended: &Ended) -> Value {
    assert_eq!(ended.stdout.matches('\n').count(), 1, "{ended:?}");
    let value: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    assert!(value.is_object(), "{ended:?}");
    value
}

#[test]
fn a_flagged_answer_says_what_kind_of_failure_it_is() {
    let place = Place::default();
    let plugin = place.misbehaves();
    let call = |tool: &str, rest: &[&str]| {
        place.run(&[&["call", plugin.to_str().unwrap(), tool, "--json"], rest].concat())
    };
    let cases = [
        ("panic", call("Panics", &["--arg", "how=string"])),
        ("fault", call("Fail", &["--arg", "kind=fault"])),
        ("transport", call("Fail", &["--arg", "kind=transport"])),
        ("deadline", call("Wait", &["--arg", "milliseconds=60000", "--timeout", "0.2"])),
    ];
    for (kind, ended) in cases {
        assert_eq!(ended.code, 1, "{ended:?}");
        let answer = object(&ended);
        assert_eq!(answer["isError"], true, "{answer}");
        assert_eq!(answer["details"], json!({"ok": false, "error": {"kind": kind}}), "{answer}");
    }
    let text = object(&call("Fail", &["--arg", "kind=text"]));
    assert_eq!((text["isError"].clone(), text["details"].get("error")), (json!(false), None));
    let broken = place.misbehaving("broken", &["CASE_RESULT_NOT_JSON"]);
    let answer = object(&place.run(&["call", broken.to_str().unwrap(), "Probe", "--json"]));
    assert_eq!(answer["details"]["error"]["kind"], "protocol");
}

#[test]
fn whatever_stops_a_command_is_an_object_with_its_kind() {
    let place = Place::default();
    let refuses = place.misbehaving("refuses", &["CASE_ENTRY_REFUSED"]);
    let refuses = refuses.to_str().unwrap();
    let absent = place.path().join("absent");
    let absent = absent.to_str().unwrap();
    let file = place.write("file", "");
    let state = file.to_str().unwrap();
    place.write("crate/Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\n[workspace]\n");
    place.write("crate/src/lib.rs", "");
    let no_cdylib = place.path().join("crate");
    let no_cdylib = no_cdylib.to_str().unwrap();
    let cases: [(&[&str], i32, &str); 9] = [
        (&["call", refuses, "Probe"], 3, "load"),
        (&["call", absent, "Probe"], 2, "usage"),
        (&["call", refuses, "Probe", "nonsense"], 2, "usage"),
        (&["call", refuses, "Probe", "--state-dir", state], 3, "host"),
        (&["call", no_cdylib, "Probe"], 3, "build"),
        (&["inspect", refuses, "--config", "nonsense"], 2, "usage"),
        (&["inspect", absent], 2, "usage"),
        (&["inspect", refuses], 3, "load"),
        (&["list", absent], 2, "usage"),
    ];
    for (arguments, code, kind) in cases {
        let ended = place.run(&[arguments, &["--json"]].concat());
        assert_eq!(ended.code, code, "{arguments:?}: {ended:?}");
        let object = object(&ended);
        assert_eq!(object["error"]["kind"], kind, "{arguments:?}");
        let message = object["error"]["message"].as_str().unwrap();
        assert!(ended.stderr.contains(&format!("error: {message}")), "{arguments:?}: {ended:?}");
    }
}

#[test]
fn a_call_that_was_left_behind_is_named_and_waited_for_aloud() {
    let place = Place::default();
    let plugin = place.misbehaves();
    let arguments =
        ["call", plugin.to_str().unwrap(), "Block", "--arg", "milliseconds=60000", "--timeout", "0.2"];
    let ended = place.run(&arguments);
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("Waiting for `misbehaves` to shut down, 2s at most\n"), "{}", ended.stderr);
    assert!(ended.stderr.contains("warning: plugin `misbehaves` was not shut down: "), "{}", ended.stderr);
    let call = "the call of its tool `Block`, which was given up, has not ended";
    assert!(ended.stderr.contains(call), "{}", ended.stderr);
}

#[test]
fn a_broken_state_folder_is_not_the_plugins_fault() {
    let place = Place::default();
    let plugin = place.misbehaves();
    let plugin = plugin.to_str().unwrap();
    place.write("state/data", "a file where a folder should be");
    let loading = place.run(&["call", plugin, "Probe", "--config", r#"{"register":"directories"}"#]);
    assert_eq!(loading.code, 3);
    let parts = [
        "its registration failed without the data folder that the host could not give it",
        "the host's state folder is at fault, not the plugin",
        "let ELOWEN_STATE_DIR name one that this user can write to (fault of the machine).",
    ];
    for part in parts {
        assert!(loading.stderr.contains(part), "{}", loading.stderr);
    }
    let asked = place.run(&["call", plugin, "Ask", "--arg", "name=dataDir"]);
    assert!(asked.stdout.contains("the host's state folder is at fault"), "{}", asked.stdout);
    assert!(asked.stderr.contains("error plugin \"misbehaves\" gets no data folder: "), "{}", asked.stderr);

    let file = place.path().join("state/data");
    let at_once = place.run(&["call", plugin, "Probe", "--state-dir", file.to_str().unwrap()]);
    assert_eq!(at_once.code, 3);
    assert!(at_once.stderr.starts_with("error: the host cannot keep its state: "), "{}", at_once.stderr);
    assert!(at_once.stderr.contains("Let --state-dir name a folder"), "{}", at_once.stderr);
}
