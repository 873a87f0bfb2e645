//! Calls that are under way while something happens to them: dropped, cancelled, stuck, shut down.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use elowen_host::{Call, CancelToken, Failure, FailureKind, HostBuilder, Plugin, RawAnswer, ShutdownError};

use crate::bench::{Bench, PATIENCE, SHUTDOWN, details, eventually, hello};

/// Polls a call once, with nobody to wake.
pub(crate) fn poll_once(call: Pin<&mut Call<'_>>) -> Option<Result<RawAnswer, Failure>> {
    match call.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(ended) => Some(ended),
        Poll::Pending => None,
    }
}

/// The memory of this process that is not paged out.
pub(crate) fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux tells a process its size");
    pages.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number of pages")
        * 4096
}

/// Holds the thread that wakes it, which is the plugin's, inside a callback of the host.
struct Gate {
    entered: mpsc::Sender<()>,
    leave: Mutex<mpsc::Receiver<()>>,
}

impl Wake for Gate {
    fn wake(self: Arc<Self>) {
        self.entered.send(()).unwrap();
        self.leave.lock().unwrap().recv_timeout(PATIENCE).unwrap();
    }
}

pub(crate) fn a_call_may_be_dropped_while_the_plugin_is_inside_progress() {
    let mut bench = Bench::new();
    let plugin = bench.load("progress-million", "CASE_PROGRESS_MILLION").unwrap();
    let tool = plugin.tool("Probe").unwrap();
    let (entered, inside) = mpsc::channel();
    let (let_go, leave) = mpsc::channel();
    let waker = Waker::from(Arc::new(Gate { entered, leave: Mutex::new(leave) }));

    let mut call = Box::pin(tool.call("{}"));
    assert!(call.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    inside.recv_timeout(PATIENCE).unwrap();
    drop(call);
    assert_eq!(plugin.abandoned_calls(), 1);
    bench.neighbour_answers();
    let_go.send(()).unwrap();

    eventually(|| plugin.abandoned_calls() == 0);
    let answer = bench.probe(&plugin, PATIENCE).unwrap();
    let closed = i64::from(elowen_sdk::abi::ERR_CLOSED);
    assert_eq!(details(&answer).seen, closed, "further progress was not answered \"closed\"");
    bench.is_quiet(&plugin);
    bench.finish(Some(&plugin));
}

/// All ways of giving a call up, each against one that ends by itself at that moment and one that does not.
pub(crate) fn ten_thousand_calls_cancelled_at_once_complete_exactly_once_each() {
    // A deadline that has passed when the call starts would be held against a plugin that is lent a thread.
    let mut bench = Bench::with(HostBuilder::never_inline);
    let plugin = bench.neighbour;
    let wait = plugin.tool("CWait").unwrap();
    let (to_cancel, tokens) = mpsc::channel::<CancelToken>();
    let canceller = std::thread::spawn(move || tokens.iter().for_each(|token| token.cancel()));
    let mut ended_by_itself = 0;
    for i in 0..10_000 {
        // Not so many that the host refuses to start another.
        eventually(|| plugin.abandoned_calls() < 8);
        let ends_by_itself = i % 2 == 0;
        let token = CancelToken::new();
        let milliseconds = if ends_by_itself { 0 } else { 60_000 };
        let call = wait.call(format!(r#"{{"milliseconds":{milliseconds}}}"#)).cancel_with(&token);
        let (ended, given_up) = match i / 2 % 4 {
            0 => {
                let _ = poll_once(pin!(call));
                continue;
            }
            1 => {
                let mut call = pin!(call);
                let first = poll_once(call.as_mut());
                token.cancel();
                (first.unwrap_or_else(|| pollster::block_on(call)), FailureKind::Cancelled)
            }
            2 => {
                to_cancel.send(token).unwrap();
                (pollster::block_on(call), FailureKind::Cancelled)
            }
            _ => (pollster::block_on(call.timeout(Duration::ZERO)), FailureKind::Deadline),
        };
        match ended {
            Ok(answer) => {
                assert!(ends_by_itself, "a wait of a minute has ended");
                assert_eq!(answer.parse().unwrap().to_text(), "waited 0 ms");
                ended_by_itself += 1;
            }
            Err(failure) => assert_eq!(failure.kind, given_up),
        }
    }
    drop(to_cancel);
    canceller.join().unwrap();
    // Each call that was given up has completed, and none of any kind has completed twice.
    eventually(|| plugin.abandoned_calls() == 0);
    assert_eq!(plugin.breaches(), 0);
    assert!(ended_by_itself > 0, "cancelling was always first: this has tested half of what it should");
    bench.finish(None);
}

pub(crate) fn a_reader_of_updates_that_panics_leaves_nothing_behind() {
    let mut bench = Bench::new();
    let plugin = bench.neighbour;
    let call = plugin.tool("CWait").unwrap().call(r#"{"milliseconds":60000}"#);
    let call = call.on_update(|_| std::panic::resume_unwind(Box::new("the reader went wrong")));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pollster::block_on(call)));
    assert!(panicked.is_err(), "the panic is the reader's to see");
    // Cancelled and released, so the plugin's thread ends and its shutdown finds nothing left.
    eventually(|| plugin.abandoned_calls() == 0);
    bench.finish(None);
}

pub(crate) fn after_sixteen_stuck_calls_a_plugin_is_busy_at_once_and_its_neighbour_is_not() {
    let mut bench = Bench::new();
    let plugin = bench.load("never", "CASE_NEVER").unwrap();
    let tool = plugin.tool("Probe").unwrap();
    let mut calls: Vec<_> =
        (0..16).map(|_| Box::pin(tool.call("{}").timeout(Duration::from_millis(50)))).collect();
    calls.iter_mut().for_each(|call| assert!(poll_once(call.as_mut()).is_none()));
    for call in calls {
        assert_eq!(pollster::block_on(call).unwrap_err().kind, FailureKind::Deadline);
    }
    assert_eq!(plugin.abandoned_calls(), 16);

    let begun = Instant::now();
    let text = "plugin `never` is busy: 16 of its calls were given up and have not ended";
    for _ in 0..1000 {
        let failure = pollster::block_on(tool.call("{}")).unwrap_err();
        assert_eq!((failure.kind, failure.to_string().as_str()), (FailureKind::Busy, text));
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(20), "a thousand refusals took {took:?}");
    bench.neighbour_answers();
    // It is shut down nevertheless; the neighbour is the last to notice anything.
    bench.shut_down(&plugin).unwrap();
    bench.finish(None);
}

pub(crate) fn a_shutdown_keeps_its_deadline_whatever_is_under_way() {
    let kinds: [(&str, &str, Result<(), ShutdownError>); 6] = [
        ("none", "CASE_NONE", Ok(())),
        ("never", "CASE_NEVER", Ok(())),
        ("after-release", "CASE_AFTER_RELEASE", Ok(())),
        ("progress-million", "CASE_PROGRESS_MILLION", Ok(())),
        ("shutdown-never", "CASE_SHUTDOWN_NEVER", Err(ShutdownError::Timeout)),
        ("shutdown-error", "CASE_SHUTDOWN_ERROR", Err(ShutdownError::Status(3))),
    ];
    for (name, define, expected) in kinds {
        let mut bench = Bench::new();
        let plugin = bench.load(name, define).unwrap();
        with_a_call_under_way(&mut bench, &plugin, "Probe", "{}", expected);
        bench.finish(None);
    }
    let mut bench = Bench::new();
    let waits = bench.host.load(crate::bench::c_hello()).unwrap();
    with_a_call_under_way(&mut bench, &waits, "CWait", r#"{"milliseconds":60000}"#, Ok(()));
    bench.finish(None);
}

fn with_a_call_under_way(
    bench: &mut Bench,
    plugin: &Plugin,
    tool: &str,
    arguments: &str,
    expected: Result<(), ShutdownError>,
) {
    let tool = plugin.tool(tool).unwrap();
    let mut call = pin!(tool.call(arguments));
    let first = poll_once(call.as_mut());
    assert_eq!(bench.shut_down(plugin), expected, "{plugin:?}");
    // What had completed before is still there; what had not is not waited for.
    match first.unwrap_or_else(|| pollster::block_on(call)) {
        Ok(answer) => assert!(!answer.as_str().is_empty()),
        Err(failure) => assert!(matches!(failure.kind, FailureKind::Closed | FailureKind::Cancelled)),
    }
    assert_eq!(plugin.breaches(), 0);
}

pub(crate) fn one_instance_is_shut_down_and_another_of_the_same_image_answers() {
    let mut bench = Bench::new();
    let other = bench.host.load(crate::bench::c_hello()).unwrap();
    hello(&other);
    bench.shut_down(&other).unwrap();
    hello(&bench.neighbour);
    let third = bench.host.load(crate::bench::c_hello()).unwrap();
    hello(&third);
    third.shutdown(SHUTDOWN).unwrap();
    bench.finish(None);
}
