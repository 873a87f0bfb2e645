//! Whose fault a failure to load is.
//!
//! Each step of loading has an error of its own, which knows its cause, its remedy and this.

use std::fmt;

/// The SDK release line that fits this host.
pub(crate) const SDK: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// Who can mend a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The plugin's author.
    Plugin,
    /// Whoever installed the plugin here.
    Installation,
    /// Whoever provides or updates this host.
    Host,
    /// Whoever looks after the machine.
    Machine,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plugin => "fault of the plugin",
            Self::Installation => "fault of the installation",
            Self::Host => "fault of the host",
            Self::Machine => "fault of the machine",
        })
    }
}
