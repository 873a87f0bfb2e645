//! The `elowen-host` command.
fn main() {}
