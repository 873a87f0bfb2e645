//! Runs this program again under one of valgrind's tools.

use std::{
    error::Error,
    fmt, io,
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

/// Why there is no result of valgrind's.
#[derive(Debug)]
pub enum ValgrindError {
    /// It is not installed.
    Missing,
    /// It, or this program, cannot be run.
    Run(io::Error),
    /// The program that it ran failed, or valgrind found what it was told to look for.
    Failed(ExitStatus),
    /// Callgrind's file does not hold the sum that it should.
    NoSummary(String),
}

impl fmt::Display for ValgrindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValgrindError::Missing => f.write_str(
                "valgrind is not installed, and without it this cannot be checked. Install it: \
                 `apt-get install valgrind` (Debian, Ubuntu), `dnf install valgrind` (Fedora)",
            ),
            ValgrindError::Run(error) => write!(f, "valgrind cannot be run: {error}"),
            ValgrindError::Failed(status) => write!(f, "under valgrind: {status}"),
            ValgrindError::NoSummary(file) => write!(f, "callgrind wrote no sum of instructions:\n{file}"),
        }
    }
}

impl Error for ValgrindError {}

/// Runs this program with `arguments` under valgrind with `options`; its output goes where this program's does.
///
/// # Errors
/// If valgrind is missing, or the run did not end well.
pub fn rerun(options: &[&str], arguments: &[&str]) -> Result<(), ValgrindError> {
    let program = std::env::current_exe().map_err(ValgrindError::Run)?;
    let mut command = Command::new("valgrind");
    command.args(options).arg(program).args(arguments).stdin(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(ValgrindError::Failed(status)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ValgrindError::Missing),
        Err(error) => Err(ValgrindError::Run(error)),
    }
}

/// The instructions that this program executes with `arguments`, all threads together. `scratch` is a folder for
/// callgrind's file.
///
/// # Errors
/// As [`rerun`].
pub fn instructions(scratch: &Path, arguments: &[&str]) -> Result<u64, ValgrindError> {
    let file = scratch.join("callgrind.out");
    let out = format!("--callgrind-out-file={}", file.display());
    rerun(&["--quiet", "--tool=callgrind", &out], arguments)?;
    let written = std::fs::read_to_string(&file).map_err(ValgrindError::Run)?;
    let sum = |line: &str| line.strip_prefix("summary:")?.trim().parse().ok();
    written.lines().find_map(sum).ok_or_else(|| ValgrindError::NoSummary(written.clone()))
}
