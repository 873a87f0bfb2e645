//! The user's rules, and the person who is asked.

use super::*;
use crate::policy::permission::{Action, Rule, Unattended};

/// Answers each question with the next of its decisions, and writes down what it was asked and told to keep.
struct Person {
    decisions: Mutex<Vec<Option<Decision>>>,
    book: Book,
    meanwhile: Box<dyn Fn() + Send + Sync>,
}

#[async_trait]
impl Approval for Person {
    async fn ask(&self, request: Request<'_>) -> Option<Decision> {
        self.book.write(format!("asked {} {}", request.tool, request.params));
        (self.meanwhile)();
        self.decisions.lock().unwrap().remove(0)
    }

    async fn remember(&self, rule: &Rule) {
        self.book.write(format!("keeps {}", serde_json::to_string(rule).unwrap()));
    }
}

fn answering(decisions: &[Option<Decision>], meanwhile: impl Fn() + Send + Sync + 'static) -> (Gates, Book) {
    let book = Book::default();
    let decisions = Mutex::new(decisions.to_vec());
    let person = Person { decisions, book: book.clone(), meanwhile: Box::new(meanwhile) };
    let permission = PermissionGate::new(Arc::new(person));
    (Gates::standard(DenyList::new(), permission, no_hooks()), book)
}

fn boundary(rules: &[Rule]) -> Boundary {
    Boundary { rules: rules.to_vec(), ..Boundary::default() }
}

fn under(boundary: Boundary) -> Turn {
    turn_with(None, Some(boundary))
}

const WRITE: Target<'static> = Target::core("Write", PlanUse::PlanFile);
const BASH: Target<'static> = Target::core("Bash", PlanUse::Refused);

#[test]
fn g1_without_rules_everything_runs() {
    assert_eq!(refusal(&gates(), &turn(), WRITE), "");
}

#[test]
fn g2_a_denial_names_its_rule_and_no_approval_overrides_it() {
    let (gates, book) = answering(&[], || ());
    let rules = [Rule::tools("*", Action::Allow), Rule::tools("Wr*", Action::Deny)];
    let turn = under(Boundary { approve_all: true, ..boundary(&rules) });
    let text = "Denied by permission rule \"Wr*\" — the user's settings forbid this call.";
    assert_eq!(refusal(&gates, &turn, WRITE), text);
    assert_eq!(refusal(&gates, &turn, Target::core("Read", PlanUse::ReadOnly)), "");
    assert!(book.lines().is_empty());
}

#[test]
fn g3_g4_what_is_allowed_is_not_asked_and_once_is_not_kept() {
    let (gates, book) = answering(&[Some(Decision::Once), Some(Decision::Once)], || ());
    let turn = under(boundary(&[Rule::tools("Read", Action::Allow)]));
    assert_eq!(refusal(&gates, &turn, Target::core("Read", PlanUse::ReadOnly)), "");
    for _ in 0..2 {
        assert_eq!(run(&gates, &turn, WRITE, r#"{"path":"x"}"#), Verdict::Pass);
    }
    assert_eq!(book.lines(), [r#"asked Write {"path":"x"}"#; 2]);
}

#[test]
fn g5_always_is_kept_and_not_asked_again() {
    let (gates, book) = answering(&[Some(Decision::Always), Some(Decision::Always)], || ());
    let turn = under(Boundary::with_default_rules());
    for _ in 0..2 {
        assert_eq!(run(&gates, &turn, WRITE, "{}"), Verdict::Pass);
        assert_eq!(run(&gates, &turn, BASH, r#"{"command":"make test"}"#), Verdict::Pass);
    }
    let expected = [
        "asked Write {}",
        r#"keeps {"scope":"tools","pattern":"Write","action":"allow"}"#,
        r#"asked Bash {"command":"make test"}"#,
        r#"keeps {"scope":"bash","pattern":"make test","action":"allow"}"#,
    ];
    assert_eq!(book.lines(), expected);
}

#[test]
fn g6_g7_a_denied_or_rejected_question_is_a_denial() {
    let (gates, _) = answering(&[Some(Decision::Deny), None], || ());
    let turn = under(boundary(&[]));
    let text =
        |tool: &str| format!("The user denied running {tool}. Do not retry it without asking them first.");
    let denied = run(&gates, &turn, BASH, r#"{"command":"rm -rf x"}"#);
    assert_eq!(denied, Verdict::Refuse(text("\"Bash\" (rm -rf x)")));
    assert_eq!(refusal(&gates, &turn, WRITE), text("\"Write\""));
}

#[test]
fn g8_g9_who_is_there_decides_what_a_question_becomes() {
    let strict_text = "Denied by permission rule \"*\" — ask rule blocked in unattended run (strict mode).";
    // attended, unattended asks, approve all, asked, refusal
    let cases = [
        (true, Unattended::Deny, false, true, ""),
        (true, Unattended::Deny, true, false, ""),
        (false, Unattended::Run, false, false, ""),
        (false, Unattended::Run, true, false, ""),
        (false, Unattended::Deny, false, false, strict_text),
        (false, Unattended::Deny, true, false, strict_text),
    ];
    for (attended, unattended, approve_all, asked, expected) in cases {
        let (person, book) = answering(&[Some(Decision::Once)], || ());
        let gates = if attended { person } else { gates() };
        let turn = under(Boundary { unattended, approve_all, ..boundary(&[Rule::tools("*", Action::Ask)]) });
        assert_eq!(refusal(&gates, &turn, WRITE), expected);
        assert_eq!(!book.lines().is_empty(), asked);
    }
}

#[test]
fn g10_every_part_of_a_command_is_looked_at() {
    let rules =
        [Rule::bash("*", Action::Ask), Rule::bash("cat*", Action::Allow), Rule::bash("rm*", Action::Deny)];
    let turn = under(boundary(&rules));
    let bash = |command: &str| run(&gates(), &turn, BASH, &json!({ "command": command }).to_string());
    let text = "Denied by permission rule \"rm*\" — the user's settings forbid this call.";
    assert_eq!(bash("cat README && rm -rf ~"), Verdict::Refuse(text.to_owned()));
    assert_eq!(bash("cat README"), Verdict::Pass);
    assert!(matches!(run(&gates(), &turn, BASH, "{}"), Verdict::Refuse(_)), "no command is not a free one");
}

#[test]
fn a10_nobody_is_asked_about_a_call_that_is_refused_anyway() {
    let (gates, book) = answering(&[], || ());
    let policy = ToolPolicy { allow: list(&["Other"]), deny: list(&["Write"]) };
    let turn = turn_with(Some(policy), Some(boundary(&[])));
    assert_eq!(refusal(&gates, &turn, WRITE), not_available("Write"));
    assert_eq!(refusal(&gates, &turn, Target::of_plugin("T", "p")), not_available("T"));
    let planning = under(boundary(&[])).mode(Mode::Plan);
    assert!(refusal(&gates, &planning, WRITE).starts_with("Plan mode is read-only"));
    let elsewhere = Target { project_id: Some(9), ..Target::of_plugin("T", "p") };
    assert_eq!(refusal(&gates, &under(boundary(&[])), elsewhere), not_available("T"));
    assert!(book.lines().is_empty());
}

#[test]
fn what_is_revoked_while_a_person_thinks_is_refused_after_all() {
    let authority = Authority::new(Live::projects([1]));
    let person = authority.clone();
    let (gates, book) = answering(&[Some(Decision::Once)], move || person.says(Some(Live::projects([2]))));
    let captured = Captured { permissions: Some(boundary(&[])), ..Captured::new(Live::projects([1, 2])) };
    let turn = Turn::new(scope(), Ceiling::capture(captured), Arc::new(authority));
    let tool = Target { project_id: Some(1), ..Target::of_plugin("T", "p") };
    assert_eq!(refusal(&gates, &turn, tool), not_available("T"));
    assert_eq!(book.lines().len(), 1);
}
