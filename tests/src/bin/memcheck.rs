//! Does a plugin's whole life read, write or free memory that is not its own?
//!
//! Runs itself under valgrind's memcheck: load, 1,000 calls on either thread, updates, errors, a panic, calls that
//! are dropped, cancelled or too late, shutdown. Then once more without valgrind, to see that 10,000 calls leave
//! nothing behind. `cargo run -p elowen-tests --bin memcheck`. Exit 0: nothing invalid, no growth. 1: it was said
//! what. 2: valgrind is missing.

use elowen_host::package::BuildOptions;
use elowen_host::{CancelToken, FailureKind, Plugin, RawAnswer};
use elowen_tests::{
    build,
    valgrind::{self, ValgrindError},
};
use std::{
    path::Path,
    pin::pin,
    process::{Command, ExitCode},
    task::{Context, Waker},
    time::{Duration, Instant},
};

/// What may remain of 10,000 calls, in bytes.
const SLACK: i64 = 64 << 10;

const OPTIONS: [&str; 4] = ["--quiet", "--error-exitcode=1", "--leak-check=no", "--fair-sched=yes"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => check(),
        ["run", echo, misbehaves, c_hello] => {
            run(echo.as_ref(), misbehaves.as_ref(), c_hello.as_ref());
            ExitCode::SUCCESS
        }
        ["grow", echo, misbehaves] => grow(echo.as_ref(), misbehaves.as_ref()),
        _ => {
            eprintln!("usage: memcheck");
            ExitCode::from(2)
        }
    }
}

fn check() -> ExitCode {
    let debug = BuildOptions { quiet: true, ..BuildOptions::default() };
    let folder =
        |name: &str| build::packaged(&format!("tests/fixtures/{name}"), &debug).1.display().to_string();
    let scratch = tempfile::tempdir().expect("there is room for a plugin");
    let c_hello = elowen_tests::cc::c_hello_folder(scratch.path()).display().to_string();
    let (echo, misbehaves) = (folder("echo"), folder("misbehaves"));
    match valgrind::rerun(&OPTIONS, &["run", &echo, &misbehaves, &c_hello]) {
        Ok(()) => println!("memcheck: no invalid read, write or free"),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(if matches!(error, ValgrindError::Missing) { 2 } else { 1 });
        }
    }
    let mut natively = Command::new(std::env::current_exe().expect("this program has a file"));
    // Without caches for each thread, every byte in use is somebody's.
    natively.env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1");
    match natively.args(["grow", &echo, &misbehaves]).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        ended => {
            eprintln!("error: the count of memory in use: {ended:?}");
            ExitCode::FAILURE
        }
    }
}

/// What runs without valgrind: the heap after 2,000 calls, and after 10,000 more.
fn grow(echo: &Path, misbehaves: &Path) -> ExitCode {
    let (_state, host) = build::host();
    let host = host.build().expect("a host");
    let load = |folder: &Path| host.load(folder).unwrap_or_else(|error| panic!("{error}"));
    let (echo, misbehaves) = (load(echo), load(misbehaves));
    let after = |calls: usize| {
        for _ in 0..calls / 2 {
            answered(echo, "Echo", r#"{"value":"on this thread"}"#);
            answered(misbehaves, "PanicBlocking", r#"{"how":"not at all"}"#);
        }
        // A task is freed on its own thread, a moment after its call has ended.
        std::thread::sleep(Duration::from_millis(100));
        heap()
    };
    let (before, grown) = (after(2_000), after(10_000));
    println!("heap: {before} bytes in use after 2,000 calls, {grown} after 12,000");
    if grown - before < SLACK {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: calls leave memory behind: more than {SLACK} bytes in 10,000 of them");
    ExitCode::FAILURE
}

/// The bytes in use on the heap that this process and its plugins share.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn heap() -> i64 {
    // SAFETY: it walks the allocator's arenas under their own locks.
    let info = unsafe { libc::mallinfo2() };
    i64::try_from(info.uordblks + info.hblkhd).expect("less than a process can have")
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn heap() -> i64 {
    panic!("only glibc's heap can be counted");
}

/// What runs under memcheck.
fn run(echo: &Path, misbehaves: &Path, c_hello: &Path) {
    let begun = Instant::now();
    let (_state, host) = build::host();
    let host = host.build().expect("a host");
    let load = |folder: &Path| host.load(folder).unwrap_or_else(|error| panic!("{error}"));
    let (echo, misbehaves, c_hello) = (load(echo), load(misbehaves), load(c_hello));
    println!("loaded three plugins");

    for _ in 0..1_000 {
        answered(echo, "Echo", r#"{"value":"on this thread"}"#);
    }
    for _ in 0..100 {
        answered(misbehaves, "ReadFile", r#"{"path":"/no/such/file"}"#);
        answered(misbehaves, "Probe", "{}");
        answered(c_hello, "CHello", r#"{"value":"in C"}"#);
    }
    println!("1,300 calls, inline and on threads of the plugins");

    let mut updates = 0;
    let flood =
        misbehaves.tool("Flood").expect("the tool").call(r#"{"events":500}"#).on_update(|_| updates += 1);
    pollster::block_on(flood).expect("it answers");
    assert!(updates > 0, "no update arrived");
    for (tool, arguments, kind) in [
        ("Panics", r#"{"how":"string"}"#, FailureKind::Panic),
        ("Panics", r#"{"how":"bomb","later":true}"#, FailureKind::Panic),
        ("PanicBlocking", r#"{"how":"any"}"#, FailureKind::Panic),
        ("PanicInSubtask", "{}", FailureKind::Fault),
        ("Fail", r#"{"kind":"refused"}"#, FailureKind::Transport),
    ] {
        assert_eq!(call(misbehaves, tool, arguments).expect_err("it fails").kind, kind, "{tool} {arguments}");
    }
    println!("{updates} updates, five failures");

    for _ in 0..20 {
        drop_at_once(misbehaves, "Wait", r#"{"milliseconds":60000}"#);
        drop_at_once(c_hello, "CWait", r#"{"milliseconds":60000}"#);
    }
    let token = CancelToken::new();
    let wait = misbehaves.tool("WaitAndCleanUp").expect("the tool").call("{}").cancel_with(&token);
    let canceller = std::thread::spawn(move || token.cancel());
    assert_eq!(pollster::block_on(wait).expect_err("cancelled").kind, FailureKind::Cancelled);
    canceller.join().expect("it ends");
    let late = misbehaves.tool("Wait").expect("the tool").call(r#"{"milliseconds":60000}"#);
    let late = pollster::block_on(late.timeout(Duration::from_millis(20)));
    assert_eq!(late.expect_err("too late").kind, FailureKind::Deadline);
    while misbehaves.abandoned_calls() + c_hello.abandoned_calls() > 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    println!("42 calls given up, all of which have ended");

    drop_at_once(c_hello, "CWait", r#"{"milliseconds":100}"#);
    for plugin in [echo, misbehaves, c_hello] {
        plugin.shutdown(Duration::from_secs(20)).unwrap_or_else(|error| panic!("{plugin:?}: {error}"));
    }
    assert_eq!(call(echo, "Echo", "{}").expect_err("it is over").kind, FailureKind::Closed);
    println!("shut down, after {:.1} s in all", begun.elapsed().as_secs_f64());
}

fn call(plugin: Plugin, tool: &str, arguments: &str) -> Result<RawAnswer, elowen_host::Failure> {
    pollster::block_on(plugin.tool(tool).expect("the tool").call(arguments))
}

fn answered(plugin: Plugin, tool: &str, arguments: &str) {
    let answer = call(plugin, tool, arguments).unwrap_or_else(|failure| panic!("{tool}: {failure}"));
    answer.parse().unwrap_or_else(|failure| panic!("{tool}: {failure}"));
}

fn drop_at_once(plugin: Plugin, tool: &str, arguments: &str) {
    let call = pin!(plugin.tool(tool).expect("the tool").call(arguments));
    assert!(call.poll(&mut Context::from_waker(Waker::noop())).is_pending(), "{tool} is over too soon");
}
