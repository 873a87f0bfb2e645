//! Which plugins are loaded from several directories, and what is said about the others.

use std::fs;

use serde_json::{Value, json};

use crate::place::{Place, answer_of, owned, plugins, says};

fn none() -> Value {
    json!({})
}

#[test]
fn l1_l4_l11_only_enabled_plugins_are_loaded_and_the_missing_ones_named() {
    let place = Place::new();
    for name in ["good", "other", "third"] {
        place.plugin("plugins", name, none(), json!([says(&format!("{name}_tool"), name)]));
    }
    // Whatever is wrong with a plugin that is not enabled is nobody's business.
    fs::create_dir_all(place.path("plugins/mangled")).unwrap();
    fs::write(place.path("plugins/mangled/elowen-plugin.json"), "{ not json").unwrap();
    let enabled = ["other", "nosuchplugin", "good", "anotherghost", "nosuchplugin"];
    let report = place.load(&["plugins"], Some(&enabled));
    assert_eq!(plugins(&report), ["good", "other"]);
    assert_eq!(owned(&report), ["good/good_tool", "other/other_tool"]);
    assert_eq!(report.not_found, ["anotherghost", "nosuchplugin"]);
    let warning = "enabled but not found in any plugin directory: anotherghost, nosuchplugin";
    assert_eq!(place.log.warnings(), [warning]);
    assert!(report.failures.is_empty() && place.log.errors().is_empty());

    assert!(plugins(&place.load(&["plugins"], Some(&[]))).is_empty());
    let everything = place.load(&["plugins"], None);
    assert_eq!(plugins(&everything), ["good", "other", "third"]);
    assert!(everything.not_found.is_empty());
    assert!(place.log.errors()[0].starts_with("plugin skipped: mangled: "), "{:?}", place.log.errors());
}

#[test]
fn l17_bundled_plugins_come_first_and_a_name_loaded_there_wins() {
    let place = Place::new();
    place.plugin("user", "alone", none(), json!([says("Alone", "user")]));
    place.plugin("user", "both", none(), json!([says("Both", "user")]));
    place.plugin("bundled", "both", none(), json!([says("Both", "bundled")]));
    place.plugin("bundled", "zeta", none(), json!([says("Zeta", "bundled")]));
    let report = place.load(&["bundled", "user"], None);
    assert_eq!(plugins(&report), ["both", "zeta", "alone"]);
    assert_eq!(answer_of(&report, "Both"), "bundled");
    assert_eq!(report.registry.plugins()[0].folder(), place.path("bundled/both"));
    assert_eq!(place.log.warnings(), [""; 0]);
    assert_eq!(answer_of(&place.load(&["user", "bundled"], None), "Both"), "user");
}

#[test]
fn l2_l19_one_that_is_broken_in_the_first_directory_does_not_block_the_second() {
    let place = Place::new();
    let boom = json!([says("Half", "done"), {"op": "throw", "message": "boom"}]);
    place.plugin("bundled", "both", none(), boom.clone());
    place.plugin("bundled", "broken", none(), boom);
    place.plugin("bundled", "good", none(), json!([says("Good", "bundled")]));
    place.plugin("user", "both", none(), json!([says("Both", "user")]));
    let report = place.load(&["bundled", "user"], Some(&["both", "broken", "good"]));
    assert_eq!(owned(&report), ["good/Good", "both/Both"]);
    assert_eq!(answer_of(&report, "Both"), "user");
    assert_eq!(report.registry.owners().of("Half"), None, "nothing is left of what failed");
    let failed: Vec<&str> = report.failures.iter().map(|failure| failure.plugin.as_str()).collect();
    assert_eq!(failed, ["both", "broken"]);
    let errors = place.log.errors();
    assert_eq!(errors.len(), 2);
    assert!(errors[0].starts_with("plugin skipped: both: ") && errors[0].contains("boom"), "{errors:?}");
    let warning = "enabled but not found in any plugin directory: broken";
    assert_eq!(place.log.warnings(), [warning]);
}

#[test]
fn l7_l8_l9_order_is_that_of_the_names_and_what_is_not_there_is_no_trouble() {
    let place = Place::new();
    for name in ["zeta", "alpha", "mike"] {
        place.plugin("second", name, none(), json!([says(&format!("{name}_tool"), name)]));
    }
    // A folder of the same name without a manifest.
    fs::create_dir_all(place.path("first/alpha")).unwrap();
    let report = place.load(&["absent", "first", "second"], None);
    assert_eq!(owned(&report), ["alpha/alpha_tool", "mike/mike_tool", "zeta/zeta_tool"]);
    assert!(place.log.warnings().is_empty() && place.log.errors().is_empty());
}

#[test]
fn l13_capabilities_are_at_hand() {
    let place = Place::new();
    place.plugin("plugins", "a", json!({"capabilities": {"network": true, "reads": ["users"]}}), json!([]));
    place.plugin("plugins", "b", none(), json!([]));
    let report = place.load(&["plugins"], None);
    let of = |index: usize| report.registry.plugins()[index].manifest().capabilities();
    assert_eq!(of(0).map(|of| (of.network, of.reads)), Some((true, vec!["users".to_owned()])));
    assert_eq!(of(1), None);
}
