//! The `elowen-host` command; what it does is in `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    elowen_host::cli::run()
}
