//! The table of `cases/tool_search.json` (S1-S9; platform k01-k12), and what needs other tools than that zoo.

use super::*;
use crate::session::compose::{Core, Group, Parts, PlanUse, compose};
use crate::session::defer::Deferral;
use serde::Deserialize;

/// A plugin's tool that [`composed`] defers.
pub(in crate::session) fn deferred(name: &str, description: &str) -> Offered {
    let plugin = Some("zoo".to_owned());
    Offered { plugin, read_only: false, plan_safe: false, ..named_tool(name, description) }
}

fn named_tool(name: &str, description: &str) -> Offered {
    Offered {
        name: name.into(),
        description: description.into(),
        parameters: json!({"type": "object"}),
        ..tool()
    }
}

/// A session of these tools, in which all but `Plain` are deferred.
pub(in crate::session) fn composed(plugins: Vec<Offered>) -> Composition {
    with_core(vec![], plugins)
}

fn with_core(core: Vec<Core>, plugins: Vec<Offered>) -> Composition {
    let names = plugins.iter().map(|tool| tool.name.clone()).filter(|name| name != "Plain");
    let defer_loading = names.chain(["ShareRoom".to_owned()]).collect();
    compose(Parts {
        core,
        plugins,
        defer_loading: &defer_loading,
        deferral: &Deferral::default(),
        grows: true,
        status_field: true,
    })
}

fn zoo() -> Composition {
    composed(vec![
        deferred("DiscordCreateChannel", "Create a channel in a Discord server"),
        deferred("DiscordDeleteChannel", "Delete a channel"),
        deferred("DiscordListRoles", "List the roles of a server"),
        deferred("mcp__github__create_issue", "Open an issue"),
        deferred("mcp__github__list_issues", "List issues already open"),
        deferred("mcp__gitlab__read_thread", "Read a thread"),
        deferred("XMLParser2Go", "Parses documents"),
        deferred("Plain", "never deferred here"),
    ])
}

fn search(composition: &Composition, query: &str, turn: Turn<'_>) -> (String, Value) {
    let answer = run(composition, &json!({"query": query}).to_string(), turn, &mut Activated::default());
    assert!(!answer.is_error);
    (answer.to_text(), answer.details)
}

fn matched(composition: &Composition, query: &str, turn: Turn<'_>) -> Vec<String> {
    serde_json::from_value(search(composition, query, turn).1["matched"].clone()).unwrap()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    about: String,
    #[serde(default)]
    deny: Vec<String>,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Call {
    query: String,
    #[serde(default, rename = "max_results")]
    max_results: Option<Value>,
    text: Option<String>,
    matched: Vec<String>,
    already_active: Option<Vec<String>>,
    activated: Option<Vec<String>>,
}

#[test]
fn s1_to_s9_queries_come_to_the_tools_they_mean() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../cases/tool_search.json")).unwrap();
    assert_eq!(cases.len(), 11);
    let zoo = zoo();
    for case in cases {
        let turn = Turn { deny: &case.deny, ..Turn::default() };
        let mut activated = Activated::default();
        for call in case.calls {
            let about = format!("{}: {}, {:?}", case.id, case.about, call.query);
            let mut arguments = json!({"query": call.query});
            if let Some(most) = call.max_results {
                arguments["max_results"] = most;
            }
            let answer = run(&zoo, &arguments.to_string(), turn, &mut activated);
            let mut details = json!({"matched": call.matched});
            if let Some(already) = call.already_active {
                details["alreadyActive"] = json!(already);
            }
            assert_eq!(answer.details, details, "{about}");
            assert!(!answer.is_error && call.matched.iter().all(|name| activated.contains(name)), "{about}");
            if let Some(text) = call.text {
                assert_eq!(answer.to_text(), text, "{about}");
            }
            if let Some(names) = call.activated {
                assert_eq!(activated.names(), names, "{about}");
            }
        }
    }
}

#[test]
fn s1_a_list_of_names_is_bounded_whatever_it_asks_for() {
    let names: Vec<String> = (0..30).map(|index| format!("T{index:02}")).collect();
    let composition = composed(names.iter().map(|name| deferred(name, "")).collect());
    // In the catalogue's order, not the list's.
    let reversed: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    let query = format!("select:{}", reversed.join(","));
    assert_eq!(matched(&composition, &query, Turn::default()), names[..25]);
}

#[test]
fn s3_more_words_found_go_before_the_catalogues_order() {
    let names = ["CreateChannel", "DiscordCreateChannel", "Roles"];
    let composition = composed(names.map(|name| deferred(name, "")).to_vec());
    assert_eq!(
        matched(&composition, "discord channel", Turn::default()),
        ["DiscordCreateChannel", "CreateChannel"]
    );
}

#[test]
fn s6_a_word_of_a_description_is_a_whole_word() {
    let composition = composed(vec![deferred("A", "You spread it"), deferred("B", "You read it")]);
    assert_eq!(matched(&composition, "read", Turn::default()), ["B"]);
}

#[test]
fn one_exact_name_is_that_tool_alone_and_letter_case_tells_two_apart() {
    let names = ["look", "Look", "LookAgain"];
    let composition = composed(names.map(|name| deferred(name, "")).to_vec());
    assert_eq!(matched(&composition, " Look ", Turn::default()), ["Look"]);
    assert_eq!(matched(&composition, "LOOKAGAIN", Turn::default()), ["LookAgain"]);
}

#[test]
fn s8_only_what_became_active_is_reported_as_activated() {
    let zoo = zoo();
    let query =
        Query { text: "select:DiscordListRoles,XMLParser2Go,DiscordDeleteChannel".into(), max_results: 5 };
    let finding = find(&zoo, &query, Turn::default());
    let answered = |active: &[&str]| {
        let answer = finding.answer(active);
        (answer.to_text(), answer.details)
    };
    assert_eq!(finding.found(), ["DiscordDeleteChannel", "DiscordListRoles", "XMLParser2Go"]);
    assert_eq!(
        answered(&["DiscordListRoles"]),
        (
            "Activated 1 tool(s): DiscordListRoles. They are callable on your next turn. \
             DiscordDeleteChannel, XMLParser2Go could NOT be activated — proceed without them."
                .to_owned(),
            json!({"matched": ["DiscordListRoles"]})
        )
    );
    assert!(
        answered(&["DiscordListRoles", "XMLParser2Go"])
            .0
            .ends_with("DiscordDeleteChannel could NOT be activated — proceed without it.")
    );
    let (text, details) = answered(&[]);
    assert!(
        text.starts_with(
            "ToolSearch could not activate DiscordDeleteChannel, DiscordListRoles, XMLParser2Go"
        )
    );
    assert_eq!(details, json!({"matched": []}));
}

#[test]
fn s10_an_allow_list_does_not_keep_the_cores_tools_away() {
    let share = Core { tool: named_tool("ShareRoom", ""), group: Group::Middle, plan: PlanUse::Refused };
    let composition =
        with_core(vec![share], vec![deferred("DiscordCreateChannel", ""), deferred("Other", "")]);
    let allow = ["DiscordCreateChannel".to_owned()];
    let turn = Turn { allow: Some(&allow), ..Turn::default() };
    let query = "select:ShareRoom,DiscordCreateChannel,Other";
    assert_eq!(matched(&composition, query, turn), ["ShareRoom", "DiscordCreateChannel"]);
    let deny = ["Share*".to_owned()];
    assert_eq!(matched(&composition, "ShareRoom", Turn { deny: &deny, ..turn }), [""; 0]);
}

#[test]
fn a5_plan_mode_activates_only_what_it_may_use_and_says_so_of_the_rest() {
    let plan = Turn { plan: true, ..Turn::default() };
    let composition = composed(vec![
        Offered { plan_safe: true, ..deferred("LookUp", "") },
        deferred("ActNow", ""),
        deferred("ActLater", ""),
        deferred("Plain", ""),
    ]);
    for (query, text, found) in [
        ("ActNow", "ActNow is not available in plan mode.", &[][..]),
        ("act", "ActNow, ActLater are not available in plan mode.", &[]),
        ("Plain", "Plain is not available in plan mode.", &[]),
        (
            "select:ActNow,LookUp",
            "Activated 1 tool(s): LookUp. They are callable on your next turn. ActNow is not available in plan mode.",
            &["LookUp"],
        ),
        (
            "zebra",
            "ToolSearch matched nothing for \"zebra\". 1 tool(s) are deferred; try different keywords or \"select:<exact-name>\".",
            &[],
        ),
    ] {
        assert_eq!(
            search(&composition, query, plan),
            (text.to_owned(), json!({"matched": found})),
            "{query}"
        );
    }
    // A limit is not used up by what the mode may not use.
    let arguments = r#"{"query":"act look","max_results":1}"#;
    let answer = run(&composition, arguments, plan, &mut Activated::default());
    assert_eq!(answer.details, json!({"matched": ["LookUp"]}));
    // What the lists deny is not spoken of.
    let deny = ["ActNow".to_owned()];
    assert!(!search(&composition, "act", Turn { deny: &deny, ..plan }).0.contains("ActNow"));
}

#[test]
fn without_deferred_tools_it_says_that_everything_is_there() {
    for query in ["select:WebPick", "Plain", ""] {
        let expected = (NOTHING_DEFERRED.to_owned(), json!({"matched": []}));
        assert_eq!(search(&composed(vec![deferred("Plain", "")]), query, Turn::default()), expected);
    }
}

#[test]
fn arguments_of_the_wrong_kind_count_as_left_out() {
    let query = |arguments: &str| Query::parse(arguments);
    assert_eq!(query("nonsense"), Query { text: String::new(), max_results: 5 });
    assert_eq!(query(r#"{"query":7,"max_results":"9"}"#), Query { text: String::new(), max_results: 5 });
    assert_eq!(query(r#"{"query":"a","max_results":1e300}"#).max_results, 25);
}

#[test]
fn its_own_schema_takes_the_numbers_that_it_puts_right() {
    for arguments in [r#"{"query":"a","max_results":0}"#, r#"{"query":"a","max_results":99.5}"#] {
        let prepared = crate::arguments::prepare(NAME, &tool().parameters, arguments);
        assert_eq!(prepared, Ok(crate::arguments::Prepared::Unchanged));
    }
}
