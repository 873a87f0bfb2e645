//! A panic stays in the plugin: it comes out as a failure with its text and place, and the plugin goes on.

use elowen_host::log::Level;
use elowen_host::{Answer, Failure, FailureKind};
use elowen_tests::table::{self, Test, case};
use serde_json::{Value, json};

use crate::bench::{Bench, eventually, start};
use crate::process;

/// What the tools panic with, and how the message begins.
const HOW: [(&str, &str); 6] = [
    ("str", "a static text"),
    ("string", "a text about string"),
    ("any", "a panic without a text"),
    ("bomb", "a panic without a text"),
    ("unwrap", "called `Result::unwrap()` on an `Err` value: \"the error\""),
    ("index", "range start index 5 out of range for slice of length 3"),
];

/// Where the tools panic.
#[derive(Clone, Copy)]
enum Place {
    Hopped,
    EarnedInline,
    AfterWaiting,
    Blocking,
}

const PLACES: [(Place, &str, &str); 4] = [
    (Place::Hopped, "on_the_plugins_thread", "on the plugin's thread"),
    (Place::EarnedInline, "on_the_hosts_thread", "on the host's thread, earned"),
    (Place::AfterWaiting, "after_waiting", "after waiting"),
    (Place::Blocking, "on_a_blocking_thread", "on a blocking thread"),
];

pub(crate) fn cases() -> Vec<Test> {
    let mut cases = Vec::new();
    for (place, slug, words) in PLACES {
        for (how, begins) in HOW {
            let name = format!("a_panic_is_a_failure_with_text_and_place::{slug}::{how}");
            let asked = format!("Panics({how}) {words}");
            cases.push(case(name, asked, move || {
                let bench = bench_for(place);
                let failure = panic_once(&bench, place, how);
                check(&failure, how, begins);
                bench.all_is_well();
                failure.to_string()
            }));
        }
    }
    cases.push(case(
        "nothing_of_a_panic_is_printed",
        "all of these in a process of its own",
        nothing_is_printed,
    ));
    cases.push(case(
        "a_panic_in_a_subtask_is_a_fault_and_is_logged",
        "PanicInSubtask: spawn, await, `?`",
        in_a_subtask,
    ));
    cases.push(case(
        "a_panic_in_the_drop_of_a_cancelled_body_is_logged",
        "PanicInDropOfTheBody, dropped",
        in_the_drop_of_the_body,
    ));
    cases
}

fn bench_for(place: Place) -> Bench {
    match place {
        Place::Hopped => Bench::with(|builder| builder.never_inline()),
        _ => Bench::new(),
    }
}

fn panic_once(bench: &Bench, place: Place, how: &str) -> Failure {
    if let Place::EarnedInline = place {
        let here = format!("did not panic on {}", std::thread::current().name().unwrap_or_default());
        let mut calls = 0;
        while bench.text("Panics", json!({"how": "not at all"})) != here {
            calls += 1;
            assert!(calls < 5_000, "the tool has not earned this thread");
        }
    }
    let (tool, arguments): (_, Value) = match place {
        Place::Hopped | Place::EarnedInline => ("Panics", json!({"how": how})),
        Place::AfterWaiting => ("Panics", json!({"how": how, "later": true})),
        Place::Blocking => ("PanicBlocking", json!({"how": how})),
    };
    bench.call(tool, arguments).expect_err("it panics")
}

fn check(failure: &Failure, how: &str, begins: &str) {
    assert_eq!((failure.kind, failure.plugin), (FailureKind::Panic, "misbehaves"));
    assert!(failure.message.starts_with(begins), "{failure:?}");
    let location = failure.location.as_deref().expect("the place is known");
    let line = location.split_once("failures.rs:").and_then(|(_, place)| place.split(':').next());
    let line: usize = line.and_then(|line| line.parse().ok()).expect("a line of failures.rs");
    let source = include_str!("../../fixtures/misbehaves/src/failures.rs").lines().nth(line - 1);
    assert!(source.is_some_and(|source| source.contains(&format!("\"{how}\" =>"))), "{location}: {source:?}");
    let text = format!(
        "plugin `misbehaves` panicked: {} (at {location}). This is a bug in the plugin.",
        failure.message
    );
    assert_eq!(failure.to_string(), text);
    let answer = Answer::from(failure.clone());
    assert_eq!((answer.is_error, answer.to_text()), (true, text));
}

/// The scenario of the second process: every panic, at every place.
pub(crate) fn all_of_them() {
    // The name that tells the host's thread from the plugin's.
    let thread = std::thread::Builder::new().name(table::THREAD.to_owned()).spawn(|| {
        for (place, ..) in PLACES {
            let bench = bench_for(place);
            for (how, begins) in HOW {
                check(&panic_once(&bench, place, how), how, begins);
            }
            bench.all_is_well();
        }
    });
    thread.expect("a thread").join().expect("they are failures");
}

fn nothing_is_printed() -> String {
    let output = process::second("panics", &[]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.is_empty() && err.is_empty(), "{}\n{out}\n{err}", output.status);
    format!("{} panics, exit code 0, stdout and stderr empty", HOW.len() * PLACES.len())
}

fn in_a_subtask() -> String {
    let bench = Bench::new();
    let failure = bench.call("PanicInSubtask", json!({})).expect_err("the subtask panicked");
    assert_eq!(failure.kind, FailureKind::Fault);
    assert!(failure.message.contains("panicked with message \"a static text\""), "{failure}");
    let line = bench.log.wait_for("a background task panicked at ");
    assert_eq!((line.level, line.plugin.as_str()), (Level::Error, "misbehaves"));
    assert!(line.message.contains("failures.rs:") && line.message.ends_with(": a static text"), "{line:?}");
    bench.all_is_well();
    failure.to_string()
}

fn in_the_drop_of_the_body() -> String {
    let bench = Bench::new();
    let mut call = bench.tool("PanicInDropOfTheBody").call("{}");
    assert!(start(&mut call));
    bench.log.wait_for("the guard is up");
    drop(call);
    let line = bench.log.wait_for("the guard went wrong");
    assert_eq!((line.level, line.plugin.as_str()), (Level::Error, "misbehaves"));
    eventually("the end of the call", || bench.misbehaves().abandoned_calls() == 0);
    bench.all_is_well();
    line.message
}
