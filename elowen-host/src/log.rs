//! Where log lines go: the host's own and those of its plugins.

use crate::printable;
use elowen_sdk::abi;
use std::{fmt, io::Write};

/// How much a line matters. Ordered: `Error < Warn < Info < Debug < Trace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something failed.
    Error,
    /// Something was refused or looks wrong.
    Warn,
    /// What happened.
    Info,
    /// For debugging.
    Debug,
    /// Very verbose.
    Trace,
}

impl Level {
    /// From the border's number; unknown ones are information.
    pub(crate) fn from_abi(level: u32) -> Self {
        match level {
            abi::LOG_ERROR => Level::Error,
            abi::LOG_WARN => Level::Warn,
            abi::LOG_DEBUG => Level::Debug,
            abi::LOG_TRACE => Level::Trace,
            _ => Level::Info,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        })
    }
}

/// One line.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// How much it matters.
    pub level: Level,
    /// The plugin it comes from; empty for the host itself.
    pub plugin: &'a str,
    /// The module it comes from; may be empty.
    pub target: &'a str,
    /// The text.
    pub message: &'a str,
    /// Structured fields as a JSON object, or empty.
    pub fields: &'a str,
}

/// The line as the platform writes it: `[plugin:<name>] <message>`.
impl fmt::Display for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.plugin.is_empty() {
            write!(f, "[plugin:{}] ", self.plugin)?;
        }
        f.write_str(self.message)?;
        if !self.fields.is_empty() {
            write!(f, " {}", self.fields)?;
        }
        Ok(())
    }
}

/// Takes log lines. Called from any thread, a plugin's own included, so it must not wait for long.
pub trait Log: Send + Sync {
    /// Whether lines of this level are read at all.
    fn enabled(&self, level: Level) -> bool;
    /// Takes a line.
    fn log(&self, record: &Record<'_>);
}

/// Writes records up to a level to standard error. Each begins its line with its level; further lines of a message
/// are indented, and control characters are written as escapes, so that no record can pass for another.
#[derive(Clone, Copy, Debug)]
pub struct Stderr(pub Level);

impl Log for Stderr {
    fn enabled(&self, level: Level) -> bool {
        level <= self.0
    }

    fn log(&self, record: &Record<'_>) {
        // One write a line; nothing can be done where even that fails.
        let _ = std::io::stderr().write_all(line(record).as_bytes());
    }
}

/// Reads nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Log for Silent {
    fn enabled(&self, _: Level) -> bool {
        false
    }

    fn log(&self, _: &Record<'_>) {}
}

fn line(record: &Record<'_>) -> String {
    format!("{:5} {}\n", record.level, printable::indented(&record.to_string(), "      "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_record_can_pass_for_another_ones_line() {
        let message = "all is well\nerror [plugin:bank] the money is gone\u{1b}[2J";
        let record = Record { level: Level::Warn, plugin: "todo", target: "", message, fields: "" };
        let expected =
            "warn  [plugin:todo] all is well\n      error [plugin:bank] the money is gone\\u{1b}[2J\n";
        assert_eq!(line(&record), expected);
    }
}
