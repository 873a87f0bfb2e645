//! Who is offered which tool, and which names are denied (cases R5 to R7, R17, R18, R25, R26, A13).

use serde_json::{Value, json};

use super::*;
use crate::registry::world::World;

fn account(account: u64) -> Scope {
    Scope { account: Some(account), ..Scope::default() }
}

/// `name: description` of the offered tools.
fn offered(world: &World, grants: &Grants, scope: &Scope) -> Vec<String> {
    let tools = world.tools();
    let positions = tools_for(&tools, &world.metadata, grants, scope);
    let shown =
        |tool: &Merged<'_>| format!("{}: {}", tool.registration.name, tool.registration.description());
    positions.into_iter().map(|position| shown(&tools[position])).collect()
}

fn names(world: &World, grants: &Grants, scope: &Scope) -> Vec<String> {
    let offered = offered(world, grants, scope);
    offered.iter().map(|tool| tool.split_once(':').unwrap().0.to_owned()).collect()
}

fn denied(world: &World, disabled: &[&str], grants: &Grants) -> Vec<String> {
    let disabled: Vec<String> = disabled.iter().map(|&name| name.to_owned()).collect();
    denied_tools(&disabled, &world.tools(), &world.metadata, grants)
}

fn granted(plugins: &[&str]) -> Grants {
    Grants::of_account(false, plugins.iter().map(|&plugin| plugin.to_owned()).collect())
}

#[test]
fn r5_r7_an_accounts_own_tools_are_offered_to_it_alone() {
    let world = World::load(json!({"a": {"register": [
        "shared", ["amy", {"ownerUserId": 4}], ["bob", {"ownerUserId": 5}], ["zero", {"ownerUserId": 0}],
    ]}}));
    let seen = |scope: &Scope| names(&world, &Grants::All, scope);
    assert_eq!(seen(&account(4)), ["shared", "amy"]);
    assert_eq!(seen(&account(5)), ["shared", "bob"]);
    assert_eq!(seen(&account(0)), ["shared", "zero"]);
    assert_eq!(seen(&Scope::default()), ["shared"]);
}

#[test]
fn r6_a13_the_personal_one_stands_where_the_name_was_first_seen() {
    let world = World::load(json!({"alpha": {"register": [
        ["Do", {"ownerUserId": 7}, "personal"], "Mid", ["Do", {}, "instance"], ["Do", {"ownerUserId": 7}, "again"],
    ]}}));
    assert_eq!(world.warnings, ["[plugin:alpha] registerTool('Do') refused: already registered"]);
    let seen = |scope: &Scope| offered(&world, &Grants::All, scope);
    assert_eq!(seen(&account(7)), ["Do: personal", "Mid: Mid description"]);
    assert_eq!(seen(&account(8)), ["Mid: Mid description", "Do: instance"]);
    let two = World::load(json!({"alpha": {"register": [
        ["Do", {"ownerUserId": 7}, "seven"], ["Do", {"ownerUserId": 8}, "eight"],
    ]}}));
    let seen = |scope: &Scope| offered(&two, &Grants::All, scope);
    assert_eq!((seen(&account(7)), seen(&account(8))), (vec!["Do: seven".into()], vec!["Do: eight".into()]));
    assert_eq!((seen(&account(9)), seen(&Scope::default())), (vec![], vec![]));
}

#[test]
fn r25_r26_project_and_platform_select_together() {
    let world = World::load(json!({"a": {"register": [
        "All", ["Mine", {"ownerUserId": 7}], ["Proj", {"projectId": 3}], ["Web", {"platform": "web"}],
        ["Both", {"projectId": 3, "platform": "web"}],
    ]}}));
    let seen = |account, project, platform: Option<&str>| {
        let scope = Scope { account: Some(account), project, platform: platform.map(str::to_owned) };
        names(&world, &Grants::All, &scope)
    };
    assert_eq!(seen(1, None, None), ["All"]);
    assert_eq!(seen(7, None, Some("discord")), ["All", "Mine"]);
    assert_eq!(seen(1, Some(3), None), ["All", "Proj"]);
    assert_eq!(seen(1, None, Some("web")), ["All", "Web"]);
    assert_eq!(seen(1, Some(3), Some("web")), ["All", "Proj", "Web", "Both"]);
}

fn gated() -> World {
    World::load(json!({
        "gated": {
            "userGrantable": true,
            "register": ["GatedRead", ["GatedRead", {"ownerUserId": 1}], "GatedWrite"],
        },
        "open": {"userGrantable": false, "register": ["OpenTool"]},
    }))
}

#[test]
fn r17_a_gated_plugin_is_offered_to_administrators_and_to_whom_it_was_granted() {
    let world = gated();
    let all = ["GatedRead", "GatedWrite", "OpenTool"];
    let gated_names = ["GatedRead", "GatedWrite"];
    assert_eq!(world.metadata.user_grantable().into_iter().collect::<Vec<_>>(), ["gated"]);
    for grants in [Grants::All, Grants::of_account(true, vec![]), granted(&["gated"])] {
        assert_eq!(names(&world, &grants, &account(2)), all);
        assert_eq!(denied(&world, &[], &grants), [""; 0]);
    }
    for grants in [Grants::default(), granted(&[]), granted(&["Gated", "open"])] {
        for scope in [account(1), account(2), Scope::default()] {
            assert_eq!(names(&world, &grants, &scope), ["OpenTool"]);
        }
        assert_eq!(denied(&world, &[], &grants), gated_names);
    }
}

#[test]
fn r18_denied_are_the_names_switched_off_and_then_the_ungranted_ones() {
    let world = gated();
    let none = Grants::default();
    assert_eq!(denied(&world, &["Bash"], &none), ["Bash", "GatedRead", "GatedWrite"]);
    assert_eq!(denied(&world, &["GatedWrite", "Bash", "Bash"], &none), ["GatedWrite", "Bash", "GatedRead"]);
    assert_eq!(denied(&world, &["Bash"], &granted(&["gated"])), ["Bash"]);
    assert_eq!(denied(&World::load(json!({})), &["Bash"], &none), ["Bash"]);
    let open = World::load(json!({"open": {"register": ["OpenTool"]}}));
    assert_eq!(denied(&open, &[], &none), [""; 0]);
}

#[test]
fn r27_a_read_only_entry_grants_nothing() {
    let load = |entries: Value| {
        World::load(json!({"gated": {
            "userGrantable": true,
            "provides": {"tools": ["Get", "mcp__*"], "readOnlyTools": entries},
            "register": ["Get", ["mcp__a", {"external": true, "projectId": 3}]],
        }}))
    };
    for entries in [json!([]), json!(["Get", "mcp__*"])] {
        let world = load(entries);
        assert_eq!(names(&world, &Grants::default(), &account(1)), [""; 0]);
        assert_eq!(names(&world, &Grants::All, &account(1)), ["Get"]);
        assert_eq!(denied(&world, &[], &Grants::default()), ["Get", "mcp__a"]);
    }
}
