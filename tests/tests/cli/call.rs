//! `call`: answers, refusals, updates, cancellation, deadline.

use elowen_tests::cli::{Ended, Place, Running, ended, ended_with_stdin};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

fn call(place: &Place, plugin: &Path, rest: &[&str]) -> Ended {
    place.run(&arguments(plugin, rest))
}

fn arguments<'a>(plugin: &'a Path, rest: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["call", plugin.to_str().unwrap()];
    all.extend(rest);
    all
}

fn json_line(ended: &Ended) -> Value {
    assert_eq!(ended.stdout.matches('\n').count(), 1, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn the_main_job_prints_hello_and_nothing_else() {
    let place = Place::default();
    let ended = place.run(&["call", "examples/hello", "MyTool", r#"{"value":"hello"}"#]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "hello\n"), "{}", ended.stderr);
    let packaged = ended.stderr.lines().find(|line| line.trim_start().starts_with("Packaged "));
    assert!(packaged.unwrap().contains("Packaged hello 0.1.0 into "), "{}", ended.stderr);
}

#[test]
fn a_plugin_in_c_is_called_the_same_way() {
    let place = Place::default();
    let ended = call(&place, &place.c_hello(), &["CHello", r#"{"value":"grüße, \"C\""}"#]);
    assert_eq!(ended, Ended { code: 0, stdout: "grüße, \"C\"\n".into(), stderr: String::new() });
}

#[test]
fn arguments_come_from_pairs_or_from_stdin() {
    let place = Place::default();
    let plugin = place.c_hello();
    assert_eq!(call(&place, &plugin, &["CHello", "--arg", "value=two words"]).stdout, "two words\n");
    assert_eq!(call(&place, &plugin, &["CWait", "--arg", "milliseconds=1"]).stdout, "waited 1 ms\n");
    let from_stdin = |text: &[u8]| {
        let ended = ended_with_stdin(place.command(&arguments(&plugin, &["CHello", "-"])), text);
        (ended.code, ended.stdout)
    };
    assert_eq!(from_stdin(b"{\"value\":\n\"piped\"}\n"), (0, "piped\n".into()));
    assert_eq!(from_stdin("\u{feff}{\"value\":\"marked\"}".as_bytes()), (0, "marked\n".into()));
    assert_eq!(from_stdin(b""), (2, String::new()));
    assert_eq!(from_stdin(b"{\"value\":\"\xff\"}"), (2, String::new()));
}

#[test]
fn json_prints_the_whole_answer_as_one_line() {
    let place = Place::default();
    let ended = call(&place, &place.c_hello(), &["CHello", "--json", r#"{"value":"a\nb"}"#]);
    let text = "{\"content\":[{\"type\":\"text\",\"text\":\"a\\nb\"}],\"details\":{},\"isError\":false}\n";
    assert_eq!((ended.code, ended.stdout.as_str()), (0, text));
}

#[test]
fn rejected_arguments_are_an_answer_with_exit_code_1() {
    let place = Place::default();
    let plugin = place.c_hello();
    let ended = call(&place, &plugin, &["CHello", r#"{"valu":"x"}"#]);
    assert_eq!(ended.code, 1);
    assert!(
        ended.stdout.starts_with("CHello was not run. Fix these arguments and call it again:\n- value: ")
    );
    let answer = json_line(&call(&place, &plugin, &["CHello", "[1]", "--json"]));
    assert_eq!(answer["details"], json!({"ok": false, "error": {"kind": "invalid_arguments"}}));
    assert_eq!(answer["isError"], false);
}

#[test]
fn an_unknown_tool_is_told_which_tools_there_are() {
    let place = Place::default();
    let plugin = place.c_hello();
    let ended = call(&place, &plugin, &["c_hello", r#"{"value":"x"}"#]);
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""));
    let message = "error: plugin `c-hello` has no tool `c_hello`; did you mean `CHello`?\nIts tools are: CHello, CWait\n";
    assert_eq!(ended.stderr, message);
    let answer = json_line(&call(&place, &plugin, &["Other", "--json"]));
    assert_eq!(
        (answer["isError"].clone(), answer["details"]["error"]["kind"].clone()),
        (json!(true), json!("unknown_tool"))
    );
}

#[test]
fn broken_json_is_shown_with_its_place_before_anything_is_built() {
    let place = Place::default();
    let ended = call(&place, Path::new("no/such/plugin"), &["T", r#"{"value":"hello" 1}"#]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    let message = "error: the arguments are not JSON: line 1, column 18: expected `,` or `}`\n  |\n\
                   1 | {\"value\":\"hello\" 1}\n  |                  ^\n";
    assert_eq!(ended.stderr, message);
}

#[test]
fn a_plugin_that_cannot_be_loaded_is_exit_code_3_with_the_reason() {
    let place = Place::default();
    let plugin = place.misbehaving("refuses", &["CASE_REGISTER_FAULT"]);
    let ended = call(&place, &plugin, &["Probe"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (3, ""));
    let reason =
        "was not loaded: its registration failed: the database is locked. Correct the plugin's `register`";
    assert!(ended.stderr.contains(reason), "{}", ended.stderr);
}

#[test]
fn a_plugin_that_aborts_on_panic_needs_permission() {
    let place = Place::default();
    let plugin = place.misbehaving("aborts", &["CASE_BLOB_ABORT"]);
    assert_eq!(call(&place, &plugin, &["Probe"]).code, 3);
    assert_eq!(call(&place, &plugin, &["Probe", "--allow-abort"]).stdout, "ok\n");
}

#[test]
fn what_a_plugin_prints_does_not_get_into_the_answer() {
    let place = Place::default();
    let ended = call(&place, &place.loud(), &["Probe"]);
    assert_eq!(ended, Ended { code: 0, stdout: "ok\n".into(), stderr: "loud was here\n".into() });
}

#[test]
fn updates_go_to_stderr_as_they_come() {
    let place = Place::default();
    let plugin = place.c_hello();
    let command = place.command(&arguments(&plugin, &["CWait", r#"{"milliseconds":1000}"#]));
    let mut running = Running::start(command);
    running.wait_for("waited 100 of 1000 ms");
    let ended = running.ended();
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "waited 1000 ms\n"));
    assert!(ended.stderr.ends_with("waited 1000 of 1000 ms\n"), "{}", ended.stderr);
}

#[test]
fn a_call_that_takes_too_long_is_given_up() {
    let place = Place::default();
    let ended = call(&place, &place.c_hello(), &["CWait", r#"{"milliseconds":60000}"#, "--timeout", "0.2"]);
    let text = "the call was not finished within 200ms and was given up\n";
    assert_eq!((ended.code, ended.stdout.as_str()), (1, text));
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_the_call() {
    let place = Place::default();
    let plugin = place.c_hello();
    let mut running =
        Running::start(place.command(&arguments(&plugin, &["CWait", r#"{"milliseconds":60000}"#])));
    running.wait_for("waited 100 of");
    let begun = Instant::now();
    running.interrupt();
    let ended = running.ended();
    assert_eq!((ended.code, ended.stdout.as_str()), (1, "Operation aborted\n"), "{}", ended.stderr);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_does_not_wait_for_the_plugin() {
    let place = Place::default();
    let plugin = place.misbehaving("stays", &["CASE_NEVER", "CASE_SHUTDOWN_NEVER"]);
    let mut running = Running::start(place.command(&arguments(&plugin, &["Probe", "-v"])));
    running.wait_for("Calling Probe of stays");
    running.interrupt();
    assert_eq!(running.first_output(), "Operation aborted\n");
    running.interrupt();
    let begun = Instant::now();
    assert_eq!(running.ended().code, 130);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_plugin_that_does_not_shut_down_is_left_behind_with_a_warning() {
    let place = Place::default();
    let plugin = place.misbehaving("stays", &["CASE_SHUTDOWN_NEVER"]);
    let ended = call(&place, &plugin, &["Probe"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "ok\n"));
    assert!(ended.stderr.contains("warning: plugin `stays` was not shut down: "), "{}", ended.stderr);
}

#[test]
fn a_reader_that_has_gone_away_is_no_panic() {
    let place = Place::default();
    let plugin = place.c_hello();
    let command = place.command(&arguments(&plugin, &["CWait", r#"{"milliseconds":300}"#]));
    let mut running = Running::start(command);
    running.close_stdout();
    let ended = running.ended();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.ends_with("waited 300 of 300 ms\n"), "{}", ended.stderr);
}

#[test]
fn state_is_kept_where_the_command_line_says() {
    let place = Place::default();
    let state = place.path().join("elsewhere");
    let plugin = place.c_hello();
    let mut command = place.command(&arguments(
        &plugin,
        &["CHello", "--arg", "value=x", "--state-dir", state.to_str().unwrap()],
    ));
    command.env_remove("ELOWEN_STATE_DIR");
    assert_eq!(ended(command).code, 0);
    assert!(state.join("plugin-cache").is_dir());
}
