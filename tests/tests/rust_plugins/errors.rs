//! What an author's `?` makes of an error, end to end: text that the model can act on, a transport failure, a fault.

use elowen_host::{Answer, Failure, FailureKind};
use elowen_tests::table::{Test, case};
use serde_json::{Value, json};

use crate::bench::{Bench, call};

pub(crate) fn cases() -> Vec<Test> {
    vec![
        case("a_missing_file_is_text", "ReadFile of a path that is not there", a_missing_file),
        case("a_file_that_is_not_utf8_is_text", "ReadFile of bytes", a_file_of_bytes),
        case("a_chosen_text_is_text", "Fail(text)", || answered("text", "try another name")),
        case("a_refused_connection_is_a_transport_failure", "Fail(refused): connect to port 1", || {
            flagged("refused", FailureKind::Transport, "onnection refused")
        }),
        case("a_timeout_is_a_transport_failure", "Fail(timeout): tokio's Elapsed", || {
            flagged("timeout", FailureKind::Transport, "deadline has elapsed")
        }),
        case("a_chosen_transport_failure_is_one", "Fail(transport)", || {
            flagged("transport", FailureKind::Transport, "the origin answered 503")
        }),
        case("a_fault_is_one", "Fail(fault)", || {
            flagged("fault", FailureKind::Fault, "the cache is corrupt")
        }),
        case("a_bad_argument_is_an_answer::wrong_type", "MyTool {\"value\":5}, raw", || {
            bad_argument(r#"{"value":5}"#, "value: expected a string, got 5")
        }),
        case("a_bad_argument_is_an_answer::missing", "MyTool {}, raw", || {
            bad_argument("{}", "value: missing")
        }),
        case("a_bad_argument_is_an_answer::not_json", "MyTool {, raw", || {
            bad_argument("{", "arguments: expected one JSON object")
        }),
    ]
}

/// An answer that is not flagged, of one text.
fn unflagged(outcome: Result<Answer, Failure>) -> String {
    let answer = outcome.expect("it is an answer");
    assert!(!answer.is_error && answer.content.len() == 1, "{answer:?}");
    answer.to_text()
}

fn a_missing_file() -> String {
    let bench = Bench::new();
    let text = unflagged(bench.call("ReadFile", json!({"path": bench.plugins_dir().join("nowhere")})));
    assert!(text.contains("No such file or directory"), "{text}");
    bench.all_is_well();
    text
}

fn a_file_of_bytes() -> String {
    let bench = Bench::new();
    let path = bench.plugins_dir().join("bytes");
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    let text = unflagged(bench.call("ReadFile", json!({"path": path})));
    assert!(text.contains("valid UTF-8"), "{text}");
    bench.all_is_well();
    text
}

fn answered(kind: &str, expected: &str) -> String {
    let bench = Bench::new();
    let text = unflagged(bench.call("Fail", json!({"kind": kind})));
    assert_eq!(text, expected);
    bench.all_is_well();
    text
}

fn flagged(how: &str, kind: FailureKind, part: &str) -> String {
    let bench = Bench::new();
    let failure = bench.call("Fail", json!({"kind": how})).expect_err("it fails");
    assert_eq!((failure.kind, failure.plugin, &failure.location), (kind, "misbehaves", &None));
    let text = failure.to_string();
    assert!(text.contains(part) && text == failure.message, "{failure:?}");
    let answer = Answer::from(failure);
    assert_eq!((answer.is_error, answer.to_text()), (true, text));
    bench.all_is_well();
    format!("{kind:?}: {}", answer.to_text())
}

/// The host's check of arguments is not in the way of the raw call; the SDK's own must hold.
fn bad_argument(arguments: &str, what: &str) -> String {
    let bench = Bench::new();
    let tool = bench.plugin("hello").tool("MyTool").expect("it has one");
    let answer = pollster::block_on(tool.call(arguments)).expect("an answer").parse().unwrap();
    assert_eq!(answer.details, json!({"ok": false, "error": {"kind": "invalid_arguments"}}));
    let text = unflagged(Ok(answer));
    let begins = "MyTool was not run. Fix these arguments and call it again:\n- ";
    assert!(text.starts_with(begins) && text.contains(what), "{text}");
    assert_eq!(call(tool, Value::from_iter([("value", "good")])).unwrap().to_text(), "good");
    bench.all_is_well();
    text.lines().last().unwrap_or_default().to_owned()
}
