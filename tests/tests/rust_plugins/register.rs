//! A `register` that fails in any way leaves nothing behind, and the plugins beside it are loaded.

use std::time::{Duration, Instant};

use elowen_host::log::Level;
use elowen_host::{LoadFailure, LoadReport};
use elowen_tests::build;
use elowen_tests::table::{Test, case};
use serde_json::{Value, json};

use crate::bench::{Bench, Lines, call, eventually, library};
use crate::process;

/// What a plugin gets for registering that does not come back.
const LIMIT: Duration = Duration::from_millis(300);

/// How the configuration makes `register` fail, whether that is the right failure, and its sentence.
type Failing = (&'static str, fn(&LoadFailure) -> bool, &'static str);

const FAILING: [Failing; 6] = [
    (
        "error",
        |cause| matches!(cause, LoadFailure::Register { .. }),
        "its registration failed: the key is missing from its configuration. ",
    ),
    (
        "typed",
        |cause| matches!(cause, LoadFailure::Register { .. }),
        "its registration failed: its configuration does not fit: register: expected an integer",
    ),
    (
        "panic",
        |cause| matches!(cause, LoadFailure::RegisterPanic { location: Some(at), .. } if at.contains("lib.rs:")),
        ": register went wrong. ",
    ),
    (
        "panic after waiting",
        |cause| matches!(cause, LoadFailure::RegisterPanic { location: Some(at), .. } if at.contains("lib.rs:")),
        ": register went wrong later. ",
    ),
    ("hang", |cause| matches!(cause, LoadFailure::RegisterTimeout { .. }), "did not finish within 300ms. "),
    ("block", |cause| matches!(cause, LoadFailure::RegisterTimeout { .. }), "did not finish within 300ms. "),
];

pub(crate) fn cases() -> Vec<Test> {
    let mut cases: Vec<Test> = FAILING
        .into_iter()
        .map(|failing| {
            let slug = failing.0.replace(' ', "_");
            let name = format!("a_failing_register_leaves_nothing_and_its_neighbours_load::{slug}");
            case(name, format!("register: {}", failing.0), move || fails(failing))
        })
        .collect();
    cases.push(case("an_async_register_may_wait", "register: wait 20 ms", may_wait));
    cases.push(case(
        "a_plugin_knows_its_directories",
        "register: directories, writes a marker",
        knows_its_directories,
    ));
    cases.push(case(
        "a_tool_registered_at_run_time_is_called_by_its_number",
        "register: two tools made from the configuration",
        dynamic_tools,
    ));
    cases
}

/// Loads a directory of `hello`, `misbehaves` and `progress`.
fn load(register: Value) -> (Bench, LoadReport) {
    let comes_back = !matches!(register["register"].as_str(), Some("hang" | "block"));
    let limit = if comes_back { Duration::from_secs(30) } else { LIMIT };
    let bench = Bench::empty(Lines::up_to(Level::Info), |builder| {
        builder.register_timeout(limit).config("misbehaves", register)
    });
    for package in ["hello", "misbehaves", "progress"] {
        build::folder(&bench.plugins_dir(), package, &library(package));
    }
    let begun = Instant::now();
    let report = bench.host.load_dir(&bench.plugins_dir()).expect("the directory is there");
    assert!(begun.elapsed() < Duration::from_secs(25), "it took {:?}", begun.elapsed());
    (bench, report)
}

fn names(report: &LoadReport) -> Vec<&'static str> {
    report.registry.plugins().iter().map(|plugin| plugin.name()).collect()
}

fn neighbours_answer(report: &LoadReport) {
    let tool = |name: &str| *report.registry.tools().iter().find(|tool| tool.name() == name).expect(name);
    assert_eq!(call(tool("MyTool"), json!({"value": "hello"})).unwrap().to_text(), "hello");
    let answer = call(tool("CountDown"), json!({"from": 1, "interval": 1})).unwrap();
    assert_eq!(answer.to_text(), "Lift-off!");
}

fn shut_down(report: &LoadReport) {
    for plugin in report.registry.plugins() {
        plugin.shutdown(Duration::from_secs(1)).unwrap_or_else(|error| panic!("{plugin:?}: {error}"));
    }
}

fn fails((register, is_right, sentence): Failing) -> String {
    let threads = process::threads("elw-misbehaves").len();
    let (bench, report) = load(json!({"register": register}));

    let [failure] = &report.failures[..] else { panic!("{:?}", report.failures) };
    assert!(is_right(&failure.cause), "{failure:?}");
    let text = failure.to_string();
    assert!(text.contains(sentence) && text.ends_with("(fault of the plugin)."), "{text}");
    assert!(failure.file.starts_with(bench.plugins_dir().join("misbehaves")), "{failure:?}");
    let line = bench.log.wait_for("plugin skipped: misbehaves: ");
    assert_eq!(line.level, Level::Error);

    assert_eq!(names(&report), ["hello", "progress"]);
    let tools: Vec<_> = report.registry.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(tools, ["MyTool", "CountDown"]);
    // A thread inside `register` cannot be taken out of it, and nothing that it may use is taken from it.
    let left = if register == "block" { 2 } else { 0 };
    eventually("the end of its threads", || process::threads("elw-misbehaves").len() == threads + left);
    neighbours_answer(&report);
    shut_down(&report);
    failure.cause.to_string()
}

fn may_wait() -> String {
    let (_bench, report) = load(json!({"register": "wait"}));
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert_eq!(names(&report), ["hello", "misbehaves", "progress"]);
    let probe = report.registry.owner("Probe").and_then(|plugin| plugin.tool("Probe")).expect("it is there");
    assert_eq!(call(probe, json!({})).unwrap().to_text(), "ok");
    neighbours_answer(&report);
    shut_down(&report);
    format!("{} tools registered", probe.plugin().tools().count())
}

fn knows_its_directories() -> String {
    let (bench, report) = load(json!({"register": "directories"}));
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    let marker = bench.state_dir().join("data/misbehaves/marker");
    let plugin_dir = std::fs::read_to_string(marker).expect("the data folder was there to write to");
    assert_eq!(std::path::Path::new(&plugin_dir), bench.plugins_dir().join("misbehaves"));
    shut_down(&report);
    "data/misbehaves/marker names the plugin's folder".to_owned()
}

fn dynamic_tools() -> String {
    let object = json!({"type": "object"});
    let (_bench, report) = load(json!({"tools": [
        {"name": "First", "parameters": object},
        {"name": "Second", "parameters": object, "ownerUserId": 7},
    ]}));
    let plugin = report.registry.owner("First").expect("it was registered");
    let second = plugin.tool("Second").expect("it was registered");
    let answer = pollster::block_on(second.call(r#"{"a":[1]}"#).call_id("c1")).unwrap().parse().unwrap();
    assert_eq!((answer.to_text().as_str(), &answer.details), (r#"{"a":[1]}"#, &json!({"callId": "c1"})));
    shut_down(&report);
    answer.to_text()
}
