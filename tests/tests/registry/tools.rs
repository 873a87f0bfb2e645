//! What becomes of the tools and lists of several plugins, and what a session sees of them.

use elowen_host::scope::Scope;
use elowen_host::{Grants, LoadReport, Tool};
use serde_json::{Value, json};

use crate::place::{Place, answer, answer_of, does, owned, says, says_to, session};

/// The names of the accepted tools for which something holds.
fn names(report: &LoadReport, holds: impl Fn(&Tool) -> bool) -> Vec<&'static str> {
    report.registry.tools().iter().filter(|tool| holds(tool)).map(Tool::name).collect()
}

#[test]
fn r8_l12_the_first_plugin_keeps_a_name_and_the_lists_of_a_later_one_do_not_reach_it() {
    let place = Place::new();
    let zeta = json!({
        "planSafe": ["Shared", "Own"],
        "deferLoading": ["Shared", "Own"],
        "provides": {"tools": ["Shared", "Own"], "readOnlyTools": ["Shared", "Own"]},
    });
    place.plugin("plugins", "zeta", zeta, json!([says("Shared", "zeta"), says("Own", "own")]));
    place.plugin("plugins", "alpha", json!({}), json!([says("Shared", "alpha")]));
    let report = place.load(&["plugins"], None);

    assert_eq!(owned(&report), ["alpha/Shared", "zeta/Own"]);
    assert_eq!(report.registry.owners().of("Shared"), Some("alpha"));
    assert_eq!(answer_of(&report, "Shared"), "alpha");
    assert_eq!(
        place.log.warnings(),
        [
            "[plugin:zeta] tool \"Shared\" from \"zeta\" ignored — already registered by \"alpha\"",
            "[plugin:zeta] deferLoading 'Shared' ignored: no matching tools registered by 'zeta'",
        ]
    );
    let metadata = report.registry.metadata();
    assert_eq!(names(&report, |tool| metadata.is_plan_safe(&tool.merged())), ["Own"]);
    assert_eq!(names(&report, |tool| metadata.is_deferred(&tool.merged())), ["Own"]);
    assert_eq!(names(&report, |tool| metadata.is_read_only(&tool.merged())), ["Own"]);
    let listed: Vec<&str> = metadata.plan_safe_names(report.registry.owners()).into_iter().collect();
    assert_eq!(listed, ["Own"]);
}

#[test]
fn l6_an_undeclared_tool_is_refused_and_belongs_to_nobody() {
    let place = Place::new();
    let keys = json!({"provides": {"tools": ["Allowed"]}});
    place.plugin("plugins", "strict", keys, json!([says("Allowed", "yes"), says("Sneaky", "no")]));
    let report = place.load(&["plugins"], None);
    assert_eq!(owned(&report), ["strict/Allowed"]);
    assert_eq!(report.registry.owners().of("Sneaky"), None);
    assert_eq!(answer_of(&report, "Sneaky"), "Tool Sneaky not found");
    let refusal = "[plugin:strict] registerTool('Sneaky') refused: not declared in manifest provides.tools";
    assert_eq!(place.log.warnings(), [refusal]);
}

#[test]
fn r9_to_r16_entries_that_count_for_nothing_are_warned_about_and_the_others_count() {
    let place = Place::new();
    let keys = json!({
        "provides": {"tools": ["Read", "Write", "net*"], "readOnlyTools": ["Read", "net*", "Other"]},
        "planSafe": [" Read ", "Ghost"],
        "deferLoading": ["net*", "Nothing*"],
        "showOutput": ["Write", "quiet_*"],
        "icons": {"Read": "book", "net*": "globe"},
    });
    let steps = json!([
        says("Read", ""),
        says("Write", ""),
        says_to("net__a", "", json!({"external": true})),
        says("net__b", ""),
    ]);
    place.plugin("plugins", "p", keys, steps);
    let report = place.load(&["plugins"], None);
    assert_eq!(
        place.log.warnings(),
        [
            "[plugin:p] planSafe 'Ghost' ignored: not declared in provides.tools",
            "[plugin:p] deferLoading 'Nothing*' ignored: no matching tools registered by 'p'",
            "[plugin:p] readOnlyTools 'Other' ignored: not declared in provides.tools",
        ]
    );
    let metadata = report.registry.metadata();
    assert_eq!(names(&report, |tool| metadata.is_plan_safe(&tool.merged())), ["Read"]);
    assert_eq!(names(&report, |tool| metadata.is_deferred(&tool.merged())), ["net__a", "net__b"]);
    assert_eq!(names(&report, |tool| metadata.is_read_only(&tool.merged())), ["Read", "net__a"]);
    assert_eq!(names(&report, |tool| metadata.shows(tool.name())), ["Write"]);
    assert!(metadata.shows("quiet_one"), "the entry counts for the tools of all plugins");
    let icon = |name: &str| metadata.icons().get(name);
    assert_eq!((icon("Read"), icon("net__b"), icon("Write")), (Some("book"), Some("globe"), None));
}

#[test]
fn m7_what_is_left_out_of_a_manifest_is_logged_under_the_plugins_name() {
    let place = Place::new();
    let fields = json!([{"key": "mood", "label": "Mood", "type": "hologram"}]);
    place.plugin("plugins", "p", json!({"configSchema": fields}), json!([]));
    let report = place.load(&["plugins"], None);
    let warning = "[plugin:p] ignoring config field \"mood\": unknown type \"hologram\" (needs a newer core)";
    assert_eq!(place.log.warnings(), [warning]);
    assert_eq!(report.registry.plugins()[0].manifest().warnings.len(), 1);
}

#[test]
fn r17_r18_a_plugin_that_asks_for_grants_is_offered_to_whoever_holds_one() {
    let place = Place::new();
    place.plugin("plugins", "gated", json!({"userGrantable": true}), json!([says("Gated", "in")]));
    place.plugin("plugins", "open", json!({}), json!([says("Open", "come in")]));
    let report = place.load(&["plugins"], None);
    let offered = |grants: &Grants| {
        let session = session(&report, Scope::command_line(), grants);
        let names: Vec<&str> = session.tools().iter().map(Tool::name).collect();
        (names, answer(&session, "Gated"))
    };
    let granted =
        |names: &[&str]| Grants::of_account(false, names.iter().map(|name| (*name).to_owned()).collect());
    let all = (vec!["Gated", "Open"], "in".to_owned());
    let open_only = (vec!["Open"], "Tool Gated not found".to_owned());
    assert_eq!(offered(&Grants::All), all);
    assert_eq!(offered(&granted(&["gated"])), all);
    assert_eq!(offered(&Grants::of_account(true, Vec::new())), all);
    assert_eq!(offered(&granted(&["open"])), open_only);
    assert_eq!(offered(&Grants::default()), open_only);

    let off = ["Open".to_owned()];
    assert_eq!(report.registry.denied(&off, &Grants::default()), ["Open", "Gated"]);
    assert_eq!(report.registry.denied(&off, &Grants::All), ["Open"]);
}

#[test]
fn l5_defaults_of_the_manifest_lie_below_what_is_configured() {
    let place = Place::new();
    let fields = json!([
        {"key": "greeting", "label": "Greeting", "type": "string", "default": "hello"},
        {"key": "times", "label": "Times", "type": "number", "default": 3},
        {"key": "nothing", "label": "Nothing", "type": "string"},
    ]);
    let shows = || json!([does("Config", json!({"kind": "config"}), json!({}))]);
    place.plugin("plugins", "p", json!({"configSchema": fields}), shows());
    let config = |report: &LoadReport| -> Value {
        serde_json::from_str(&answer_of(report, "Config")).expect("the tool shows JSON")
    };
    assert_eq!(config(&place.load(&["plugins"], None)), json!({"greeting": "hello", "times": 3}));
    let set = json!({"times": 5, "other": [true]});
    let report =
        place.load_with(&["plugins"], None, |builder| builder.config("p", set).config("q", json!(1)));
    assert_eq!(config(&report), json!({"greeting": "hello", "times": 5, "other": [true]}));
}

#[test]
fn a13_a_personal_tool_beats_the_instance_wide_one_in_its_place() {
    let place = Place::new();
    let steps = json!([
        says("Same", "everybody's"),
        says("After", ""),
        says_to("Same", "platform's", json!({"platform": "web"})),
        says_to("Same", "personal", json!({"ownerUserId": 7})),
    ]);
    place.plugin("plugins", "p", json!({}), steps);
    let report = place.load(&["plugins"], None);
    assert_eq!(place.log.warnings(), [""; 0]);
    assert_eq!(report.registry.tools().len(), 4);
    let same = |scope: Scope| {
        let session = session(&report, scope, &Grants::All);
        assert_eq!(session.tools().iter().map(Tool::name).collect::<Vec<_>>(), ["Same", "After"]);
        answer(&session, "Same")
    };
    let web = || Some("web".to_owned());
    assert_eq!(same(Scope { account: Some(7), project: None, platform: web() }), "personal");
    assert_eq!(same(Scope { account: Some(8), project: None, platform: web() }), "platform's");
    assert_eq!(same(Scope::default()), "everybody's");
}

#[test]
fn r19_the_contribution_report_says_what_is_live() {
    let place = Place::new();
    let keys = json!({"provides": {"tools": ["Here", "Nowhere"]}});
    place.plugin("plugins", "p", keys, json!([says("Here", "")]));
    let report = place.load(&["plugins"], None);
    let live = serde_json::to_value(report.registry.contributions()).unwrap();
    let here = json!({
        "name": "Here", "plugin": "p", "description": "Here for tests.", "schema": "schema available",
    });
    assert_eq!(live, json!([here]));
}
