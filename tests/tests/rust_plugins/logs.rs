//! What a plugin logs arrives under its name, whichever way it was logged, and no longer than it is wanted.

use std::time::Duration;

use elowen_host::log::Level;
use elowen_tests::table::{Test, case};
use serde_json::{Value, json};

use crate::bench::{Bench, Line, Lines, call};

pub(crate) fn cases() -> Vec<Test> {
    vec![
        case("records_of_every_kind_arrive", "LogEverywhere, all levels", every_kind),
        case("records_below_the_hosts_level_do_not_arrive", "LogEverywhere, up to warn", only_warnings),
        case(
            "two_plugins_of_one_library_have_logs_of_their_own",
            "LogEverywhere in each",
            two_of_one_library,
        ),
        case(
            "a_thread_that_logs_after_the_shutdown_is_not_heard",
            "LogAfterShutdown(100 ms)",
            after_shutdown,
        ),
        case("a_shutdown_hook_runs_and_is_heard", "shutdown, a hook that logs", hook_logs),
        case(
            "a_panic_in_a_shutdown_hook_is_logged_and_harmless",
            "shutdown, a hook that panics",
            hook_panics,
        ),
        case(
            "a_shutdown_hook_that_blocks_is_left_behind",
            "shutdown(400 ms), a hook that blocks",
            hook_blocks,
        ),
        case(
            "a_tool_that_panics_when_it_is_dropped_is_harmless",
            "shutdown, a tool whose state panics in its drop",
            tool_panics_when_dropped,
        ),
    ]
}

/// The lines of one call of `LogEverywhere`, in the order in which they arrived.
fn lines_of_a_call(bench: &Bench, plugin: &str) -> Vec<Line> {
    let before = bench.log.all().len();
    let tool = bench.plugin(plugin).tool("LogEverywhere").expect("it has one");
    assert_eq!(call(tool, json!({})).unwrap().to_text(), "logged");
    bench.log.all().split_off(before)
}

fn bench(up_to: Level) -> Bench {
    let mut bench = Bench::empty(Lines::up_to(up_to), |builder| builder);
    bench.load("misbehaves");
    bench.load("hello");
    bench
}

fn every_kind() -> String {
    let bench = bench(Level::Trace);
    let lines = lines_of_a_call(&bench, "misbehaves");
    let line = |level, target: &str, message: &str, fields: &str| Line {
        level,
        plugin: "misbehaves".to_owned(),
        target: target.to_owned(),
        message: message.to_owned(),
        fields: fields.to_owned(),
    };
    let expected = [
        line(Level::Info, "", "from the SDK", ""),
        line(Level::Warn, "misbehaves::world", "from log", ""),
        line(Level::Error, "misbehaves::world", "from tracing", r#"{"count":3,"spans":["outer"]}"#),
        line(Level::Trace, "misbehaves::world", "too quiet to be seen", ""),
        line(Level::Info, "misbehaves::world", "from a subtask", ""),
    ];
    // Whatever else uses these crates may log as well, such as tokio.
    let own: Vec<_> = lines.into_iter().filter(|line| !line.target.starts_with("tokio")).collect();
    assert_eq!(own, expected);
    bench.all_is_well();
    "5 records with level, target, fields and spans".to_owned()
}

fn only_warnings() -> String {
    let bench = bench(Level::Warn);
    let lines = lines_of_a_call(&bench, "misbehaves");
    let messages: Vec<_> = lines.iter().map(|line| (line.level, line.message.as_str())).collect();
    assert_eq!(messages, [(Level::Warn, "from log"), (Level::Error, "from tracing")]);
    bench.all_is_well();
    "a warning and an error".to_owned()
}

fn two_of_one_library() -> String {
    let mut bench = Bench::new();
    bench.load_as("misbehaves", "twin");
    for _ in 0..20 {
        for name in ["twin", "misbehaves"] {
            let lines = lines_of_a_call(&bench, name);
            assert!(lines.len() >= 4 && lines.iter().all(|line| line.plugin == name), "{name}: {lines:?}");
        }
    }
    bench.plugin("misbehaves").shutdown(Duration::from_secs(1)).unwrap();
    let lines = lines_of_a_call(&bench, "twin");
    assert!(lines.len() >= 4 && lines.iter().all(|line| line.plugin == "twin"), "{lines:?}");
    bench.the_neighbour_answers();
    "each under its own name, also when the other is shut down".to_owned()
}

fn after_shutdown() -> String {
    let bench = Bench::new();
    bench.text("LogAfterShutdown", json!({"milliseconds": 100}));
    bench.misbehaves().shutdown(Duration::from_secs(1)).unwrap();
    let before = bench.log.all().len();
    std::thread::sleep(Duration::from_millis(300));
    let lines = bench.log.all().split_off(before);
    assert!(lines.is_empty(), "{lines:?}");
    assert_eq!(bench.misbehaves().breaches(), 0);
    bench.the_neighbour_answers();
    "200 records, none of them heard".to_owned()
}

fn with_hook(config: Value) -> Bench {
    Bench::with(|builder| builder.config("misbehaves", config))
}

fn hook_logs() -> String {
    let bench = with_hook(json!({"logAtShutdown": true}));
    bench.all_is_well();
    assert!(!bench.log.has("the hook ran"));
    bench.misbehaves().shutdown(Duration::from_secs(1)).unwrap();
    let lines: Vec<_> = bench.log.all().into_iter().filter(|line| line.message == "the hook ran").collect();
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((line.level, line.plugin.as_str()), (Level::Info, "misbehaves"));
    bench.the_neighbour_answers();
    line.message.clone()
}

fn hook_panics() -> String {
    let bench = with_hook(json!({"panicAtShutdown": true, "logAtShutdown": true}));
    bench.all_is_well();
    bench.misbehaves().shutdown(Duration::from_secs(1)).unwrap();
    assert!(bench.log.has("the hook ran"));
    let line = bench.log.wait_for("panic in a shutdown hook: a hook went wrong (at ");
    assert_eq!((line.level, line.plugin.as_str()), (Level::Error, "misbehaves"));
    bench.the_neighbour_answers();
    line.message
}

fn hook_blocks() -> String {
    let bench = with_hook(json!({"blockAtShutdown": true}));
    bench.all_is_well();
    let begun = std::time::Instant::now();
    let ended = bench.misbehaves().shutdown(Duration::from_millis(400));
    let took = begun.elapsed();
    assert_eq!(ended, Err(elowen_host::ShutdownError::Timeout));
    assert!(took < Duration::from_secs(20), "{took:?}");
    bench.the_neighbour_answers();
    format!("after {took:.1?}: {}", elowen_host::ShutdownError::Timeout)
}

fn tool_panics_when_dropped() -> String {
    let tool = json!({"name": "Fragile", "parameters": {"type": "object"}, "panicWhenDropped": true});
    let bench = with_hook(json!({"tools": [tool], "logAtShutdown": true}));
    bench.all_is_well();
    bench.misbehaves().shutdown(Duration::from_secs(1)).unwrap();
    assert!(bench.log.has("the hook ran"));
    let line =
        bench.log.wait_for("a value of the plugin panicked while it was dropped: the tool went wrong (at ");
    assert_eq!((line.level, line.plugin.as_str()), (Level::Error, "misbehaves"));
    bench.the_neighbour_answers();
    line.message
}
