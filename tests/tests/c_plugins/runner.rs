//! Runs tests one after another, as the standard harness would be asked to, and prints what came of the cases as
//! one table.
//!
//! One process for all of them on purpose: whatever a plugin does to it, the ones after it notice.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::Instant;

/// One test.
pub(crate) struct Test {
    /// What it is asked for by.
    pub(crate) name: String,
    /// For a row of the table: what the plugin does.
    pub(crate) does: Option<String>,
    /// Does it, and says for the table what came out. Fails by panicking.
    pub(crate) run: Box<dyn Fn() -> String>,
}

impl Test {
    /// A test whose name is its sentence.
    pub(crate) fn new(name: &str, run: fn()) -> Self {
        let run = move || {
            run();
            String::new()
        };
        Test { name: name.to_owned(), does: None, run: Box::new(run) }
    }
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
        wanted && !self.ignored && !self.skip.iter().any(fits)
    }
}

thread_local! {
    static RUNNING: Cell<bool> = const { Cell::new(false) };
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the tests that the command line asks for. The rows of the table come first.
pub(crate) fn main(tests: Vec<Test>) -> ExitCode {
    let options = Options::read(std::env::args().skip(1));
    let all = tests.len();
    let (rows, others): (Vec<Test>, Vec<Test>) =
        tests.into_iter().filter(|test| options.wants(&test.name)).partition(|test| test.does.is_some());
    let count = rows.len() + others.len();
    if options.list {
        rows.iter().chain(&others).for_each(|test| println!("{}: test", test.name));
        println!("\n{count} tests, 0 benchmarks");
        return ExitCode::SUCCESS;
    }

    keep_panic_messages();
    let begun = Instant::now();
    println!("\nrunning {count} tests");
    let mut failures = run_table(&rows);
    for test in &others {
        let outcome = run(test);
        println!("test {} ... {}", test.name, if outcome.is_ok() { "ok" } else { "FAILED" });
        failures.extend(outcome.err().map(|message| (test.name.as_str(), message)));
    }
    if !failures.is_empty() {
        println!("\nfailures:\n");
        failures.iter().for_each(|(name, message)| println!("---- {name} ----\n{message}\n"));
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
fn run_table(rows: &[Test]) -> Vec<(&str, String)> {
    const HEAD: [&str; 3] = ["case", "what it does", "what came out"];
    let does = |test: &Test| test.does.clone().unwrap_or_default();
    let widest = |column: &dyn Fn(&Test) -> usize, head: &str| {
        rows.iter().map(column).max().unwrap_or(0).max(head.len())
    };
    let name_width = widest(&|test| test.name.len(), HEAD[0]);
    let does_width = widest(&|test| does(test).len(), HEAD[1]);
    let print = |name: &str, does: &str, came: &str| {
        println!("| {name:name_width$} | {does:does_width$} | {came}");
    };
    if !rows.is_empty() {
        println!();
        print(HEAD[0], HEAD[1], HEAD[2]);
        print(&"-".repeat(name_width), &"-".repeat(does_width), "---");
    }
    let mut failures = Vec::new();
    for test in rows {
        let outcome = run(test);
        print(&test.name, &does(test), outcome.as_deref().unwrap_or("FAILED"));
        failures.extend(outcome.err().map(|message| (test.name.as_str(), message)));
    }
    if !rows.is_empty() {
        println!();
    }
    failures
}

fn run(test: &Test) -> Result<String, String> {
    RUNNING.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (test.run)()));
    RUNNING.set(false);
    outcome.map_err(|_| SAID.take())
}

/// A failing test's message is shown after the table, not in the middle of it.
fn keep_panic_messages() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(
        move |info| {
            if RUNNING.get() { SAID.set(info.to_string()) } else { usual(info) }
        },
    ));
}
