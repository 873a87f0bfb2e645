//! What the manifests' lists come to, on small installations (cases R7 to R28, A3, A15, E6, E8).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::registry::world::World;

fn plan_safe(world: &World) -> Vec<&str> {
    world.names_where(|tool| world.metadata.is_plan_safe(tool))
}

fn read_only(world: &World) -> Vec<&str> {
    world.names_where(|tool| world.metadata.is_read_only(tool))
}

fn deferred(world: &World) -> Vec<&str> {
    world.metadata.deferred_names().into_iter().collect()
}

fn listed(world: &World) -> Vec<&str> {
    world.metadata.plan_safe_names(&world.owners).into_iter().collect()
}

#[test]
fn r1_to_r4_provides_tools_is_enforced_where_it_is_there() {
    // What is provided, which registrations are accepted, which are refused.
    let cases: [(Value, &[&str], &[&str]); 9] = [
        (json!({"tools": ["One", "Two"]}), &["One", "Two"], &[]),
        (json!({"tools": ["net*"]}), &["net", "net__a", "net__b__c"], &["other", "Net"]),
        (json!({"skills": ["x"]}), &["One", "Two"], &[]),
        (json!({"tools": []}), &[], &["One", "Two"]),
        (json!({"tools": ["*"]}), &["One", "mcp__x__y", "zwei"], &[]),
        (json!({"tools": ["a*b"]}), &["a*b"], &["aXb"]),
        (json!({"tools": ["a**"]}), &["a*", "a*tail"], &["ab"]),
        (json!({"tools": ["One", "Ghost"]}), &["One"], &[]),
        (
            json!({"tools": ["Caf\u{e9}", "\u{5de5}*", "\u{1f9f0}*"]}),
            &["Caf\u{e9}", "\u{5de5}\u{5177}", "\u{1f9f0}tool"],
            &["Cafe\u{301}"],
        ),
    ];
    for (provides, accepted, refused) in cases {
        let register: Vec<&str> = accepted.iter().chain(refused).copied().collect();
        let world = World::load(json!({"alpha": {"provides": provides, "register": register}}));
        assert_eq!(world.names_where(|_| true), accepted);
        let warning = |name| {
            format!("[plugin:alpha] registerTool('{name}') refused: not declared in manifest provides.tools")
        };
        assert_eq!(world.warnings, refused.iter().map(warning).collect::<Vec<_>>());
    }
}

#[test]
fn r8_a13_a_collision_costs_the_later_plugin_all_entries_of_the_name() {
    let world = World::load(json!({
        "a": {"register": ["T1", "T2"]},
        "b": {"register": ["T2", ["T2", {"ownerUserId": 7}], ["Y", {"ownerUserId": 7}]]},
        "c": {"register": ["T1", "Y", "T4", "T4"]},
    }));
    assert_eq!(world.owned(), ["a/T1", "a/T2", "b/Y", "c/T4"]);
    assert_eq!(
        world.warnings,
        [
            "[plugin:b] tool \"T2\" from \"b\" ignored — already registered by \"a\"",
            "[plugin:b] tool \"T2\" from \"b\" ignored — already registered by \"a\"",
            "[plugin:c] registerTool('T4') refused: already registered",
            "[plugin:c] tool \"T1\" from \"c\" ignored — already registered by \"a\"",
            "[plugin:c] tool \"Y\" from \"c\" ignored — already registered by \"b\"",
        ]
    );
}

#[test]
fn r9_r10_plan_safe_takes_exact_declared_names_without_their_blanks() {
    let world = World::load(json!({"alpha": {
        "provides": {"tools": ["R", "W", "Pad", "Ghost"]},
        "planSafe": ["R", " Pad ", "", "  ", "Nope", "Ghost"],
        "register": ["R", "W", "Pad"],
    }}));
    assert_eq!(world.warnings, ["[plugin:alpha] planSafe 'Nope' ignored: not declared in provides.tools"]);
    assert_eq!(listed(&world), ["Ghost", "Pad", "R"]);
    assert_eq!(plan_safe(&world), ["R", "Pad"]);
}

#[test]
fn r11_r12_plan_safe_knows_no_patterns_and_needs_no_list() {
    let world = World::load(json!({
        "alpha": {
            "provides": {"tools": ["net_*"]}, "planSafe": ["net_*", "net_a"], "register": ["net_a", "net_b"],
        },
        "beta": {"planSafe": ["b_*", "b_two"], "register": ["b_one", "b_two"]},
    }));
    assert_eq!(world.warnings, ["[plugin:alpha] planSafe 'net_a' ignored: not declared in provides.tools"]);
    assert_eq!(listed(&world), ["b_*", "b_two", "net_*"]);
    assert_eq!(plan_safe(&world), ["b_two"]);
}

#[test]
fn a15_the_lists_of_a_plugin_that_lost_a_name_do_not_count_for_it() {
    let world = World::load(json!({
        "alpha": {"provides": {"tools": ["X", "Later"]}, "planSafe": ["Later"], "register": ["X"]},
        "beta": {
            "provides": {"tools": ["X", "Y"]}, "planSafe": ["X", "Y"], "deferLoading": ["X"],
            "icons": {"X": "x", "Y": "y"}, "register": ["X", "Y"],
        },
        "zeta": {"register": ["Later"]},
    }));
    assert_eq!(
        world.warnings,
        [
            "[plugin:beta] tool \"X\" from \"beta\" ignored — already registered by \"alpha\"",
            "[plugin:beta] deferLoading 'X' ignored: no matching tools registered by 'beta'",
        ]
    );
    assert_eq!((listed(&world), plan_safe(&world), deferred(&world)), (vec!["Y"], vec!["Y"], vec![]));
    // Icons count for whatever has the name.
    assert_eq!(world.metadata.icons().get("X"), Some("x"));
}

#[test]
fn r13_e6_shown_output_is_one_set_of_names_and_prefixes() {
    let world = World::load(json!({
        "alpha": {"showOutput": ["Say", "Show*", "  Quiet  ", "", " ", "Lsp*"], "register": ["Say"]},
        "beta": {"showOutput": ["Say"], "register": ["ShowB"]},
    }));
    let expected: BTreeSet<String> = ["Lsp*", "Quiet", "Say", "Show*"].map(str::to_owned).into();
    assert_eq!(*world.metadata.shown(), expected);
    for (name, shown) in [
        ("Say", true),
        ("Saying", false),
        ("ShowB", true),
        ("Show", true),
        ("Quiet", true),
        ("LspHover", true),
        ("lsp_hover", false),
    ] {
        assert_eq!(world.metadata.shows(name), shown, "{name}");
    }
    let all = World::load(json!({"alpha": {"showOutput": ["*"]}, "beta": {"register": ["B"]}}));
    assert!(all.metadata.shows("B"));
    assert!(!Metadata::default().shows("B"));
}

#[test]
fn r14_r15_deferral_expands_to_the_plugins_own_tools() {
    let world = World::load(json!({
        "alpha": {
            "deferLoading": ["Big*", "Solo", "Ghost", "Gho*", " Small ", ""],
            "register": ["Big1", "Big2", "Small", "Solo", "Other", "Bi"],
        },
        "beta": {"deferLoading": ["A*"], "register": ["A1", ["A2", {"ownerUserId": 7}], "Big3"]},
        "discord": {"register": ["mcp__discord__admin"]},
        "mcp": {"deferLoading": ["mcp__*"], "register": ["mcp__github__a", "mcp__github__b"]},
    }));
    assert_eq!(
        world.warnings,
        [
            "[plugin:alpha] deferLoading 'Ghost' ignored: no matching tools registered by 'alpha'",
            "[plugin:alpha] deferLoading 'Gho*' ignored: no matching tools registered by 'alpha'",
        ]
    );
    assert_eq!(
        deferred(&world),
        ["A1", "A2", "Big1", "Big2", "Small", "Solo", "mcp__github__a", "mcp__github__b"]
    );
    let marked: BTreeSet<&str> =
        world.names_where(|tool| world.metadata.is_deferred(tool)).into_iter().collect();
    assert_eq!(marked, world.metadata.deferred_names());
}

#[test]
fn e8_the_first_icon_of_a_key_is_shown_and_an_exact_key_before_a_prefix() {
    let world = World::load(json!({
        "alpha": {"icons": {"Blank": "  ", "A*": " star ", "A": "a"}},
        "beta": {"icons": {"A": "other", "B": "b", "AB*": "never", "Blank": "late"}},
    }));
    let icons = world.metadata.icons();
    for (name, icon) in [
        ("A", Some("a")),
        ("A1", Some(" star ")),
        ("AB1", Some(" star ")),
        ("B", Some("b")),
        ("Blank", Some("late")),
        ("C", None),
    ] {
        assert_eq!(icons.get(name), icon, "{name}");
    }
    assert_eq!(icons.by_key().len(), 5);
}

#[test]
fn r21_r28_origin_is_what_was_said_and_never_the_name() {
    let world = World::load(json!({"a": {"register": [
        "One", ["Two", {"external": false}], ["Three", {"external": true}], ["mcp__x__y", {"external": false}],
        ["S", {"external": "true"}], ["N", {"external": 1}], ["Z", {"external": null}],
    ]}}));
    assert_eq!(world.names_where(|_| true), ["One", "Two", "Three", "mcp__x__y"]);
    assert_eq!(world.names_where(|tool| tool.registration.external), ["Three"]);
    let refused = ["S", "N", "Z"]
        .map(|n| format!("[plugin:a] registerTool('{n}') refused: external must be a boolean"));
    assert_eq!(world.warnings, refused);
}

#[test]
fn r22_a_rejected_collision_contributes_neither_origin_nor_classification() {
    let world = World::load(json!({
        "alpha": {"provides": {"tools": ["Dup"]}, "register": ["Dup"]},
        "beta": {
            "provides": {"tools": ["Dup"], "readOnlyTools": ["Dup"]}, "register": [["Dup", {"external": true}]],
        },
    }));
    assert_eq!(world.owned(), ["alpha/Dup"]);
    assert_eq!(world.names_where(|tool| tool.registration.external), [""; 0]);
    assert_eq!(read_only(&world), [""; 0]);
    assert_eq!(
        world.warnings,
        ["[plugin:beta] tool \"Dup\" from \"beta\" ignored — already registered by \"alpha\""]
    );
}

#[test]
fn r23_a3_a_read_only_family_is_the_plugins_own_external_tools() {
    let world = World::load(json!({
        "a": {
            "provides": {"tools": ["mcp__*"], "readOnlyTools": ["mcp__*"]},
            "register": [["mcp__a__x", {"external": true}], "mcp__b__x"],
        },
        "b": {"provides": {"tools": ["mcp__*"]}, "register": [["mcp__c__x", {"external": true}]]},
    }));
    assert_eq!(read_only(&world), ["mcp__a__x"]);
    // The same name may be external for one account and internal for the others.
    let world = World::load(json!({"a": {
        "provides": {"tools": ["web_*"], "readOnlyTools": ["web_*"]},
        "register": ["web_get", ["web_get", {"external": true, "ownerUserId": 7}]],
    }}));
    let marked: Vec<bool> = world.tools().iter().map(|tool| world.metadata.is_read_only(tool)).collect();
    assert_eq!(marked, [false, true]);
}

#[test]
fn r24_a_read_only_entry_needs_the_same_text_in_provides_tools() {
    for tools in [json!({"readOnlyTools": ["mcp__*"]}), json!({"tools": ["*"], "readOnlyTools": ["mcp__*"]})]
    {
        let register = json!([["mcp__a__x", {"external": true}]]);
        let world = World::load(json!({"a": {"provides": tools, "register": register}}));
        assert_eq!(read_only(&world), [""; 0]);
        let warning = "[plugin:a] readOnlyTools 'mcp__*' ignored: not declared in provides.tools";
        assert_eq!(world.warnings, [warning]);
    }
}

#[test]
fn a3_exact_read_only_names_are_declared_and_owned_internal_or_external() {
    let world = World::load(json!({
        "a": {
            "provides": {
                "tools": ["Get", "List", "Put", "Absent", "g_*"],
                "readOnlyTools": ["Get", "List", "Foreign", "Ghost", "Absent", "g_get"],
            },
            "register": ["Get", ["List", {"external": true}], "Put", ["g_get", {"external": true}]],
        },
        "b": {"provides": {"tools": ["Foreign"]}, "register": ["Foreign"]},
    }));
    assert_eq!(read_only(&world), ["Get", "List"]);
    let ignored = ["Foreign", "Ghost", "g_get"]
        .map(|name| format!("[plugin:a] readOnlyTools '{name}' ignored: not declared in provides.tools"));
    assert_eq!(world.warnings, ignored);
}

#[test]
fn r27_read_only_entries_change_nothing_else() {
    let load = |read_only: Value| {
        World::load(json!({
            "a": {
                "provides": {"tools": ["Get", "mcp__*"], "readOnlyTools": read_only},
                "planSafe": ["Get"], "deferLoading": ["mcp__*"], "showOutput": ["Get"], "userGrantable": true,
                "register": ["Get", ["mcp__a", {"external": true}], "mcp__b"],
            },
        }))
    };
    let (with, without) = (load(json!(["Get", "mcp__*"])), load(json!([])));
    assert_eq!((read_only(&with), read_only(&without)), (vec!["Get", "mcp__a"], vec![]));
    assert_eq!(with.owned(), without.owned());
    assert_eq!(plan_safe(&with), plan_safe(&without));
    assert_eq!(with.metadata.deferred_names(), without.metadata.deferred_names());
    assert_eq!(with.metadata.shown(), without.metadata.shown());
    assert_eq!(with.metadata.user_grantable(), without.metadata.user_grantable());
    assert_eq!((with.warnings, without.warnings), (vec![], vec![]));
}

#[test]
fn r19_the_report_is_of_what_is_live() {
    let world = World::load(json!({
        "alpha": {"provides": {"tools": ["Real", "Ghost"]}, "register": ["Real"]},
        "beta": {"register": ["Real", ["Do", {}, 7], ["Do", {"ownerUserId": 7}, "mine"]]},
        "gamma": {"register": []},
    }));
    let report = serde_json::to_value(crate::registry::report::contributions(&world.tools())).unwrap();
    let expected = json!([
        {"name": "Real", "plugin": "alpha", "description": "Real description", "schema": "value*"},
        {"name": "Do", "plugin": "beta", "schema": "value*"},
        {"name": "Do", "plugin": "beta", "description": "mine", "schema": "value*"},
    ]);
    assert_eq!(report, expected);
}
