//! The table of `cases/defer.json` (F1-F10; platform e07-f10), and the threshold at its edge.

use super::*;

#[derive(Deserialize)]
struct Case {
    id: String,
    about: String,
    tools: Vec<(Option<String>, String)>,
    #[serde(default)]
    defer_loading: HashSet<String>,
    #[serde(default)]
    settings: Deferral,
    expected: HashMap<String, String>,
}

fn written(decision: &Decision) -> String {
    let loading = match decision.loading {
        Loading::Immediate => "immediate",
        Loading::Deferred => "deferred",
    };
    format!("{loading} {}", decision.reason.as_str())
}

#[test]
fn f1_to_f10_each_rule_decides_where_those_before_it_do_not() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../cases/defer.json")).unwrap();
    assert_eq!(cases.len(), 13);
    for case in cases {
        let tools = || case.tools.iter().map(|(plugin, name)| (name.as_str(), plugin.as_deref()));
        let decisions = decide(tools(), &case.defer_loading, &case.settings);
        let decided: HashMap<String, String> =
            tools().map(|(name, _)| name.to_owned()).zip(decisions.iter().map(written)).collect();
        assert_eq!(decided, case.expected, "{}: {}", case.id, case.about);
    }
}

#[test]
fn f10_ten_bridged_tools_stay_and_eleven_do_not_whatever_else_there_is() {
    for (count, expected) in [(10, "immediate mcp-threshold"), (11, "deferred mcp-threshold")] {
        let names: Vec<String> = (0..count).map(|index| format!("mcp__s__t{index:02}")).collect();
        let bridged = names.iter().map(|name| (name.as_str(), Some("mcpx")));
        let others = [("Foo", Some("a")), ("Read", None), ("mcp_x", Some("a"))];
        let decisions = decide(bridged.chain(others), &HashSet::new(), &Deferral::default());
        let (bridged, others) = decisions.split_at(count);
        assert!(bridged.iter().all(|decision| written(decision) == expected), "{count}");
        let others: Vec<String> = others.iter().map(written).collect();
        let default = "immediate default-immediate";
        assert_eq!(others, [default, "immediate never-defer", default]);
    }
}
