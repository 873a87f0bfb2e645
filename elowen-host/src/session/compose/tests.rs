//! Order, deferral and visibility of whole sessions (A27, C16, C17, F11-F16, X3, X5; platform f01-f13; seed
//! s03-s34).

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn tool(name: &str) -> Offered {
    Offered {
        name: name.into(),
        description: format!("{name} description"),
        parameters: json!({"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}),
        external: false,
        plugin: Some("p".into()),
        read_only: false,
        plan_safe: false,
    }
}

fn core(name: &str, group: Group, plan: PlanUse) -> Core {
    Core { tool: Offered { plugin: None, ..tool(name) }, group, plan }
}

fn composed(core: Vec<Core>, plugins: Vec<Offered>, defer_loading: &[&str]) -> Composition {
    let defer_loading = defer_loading.iter().map(|name| name.to_string()).collect();
    compose(Parts {
        core,
        plugins,
        defer_loading: &defer_loading,
        deferral: &Deferral::default(),
        grows: true,
        status_field: true,
    })
}

fn names<'a>(tools: impl IntoIterator<Item = &'a Offered>) -> Vec<&'a str> {
    tools.into_iter().map(|tool| tool.name.as_str()).collect()
}

fn visible<'a>(composition: &'a Composition, turn: Turn<'_>, activated: &Activated) -> Vec<&'a str> {
    names(composition.visible(turn, activated))
}

const PLAN: Turn<'static> = Turn { plan: true, allow: None, deny: &[] };

#[test]
fn f15_a27_groups_stand_in_order_around_the_plugins_tools() {
    let core = vec![
        core("ExitPlanMode", Group::Trailing, PlanUse::Control),
        core("ShareImage", Group::Middle, PlanUse::ReadOnly),
        core("MemoryBuiltin", Group::Leading, PlanUse::ReadOnly),
        core("MemorySecond", Group::Leading, PlanUse::ReadOnly),
    ];
    let composition = composed(core, vec![tool("ScanCode"), tool("Another")], &["ScanCode"]);
    assert_eq!(
        names(composition.tools()),
        ["MemoryBuiltin", "MemorySecond", "ToolSearch", "ShareImage", "ScanCode", "Another", "ExitPlanMode"]
    );
}

#[test]
fn f13_tool_search_is_there_only_if_something_is_deferred() {
    let bridged: Vec<Offered> = (0..4).map(|index| tool(&format!("mcp__s__t{index}"))).collect();
    assert!(composed(vec![], bridged.clone(), &[]).tool("ToolSearch").is_none());
    assert!(composed(vec![], bridged, &["mcp__s__t0"]).tool("ToolSearch").is_some());
}

#[test]
fn f01_a_session_that_cannot_grow_gets_everything_at_once() {
    let defer_loading = HashSet::from(["Big".to_owned()]);
    let plugins = vec![tool("Big"), tool("Small")];
    let deferral = Deferral::default();
    let parts = Parts {
        core: vec![],
        plugins,
        defer_loading: &defer_loading,
        deferral: &deferral,
        grows: false,
        status_field: true,
    };
    let composition = compose(parts);
    assert_eq!(visible(&composition, Turn::default(), &Activated::default()), ["Big", "Small"]);
    assert_eq!(composition.deferred().count(), 0);
    assert_eq!(composition.decision("Big").unwrap().reason.as_str(), "source-default");
}

#[test]
fn f11_deferred_tools_are_registered_and_become_visible_once_activated() {
    let mut plugins: Vec<Offered> = (0..12).map(|index| tool(&format!("mcp__s__t{index:02}"))).collect();
    plugins.extend(["Read", "Write", "Edit", "Bash"].map(tool));
    let composition = composed(vec![core("End", Group::Trailing, PlanUse::Refused)], plugins, &[]);
    assert_eq!((composition.tools().count(), composition.deferred().count()), (18, 12));
    let mut activated = Activated::default();
    let start = ["ToolSearch", "Read", "Write", "Edit", "Bash", "End"];
    assert_eq!(visible(&composition, Turn::default(), &activated), start);
    let query = json!({"query": "select:mcp__s__t07,mcp__s__t03"}).to_string();
    tool_search::run(&composition, &query, Turn::default(), &mut activated);
    tool_search::run(&composition, r#"{"query":"mcp__s__t01"}"#, Turn::default(), &mut activated);
    let grown = [&start[..], &["mcp__s__t03", "mcp__s__t07", "mcp__s__t01"]].concat();
    assert_eq!(visible(&composition, Turn::default(), &activated), grown);
}

#[test]
fn a27_a_core_name_goes_before_a_plugins_and_tool_search_before_everyones() {
    let core = vec![
        core("Share", Group::Trailing, PlanUse::Refused),
        core("ToolSearch", Group::Leading, PlanUse::Refused),
        core("Share", Group::Leading, PlanUse::Refused),
    ];
    let composition = composed(core, vec![tool("Share"), tool("ToolSearch"), tool("Own")], &["Own"]);
    assert_eq!(names(composition.tools()), ["ToolSearch", "Own", "Share"]);
    assert_eq!(composition.tool("Share").unwrap().plugin, None);
    assert_eq!(composition.tool("ToolSearch").unwrap().parameters, tool_search::tool().parameters);
    let left_out: Vec<bool> =
        composition.warnings().iter().map(|warning| warning.contains("left out")).collect();
    assert_eq!(left_out, [true; 4]);
    assert!(composition.warnings()[2].starts_with("tool \"Share\" from \"p\" left out"));
}

#[test]
fn x3_plan_safe_does_not_keep_a_tool_loaded() {
    let look = Offered { plan_safe: true, ..tool("Look") };
    let composition = composed(vec![], vec![look, tool("Act")], &["Look", "Act"]);
    let mut activated = Activated::default();
    assert_eq!(names(composition.deferred()), ["Look", "Act"]);
    assert_eq!(composition.decision("Look").unwrap().reason.as_str(), "source-default");
    // In plan mode it is reached through ToolSearch, and the other one is absent throughout.
    assert_eq!(visible(&composition, PLAN, &activated), ["ToolSearch"]);
    assert!(!tool_search::block(&composition, PLAN).unwrap().contains("Act"));
    tool_search::run(&composition, r#"{"query":"select:Look,Act"}"#, PLAN, &mut activated);
    assert_eq!(visible(&composition, PLAN, &activated), ["ToolSearch", "Look"]);
}

#[test]
fn x5_a6_plan_mode_shows_the_cores_own_and_plan_safe_tools_and_nothing_else() {
    let core = vec![
        core("Memory", Group::Leading, PlanUse::ReadOnly),
        core("Write", Group::Middle, PlanUse::PlanFile),
        core("Share", Group::Middle, PlanUse::Refused),
        core("ExitPlanMode", Group::Trailing, PlanUse::Control),
    ];
    // A plugin's word about a core tool's name, or a core tool's own, counts for nothing.
    let edit = Offered { read_only: true, ..tool("Edit") };
    let composition = composed(core, vec![Offered { plan_safe: true, ..tool("R") }, tool("W"), edit], &[]);
    let shown = ["Memory", "Write", "R", "ExitPlanMode"];
    let mut activated = Activated::default();
    assert_eq!(visible(&composition, PLAN, &activated), shown);
    assert_eq!(composition.plan_allowed().collect::<Vec<_>>(), shown);
    assert_eq!(visible(&composition, Turn::default(), &activated).len(), 7);
    // Names that are not deferred, or not there, cannot be activated into it.
    activated.extend(["W", "Nowhere"]);
    assert_eq!(visible(&composition, PLAN, &activated), shown);
    assert_eq!(visible(&composition, Turn::default(), &activated).len(), 7);
}

#[test]
fn the_lists_narrow_what_is_shown_and_order_alone_is_no_change() {
    let composition =
        composed(vec![core("C", Group::Middle, PlanUse::ReadOnly)], vec![tool("A"), tool("B")], &[]);
    let activated = Activated::default();
    let allow = ["A".to_owned()];
    let narrowed = composition.visible(Turn { allow: Some(&allow), ..Turn::default() }, &activated);
    assert_eq!(names(narrowed.clone()), ["C", "A"]);
    let reversed: Vec<&Offered> = narrowed.iter().rev().copied().collect();
    assert!(!differ(&narrowed, &reversed));
    assert!(differ(&narrowed, &composition.visible(Turn::default(), &activated)));
}

#[test]
fn f16_origin_changes_no_decision() {
    let bridged = |external| -> Vec<Offered> {
        let tools = (0..11).map(|index| tool(&format!("mcp__s__t{index:02}"))).chain([tool("Foo")]);
        tools.map(|tool| Offered { external, ..tool }).collect()
    };
    for external in [true, false] {
        let composition = composed(vec![], bridged(external), &[]);
        assert_eq!(composition.deferred().count(), 11);
        assert!(!composition.is_deferred("Foo"));
    }
}

#[test]
fn c16_without_external_tools_a_schema_is_its_own_plus_the_status_field() {
    let large = json!({"type": "object", "title": "t", "properties": {"a": {"description": "x".repeat(20_000)}}, "required": ["a"]});
    let plugins = vec![tool("A"), Offered { parameters: large, ..tool("mcp__x__y") }, tool("Bash")];
    let composition = composed(vec![], plugins.clone(), &[]);
    assert!(composition.capped().is_empty() && composition.warnings().is_empty());
    for (before, after) in plugins.iter().zip(composition.tools()) {
        let mut parameters = after.parameters.clone();
        let removed = parameters["properties"].as_object_mut().unwrap().shift_remove(status::KEY);
        assert_eq!(removed.is_some(), before.name != "Bash");
        assert_eq!(parameters.to_string(), before.parameters.to_string());
        assert_eq!((&after.description, &after.name), (&before.description, &before.name));
    }
}

#[test]
fn c17_caps_go_before_the_status_field_and_are_reported_once() {
    let big = json!({"type": "object", "properties": {"a": {"description": "x".repeat(20_000)}}});
    let plugins = vec![
        Offered { external: true, parameters: big, ..tool("Big") },
        Offered { external: true, ..tool("Foo") },
        Offered { external: true, parameters: Value::Null, ..tool("Odd") },
        tool("mcp__x__y"),
    ];
    let composition = composed(vec![], plugins, &[]);
    let capped: Vec<&str> = composition.capped().iter().map(|capped| capped.name.as_str()).collect();
    assert_eq!(capped, ["Big", "Odd"]);
    assert_eq!(composition.warnings().len(), 2);
    for (name, with_field) in [("Big", false), ("Foo", false), ("Odd", false), ("mcp__x__y", true)] {
        let parameters = composition.tool(name).unwrap().parameters.to_string();
        assert_eq!(parameters.contains(status::KEY), with_field, "{name}");
    }
    assert_eq!(composition.tool("Odd").unwrap().parameters, cap::permissive());
}

fn any_tool() -> impl Strategy<Value = Offered> {
    let name = prop_oneof![
        "[A-D]{1,2}",
        "mcp__[a-c]__[a-f]",
        Just("ToolSearch".to_owned()),
        Just("Bash".to_owned())
    ];
    (name, any::<bool>(), any::<bool>(), 0usize..9_000).prop_map(|(name, external, plan_safe, bytes)| {
        Offered {
            external,
            plan_safe,
            parameters: json!({"type": "object", "properties": {"a": {"description": "x".repeat(bytes)}}}),
            ..tool(&name)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn composition_is_deterministic_and_loses_no_name(
        plugins in prop::collection::vec(any_tool(), 0..24),
        core_names in prop::collection::vec("[A-D]", 0..3),
        deferred in prop::collection::vec("[A-D]{1,2}", 0..4),
    ) {
        let deferred: Vec<&str> = deferred.iter().map(String::as_str).collect();
        let cores = || core_names.iter().map(|name| core(name, Group::Middle, PlanUse::ReadOnly)).collect();
        let once = composed(cores(), plugins.clone(), &deferred);
        let again = composed(cores(), plugins.clone(), &deferred);
        prop_assert!(once.tools().eq(again.tools()));
        prop_assert_eq!(once.warnings(), again.warnings());
        prop_assert_eq!(once.capped(), again.capped());
        let unique: HashSet<&str> = names(once.tools()).into_iter().collect();
        prop_assert_eq!(unique.len(), once.tools().count());
        let all = plugins.iter().map(|tool| &tool.name).chain(&core_names).filter(|name| *name != "ToolSearch");
        for name in all {
            prop_assert!(unique.contains(name.as_str()));
        }
        prop_assert_eq!(once.tool("ToolSearch").is_some(), once.deferred().next().is_some());
        let shown = once.visible(PLAN, &Activated::default());
        prop_assert!(shown.iter().all(|tool| tool.plan_safe && !once.is_deferred(&tool.name)));
    }
}
