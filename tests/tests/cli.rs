//! The command line, through the real binary: what goes to stdout, what to stderr, and the exit codes.

#[path = "cli/call.rs"]
mod call;
#[path = "cli/crates.rs"]
mod crates;
#[path = "cli/looking.rs"]
mod looking;
#[path = "cli/usage.rs"]
mod usage;
