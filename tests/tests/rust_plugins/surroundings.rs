//! What a plugin shares with its host: standard output, and thread-local values on threads of either side.

use std::time::Duration;

use elowen_tests::table::{Test, case};
use serde_json::json;

use crate::bench::Bench;
use crate::process;

pub(crate) fn cases() -> Vec<Test> {
    vec![
        case(
            "what_a_plugin_prints_without_ending_the_line_arrives",
            "Print, in a process of its own",
            partial_lines,
        ),
        case(
            "thread_local_values_are_dropped_before_and_after_the_shutdown",
            "ThreadLocalWithDrop on threads that end at different times",
            thread_locals,
        ),
    ]
}

const PRINTED: &str = "no newline, twice; ";

/// The scenario of the second process: it ends without knowing that a plugin has printed.
pub(crate) fn print() {
    let bench = Bench::new();
    for tool in ["Print", "Print"] {
        assert_eq!(bench.text(tool, json!({"value": PRINTED})), "printed");
    }
    // Without any of this process's own last words: the plugin's text must be out already.
    std::process::exit(0);
}

fn partial_lines() -> String {
    let output = process::second("print", &[]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && err.is_empty(), "{}: {err}", output.status);
    assert_eq!(out, PRINTED.repeat(2));
    format!("{out:?}")
}

fn thread_locals() -> String {
    let bench = Bench::new();
    let (plugin, tool) = (bench.misbehaves(), bench.tool("ThreadLocalWithDrop"));
    let leave = move || {
        for _ in 0..3 {
            assert_eq!(pollster::block_on(tool.call("{}")).unwrap().parse().unwrap().to_text(), "left");
        }
    };
    // One thread ends before the shutdown, one after it.
    std::thread::spawn(leave).join().unwrap();
    let (shut_down, wait) = std::sync::mpsc::channel::<()>();
    let (left, has_left) = std::sync::mpsc::channel();
    let later = std::thread::spawn(move || {
        leave();
        left.send(()).unwrap();
        wait.recv().unwrap();
    });
    has_left.recv().unwrap();
    leave();
    bench.all_is_well();
    plugin.shutdown(Duration::from_secs(1)).unwrap();
    shut_down.send(()).unwrap();
    later.join().unwrap();
    bench.the_neighbour_answers();

    // On the plugin's own threads, which the shutdown ends.
    let bench = Bench::with(|builder| builder.never_inline());
    for _ in 0..20 {
        assert_eq!(bench.text("ThreadLocalWithDrop", json!({})), "left");
    }
    bench.misbehaves().shutdown(Duration::from_secs(1)).unwrap();
    bench.the_neighbour_answers();
    "4 threads ended, before and after the shutdown".to_owned()
}
