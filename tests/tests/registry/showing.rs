//! What `inspect` and `list` show of what manifests say about tools.

use elowen_tests::cli;
use serde_json::{Value, json};

use crate::place::{Place, says};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn run(place: &Place, arguments: &[&str]) -> String {
    let mut command = cli::Place::default().command(arguments);
    command.env("ELOWEN_STATE_DIR", place.path("state"));
    let ended = cli::ended(command);
    assert_eq!(ended.code, 0, "{ended:?}");
    ended.stdout
}

#[test]
fn the_marks_of_each_tool_are_shown_and_the_lists_of_others_do_not_add_any() {
    let place = Place::new();
    let alpha = json!({
        "provides": {"tools": ["Look", "Change"], "readOnlyTools": ["Look"]},
        "planSafe": ["Look"],
        "deferLoading": ["Change"],
        "showOutput": ["Change"],
    });
    let folder = place.plugin("plugins", "alpha", alpha, json!([says("Look", ""), says("Change", "")]));
    let zeta = json!({"planSafe": ["Change", "Plain"], "deferLoading": ["Change"]});
    place.plugin("plugins", "zeta", zeta, json!([says("Change", ""), says("Plain", "")]));
    let plugins = place.path("plugins");
    let (folder, plugins) = (folder.to_str().unwrap(), plugins.to_str().unwrap());

    let inspected = run(&place, &["inspect", folder]);
    assert!(inspected.contains("\nLook\n  marked        planSafe, readOnly\n"), "{inspected}");
    assert!(inspected.contains("\nChange\n  marked        deferred, shown\n"), "{inspected}");
    let marks = |tool: &Value| ["planSafe", "readOnly", "deferred", "shown"].map(|key| tool[key].clone());
    let report = parsed(&run(&place, &["inspect", "--json", folder]));
    assert_eq!(marks(&report["tools"][0]), [true, true, false, false]);
    assert_eq!(marks(&report["tools"][1]), [false, false, true, true]);

    let listed = run(&place, &["list", plugins]);
    for line in [
        "  Look    Look    Look for tests.  [planSafe, readOnly]\n",
        "  Change  Change  Change for tests.  [deferred, shown]\n",
        "  Change  Change  Change for tests.  ignored: `alpha` has a tool of that name\n",
        "  Plain   Plain   Plain for tests.  [planSafe]\n",
        "  warning: deferLoading 'Change' ignored: no matching tools registered by 'zeta'\n",
    ] {
        assert!(listed.contains(line), "{line:?} in\n{listed}");
    }
    let list = parsed(&run(&place, &["list", "--json", plugins]));
    assert_eq!(marks(&list["plugins"][0]["tools"][1]), [false, false, true, true]);
    assert_eq!(marks(&list["plugins"][1]["tools"][0]), [false; 4]);
    assert_eq!(marks(&list["plugins"][1]["tools"][1]), [true, false, false, false]);
    // What is not run has registered nothing that could be marked.
    let declared = parsed(&run(&place, &["list", "--no-load", "--json", plugins]));
    assert_eq!(declared["plugins"][0]["tools"].as_array().unwrap().len(), 0);
}

#[test]
fn what_is_left_out_of_a_manifest_is_shown_with_the_plugin() {
    let place = Place::new();
    let fields = json!([{"key": "mood", "label": "Mood", "type": "hologram"}]);
    let keys = json!({"configSchema": fields, "userGrantable": true});
    let folder = place.plugin("plugins", "p", keys, json!([says("Gated", "in")]));
    let warning = "ignoring config field \"mood\": unknown type \"hologram\" (needs a newer core)";
    let (folder, plugins) = (folder.to_str().unwrap(), place.path("plugins"));
    let plugins = plugins.to_str().unwrap();
    assert!(run(&place, &["inspect", folder]).contains(&format!("  warning       {warning}\n")));
    for options in [&["list"][..], &["list", "--no-load"]] {
        let listed = run(&place, &[options, &[plugins]].concat());
        assert!(listed.contains(&format!("  warning: {warning}\n")), "{listed}");
    }
    // The command line is granted all plugins (A24).
    assert_eq!(run(&place, &["call", folder, "Gated"]), "in\n");
}
