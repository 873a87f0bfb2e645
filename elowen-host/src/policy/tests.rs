use super::permission::{Action, Boundary, Rule, Unattended};
use super::*;
use crate::scope::Scope;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn list(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

fn policy(allow: Option<&[&str]>, deny: Option<&[&str]>) -> ToolPolicy {
    ToolPolicy { allow: allow.map(list), deny: deny.map(list) }
}

/// What the seed writes for a live answer: `{"admin": true}` or `{"projectIds": [..], "owner": ..}`.
fn live(json: &Value) -> Option<Live> {
    let ids = json["projectIds"].as_array().into_iter().flatten().filter_map(Value::as_u64);
    let reach = if json["admin"] == true { Reach::All } else { Reach::projects(ids) };
    (!json.is_null()).then(|| Live { reach, owner: json["owner"] == true })
}

fn ceiling(live: Live) -> Ceiling {
    Ceiling::capture(Captured::new(live))
}

#[test]
fn an_entry_covers_a_name_exactly_or_as_a_prefix() {
    let cases = [
        ("Read", "Read", true),
        ("Read", "Reader", false),
        ("mcp__gh__*", "mcp__gh__x", true),
        ("mcp__gh__*", "mcp__slack__y", false),
        ("*", "anything", true),
        ("a*b", "axb", false),
        ("a*b", "a*b", true),
        ("a**", "a*x", true),
        ("a**", "ax", false),
        ("", "", true),
    ];
    for (entry, name, expected) in cases {
        assert_eq!(covers(entry, name), expected, "{entry} {name}");
    }
}

#[test]
fn v3_to_v7_an_allow_list_narrows_and_a_deny_list_wins() {
    let cases = [
        ("V3", policy(Some(&["MemorySearch"]), None), "MemorySearch", true),
        ("V3", policy(Some(&["MemorySearch"]), None), "DiscordApi", false),
        ("V4", policy(None, Some(&["DiscordApi"])), "DiscordApi", false),
        ("V4", policy(None, Some(&["DiscordApi"])), "Other", true),
        ("V5", ToolPolicy::default(), "Any", true),
        ("V6", policy(Some(&["mcp__gh__*"]), None), "mcp__gh__x", true),
        ("V6", policy(Some(&["mcp__gh__*"]), None), "mcp__slack__y", false),
        ("V6", policy(Some(&["mcp__gh__x"]), Some(&["mcp__*"])), "mcp__gh__x", false),
        ("V7", policy(Some(&[]), None), "Any", false),
        ("j03", policy(Some(&["One", "mcp__a__*"]), None), "mcp__b__x", false),
        ("j04", policy(Some(&["One", "Two", "mcp__*"]), Some(&["Two", "mcp__a__*"])), "Two", false),
        ("j04", policy(Some(&["One", "Two", "mcp__*"]), Some(&["Two", "mcp__a__*"])), "One", true),
    ];
    for (id, policy, name, expected) in cases {
        assert_eq!(policy.permits(name), expected, "{id}: {name}");
    }
}

#[test]
fn an_intersection_covers_exactly_what_both_lists_cover() {
    let cut = |a: &[&str], b: &[&str]| intersection(&list(a), &list(b));
    assert_eq!(cut(&["Read", "mcp__*"], &["mcp__gh__*", "Read", "Bash"]), ["Read", "mcp__gh__*"]);
    assert_eq!(cut(&["*"], &["A", "b*"]), ["A", "b*"]);
    assert_eq!(cut(&["a*"], &["b*"]), Vec::<String>::new());
    assert_eq!(cut(&["A", "A*"], &["A"]), ["A"]);
}

#[test]
fn v8_a_principal_is_the_account_or_the_person_on_the_platform() {
    let person = |platform: &str, user: &str, account: Option<u64>| Identity {
        platform: platform.to_owned(),
        user_id: user.to_owned(),
        elowen_user_id: account,
        elowen_username: None,
        admin: false,
        owner: false,
        conversation: Conversation::Direct,
    };
    assert_eq!(person("web", "7", Some(7)).principal().as_deref(), Some("elowen:7"));
    assert_eq!(person(" discord ", " 4242 ", None).principal().as_deref(), Some("discord:4242"));
    assert_eq!(person("web", "x", Some(1 << 53)).principal().as_deref(), Some("web:x"));
    assert_eq!(person("web", " ", None).principal(), None);
}

#[test]
fn v9_a_plan_turn_is_read_only_and_planning() {
    let ceiling = ceiling(Live::command_line());
    let live = Live::command_line();
    let flags = |mode| {
        let access = effective(&ceiling, Some(&live), mode);
        (access.read_only(), access.plan_mode())
    };
    assert_eq!(flags(Some(Mode::Plan)), (true, true));
    assert_eq!(flags(Some(Mode::Build)), (false, false));
    assert_eq!(flags(Some(Mode::Workflow)), (false, false));
    assert_eq!(flags(None), (false, false));
}

#[test]
fn a9_v12_v13_access_is_live_but_never_beyond_the_ceiling() {
    let cases = json!([
        ["all and all", {"admin": true}, {"admin": true}, true, []],
        ["V12: demoted", {"admin": true}, {"projectIds": [2, 1]}, false, [1, 2]],
        ["V12: promoted again", {"admin": true}, {"admin": true}, true, []],
        ["promoted later", {"projectIds": [1, 2]}, {"admin": true}, false, [1, 2]],
        ["V13: revoked", {"projectIds": [1, 2]}, {"projectIds": [1]}, false, [1]],
        ["V13: granted later", {"projectIds": [1]}, {"projectIds": [1, 3]}, false, [1]],
        ["the account is gone", {"admin": true}, null, false, []],
        ["s81: as captured", {"projectIds": [1, 2]}, {"projectIds": [1, 2]}, false, [1, 2]],
    ]);
    for case in cases.as_array().unwrap() {
        let access = effective(&ceiling(live(&case[1]).unwrap()), live(&case[2]).as_ref(), None);
        assert_eq!((json!(access.admin()), json!(access.project_ids())), (case[3].clone(), case[4].clone()));
        assert_eq!(access.to_json()["projectIds"], case[4], "{}", case[0]);
    }
}

#[test]
fn v15_identity_loses_what_was_revoked_and_gains_nothing() {
    let who = |admin, owner| Identity {
        platform: "web".to_owned(),
        user_id: "7".to_owned(),
        elowen_user_id: Some(7),
        elowen_username: Some("ada".to_owned()),
        admin,
        owner,
        conversation: Conversation::Own,
    };
    let flags = |captured: &Identity, live: Option<&Live>| {
        let identity = effective_identity(captured, live);
        (identity.admin, identity.owner)
    };
    let everything = Live { reach: Reach::All, owner: true };
    assert_eq!(flags(&who(true, true), Some(&everything)), (true, true));
    assert_eq!(flags(&who(true, true), Some(&Live::projects([1]))), (false, false));
    assert_eq!(flags(&who(false, false), Some(&everything)), (false, false));
    assert_eq!(flags(&who(true, true), None), (false, false));
    let json = serde_json::to_string(&who(true, false)).unwrap();
    assert_eq!(
        json,
        r#"{"platform":"web","userId":"7","elowenUserId":7,"elowenUsername":"ada","admin":true,"owner":false,"conversation":"own"}"#
    );
}

#[test]
fn j07_identity_and_access_are_read_at_the_moment_they_are_asked_for() {
    struct Authority(Mutex<Option<Live>>);
    impl AccessSource for Authority {
        fn live(&self, account: Option<u64>) -> Option<Live> {
            assert_eq!(account, Some(7));
            self.0.lock().unwrap().clone()
        }
    }
    let authority = Arc::new(Authority(Mutex::new(Some(Live { reach: Reach::All, owner: true }))));
    let identity = Identity {
        platform: "web".to_owned(),
        user_id: "7".to_owned(),
        elowen_user_id: Some(7),
        elowen_username: None,
        admin: true,
        owner: true,
        conversation: Conversation::Own,
    };
    let scope = Scope { account: Some(7), ..Scope::default() };
    let begun = ceiling(Live { reach: Reach::All, owner: true });
    let nobody = Turn::new(scope.clone(), begun.clone(), authority.clone());
    assert_eq!(nobody.current_identity(), None);
    let turn = Turn::new(scope, begun, authority.clone()).identity(identity);
    assert!(turn.current_identity().unwrap().admin && turn.access().admin());
    *authority.0.lock().unwrap() = Some(Live::projects([1]));
    let now = turn.current_identity().unwrap();
    assert!(!now.admin && !now.owner && !turn.access().admin());
    *authority.0.lock().unwrap() = None;
    assert_eq!(turn.access().project_ids(), Vec::<u64>::new());
    turn.admit(Some(Mode::Plan));
    assert!(turn.access().read_only() && turn.is_planning());
}

#[test]
fn r17_r18_a_gated_plugin_needs_a_grant_or_an_administrator() {
    assert!(may_use(false, false, || false));
    assert!(may_use(true, true, || false));
    assert!(may_use(true, false, || true));
    assert!(!may_use(true, false, || false));
}

fn reader(read_only: Option<Origin>) -> AgentType {
    AgentType {
        name: "explorer".to_owned(),
        read_only,
        read_only_tools: list(&["Read", "Grep", "mcp__docs__*"]),
        ..AgentType::default()
    }
}

fn child_of(parent: &Access, agent: &AgentType) -> Access {
    effective(&derive_child(parent, agent).unwrap(), Some(&Live::admin()), Some(Mode::Build))
}

fn parent(mode: Option<Mode>) -> Access {
    effective(&ceiling(Live::projects([1, 2])), Some(&Live::projects([1, 2])), mode)
}

#[test]
fn v14_v16_s80_read_only_origins_and_what_they_hand_on() {
    let flags = |access: &Access| (access.read_only(), access.plan_mode());
    let build = parent(Some(Mode::Build));
    assert_eq!(flags(&build), (false, false));
    assert_eq!(flags(&child_of(&build, &reader(None))), (false, false));

    let requested = child_of(&build, &reader(Some(Origin::Requested)));
    assert_eq!(flags(&requested), (true, false));
    assert_eq!(flags(&child_of(&requested, &reader(None))), (true, false));

    let imposed = child_of(&build, &reader(Some(Origin::Imposed)));
    assert_eq!(flags(&imposed), (true, true));
    // Whatever a plugin asks for its child, even nothing: the grandchild of an imposed child is imposed.
    let grandchild = child_of(&imposed, &reader(None));
    assert_eq!(flags(&grandchild), (true, true));
    assert_eq!(grandchild.to_json()["planMode"], true);

    let planned = child_of(&parent(Some(Mode::Plan)), &reader(None));
    assert_eq!(flags(&planned), (true, true));
}

#[test]
fn a20_a_child_reaches_no_further_than_its_parent_does_now() {
    let parent = effective(&ceiling(Live::admin()), Some(&Live::projects([1])), None);
    let child = child_of(&parent, &reader(None));
    assert_eq!((child.admin(), child.project_ids()), (false, vec![1]));
}

#[test]
fn a20_a_child_has_the_tools_that_both_may_use() {
    let with = |policy: ToolPolicy| {
        let captured = Captured { tool_policy: Some(policy), ..Captured::new(Live::projects([1])) };
        effective(&Ceiling::capture(captured), Some(&Live::projects([1])), None)
    };
    let caller = with(policy(Some(&["Read", "Write", "mcp__*"]), Some(&["mcp__docs__secret"])));
    let read_only = derive_child(&caller, &reader(Some(Origin::Imposed))).unwrap();
    let expected = policy(Some(&["Read", "mcp__docs__*"]), Some(&["mcp__docs__secret"]));
    assert_eq!(read_only.tool_policy(), Some(&expected));

    let writer = AgentType { tools: Some(list(&["Write", "Bash"])), ..reader(None) };
    let writes = derive_child(&caller, &writer).unwrap();
    assert_eq!(writes.tool_policy().unwrap().allow, Some(list(&["Write"])));

    let empty = derive_child(&with(policy(Some(&["Write"]), None)), &reader(Some(Origin::Imposed)));
    assert!(empty.unwrap_err().to_string().starts_with("delegated tool scope is empty: "));
    let denied = with(policy(None, Some(&["Read", "Grep", "mcp__*"])));
    assert!(derive_child(&denied, &reader(Some(Origin::Imposed))).is_err());
}

#[test]
fn a20_a_childs_rules_end_with_its_parents_denials_and_nobody_is_asked() {
    let deny = Rule::tools("Write", Action::Deny);
    let boundary = Boundary {
        rules: vec![deny.clone(), Rule::tools("Edit", Action::Ask)],
        unattended: Unattended::Run,
        approve_all: false,
    };
    let captured = Captured { permissions: Some(boundary), ..Captured::new(Live::admin()) };
    let parent = effective(&Ceiling::capture(captured), Some(&Live::admin()), None);
    let agent = AgentType { restrictions: vec![Rule::tools("*", Action::Allow)], ..reader(None) };
    let child = derive_child(&parent, &agent).unwrap();
    let rules = child.permissions().unwrap();
    assert_eq!(rules.unattended, Unattended::Deny);
    assert_eq!(rules.rules.last(), Some(&deny));
    assert_eq!(rules.ruling(&[], "Write", None).action, Action::Deny);

    let free = effective(&ceiling(Live::admin()), Some(&Live::admin()), None);
    assert_eq!(derive_child(&free, &reader(None)).unwrap().permissions(), None);
    let agent = AgentType { restrictions: vec![Rule::bash("*", Action::Ask)], ..reader(None) };
    let child = derive_child(&free, &agent).unwrap();
    let rules = child.permissions().unwrap();
    assert_eq!(rules.ruling(&[], "Write", None).action, Action::Allow);
    assert_eq!(rules.ruling(&[], "Bash", Some("ls")).action, Action::Ask);
}

#[test]
fn access_is_told_as_plugins_know_it() {
    let captured = Captured {
        account: Some(7),
        principal: Some("elowen:7".to_owned()),
        tool_policy: Some(policy(Some(&[]), None)),
        ..Captured::new(Live::projects([2, 1]))
    };
    let access = effective(&Ceiling::capture(captured), Some(&Live::projects([1, 2, 3])), Some(Mode::Plan));
    let expected = json!({
        "projectIds": [1, 2], "admin": false, "owner": false, "permissionBoundary": null,
        "contributionUserId": 7, "readOnly": true, "planMode": true,
        "toolPolicy": {"allow": []}, "principal": "elowen:7"
    });
    assert_eq!(access.to_json(), expected);
}
