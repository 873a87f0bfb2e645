//! Calls that block and do not come back: the host and the neighbours go on.

use std::time::{Duration, Instant};

use elowen_host::{Answer, FailureKind, ShutdownError};
use elowen_tests::table::{THREAD, Test, case};
use serde_json::json;

use crate::bench::{Bench, eventually, start};

const FOR_EVER: &str = r#"{"milliseconds":3600000}"#;
/// Calls of one plugin that may be stuck.
const LIMIT: u32 = 16;

pub(crate) fn cases() -> Vec<Test> {
    vec![
        case("shutdown_does_not_wait_for_a_stuck_call", "Block(1 h), then shutdown(1 s)", shutdown),
        case("a_plugin_with_sixteen_stuck_calls_is_busy", "Block(1 h) 16 times, given up, then a call", busy),
        case(
            "a_plugin_that_blocks_a_lent_thread_is_lent_no_more",
            "BlockInline(300 ms) with a deadline of 50 ms, then WhichThread",
            blocks_a_lent_thread,
        ),
    ]
}

fn shutdown() -> String {
    let bench = Bench::new();
    let mut call = bench.tool("Block").call(FOR_EVER);
    assert!(start(&mut call));
    bench.log.wait_for("a thread is blocked");
    let begun = Instant::now();
    let ended = bench.misbehaves().shutdown(Duration::from_secs(1));
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(ended, Err(ShutdownError::Timeout));

    let failure = pollster::block_on(call).expect_err("it was closed");
    assert_eq!(failure.kind, FailureKind::Closed);
    let failure = bench.call("Probe", json!({})).expect_err("the plugin is shut down");
    assert_eq!(failure.to_string(), "plugin `misbehaves` is shut down");
    bench.the_neighbour_answers();
    format!("after {took:.1?}: {}", ShutdownError::Timeout)
}

fn busy() -> String {
    let bench = Bench::new();
    let stuck = || bench.misbehaves().abandoned_calls();
    let mut calls: Vec<_> = (0..LIMIT).map(|_| bench.tool("Block").call(FOR_EVER)).collect();
    assert!(calls.iter_mut().all(start));
    // One that is dropped before its thread has begun is not stuck but never run.
    eventually("blocked threads", || bench.log.count("a thread is blocked") == LIMIT as usize);
    for (n, call) in (1..).zip(calls) {
        drop(call);
        assert_eq!(stuck(), n);
    }
    let begun = Instant::now();
    let failure = bench.call("Probe", json!({})).expect_err("it is busy");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    let text = "plugin `misbehaves` is busy: 16 of its calls were given up and have not ended";
    assert_eq!((failure.kind, failure.to_string().as_str()), (FailureKind::Busy, text));
    assert!(Answer::from(failure).is_error);
    bench.the_neighbour_answers();
    format!("after {took:.0?}: {text}")
}

fn blocks_a_lent_thread() -> String {
    let bench = Bench::new();
    let mut calls = 0;
    while bench.text("WhichThread", json!({})) != THREAD {
        calls += 1;
        assert!(calls < 5_000, "the tool has not earned this thread");
    }
    let call = bench.tool("BlockInline").call(r#"{"milliseconds":300}"#).timeout(Duration::from_millis(50));
    let failure = pollster::block_on(call).expect_err("it was too late");
    let text = "the call was not finished within 50ms and was given up";
    assert_eq!((failure.kind, failure.to_string().as_str()), (FailureKind::Deadline, text));
    assert_eq!(bench.misbehaves().abandoned_calls(), 0);
    bench.log.wait_for("a call blocked the thread it was lent beyond its deadline: no more lending");
    for _ in 0..100 {
        assert_eq!(bench.text("WhichThread", json!({})), "elw-misbehaves");
    }
    bench.all_is_well();
    text.to_owned()
}
