//! Runs tests one after another and prints what came of each case as a row of one table, also when all is well.
//!
//! It understands the arguments of the standard harness that make a difference here. One process for all of them
//! on purpose: whatever a plugin does to it, the tests after it notice. One that hangs fails and is left behind.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The name of the thread that each test runs on.
pub const THREAD: &str = "case";
/// How long a test may take, unless its target says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// One test.
#[allow(missing_debug_implementations)]
pub struct Test {
    /// What it is asked for by.
    name: String,
    /// For a row of the table: what is asked for, or what the plugin does.
    does: Option<String>,
    run: Box<dyn FnOnce() -> String + Send>,
}

/// A row of the table. `run` says what came out, or fails by panicking.
pub fn case(
    name: impl Into<String>,
    does: impl Into<String>,
    run: impl FnOnce() -> String + Send + 'static,
) -> Test {
    Test { name: name.into(), does: Some(does.into()), run: Box::new(run) }
}

/// A test whose name is its sentence; it is no row of the table.
pub fn story(name: impl Into<String>, run: impl FnOnce() + Send + 'static) -> Test {
    let run = move || {
        run();
        String::new()
    };
    Test { name: name.into(), does: None, run: Box::new(run) }
}

/// What the standard harness understands, as far as it makes a difference here.
#[derive(Default)]
struct Options {
    filters: Vec<String>,
    skip: Vec<String>,
    exact: bool,
    list: bool,
    ignored: bool,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Options::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--exact" => options.exact = true,
                "--list" => options.list = true,
                "--ignored" => options.ignored = true,
                "--skip" => options.skip.extend(arguments.next()),
                "--test-threads" | "--format" | "--color" | "--logfile" | "--shuffle-seed" | "-Z" => {
                    arguments.next();
                }
                flag if flag.starts_with('-') => {}
                _ => options.filters.push(argument),
            }
        }
        options
    }

    fn wants(&self, name: &str) -> bool {
        let fits = |filter: &String| if self.exact { name == filter } else { name.contains(filter.as_str()) };
        let wanted = self.filters.is_empty() || self.filters.iter().any(fits);
        // No test is ignored, so there are none where only those are asked for.
        wanted && !self.ignored && !self.skip.iter().any(fits)
    }
}

thread_local! {
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

type Failures = Vec<(String, String)>;

/// Runs the tests that the command line asks for. The rows of the table come first.
pub fn main(tests: Vec<Test>) -> ExitCode {
    main_within(PATIENCE, tests)
}

/// The same with tests that may take up to `patience` each.
pub fn main_within(patience: Duration, tests: Vec<Test>) -> ExitCode {
    let options = Options::read(std::env::args().skip(1));
    let all = tests.len();
    let (rows, stories): (Vec<Test>, Vec<Test>) =
        tests.into_iter().filter(|test| options.wants(&test.name)).partition(|test| test.does.is_some());
    let count = rows.len() + stories.len();
    if options.list {
        rows.iter().chain(&stories).for_each(|test| println!("{}: test", test.name));
        println!("\n{count} tests, 0 benchmarks");
        return ExitCode::SUCCESS;
    }

    keep_panic_messages();
    let begun = Instant::now();
    println!("\nrunning {count} tests");
    let mut failures = run_table(patience, rows);
    for Test { name, run, .. } in stories {
        let outcome = run_one(patience, run);
        println!("test {name} ... {}", if outcome.is_ok() { "ok" } else { "FAILED" });
        failures.extend(outcome.err().map(|said| (name, said)));
    }
    if !failures.is_empty() {
        println!("\nfailures:\n");
        failures.iter().for_each(|(name, said)| println!("---- {name} ----\n{said}\n"));
        println!("failures:");
        failures.iter().for_each(|(name, _)| println!("    {name}"));
    }
    println!(
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
        if failures.is_empty() { "ok" } else { "FAILED" },
        count - failures.len(),
        failures.len(),
        all - count,
        begun.elapsed().as_secs_f64()
    );
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Each row is printed when it is done, so that the last one printed tells which case ended the process.
fn run_table(patience: Duration, rows: Vec<Test>) -> Failures {
    const HEAD: [&str; 3] = ["case", "what it does", "what came out"];
    let mut failures = Vec::new();
    if rows.is_empty() {
        return failures;
    }
    let widest = |column: &dyn Fn(&Test) -> usize, head: &str| {
        rows.iter().map(column).max().unwrap_or(0).max(head.len())
    };
    let name_width = widest(&|test| test.name.len(), HEAD[0]);
    let does_width = widest(&|test| test.does.as_ref().map_or(0, String::len), HEAD[1]);
    let print = |name: &str, does: &str, came: &str| {
        println!("| {name:name_width$} | {does:does_width$} | {came}");
    };
    println!();
    print(HEAD[0], HEAD[1], HEAD[2]);
    print(&"-".repeat(name_width), &"-".repeat(does_width), "---");
    for Test { name, does, run } in rows {
        let outcome = run_one(patience, run);
        print(&name, does.as_deref().unwrap_or_default(), outcome.as_deref().unwrap_or("FAILED"));
        failures.extend(outcome.err().map(|said| (name, said)));
    }
    println!();
    failures
}

/// What came out, or what it said when it failed.
fn run_one(patience: Duration, run: Box<dyn FnOnce() -> String + Send>) -> Result<String, String> {
    let (tell, told) = mpsc::channel();
    let work = move || {
        let outcome = panic::catch_unwind(AssertUnwindSafe(run));
        let _ = tell.send(outcome.map_err(|_| SAID.take()));
    };
    let thread =
        thread::Builder::new().name(THREAD.to_owned()).spawn(work).map_err(|error| error.to_string())?;
    match told.recv_timeout(patience) {
        Ok(outcome) => thread.join().map_err(|_| "its thread ended in a panic".to_owned()).and(outcome),
        Err(RecvTimeoutError::Timeout) => Err(format!("it is still running after {patience:?}")),
        Err(RecvTimeoutError::Disconnected) => Err("its thread ended without a word".to_owned()),
    }
}

/// A failing test's message is shown after the table, not in the middle of it.
fn keep_panic_messages() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name() == Some(THREAD) {
            SAID.set(info.to_string());
        } else {
            usual(info);
        }
    }));
}
