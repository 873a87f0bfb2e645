//! What this process looks like from outside: its threads and memory; and a second one where a case needs its own.

use std::process::{Command, ExitCode, Output, Stdio};

use crate::bench;

/// The variable that says which scenario a second process is for.
const SCENARIO: &str = "ELOWEN_TEST_SCENARIO";

/// The names of this process's threads that begin with `prefix`.
#[cfg(target_os = "linux")]
pub(crate) fn threads(prefix: &str) -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("a process has threads");
    let names = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.map(|name| name.trim_end().to_owned()).filter(|name| name.starts_with(prefix)).collect()
}

/// The bytes of memory that are mapped in for this process.
#[cfg(target_os = "linux")]
pub(crate) fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("a process has memory");
    let pages: u64 = statm.split(' ').nth(1).and_then(|field| field.parse().ok()).expect("a number of pages");
    // SAFETY: it only reads a constant of the system.
    pages * u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page has a size")
}

/// The bytes in use on the heap that this process and its plugins share.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn heap() -> i64 {
    // SAFETY: it walks the allocator's arenas under their own locks.
    let info = unsafe { libc::mallinfo2() };
    i64::try_from(info.uordblks + info.hblkhd).expect("less than a process can have")
}

/// Runs this program again for one scenario, with further variables, and returns what came out of it.
pub(crate) fn second(scenario: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program has a file"));
    command.env(SCENARIO, scenario).envs(variables.iter().copied()).stdin(Stdio::null());
    for package in ["bigalloc", "hello", "misbehaves"] {
        command.env(bench::variable(package), bench::library(package));
    }
    command.output().expect("this program can be run again")
}

/// In a second process: does what it is for. `None` in the first.
pub(crate) fn scenario(scenarios: &[(&str, fn())]) -> Option<ExitCode> {
    let asked = std::env::var(SCENARIO).ok()?;
    let (_, run) = scenarios.iter().find(|(name, _)| *name == asked)?;
    run();
    Some(ExitCode::SUCCESS)
}
