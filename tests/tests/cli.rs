//! The command line, through the real binary: what goes to stdout, what to stderr, and the exit codes.

#[path = "cli/call.rs"]
mod call;
#[path = "cli/crates.rs"]
mod crates;
#[path = "cli/failures.rs"]
mod failures;
#[path = "cli/foreign.rs"]
mod foreign;
#[path = "cli/looking.rs"]
mod looking;
#[path = "cli/places.rs"]
mod places;
#[path = "cli/settings.rs"]
mod settings;
#[path = "cli/usage.rs"]
mod usage;
