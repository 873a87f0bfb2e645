//! Runs cases one after another and prints what came of each as a row of a table, on success as well.
//!
//! For tests whose results are worth reading: `case | what is asked for | what came out`. It understands the
//! arguments of the standard harness that make a difference here. One process runs all cases, so whatever a case
//! does to it, the later ones notice; a case that hangs is reported and left behind.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The name of the thread that each case runs on.
pub const THREAD: &str = "case";
/// How long a case may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// One row.
#[allow(missing_debug_implementations)]
pub struct Case {
    name: String,
    asked: String,
    run: Box<dyn FnOnce() -> String + Send>,
}

/// A case called `name` that does what `asked` says; `run` returns what came out, or panics.
pub fn case(
    name: impl Into<String>,
    asked: impl Into<String>,
    run: impl FnOnce() -> String + Send + 'static,
) -> Case {
    Case { name: name.into(), asked: asked.into(), run: Box::new(run) }
}

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
        // No case is ignored, so there are none where only those are asked for.
        wanted && !self.ignored && !self.skip.iter().any(fits)
    }
}

thread_local! {
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the cases that the command line asks for.
pub fn main(cases: Vec<Case>) -> ExitCode {
    let options = Options::read(std::env::args().skip(1));
    let all = cases.len();
    let cases: Vec<Case> = cases.into_iter().filter(|case| options.wants(&case.name)).collect();
    if options.list {
        cases.iter().for_each(|case| println!("{}: test", case.name));
        return ExitCode::SUCCESS;
    }
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name() == Some(THREAD) {
            SAID.with_borrow_mut(|said| *said = info.to_string());
        } else {
            previous(info);
        }
    }));
    let (begun, count) = (Instant::now(), cases.len());
    let names = cases.iter().map(|case| case.name.len()).max().unwrap_or_default();
    let asked = cases.iter().map(|case| case.asked.len()).max().unwrap_or_default();
    println!("\nrunning {count} tests\n");
    println!("       {:names$} | {:asked$} | what came out", "case", "what is asked for");
    let mut failures = Vec::new();
    for Case { name, asked: question, run } in cases {
        let outcome = run_one(run);
        let (word, first) = match &outcome {
            Ok(out) => ("ok    ", out.as_str()),
            Err(said) => ("FAILED", said.lines().next().unwrap_or_default()),
        };
        println!("{word} {name:names$} | {question:asked$} | {first}");
        failures.extend(outcome.err().map(|said| (name, said)));
    }
    for (name, said) in &failures {
        println!("\n---- {name} ----\n{said}");
    }
    let result = if failures.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {result}. {} passed; {} failed; 0 ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
        count - failures.len(),
        failures.len(),
        all - count,
        begun.elapsed().as_secs_f64()
    );
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What came out, or what it said when it failed.
fn run_one(run: Box<dyn FnOnce() -> String + Send>) -> Result<String, String> {
    let (tell, told) = mpsc::channel();
    let work = move || {
        let outcome = panic::catch_unwind(AssertUnwindSafe(run));
        let _ = tell.send(outcome.map_err(|_| SAID.take()));
    };
    let thread =
        thread::Builder::new().name(THREAD.to_owned()).spawn(work).map_err(|error| error.to_string())?;
    match told.recv_timeout(PATIENCE) {
        Ok(outcome) => thread.join().map_err(|_| "its thread ended in a panic".to_owned()).and(outcome),
        Err(RecvTimeoutError::Timeout) => Err(format!("it is still running after {PATIENCE:?}")),
        Err(RecvTimeoutError::Disconnected) => Err("its thread ended without a word".to_owned()),
    }
}
