//! What comes of the plugins that the host loads: their calls, what the log says of them, their shutdown.

use std::sync::mpsc;
use std::time::Duration;

use elowen_host::log::Level;
use elowen_host::{Content, FailureKind, Plugin, ShutdownError};

use crate::bench::{Bench, PATIENCE, details, eventually};
use crate::under_way::{poll_once, resident_bytes};

/// Calls the plugin of a case and checks all that comes of it.
pub(crate) type Check = fn(&mut Bench, &Plugin);

const OVER: &str = "completed an operation that is over or was never its own";

/// The check for a case; `None` if its plugin is refused or the case is unknown.
pub(crate) fn check(define: &str) -> Option<Check> {
    Some(match define {
        "CASE_NONE" | "CASE_TABLE_LONG" | "CASE_FROM_START" => |bench, plugin| {
            assert_eq!(bench.ok(plugin).given, 1);
            assert_eq!(bench.ok(plugin).given, 2);
            bench.is_quiet(plugin);
        },
        // Where there is always room for it, it is as good as any other.
        "CASE_BIG_TLS" => |bench, plugin| assert_eq!(bench.ok(plugin).given, 1),
        "CASE_REGISTER_TWICE" => |bench, plugin| {
            bench.broke(plugin, 1, OVER);
            assert_eq!(bench.ok(plugin).given, 2);
        },
        "CASE_TOOL_NOT_UTF8" => |bench, plugin| {
            let why = "register_tool: the definition or the options are not UTF-8; the tool was refused";
            is_without_the_bad_tool(bench, plugin, INVALID);
            bench.warned(plugin, why);
        },
        "CASE_TOOL_NOT_JSON" => |bench, plugin| {
            is_without_the_bad_tool(bench, plugin, REFUSED);
            bench
                .warned(plugin, "a tool was refused: its definition is not a JSON object (EOF while parsing");
        },
        "CASE_TOOL_NO_NAME" => |bench, plugin| {
            is_without_the_bad_tool(bench, plugin, REFUSED);
            bench.warned(plugin, "a tool was refused: its definition has no name");
        },
        "CASE_TOOL_NULL" => |bench, plugin| {
            is_without_the_bad_tool(bench, plugin, INVALID);
            bench.broke(plugin, 1, "a tool's record is null or shorter than version 1.0");
        },
        "CASE_TOOL_LATE" => |bench, plugin| {
            let why = "register_tool refused: tools are registered while `register` runs, and it is over";
            bench.warned(plugin, why);
            eventually(|| bench.ok(plugin).seen == CLOSED);
            is_without_the_bad_tool(bench, plugin, CLOSED);
        },

        "CASE_TWICE" => |bench, plugin| {
            bench.ok(plugin);
            bench.broke(plugin, 1, OVER);
            assert_eq!(bench.ok(plugin).given, 3);
        },
        "CASE_TWICE_SLOWLY" => second_completion_while_the_first_is_read,
        "CASE_NEVER" => |bench, plugin| {
            bench.is_given_up(plugin);
            assert_eq!(plugin.abandoned_calls(), 1);
            bench.is_given_up(plugin);
            assert_eq!(plugin.abandoned_calls(), 2);
            bench.is_quiet(plugin);
        },
        "CASE_START_BLOCKS" => |bench, plugin| {
            let tool = plugin.tool("Probe").unwrap();
            // It will not come back; nobody waits for it.
            std::thread::spawn(move || pollster::block_on(tool.call("{}")));
            std::thread::sleep(Duration::from_millis(50));
            bench.neighbour_answers();
            assert_eq!(bench.shut_down(plugin), Err(ShutdownError::Stuck));
        },
        "CASE_NULL_HANDLE" => |bench, plugin| {
            bench.fails_by_its_own_fault(plugin, "a call was started without a handle");
            bench.broke(plugin, 1, "call_start returned no handle and has not completed");
            assert_eq!(plugin.abandoned_calls(), 1);
        },
        "CASE_AFTER_RELEASE" => |bench, plugin| {
            bench.is_given_up(plugin);
            assert_eq!(plugin.abandoned_calls(), 1);
            eventually(|| plugin.abandoned_calls() == 0);
            bench.came("completes later");
            bench.is_quiet(plugin);
        },
        "CASE_WRONG_OPERATION=0" | "CASE_WRONG_OPERATION=77777777" => |bench, plugin| {
            assert_eq!(bench.ok(plugin).given, 2);
            bench.broke(plugin, 1, OVER);
        },
        "CASE_FOREIGN" => nothing_is_stolen,
        "CASE_COMPLETE_NULL" => |bench, plugin| {
            bench.ok(plugin);
            bench.broke(plugin, 1, SHORT);
        },
        "CASE_COMPLETION_SHORT" => |bench, plugin| {
            bench.is_given_up(plugin);
            bench.broke(plugin, 1, SHORT);
            assert_eq!(plugin.abandoned_calls(), 1);
        },
        "CASE_KIND_99" => |bench, plugin| {
            bench.fails(plugin, FailureKind::Fault, "it failed without a message");
            bench.is_quiet(plugin);
        },
        _ => return check_result(define).or_else(|| check_callback(define)),
    })
}

/// What the host answered, by its number in the ABI.
const INVALID: i64 = elowen_sdk::abi::ERR_INVALID as i64;
const REFUSED: i64 = elowen_sdk::abi::ERR_REFUSED as i64;
const CLOSED: i64 = elowen_sdk::abi::ERR_CLOSED as i64;
const UNKNOWN: i64 = elowen_sdk::abi::ERR_UNKNOWN as i64;
const SHORT: &str = "a completion is null or shorter than version 1.0";

fn check_result(define: &str) -> Option<Check> {
    Some(match define {
        "CASE_RESULT_NOT_UTF8" => |bench, plugin| {
            bench.fails_by_its_own_fault(plugin, "the result is not UTF-8");
        },
        "CASE_RESULT_NOT_JSON" => |bench, plugin| {
            let why = "the result is not a tool's result (expected value at line 1 column 1)";
            bench.fails_by_its_own_fault(plugin, why);
        },
        "CASE_RESULT_NO_CONTENT" => |bench, plugin| {
            let why = "the result is not a tool's result (missing field `content` at line 1 column 14)";
            bench.fails_by_its_own_fault(plugin, why);
        },
        "CASE_RESULT_ARRAY" => |bench, plugin| {
            let why = "the result is not a tool's result (it is not a JSON object)";
            bench.fails_by_its_own_fault(plugin, why);
        },
        "CASE_RESULT_UNKNOWN_ITEM" => |bench, plugin| {
            let why = "the result is not a tool's result (unknown variant `smell`, expected `text` or `image` at line 1 column 27)";
            bench.fails_by_its_own_fault(plugin, why);
        },
        "CASE_RESULT_EMPTY" => |bench, plugin| {
            let why = "the result is not a tool's result (EOF while parsing a value at line 1 column 0)";
            bench.fails_by_its_own_fault(plugin, why);
        },
        "CASE_RESULT_NULL" => |bench, plugin| {
            bench.fails_by_its_own_fault(plugin, "the result has no bytes but a length");
        },
        "CASE_RESULT_64MIB" => |bench, plugin| {
            let answer = bench.probe(plugin, PATIENCE).unwrap();
            let [Content::Text { text }] = answer.content.as_slice() else { panic!("not one text") };
            assert!(text.len() == 64 << 20 && text.bytes().all(|byte| byte == b'x'));
        },
        _ => return None,
    })
}

fn check_callback(define: &str) -> Option<Check> {
    Some(match define {
        "CASE_PROGRESS_MILLION" => the_last_of_a_million_updates_arrives,
        "CASE_PROGRESS_NOT_UTF8" => |bench, plugin| {
            assert_eq!(bench.ok(plugin).seen, INVALID);
            bench.broke(plugin, 1, "a progress update is not UTF-8");
        },
        "CASE_PROGRESS_LATE" => |bench, plugin| {
            bench.ok(plugin);
            assert_eq!(bench.ok(plugin).seen, CLOSED);
            bench.is_quiet(plugin);
        },
        "CASE_LOG_NOT_UTF8" => |bench, plugin| {
            bench.ok(plugin);
            bench.warned(plugin, "not \u{fffd}\u{fffd} UTF-8");
        },
        "CASE_LOG_LEVEL_77" => |bench, plugin| {
            bench.ok(plugin);
            let lines = bench.lines_of(plugin);
            assert!(lines.iter().any(|line| line.level == Level::Info && line.message == r#"{"level":77}"#));
            bench.came("logged as information");
            bench.is_quiet(plugin);
        },
        "CASE_LOG_NULL" => |bench, plugin| {
            bench.ok(plugin);
            bench.broke(plugin, 1, "a log record is null or shorter than version 1.0");
        },
        "CASE_LOG_LATE" => |bench, plugin| {
            bench.ok(plugin);
            bench.shut_down(plugin).unwrap();
            bench.broke(plugin, 1, "a log record is null or shorter than version 1.0");
            let lines = bench.lines_of(plugin);
            assert!(lines.iter().all(|line| line.level != Level::Error), "a late line was logged: {lines:?}");
            was_answered_late(bench, plugin, 0);
        },
        "CASE_QUERY_UNKNOWN" => |bench, plugin| {
            assert_eq!(bench.ok(plugin).seen, UNKNOWN);
            bench.is_quiet(plugin);
        },
        "CASE_QUERY_NULL_ANSWER" => |bench, plugin| {
            bench.ok(plugin);
            bench.broke(plugin, 1, "asked a question without an answer function");
        },
        "CASE_QUERY_LATE" => |bench, plugin| {
            bench.ok(plugin);
            bench.shut_down(plugin).unwrap();
            was_answered_late(bench, plugin, CLOSED);
            bench.is_quiet(plugin);
        },
        "CASE_EXTENSION_WEIRD" => |bench, plugin| {
            assert_eq!(bench.ok(plugin).seen, 0);
            bench.is_quiet(plugin);
        },
        "CASE_SHUTDOWN_NEVER" => |bench, plugin| {
            bench.ok(plugin);
            assert_eq!(bench.shut_down(plugin), Err(ShutdownError::Timeout));
        },
        "CASE_SHUTDOWN_ERROR" => |bench, plugin| {
            bench.ok(plugin);
            assert_eq!(bench.shut_down(plugin), Err(ShutdownError::Status(3)));
        },
        _ => return None,
    })
}

fn is_without_the_bad_tool(bench: &mut Bench, plugin: &Plugin, answered: i64) {
    assert_eq!(plugin.tools().map(|tool| tool.name()).collect::<Vec<_>>(), ["Probe"]);
    assert_eq!(bench.ok(plugin).seen, answered);
}

/// The second completion comes while the caller, who has got the first, is still busy with an update.
fn second_completion_while_the_first_is_read(bench: &mut Bench, plugin: &Plugin) {
    let tool = plugin.tool("Probe").unwrap();
    let mut updates = 0;
    let mut call = Box::pin(tool.call("{}").on_update(|_| {
        std::thread::sleep(Duration::from_millis(150));
        updates += 1;
    }));
    assert!(poll_once(call.as_mut()).is_none());
    std::thread::sleep(Duration::from_millis(25));
    let answer = pollster::block_on(call).unwrap().parse().unwrap();
    assert_eq!((answer.to_text().as_str(), updates), ("ok", 1));
    bench.came("answers \"ok\"");
    bench.broke(plugin, 1, OVER);
    assert_eq!(bench.ok(plugin).given, 3);
}

/// The neighbour's calls, whose numbers lie around the plugin's, get their own answers.
fn nothing_is_stolen(bench: &mut Bench, plugin: &Plugin) {
    let wait = bench.neighbour.tool("CWait").unwrap();
    let mut calls: Vec<_> = (0..40).map(|_| Box::pin(wait.call(r#"{"milliseconds":400}"#))).collect();
    calls.iter_mut().for_each(|call| assert!(poll_once(call.as_mut()).is_none()));
    bench.ok(plugin);
    bench.broke(plugin, 128, OVER);
    for call in calls {
        assert_eq!(pollster::block_on(call).unwrap().parse().unwrap().to_text(), "waited 400 ms");
    }
}

/// While the caller sleeps the updates take no room; the newest are there when it wakes up, and the last of all comes
/// before the answer.
fn the_last_of_a_million_updates_arrives(bench: &mut Bench, plugin: &Plugin) {
    const MOST: u64 = 16 << 20;
    let tool = plugin.tool("Probe").unwrap();
    let (send, received) = mpsc::channel();
    let mut call = Box::pin(tool.call("{}").timeout(PATIENCE).on_update(|update| {
        send.send(update.to_text().parse::<u32>().unwrap()).unwrap();
    }));
    let before = resident_bytes();
    assert!(poll_once(call.as_mut()).is_none());
    let early = received.try_iter().count() as u32;
    for _ in 0..30 {
        std::thread::sleep(Duration::from_millis(20));
        let grown = resident_bytes().saturating_sub(before);
        assert!(grown < MOST, "{grown} bytes more are in use");
    }
    let answer = pollster::block_on(call).unwrap().parse().unwrap();
    assert_eq!((answer.to_text().as_str(), details(&answer).seen), ("ok", 0));
    let updates: Vec<u32> = received.try_iter().collect();
    // Older updates gave way to newer ones, in order.
    let first = updates[0];
    assert!(first > early + 32, "the update {first} was kept, newer ones were not");
    assert!(updates.iter().take(32).copied().eq(first..first + 32), "unexpected: {:?}", &updates[..32]);
    assert!(updates.is_sorted());
    let last = updates.last().unwrap();
    assert_eq!(*last, 999_999);
    bench.came(format!("answers \"ok\", after the update {last:?}"));
    bench.is_quiet(plugin);
}

/// What the thread of the plugin, which is shut down, was answered: the next instance of its image tells.
fn was_answered_late(bench: &mut Bench, plugin: &Plugin, status: i64) {
    std::thread::sleep(Duration::from_millis(50));
    eventually(|| {
        let again = bench.host.load(plugin.folder()).unwrap();
        let late = bench.ok(&again).late;
        again.shutdown(PATIENCE).unwrap();
        late == 100 + status
    });
    bench.came(format!("its late thread was answered {status}"));
}
