//! Where answers and messages are written.
//!
//! Plugins share this process and may print. So descriptor 1 is pointed at stderr before the first one is
//! loaded, and answers go to a duplicate of the real stdout that nobody else knows.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};

use super::{Exit, Outcome, Stop};
use crate::{os, printable};
use serde::Serialize;

/// Names of plugins and tools.
pub(super) const NAME: Style = AnsiColor::Cyan.on_default().bold();
/// Labels and what is of less interest.
pub(super) const DIM: Style = Style::new().dimmed();
/// Failures.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What looks wrong.
pub(super) const WARN: Style = AnsiColor::Yellow.on_default().bold();
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

    /// Writes a text of a tool's: as it is for programs, fit to be shown on a terminal.
    pub(super) fn foreign(&mut self, text: &str) -> Result<(), Stop> {
        let text = if self.0.is_terminal() { printable::lines(text) } else { text.into() };
        done(self.0.write_all(text.as_bytes()))
    }

    /// Writes JSON on a line of its own.
    pub(super) fn json(&mut self, json: &impl Serialize) -> Result<(), Stop> {
        // Strings, numbers and JSON values: nothing here can fail to be written.
        let json = serde_json::to_string(json).unwrap_or_default();
        let json = if self.0.is_terminal() { printable::json(&json) } else { json.into() };
        done(self.0.write_all(format!("{json}\n").as_bytes()))
    }

    /// The command's end. With `json`, what stopped it is told programs too.
    pub(super) fn conclude(&mut self, json: bool, outcome: Outcome) -> Outcome {
        match &outcome {
            Err(stop) if json && !stop.told => self.json(&stop.as_json())?,
            _ => {}
        }
        outcome
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
    Stop { told: true, ..Stop::new(Exit::Failed, "output", format!("stdout cannot be written: {error}")) }
}

/// A message that ends the command.
pub(super) fn error(message: &str) {
    to_stderr(&format!("{BAD}error{BAD:#}: {}\n", printable::lines(message)));
}

/// A message that something looks wrong.
pub(super) fn warning(message: &str) {
    to_stderr(&format!("{WARN}warning{WARN:#}: {}\n", printable::indented(message, "  ")));
}

/// One line about what was done, aligned with Cargo's.
pub(super) fn note(message: &str) {
    let message = printable::line(message);
    match message.split_once(' ') {
        Some((verb, rest)) => to_stderr(&format!("{GOOD}{verb:>12}{GOOD:#} {rest}\n")),
        None => to_stderr(&format!("{message}\n")),
    }
}

/// A partial result. None of its lines begins where a message's does.
pub(super) fn update(text: &str) {
    to_stderr(&format!("{DIM}  {}{DIM:#}\n", printable::indented(text, "  ")));
}

/// In one write; nothing can be done where even that fails.
fn to_stderr(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
