//! Where answers and messages are written.
//!
//! Plugins share this process and may print. So descriptor 1 is pointed at stderr before the first one is
//! loaded, and answers go to a duplicate of the real stdout that nobody else knows.

use std::fs::File;
use std::io::{self, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};

use super::{Exit, Stop};
use crate::os;

/// Names of plugins and tools.
pub(super) const NAME: Style = AnsiColor::Cyan.on_default().bold();
/// Labels and what is of less interest.
pub(super) const DIM: Style = Style::new().dimmed();
/// Failures.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What was done.
const GOOD: Style = AnsiColor::Green.on_default().bold();

/// The real stdout.
#[derive(Debug)]
pub(super) struct Output(File);

impl Output {
    /// Takes stdout away from whatever else runs in this process.
    pub(super) fn take() -> Result<Self, Stop> {
        let file = os::redirect_stdout();
        file.map(Output).map_err(|error| failed(&error))
    }

    /// Writes bytes as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        done(self.0.write_all(bytes))
    }

    /// Writes text with styles, which are left out where they would not be seen.
    pub(super) fn styled(&mut self, text: &str) -> Result<(), Stop> {
        done(AutoStream::auto(&mut self.0).write_all(text.as_bytes()))
    }
}

/// A reader that has gone away (`| head`) has seen enough; that is no failure.
fn done(written: io::Result<()>) -> Result<(), Stop> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(&error)),
        _ => Ok(()),
    }
}

fn failed(error: &io::Error) -> Stop {
    Stop { exit: Exit::Failed, message: format!("stdout cannot be written: {error}") }
}

/// A message that ends the command.
pub(super) fn error(message: &str) {
    to_stderr(&format!("{BAD}error{BAD:#}: {message}\n"));
}

/// A message that something looks wrong.
pub(super) fn warning(message: &str) {
    let warn = AnsiColor::Yellow.on_default().bold();
    to_stderr(&format!("{warn}warning{warn:#}: {message}\n"));
}

/// One line about what was done, aligned with Cargo's.
pub(super) fn note(message: &str) {
    match message.split_once(' ') {
        Some((verb, rest)) => to_stderr(&format!("{GOOD}{verb:>12}{GOOD:#} {rest}\n")),
        None => to_stderr(&format!("{message}\n")),
    }
}

/// A partial result.
pub(super) fn update(text: &str) {
    to_stderr(&format!("{DIM}{text}{DIM:#}\n"));
}

/// In one write; nothing can be done where even that fails.
fn to_stderr(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
