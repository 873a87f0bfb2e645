//! What plugins say is shown to people without steering their terminal or passing for something else.

use elowen_tests::cli::Place;
use serde_json::json;

const NAME: &str = "Good\u{1b}[31m\nerror: the disk is on fire";

fn steers(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\n')
}

#[test]
fn names_are_escaped_and_stay_on_their_line() {
    let place = Place::default();
    let plugin = place.misbehaves();
    let tools = json!({"tools": [{"name": NAME, "parameters": {"type": "object"}}]}).to_string();
    let plugin = plugin.to_str().unwrap();
    let inspected = place.run(&["inspect", plugin, "--config", &tools]);
    assert!(
        inspected.stdout.contains("\nGood\\u{1b}[31m\\nerror: the disk is on fire\n"),
        "{}",
        inspected.stdout
    );
    let unknown = place.run(&["call", plugin, "\u{1b}]0;x", "--config", &tools]);
    for shown in [&inspected.stdout, &inspected.stderr, &unknown.stderr] {
        assert!(!steers(shown), "{shown:?}");
        assert!(!shown.contains("\nerror: the disk"), "{shown}");
    }
}

#[test]
fn an_error_text_is_escaped_and_its_lines_are_indented() {
    let place = Place::default();
    let folder = "plugins/p\nwarning: y";
    let manifest =
        r#"{"name":"p","version":"1","apiVersion":"1\u001b[2J\nerror: x","description":"","entry":"p"}"#;
    place.write(&format!("{folder}/elowen-plugin.json"), manifest);
    let path = place.path().join(folder);
    let dir = place.path().join("plugins");
    for arguments in [["inspect", path.to_str().unwrap()], ["list", dir.to_str().unwrap()]] {
        let shown = place.run(&arguments);
        assert_eq!(shown.code, 3);
        for text in [&shown.stdout, &shown.stderr] {
            assert!(!steers(text), "{text:?}");
            assert!(!text.contains("\nwarning: y") && !text.contains("\nerror: x"), "{text}");
        }
    }
}

#[test]
fn programs_get_an_answer_as_it_is() {
    let place = Place::default();
    let plugin = place.c_hello();
    let shown = place.run(&["call", plugin.to_str().unwrap(), "CHello", r#"{"value":"\u001b[31mred"}"#]);
    assert_eq!(shown.stdout, "\u{1b}[31mred\n");
}

#[test]
fn a_long_description_is_cut_in_a_list() {
    let place = Place::default();
    let plugin = place.misbehaves();
    let description = "d".repeat(300);
    let manifest = json!({"name": "misbehaves", "version": "0.1.0", "apiVersion": "1", "description": description,
        "entry": "misbehaves"});
    place.write("plugins/misbehaves/elowen-plugin.json", &manifest.to_string());
    let listed = place.run(&["list", plugin.parent().unwrap().to_str().unwrap()]);
    let widest = listed.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest < Some(180) && listed.stdout.contains('…'), "{widest:?}: {}", listed.stdout);
}
