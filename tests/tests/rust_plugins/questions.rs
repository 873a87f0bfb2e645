//! Questions that a plugin asks: answered by the host, by its embedder now or later, or not at all.

use std::thread;
use std::time::Duration;

use elowen_host::query::{Question, Questions, Reply};
use elowen_tests::table::{Test, case};
use serde_json::json;

use crate::bench::Bench;

/// Answers by the question's name.
struct Embedder;

impl Questions for Embedder {
    fn ask(&self, question: Question<'_>, reply: Reply) {
        let answer = json!({"plugin": question.plugin, "inCall": question.operation != 0});
        match question.name {
            "now" => reply.answer(&answer),
            "later" => drop(thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                reply.answer(&answer);
            })),
            "droppedNow" => drop(reply),
            "droppedLater" => drop(thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                drop(reply);
            })),
            "refused" => reply.refuse("not today"),
            // As a panic does, without the hook that prints it.
            "panics" => std::panic::resume_unwind(Box::new("the embedder went wrong")),
            other => reply.unknown(other),
        }
    }
}

/// What is asked, and what the tool then answers.
const ASKED: [(&str, &str); 7] = [
    ("now", r#"{"plugin":"misbehaves","inCall":true}"#),
    ("later", r#"{"plugin":"misbehaves","inCall":true}"#),
    ("droppedNow", "no answer: the call this question belongs to is over"),
    ("droppedLater", "no answer: the call this question belongs to is over"),
    ("refused", "no answer: the host will not answer: not today"),
    ("panics", "no answer: the call this question belongs to is over"),
    ("nonsense", "no answer: this host knows no question `nonsense`; a newer one may"),
];

pub(crate) fn cases() -> Vec<Test> {
    let mut cases: Vec<Test> = ASKED
        .into_iter()
        .map(|(name, expected)| {
            let slug = format!("a_question_is_answered_once::{name}");
            case(slug, format!("Ask and AskBlocking({name})"), move || asked(name, expected))
        })
        .collect();
    cases.push(case("a_host_answers_its_own_questions", "Ask(config), Ask(pluginDir), Ask(dataDir)", own));
    cases.push(case("a_host_without_an_embedder_knows_no_others", "Ask(now)", no_embedder));
    cases
}

fn asked(name: &str, expected: &str) -> String {
    let bench = Bench::with(|builder| builder.questions(Embedder));
    for tool in ["Ask", "AskBlocking"] {
        for _ in 0..20 {
            assert_eq!(bench.text(tool, json!({"name": name})), expected, "{tool}");
        }
    }
    bench.all_is_well();
    expected.to_owned()
}

fn own() -> String {
    let config = json!({"greeting": "Ahoj"});
    let bench = Bench::with(|builder| builder.questions(Embedder).config("misbehaves", config.clone()));
    let path = |dir: std::path::PathBuf| json!({"path": dir}).to_string();
    assert_eq!(bench.text("Ask", json!({"name": "config"})), config.to_string());
    assert_eq!(bench.text("Ask", json!({"name": "pluginDir"})), path(bench.plugins_dir().join("misbehaves")));
    let data = bench.state_dir().join("data/misbehaves");
    assert_eq!(bench.text("Ask", json!({"name": "dataDir"})), path(data.clone()));
    assert!(data.is_dir());
    bench.all_is_well();
    config.to_string()
}

fn no_embedder() -> String {
    let bench = Bench::new();
    let text = bench.text("Ask", json!({"name": "now"}));
    assert_eq!(text, "no answer: this host knows no question `now`; a newer one may");
    bench.all_is_well();
    text
}
