//! A call that nobody waits for any more: its body is dropped, or gets the time it asked for, and the call ends once.

use std::time::{Duration, Instant};

use elowen_host::{Answer, CancelToken, FailureKind};
use elowen_tests::table::{Test, case};
use serde_json::json;

use crate::bench::{Bench, eventually, start};

const FOR_EVER: &str = r#"{"milliseconds":3600000}"#;
const TIMES: usize = 2_000;

pub(crate) fn cases() -> Vec<Test> {
    vec![
        case("a_dropped_call_drops_its_body", "Wait(1 h), the future dropped", dropped),
        case("a_cancelled_call_is_aborted_at_once", "Wait(1 h), the token cancelled", by_token),
        case("a_call_ends_at_its_deadline", "Wait(1 h), a deadline of 50 ms", by_deadline),
        case("a_body_that_handles_cancellation_gets_its_time", "WaitAndCleanUp, dropped", cleans_up),
        case(
            "a_body_that_ignores_it_is_dropped_after_two_seconds",
            "IgnoreCancellation, dropped",
            ignores_it,
        ),
        case(
            "a_call_cancelled_before_it_begins_is_never_started",
            "Wait, a cancelled token",
            before_it_begins,
        ),
        case(
            "a_call_cancelled_right_after_its_start_ends_once",
            "Wait(1 ms), dropped 0 to 60 µs after the start, 2000 times",
            right_after_the_start,
        ),
    ]
}

/// The call is over in the plugin as well.
fn is_over(bench: &Bench) {
    eventually("the end of the call", || bench.misbehaves().abandoned_calls() == 0);
    bench.all_is_well();
}

fn dropped() -> String {
    let bench = Bench::new();
    let mut call = bench.tool("Wait").call(FOR_EVER).call_id("c1");
    assert!(start(&mut call));
    bench.log.wait_for("the body of c1 has begun");
    assert!(!bench.log.has("was dropped"));
    let begun = Instant::now();
    drop(call);
    let line = bench.log.wait_for("the body of c1 was dropped");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(line.plugin, "misbehaves");
    is_over(&bench);
    line.message
}

/// Both failures of a call that was given up: kind and text.
fn given_up(outcome: Result<elowen_host::RawAnswer, elowen_host::Failure>, kind: FailureKind, text: &str) {
    let failure = outcome.expect_err("it was given up");
    assert_eq!((failure.kind, failure.to_string().as_str()), (kind, text));
    assert!(Answer::from(failure).is_error);
}

fn by_token() -> String {
    let bench = Bench::new();
    let (tool, token) = (bench.tool("Wait"), CancelToken::new());
    let call = tool.call(FOR_EVER).call_id("c2").cancel_with(&token);
    let waiting = std::thread::spawn(move || pollster::block_on(call));
    bench.log.wait_for("the body of c2 has begun");
    let begun = Instant::now();
    token.cancel();
    let outcome = waiting.join().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    given_up(outcome, FailureKind::Cancelled, "Operation aborted");
    bench.log.wait_for("the body of c2 was dropped");
    is_over(&bench);
    "Operation aborted, the body was dropped".to_owned()
}

fn by_deadline() -> String {
    let bench = Bench::new();
    let begun = Instant::now();
    let call = bench.tool("Wait").call(FOR_EVER).call_id("c3").timeout(Duration::from_millis(50));
    let outcome = pollster::block_on(call);
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(50) && took < Duration::from_secs(20), "{took:?}");
    let text = "the call was not finished within 50ms and was given up";
    given_up(outcome, FailureKind::Deadline, text);
    bench.log.wait_for("the body of c3 was dropped");
    is_over(&bench);
    text.to_owned()
}

fn cleans_up() -> String {
    let bench = Bench::new();
    let mut call = bench.tool("WaitAndCleanUp").call("{}");
    assert!(start(&mut call));
    bench.log.wait_for("the body of the tidy one has begun");
    drop(call);
    let line = bench.log.wait_for("cleaned up");
    is_over(&bench);
    let messages: Vec<_> = bench.log.all().into_iter().map(|line| line.message).collect();
    let at = |part: &str| messages.iter().position(|message| message.contains(part));
    assert!(at("cleaned up") < at("the body of the tidy one was dropped"), "{messages:?}");
    line.message
}

fn ignores_it() -> String {
    let bench = Bench::new();
    let mut call = bench.tool("IgnoreCancellation").call("{}");
    assert!(start(&mut call));
    bench.log.wait_for("the body of the deaf one has begun");
    let begun = Instant::now();
    drop(call);
    assert_eq!(bench.misbehaves().abandoned_calls(), 1);
    bench.log.wait_for("the body of the deaf one was dropped");
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(1_900) && took < Duration::from_secs(20), "{took:?}");
    is_over(&bench);
    format!("dropped after {took:.1?}")
}

fn before_it_begins() -> String {
    let bench = Bench::new();
    let token = CancelToken::new();
    token.cancel();
    let outcome = pollster::block_on(bench.tool("Wait").call(FOR_EVER).cancel_with(&token));
    given_up(outcome, FailureKind::Cancelled, "Operation aborted");
    assert!(!bench.log.has("has begun"));
    is_over(&bench);
    "Operation aborted, the plugin was not entered".to_owned()
}

fn right_after_the_start() -> String {
    let bench = Bench::new();
    let plugin = bench.misbehaves();
    let tool = bench.tool("Wait");
    let arguments = json!({"milliseconds": 1}).to_string();
    let mut waited = 0;
    for n in 0..TIMES {
        // Sixteen calls that have not ended yet are as many as a plugin may have.
        eventually("room for another call", || plugin.abandoned_calls() < 16);
        let mut call = tool.call(arguments.as_str());
        waited += usize::from(start(&mut call));
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(n as u64 % 61) {
            std::hint::spin_loop();
        }
        drop(call);
    }
    is_over(&bench);
    let (begun, ended) = (bench.log.count("has begun"), bench.log.count("was dropped"));
    assert_eq!(begun, ended, "every body that began was dropped");
    assert!(waited > TIMES / 2, "{waited} calls were under way when they were dropped");
    format!("{begun} bodies had begun, as many were dropped; no breach, no call left")
}
