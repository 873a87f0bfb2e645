use super::*;

const COMMANDS: &[(&str, &[&str])] = &[
    ("ls", &["ls"]),
    ("cat README && rm -rf ~", &["cat README", "rm -rf ~"]),
    ("a; b | c || d & e\nf", &["a", "b", "c", "d", "e", "f"]),
    ("git commit -m \"a && b; c\"", &["git commit -m \"a && b; c\""]),
    ("echo 'a && b' && rm x", &["echo 'a && b'", "rm x"]),
    ("make 2>&1 &>log", &["make 2>&1 &>log"]),
    ("echo $(rm x)/y", &["rm x", "echo $()/y"]),
    ("echo \"now: $(date; rm x)\"", &["date", "rm x", "echo \"now: $()\""]),
    ("ls `rm x`", &["rm x", "ls ``"]),
    ("(cd a; rm x)", &["cd a", "rm x"]),
    ("echo \\; rm", &["echo \\; rm"]),
    ("FOO=1 BAR=2 rm x", &["FOO=1 BAR=2 rm x", "rm x"]),
    ("if true; then rm x; fi", &["if true", "true", "then rm x", "rm x", "fi"]),
    ("echo $'\\'' && rm x", &["echo $'\\''", "rm x"]),
    ("", &[]),
    (" ; ", &[]),
];

#[test]
fn a_command_is_taken_apart_into_what_it_runs() {
    for (command, expected) in COMMANDS {
        assert_eq!(segments(command), *expected, "{command}");
    }
}

#[test]
fn what_is_hidden_in_odd_quoting_is_found_nevertheless() {
    let hidden = [
        "ls # it's fine\nrm -rf ~",
        "cat <<X\nit's\nX\nrm -rf ~",
        "cat <<X\n'\nX\nrm -rf ~ # '",
        "echo 'open && rm -rf ~",
        "echo \"open && rm -rf ~",
        "echo ${x/ #/} ; rm -rf ~",
        "ls \\\n# it's\nrm -rf ~",
        "echo \"`rm -rf ~`\"",
        "echo \"$(echo \"$(rm -rf ~)\")\"",
        "((((((rm -rf ~",
    ];
    let boundary = Boundary {
        rules: vec![Rule::bash("*", Action::Allow), Rule::bash("rm*", Action::Deny)],
        ..Boundary::default()
    };
    for command in hidden {
        assert_eq!(boundary.ruling(&[], "Bash", Some(command)).action, Action::Deny, "{command}");
    }
}

#[test]
fn a_long_command_is_read_in_one_pass() {
    for unit in ["(", "\"$(", "`a ", ";a", "'", "$(a;b)"] {
        let command = unit.repeat(100_000);
        assert!(segments(&command).len() <= 200_001);
    }
}

#[test]
fn a_pattern_matches_the_whole_text() {
    let cases = [
        ("*", "", true),
        ("*", "any thing", true),
        ("rm*", "rm -rf ~", true),
        ("rm*", "xrm", false),
        ("*rm", "rm rm", true),
        ("a*b*c", "a.b.b.c", true),
        ("a*b*c", "a.c.b", false),
        ("?", "é", true),
        ("?", "", false),
        ("a?c", "abc", true),
        ("Write", "write", false),
        ("", "", true),
        ("", "a", false),
        ("a**", "a", true),
    ];
    for (pattern, text, expected) in cases {
        assert_eq!(matches(pattern, text), expected, "{pattern:?} against {text:?}");
    }
}

#[test]
fn the_last_matching_rule_wins_and_what_none_matches_is_asked() {
    let boundary = Boundary {
        rules: vec![
            Rule::tools("*", Action::Deny),
            Rule::tools("Write", Action::Allow),
            Rule::tools("W*", Action::Ask),
            Rule::bash("Read", Action::Deny),
        ],
        ..Boundary::default()
    };
    let ruling = |tool| boundary.ruling(&[], tool, None);
    assert_eq!(ruling("Write"), Ruling { action: Action::Ask, pattern: "W*" });
    assert_eq!(ruling("Read"), Ruling { action: Action::Deny, pattern: "*" });
    assert_eq!(Boundary::default().ruling(&[], "Read", None).action, Action::Ask);
    let remembered = [Rule::tools("Read", Action::Allow)];
    assert_eq!(boundary.ruling(&remembered, "Read", None).action, Action::Allow);
}

#[test]
fn the_most_restrictive_part_of_a_command_decides() {
    let boundary = Boundary {
        rules: vec![Rule::bash("cat*", Action::Allow), Rule::bash("rm*", Action::Deny)],
        ..Boundary::default()
    };
    let ruling = |command| boundary.ruling(&[], "Bash", Some(command));
    assert_eq!(ruling("cat a && cat b").action, Action::Allow);
    assert_eq!(ruling("cat a && ls").action, Action::Ask);
    assert_eq!(ruling("ls; rm a; cat b"), Ruling { action: Action::Deny, pattern: "rm*" });
    assert_eq!(ruling("LD_PRELOAD=x cat a").action, Action::Ask);
    assert_eq!(ruling("").action, Action::Ask);
}

#[test]
fn what_is_remembered_allows_what_was_asked_and_nothing_more() {
    let boundary = Boundary::with_default_rules();
    let learn = |tool, command| boundary.rules_to_remember(&[], tool, command);
    assert_eq!(learn("Write", None), [Rule::tools("Write", Action::Allow)]);
    let learned = learn("Bash", Some("ls && make test; rm *.o"));
    assert_eq!(learned, [Rule::bash("make test", Action::Allow)]);
    assert_eq!(boundary.ruling(&learned, "Bash", Some("make test")).action, Action::Allow);
    assert_eq!(boundary.ruling(&learned, "Bash", Some("make test2")).action, Action::Ask);
}

#[test]
fn default_rules_ask_before_writing_and_running() {
    let boundary = Boundary::with_default_rules();
    let tool = |name| boundary.ruling(&[], name, None).action;
    assert_eq!((tool("Read"), tool("Write"), tool("Edit")), (Action::Allow, Action::Ask, Action::Ask));
    let command = |text| boundary.ruling(&[], "Bash", Some(text)).action;
    assert_eq!(command("git status"), Action::Allow);
    assert_eq!(command("git status > ~/.bashrc"), Action::Ask);
}

#[test]
fn rules_are_read_as_the_platform_writes_them() {
    let json = r#"{"rules":[{"scope":"bash","pattern":"rm*","action":"deny"}],"unattendedAsks":"run"}"#;
    let boundary: Boundary = serde_json::from_str(json).unwrap();
    assert_eq!(boundary.rules, [Rule::bash("rm*", Action::Deny)]);
    assert_eq!(boundary.unattended, Unattended::Run);
    let json = serde_json::to_value(Boundary::default()).unwrap();
    assert_eq!(json, serde_json::json!({"rules": [], "unattendedAsks": "deny", "approveAll": false}));
}
