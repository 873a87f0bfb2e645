//! Updates and results of sizes that nobody expects.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use elowen_tests::table::{Test, case};
use serde_json::json;

use crate::bench::Bench;
use crate::process;

const EVENTS: u64 = 1_000_000;
const MIB: u64 = 1 << 20;

pub(crate) fn cases() -> Vec<Test> {
    vec![
        case(
            "a_million_updates_wait_in_little_memory",
            "Flood(1000000), a consumer that looks once in 200 ms",
            a_million_updates,
        ),
        case("a_large_result_arrives_whole", "Big(64 MiB)", a_large_result),
        case("every_update_arrives_at_a_reader_in_time", "Flood(20), awaited", few_updates),
    ]
}

/// The most memory this process has had until it is stopped, looked at every few milliseconds.
fn peak_until(stopped: Arc<AtomicBool>) -> std::thread::JoinHandle<u64> {
    std::thread::spawn(move || {
        let mut peak = 0;
        while !stopped.load(Ordering::Relaxed) {
            peak = process::resident().max(peak);
            std::thread::sleep(Duration::from_millis(5));
        }
        peak
    })
}

fn a_million_updates() -> String {
    let bench = Bench::new();
    // What a first flood leaves mapped is not growth.
    bench.text("Flood", json!({"events": 10_000}));
    let (before, stopped) = (process::resident(), Arc::new(AtomicBool::new(false)));
    let peak = peak_until(stopped.clone());

    let (mut seen, mut last) = (0_u64, String::new());
    let mut call = bench.tool("Flood").call(json!({"events": EVENTS}).to_string()).on_update(|update| {
        seen += 1;
        last = update.to_text();
    });
    let mut context = Context::from_waker(Waker::noop());
    let answer = loop {
        match std::pin::Pin::new(&mut call).poll(&mut context) {
            Poll::Ready(answer) => break answer.unwrap().parse().unwrap(),
            Poll::Pending => std::thread::sleep(Duration::from_millis(200)),
        }
    };
    drop(call);
    stopped.store(true, Ordering::Relaxed);
    let growth = peak.join().unwrap().saturating_sub(before);

    assert_eq!(answer.to_text(), "done");
    assert!(last.starts_with(&format!("event {EVENTS} ")), "the last update was {last}");
    assert!(growth < 16 * MIB, "{growth} bytes");
    bench.all_is_well();
    format!("{seen} updates read, the last before the result; {} KiB more memory at the peak", growth >> 10)
}

fn a_large_result() -> String {
    let bench = Bench::new();
    let bytes = 64 * MIB as usize;
    let text = bench.text("Big", json!({"bytes": bytes}));
    assert!(text.len() == bytes && text.bytes().all(|byte| byte == b'x'), "{} bytes", text.len());
    bench.all_is_well();
    format!("{} bytes, all of them right", text.len())
}

fn few_updates() -> String {
    let bench = Bench::new();
    let next = AtomicU64::new(1);
    let call = bench.tool("Flood").call(r#"{"events":20}"#).on_update(|update| {
        let n = next.fetch_add(1, Ordering::Relaxed);
        assert!(update.to_text().starts_with(&format!("event {n} ")), "{update:?}");
    });
    pollster::block_on(call).unwrap();
    assert_eq!(next.into_inner(), 21);
    bench.all_is_well();
    "20 updates, in order".to_owned()
}
