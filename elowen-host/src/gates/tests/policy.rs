//! Gates that answer at once: planning, denials, ownership, policy, scope.

use super::*;

#[test]
fn j03_j04_v3_to_v7_the_policy_decides_about_plugins_tools() {
    let cases = json!([
        {"id": "j03", "allow": ["One", "mcp__a__*"], "runs": ["One", "mcp__a__x"], "refused": ["Two", "mcp__b__x"]},
        {"id": "j04", "allow": ["One", "Two", "mcp__*"], "deny": ["Two", "mcp__a__*"],
            "runs": ["One"], "refused": ["Two", "mcp__a__x"]},
        {"id": "V4", "deny": ["DiscordApi"], "runs": ["Other"], "refused": ["DiscordApi"]},
        {"id": "V5", "runs": ["One"], "refused": []},
        {"id": "V6", "allow": ["mcp__gh__x"], "deny": ["mcp__*"], "runs": [], "refused": ["mcp__gh__x"]},
        {"id": "V7", "allow": [], "runs": [], "refused": ["One"]}
    ]);
    for case in cases.as_array().unwrap() {
        let policy: ToolPolicy = serde_json::from_value(case.clone()).unwrap();
        let turn = turn_with(Some(policy), None);
        let names = |key: &str| -> Vec<String> { serde_json::from_value(case[key].clone()).unwrap() };
        for name in names("runs") {
            assert_eq!(refusal(&gates(), &turn, Target::of_plugin(&name, "alpha")), "", "{case}");
        }
        for name in names("refused") {
            let text = refusal(&gates(), &turn, Target::of_plugin(&name, "alpha"));
            assert_eq!(text, not_available(&name), "{case}");
        }
    }
}

#[test]
fn s10_a_core_tool_is_denied_by_name_but_never_narrowed() {
    let policy = ToolPolicy { allow: list(&["DiscordCreateChannel"]), deny: list(&["Share*"]) };
    let turn = turn_with(Some(policy), None);
    let core = |name| refusal(&gates(), &turn, Target::core(name, PlanUse::ReadOnly));
    assert_eq!(core("MemorySearch"), "");
    assert_eq!(core("ShareImage"), not_available("ShareImage"));
}

#[test]
fn j06_s34_g11_a6_planning_refuses_what_is_not_declared() {
    let plan_text = "The tool \"W\" is not available in plan mode, which may not change anything. Finish the \
                     plan and call ExitPlanMode first.";
    for (mode, expected) in
        [(Some(Mode::Plan), plan_text), (Some(Mode::Build), ""), (Some(Mode::Workflow), ""), (None, "")]
    {
        let turn = turn();
        turn.admit(mode);
        assert_eq!(refusal(&gates(), &turn, Target::of_plugin("W", "alpha")), expected);
        let declared = Target { plan: PlanUse::ReadOnly, ..Target::of_plugin("R", "alpha") };
        assert_eq!(refusal(&gates(), &turn, declared), "");
    }
    let policy = ToolPolicy { allow: None, deny: list(&["Search"]) };
    let turn = turn_with(Some(policy), None).mode(Mode::Plan);
    let text = refusal(&gates(), &turn, Target::core("Search", PlanUse::ReadOnly));
    assert!(text.contains("not available in plan mode"));
    assert_eq!(refusal(&gates(), &turn, Target::core("ExitPlanMode", PlanUse::Control)), "");
}

#[test]
fn g12_planning_writes_the_plan_and_nothing_else() {
    let planning = turn().plan_file("/plans/7.md").mode(Mode::Plan);
    let text = "Plan mode is read-only: \"Write\" may only write this conversation's plan file. Finish planning \
                and exit plan mode before changing anything else.";
    let refused = Verdict::Refuse(text.to_owned());
    let write = Target::core("Write", PlanUse::PlanFile);
    let cases = [
        (r#"{"path":"/plans/7.md","content":""}"#, true),
        (r#"{"path":"/repo/a/x"}"#, false),
        (r#"{"path":"/plans/x/../7.md"}"#, false),
        (r#"{"path":"7.md"}"#, false),
        (r#"{"path":7}"#, false),
        ("{}", false),
        ("[]", false),
    ];
    for (arguments, allowed) in cases {
        let verdict = run(&gates(), &planning, write, arguments);
        assert_eq!(verdict, if allowed { Verdict::Pass } else { refused.clone() }, "{arguments}");
    }
    let edit = run(&gates(), &planning, Target::core("Edit", PlanUse::PlanFile), r#"{"path":"/x"}"#);
    assert!(matches!(edit, Verdict::Refuse(text) if text.contains("\"Edit\"")));
    assert_eq!(run(&gates(), &turn().mode(Mode::Plan), write, r#"{"path":"/plans/7.md"}"#), refused);
    for mode in [Mode::Build, Mode::Workflow] {
        let building = turn().plan_file("/plans/7.md").mode(mode);
        assert_eq!(run(&gates(), &building, write, r#"{"path":"/repo/a/x"}"#), Verdict::Pass);
    }
    assert_eq!(refusal(&gates(), &planning, Target::core("Read", PlanUse::ReadOnly)), "");
    // A plugin's own tool of that name is an ordinary undeclared tool.
    let verdict = run(&gates(), &planning, Target::of_plugin("Write", "p"), r#"{"path":"/plans/7.md"}"#);
    assert!(matches!(verdict, Verdict::Refuse(text) if text.contains("not available in plan mode")));
}

#[test]
fn a_personal_tool_is_for_its_account() {
    let mine = Target { owner_user_id: Some(1), ..Target::of_plugin("T", "p") };
    assert_eq!(refusal(&gates(), &turn(), mine), "");
    let theirs = Target { owner_user_id: Some(0), ..mine };
    let text = "The tool \"T\" belongs to another account and is not available to you in this conversation.";
    assert_eq!(refusal(&gates(), &turn(), theirs), text);
}

#[test]
fn a18_scope_is_compared_again_with_what_holds_now() {
    let authority = Authority::new(Live::projects([1, 2]));
    let ceiling = Ceiling::capture(Captured::new(Live::projects([1, 2])));
    let turn = Turn::new(scope(), ceiling, Arc::new(authority.clone()));
    let tool = Target::of_plugin("T", "p");
    let refused = |target| refusal(&gates(), &turn, target) == not_available("T");

    let here = Target { project_id: Some(1), platform: Some("web"), owner_user_id: Some(1), ..tool };
    assert!(!refused(here));
    assert!(refused(Target { project_id: Some(2), ..tool }), "within reach, but not the session's project");
    assert!(refused(Target { platform: Some("discord"), ..tool }));

    authority.says(Some(Live::projects([2])));
    assert!(refused(here), "the project was revoked");
    assert!(!refused(tool));
    authority.says(Some(Live::admin()));
    assert!(!refused(here), "an administrator reaches every project");
    authority.says(None);
    assert!(refused(here) && refused(Target { owner_user_id: Some(1), ..tool }), "the account is gone");
}

#[test]
fn r17_r18_a_gated_plugin_needs_a_grant_at_each_call() {
    struct Table(Mutex<Vec<&'static str>>);
    impl Grants for Table {
        fn is_granted(&self, account: u64, plugin: &str) -> bool {
            account == 1 && self.0.lock().unwrap().contains(&plugin)
        }
        fn is_disabled(&self, _: u64, tool: &str) -> bool {
            tool == "Bash"
        }
    }
    let table = Arc::new(Table(Mutex::new(vec!["gated"])));
    let permission = || PermissionGate::new(Arc::new(Nobody));
    let gates = Gates::standard(DenyList::with_grants(table.clone()), permission(), no_hooks());
    let gated = Target { user_grantable: true, ..Target::of_plugin("GatedRead", "gated") };
    assert_eq!(refusal(&gates, &turn(), gated), "");
    assert_eq!(refusal(&gates, &turn(), Target::core("Bash", PlanUse::Control)), not_available("Bash"));

    table.0.lock().unwrap().clear();
    assert_eq!(refusal(&gates, &turn(), gated), not_available("GatedRead"));
    assert_eq!(refusal(&gates, &turn(), Target::of_plugin("OpenTool", "gated")), "");

    let live = Live::admin();
    let ceiling = Ceiling::capture(Captured::new(live.clone()));
    let admin = Turn::new(scope(), ceiling.clone(), Arc::new(live));
    assert_eq!(refusal(&gates, &admin, gated), "");
    // Nobody's account, and a host that knows no grants.
    table.0.lock().unwrap().push("gated");
    let live = Live::projects([1]);
    let nobody = Turn::new(Scope::default(), ceiling, Arc::new(live));
    assert_eq!(refusal(&gates, &nobody, gated), not_available("GatedRead"));
    let without = Gates::standard(DenyList::new(), permission(), no_hooks());
    assert_eq!(refusal(&without, &turn(), gated), not_available("GatedRead"));
}
