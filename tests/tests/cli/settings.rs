//! What the command line can be told: for whom it acts, the plugin's configuration, times, and how much it tells.

use elowen_tests::cli::{Ended, Place, Running, ended_with_stdin};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

fn call(place: &Place, plugin: &Path, rest: &[&str]) -> Ended {
    place.run(&[&["call", plugin.to_str().unwrap()], rest].concat())
}

#[test]
fn a_tool_for_others_says_for_whom_and_who_calls() {
    let place = Place::default();
    let plugin = place.misbehaves();
    let config = json!({"tools": [{"name": "Theirs", "ownerUserId": 7, "parameters": {"type": "object"}}]});
    let config = config.to_string();
    let hidden = call(&place, &plugin, &["Theirs", "--config", &config]);
    assert_eq!((hidden.code, hidden.stdout.as_str()), (1, ""));
    let text = "error: tool `Theirs` of plugin `misbehaves` is registered for account 7; this call is by account 1, \
                project 1, no platform. Give --account 7 to call it\n";
    assert_eq!(hidden.stderr, text);
    let offered = call(&place, &plugin, &["Theirs", "--account", "7", "--config", &config]);
    assert_eq!((offered.code, offered.stdout.as_str()), (0, "{}\n"), "{}", offered.stderr);

    let inspect = |rest: &[&str]| {
        place.run(&[&["inspect", plugin.to_str().unwrap(), "--config", &config], rest].concat()).stdout
    };
    let note = "  not offered   it is for account 7, this is account 1, project 1, no platform\n";
    assert!(inspect(&[]).contains(note));
    assert!(!inspect(&["--account", "7"]).contains("not offered"));
    assert!(inspect(&["--json"]).contains(r#""offered":false"#));
    let elsewhere = call(&place, &plugin, &["Other", "--project", "3", "--platform", "web"]);
    assert!(elsewhere.stderr.contains("has no tool `Other`"), "{}", elsewhere.stderr);
}

#[test]
fn a_configuration_is_json_or_a_file_and_must_be_an_object() {
    let place = Place::default();
    let plugin = place.misbehaves();
    let config = r#"{"greeting":"Ahoj"}"#;
    let file = place.write("config.json", config);
    for given in [config, file.to_str().unwrap()] {
        let asked = call(&place, &plugin, &["Ask", "--arg", "name=config", "--config", given]);
        assert_eq!((asked.code, asked.stdout.as_str()), (0, "{\"greeting\":\"Ahoj\"}\n"), "{}", asked.stderr);
    }
    let list = place.write("list.json", "[1]");
    let broken = place.write("broken.json", "{\n1}");
    let cases = [
        ("absent.json", "absent.json\", which cannot be read: "),
        (list.to_str().unwrap(), "list.json\" is not a JSON object"),
        (broken.to_str().unwrap(), "broken.json\" is not JSON: line 2, column 1"),
        (r#"{"a":1,"a":2}"#, "the configuration is ambiguous: line 1, column "),
    ];
    for (given, text) in cases {
        let refused = call(&place, &plugin, &["Probe", "--config", given]);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
        assert!(refused.stderr.contains(text), "{}", refused.stderr);
    }
}

#[test]
fn arguments_that_say_one_thing_twice_are_refused() {
    let place = Place::default();
    let plugin = place.c_hello();
    let twice = r#"{"value":"a","value":"b"}"#;
    let given = call(&place, &plugin, &["CHello", twice]);
    assert_eq!((given.code, given.stdout.as_str()), (2, ""));
    assert!(given.stderr.contains("the key \"value\" stands twice in one object"), "{}", given.stderr);
    let command = place.command(&["call", plugin.to_str().unwrap(), "CHello", "-"]);
    assert_eq!(ended_with_stdin(command, twice.as_bytes()).code, 2);
}

#[test]
fn what_looks_like_an_option_is_one_wherever_it_stands() {
    let place = Place::default();
    let slip = place.run(&["call", "plugin", "T", "--jsn"]);
    assert_eq!(slip.code, 2);
    assert!(
        slip.stderr.contains("unexpected argument '--jsn'") && slip.stderr.contains("'--json'"),
        "{}",
        slip.stderr
    );
    let pair = place.run(&["call", "plugin", "T", "x=1"]);
    assert_eq!(pair.code, 2);
    assert!(
        pair.stderr.ends_with("To give one argument by its name, write --arg \"x=1\"\n"),
        "{}",
        pair.stderr
    );
    let nameless = place.run(&["call", "plugin", "T", "--arg", "=3"]);
    assert!(nameless.stderr.contains("has no key before the `=`"), "{}", nameless.stderr);
}

#[test]
fn times_that_make_no_sense_say_why() {
    let place = Place::default();
    for option in ["--timeout", "--register-timeout"] {
        for (given, text) in [
            ("inf", "it is too long"),
            ("1e30", "it is too long"),
            ("nan", "must be a number"),
            ("0", "more than 0"),
        ] {
            let refused = place.run(&["call", "plugin", "T", option, given]);
            assert_eq!(refused.code, 2);
            assert!(refused.stderr.contains(text), "{option} {given}: {}", refused.stderr);
        }
    }
}

#[test]
fn a_registration_has_its_own_limit() {
    let place = Place::default();
    let plugin = place.misbehaving("never", &["CASE_REGISTER_NEVER"]);
    let plugin = plugin.to_str().unwrap();
    let dir = Path::new(plugin).parent().unwrap().to_str().unwrap();
    for command in [&["call", plugin, "Probe"][..], &["inspect", plugin], &["list", dir]] {
        let begun = Instant::now();
        let ended = place.run(&[command, &["--register-timeout", "0.2"]].concat());
        assert_eq!(ended.code, 3, "{ended:?}");
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("its registration did not finish within 200ms"), "{said}");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn twice_verbose_tells_the_steps_and_how_long_they_took() {
    let place = Place::default();
    let plugin = place.c_hello();
    let arguments = ["call", plugin.to_str().unwrap(), "CHello", "--arg", "value=x"];
    let told = place.run(&[&arguments[..], &["-vv"]].concat());
    assert_eq!(told.stdout, "x\n");
    let steps: Vec<&str> =
        told.stderr.lines().filter_map(|line| line.strip_prefix("debug [plugin:c-hello] ")).collect();
    let begins = ["checked /", "private copy /", "mapped and entered in ", "registered 2 tools, "];
    assert_eq!(steps.len(), begins.len(), "{}", told.stderr);
    for (step, begin) in steps.iter().zip(begins) {
        assert!(step.starts_with(begin), "{step}");
    }
    assert!(!place.run(&[&arguments[..], &["-v"]].concat()).stderr.contains("debug "));
}

#[test]
fn updates_stand_behind_a_margin() {
    let place = Place::default();
    let plugin = place.c_hello();
    let arguments = ["call", plugin.to_str().unwrap(), "CWait", "--arg", "milliseconds=200"];
    let mut running = Running::start(place.command(&arguments));
    running.wait_for("waited 100 of 200 ms");
    assert!(running.ended().stderr.lines().all(|line| line.starts_with("  waited ")));
}
