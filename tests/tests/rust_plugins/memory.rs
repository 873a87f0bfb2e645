//! Calls leave no memory behind on either side, and each side frees with its own allocator.

use elowen_host::{Failure, Tool};
use elowen_tests::table::{Test, case};
use serde_json::json;

use crate::bench::{Bench, Lines, call, eventually, start};
use crate::process;

/// What may remain of thousands of calls, in bytes.
const SLACK: i64 = 64 << 10;

pub(crate) fn cases() -> Vec<Test> {
    let mut cases = Vec::new();
    for (kind, asked, ..) in LOADS {
        cases.push(case(format!("calls_leave_no_memory_behind::{kind}"), asked, move || no_growth(kind)));
    }
    cases.push(case(
        "a_plugin_with_an_allocator_of_its_own_gets_everything_back",
        "Echo, Ask, Fail, Panics and dropped Waits, 1000 calls in all",
        another_allocator,
    ));
    cases
}

type Load = (&'static str, &'static str, usize, fn(&Bench));

/// A kind of call, how it is asked for in the table, how often it is made, and one call of it.
const LOADS: [Load; 4] = [
    ("answered", "Echo-like calls, 10000 of them", 10_000, |bench| {
        bench.text("Probe", json!({}));
    }),
    ("on_a_blocking_thread", "PanicBlocking(not at all), 10000 times", 10_000, |bench| {
        bench.text("PanicBlocking", json!({"how": "not at all"}));
    }),
    ("failing", "Fail, Panics and bad arguments, 2000 calls", 2_000, |bench| {
        for (tool, arguments) in [("Fail", json!({"kind": "fault"})), ("Panics", json!({"how": "string"}))] {
            let _: Failure = bench.call(tool, arguments).expect_err("it fails");
        }
        bench.text("Panics", json!({"how": 5}));
    }),
    ("cancelled", "Wait(1 h), started and dropped, 2000 times", 2_000, |bench| {
        let mut call = bench.tool("Wait").call(r#"{"milliseconds":3600000}"#);
        assert!(start(&mut call));
        drop(call);
        eventually("its end", || bench.misbehaves().abandoned_calls() == 0);
    }),
];

/// The scenario of the second process: prints by how many bytes the heap has grown.
pub(crate) fn measure() {
    let asked = std::env::var("ELOWEN_TEST_LOAD").expect("a load is named");
    let (_, _, times, run) = LOADS.into_iter().find(|(kind, ..)| *kind == asked).expect("it is known");
    let mut bench = Bench::empty(Lines::up_to(elowen_host::log::Level::Error), |builder| builder);
    bench.load("misbehaves");
    bench.load("hello");
    // The first calls make the runtime, its threads, and whatever is made once.
    (0..times / 4).for_each(|_| run(&bench));
    let settled = || {
        // A task is freed on its own thread, a moment after its call has ended.
        std::thread::sleep(std::time::Duration::from_millis(50));
        process::heap()
    };
    let before = settled();
    (0..times).for_each(|_| run(&bench));
    let after = settled();
    bench.log.forget();
    bench.all_is_well();
    println!("{}", after - before);
}

fn no_growth(kind: &str) -> String {
    // Without caches for each thread, every byte in use is somebody's.
    let tunables = "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1";
    let variables = [("GLIBC_TUNABLES", tunables), ("ELOWEN_TEST_LOAD", kind)];
    let output = process::second("measure", &variables);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{err}", output.status);
    let growth: i64 = out.trim().parse().expect("a number of bytes");
    assert!(growth < SLACK, "{growth} bytes");
    format!("{growth} bytes more in use")
}

fn another_allocator() -> String {
    let mut bench = Bench::new();
    let plugin = bench.load("bigalloc");
    let tool = |name: &str| plugin.tool(name).unwrap_or_else(|| panic!("no tool {name}"));
    let live =
        || -> i64 { call(tool("LiveAllocations"), json!({})).unwrap().to_text().parse().expect("a number") };
    round(&tool, 200);
    let settled = || {
        let (mut last, mut same) = (live(), 0);
        eventually("a number that stays", || {
            let now = live();
            same = if now == last { same + 1 } else { 0 };
            last = now;
            same == 20
        });
        last
    };
    let before = settled();
    round(&tool, 1_000);
    let after = settled();
    assert_eq!(before, after, "live allocations of the plugin");
    assert_eq!(plugin.breaches(), 0);
    bench.all_is_well();
    format!("{before} live allocations before, {after} after")
}

/// Some calls of each kind.
fn round(tool: &dyn Fn(&str) -> Tool, times: usize) {
    for n in 0..times / 5 {
        let value = "x".repeat(n);
        let mut updates = 0;
        let echo = tool("Echo").call(json!({"value": value}).to_string()).on_update(|_| updates += 1);
        assert_eq!(pollster::block_on(echo).unwrap().parse().unwrap().to_text(), value);
        assert_eq!(updates, 1);
        assert!(call(tool("Ask"), json!({})).unwrap().to_text().contains("data/bigalloc"));
        assert_eq!(call(tool("Fail"), json!({})).expect_err("it fails").message, "it always fails");
        assert!(call(tool("Panics"), json!({})).expect_err("it panics").message.contains("on the heap"));
        let mut wait = tool("Wait").call("{}").call_id("a call's own name");
        assert!(start(&mut wait));
        drop(wait);
        eventually("its end", || tool("Wait").plugin().abandoned_calls() == 0);
    }
}
