//! Which threads a plugin's code runs on, whatever async runtime the host has, and which threads there are.

use std::time::{Duration, Instant};

use elowen_host::log::Level;
use elowen_host::{Answer, Tool};
use elowen_tests::table::{THREAD, Test, case};
use serde_json::json;

use crate::bench::{Bench, Lines, call, eventually, start};
use crate::process;

/// What the tool `Runtime` answers when everything it touches works.
const EVERYTHING: &str = "timer, socket, directory true, blocking 2";
/// The plugin's own threads.
const OWN: &str = "elw-misbehaves";

pub(crate) fn cases() -> Vec<Test> {
    vec![
        case("a_plugin_has_its_own_runtime::in_a_multi_thread_one", "Runtime, spawned on tokio", || {
            everything(in_a_multi_thread_runtime)
        }),
        case(
            "a_plugin_has_its_own_runtime::in_a_current_thread_one",
            "Runtime, on one thread of tokio",
            || everything(in_a_current_thread_runtime),
        ),
        case("a_plugin_has_its_own_runtime::without_any", "Runtime, on pollster", || everything(without_any)),
        case("two_calls_of_one_plugin_run_at_once", "Wait(300 ms) twice, joined on one thread", at_once),
        case("two_blocking_calls_run_at_once", "Block(300 ms) twice, both started", blocking_at_once),
        case("an_async_tool_earns_the_hosts_thread", "WhichThread until it is this one", || {
            earns("WhichThread")
        }),
        case("a_plain_function_earns_the_hosts_thread", "WhichThreadSync until it is this one", || {
            earns("WhichThreadSync")
        }),
        case(
            "no_tool_earns_a_thread_of_a_host_that_lends_none",
            "WhichThread 200 times, never_inline",
            || never(Bench::with(|builder| builder.never_inline()), "WhichThread", ""),
        ),
        case("a_blocking_tool_never_earns_the_hosts_thread", "PanicBlocking(not at all) 200 times", || {
            never(Bench::new(), "PanicBlocking", "did not panic on ")
        }),
        case(
            "an_inline_plain_function_makes_no_runtime",
            "LiveAllocations 100 times, then Echo",
            makes_no_runtime,
        ),
    ]
}

async fn answer_of(tool: Tool) -> Answer {
    tool.call("{}").await.expect("it answers").parse().expect("a result")
}

fn in_a_multi_thread_runtime(tool: Tool) -> Answer {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async { tokio::spawn(answer_of(tool)).await.unwrap() })
}

fn in_a_current_thread_runtime(tool: Tool) -> Answer {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(answer_of(tool))
}

fn without_any(tool: Tool) -> Answer {
    pollster::block_on(answer_of(tool))
}

/// Ten times, so that the tool is called both ways: it waits, so it does not earn the host's thread.
fn everything(run: fn(Tool) -> Answer) -> String {
    for settings in [true, false] {
        let bench = Bench::with(|builder| if settings { builder } else { builder.never_inline() });
        for _ in 0..10 {
            assert_eq!(run(bench.tool("Runtime")).to_text(), EVERYTHING);
        }
        bench.all_is_well();
    }
    EVERYTHING.to_owned()
}

fn at_once() -> String {
    let bench = Bench::new();
    let wait = || bench.tool("Wait").call(r#"{"milliseconds":1500}"#);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let begun = Instant::now();
    let (first, second) = runtime.block_on(async { tokio::join!(wait(), wait()) });
    let took = begun.elapsed();
    assert_eq!((first.unwrap().parse().unwrap().to_text(), second.is_ok()), ("done".to_owned(), true));
    assert!(took >= Duration::from_millis(1_500) && took < Duration::from_millis(2_900), "{took:?}");
    bench.all_is_well();
    format!("both after {took:.0?}")
}

fn blocking_at_once() -> String {
    let bench = Bench::new();
    let begun = Instant::now();
    let block = || {
        let mut call = bench.tool("Block").call(r#"{"milliseconds":1500}"#);
        assert!(start(&mut call));
        call
    };
    for call in [block(), block()] {
        assert_eq!(pollster::block_on(call).unwrap().parse().unwrap().to_text(), "done");
    }
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(1_500) && took < Duration::from_millis(2_900), "{took:?}");
    bench.all_is_well();
    format!("both after {took:.0?}")
}

fn earns(tool: &str) -> String {
    let bench = Bench::new();
    let mut before = 0;
    loop {
        match bench.text(tool, json!({})).as_str() {
            THREAD => break,
            name => assert_eq!(name, OWN),
        }
        before += 1;
        assert!(before < 5_000, "the tool has not earned this thread");
    }
    // A machine that is busy with something else makes a call look slow, which breaks the row of good ones.
    assert!(before >= 8, "it was lent the thread after {before} calls");
    bench.all_is_well();
    format!("this thread after {before} calls on {OWN}")
}

fn never(bench: Bench, tool: &str, prefix: &str) -> String {
    for _ in 0..200 {
        let text = bench.text(tool, json!({"how": "not at all"}));
        assert_eq!(text.strip_prefix(prefix), Some(OWN));
    }
    bench.all_is_well();
    format!("200 calls on {OWN}")
}

/// The scenario of the second process, which has no threads of an earlier plugin.
pub(crate) fn inline_alone() {
    let mut bench = Bench::empty(Lines::up_to(Level::Error), |builder| builder);
    let plugin = bench.load("bigalloc");
    let tool = |name: &str| plugin.tool(name).expect("it has it");
    (0..100).for_each(|_| drop(call(tool("LiveAllocations"), json!({})).unwrap()));
    assert_eq!(process::threads("elw-"), [""; 0]);
    assert_eq!(call(tool("Echo"), json!({"value": "a"})).unwrap().to_text(), "a");
    // A thread gets its name a moment after its start.
    eventually("two workers", || process::threads("elw-") == ["elw-bigalloc"; 2]);
}

fn makes_no_runtime() -> String {
    let output = process::second("inline", &[]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{err}", output.status);
    "no thread after 100 inline calls, 2 after an async one".to_owned()
}
