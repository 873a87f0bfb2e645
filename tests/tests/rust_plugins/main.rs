//! What comes out when real Rust plugins misbehave: one row a case, with what was asked for and what came out.
//!
//! In each case this process lives, the error or answer is the right one with its text, flag and kind, and the
//! neighbours go on answering.

mod bench;
mod errors;
mod panics;
mod process;
mod register;
mod updates;

use std::process::ExitCode;

fn main() -> ExitCode {
    let scenarios: &[(&str, fn())] = &[("panics", panics::all_of_them)];
    if let Some(code) = process::scenario(scenarios) {
        return code;
    }
    let mut cases = Vec::new();
    cases.extend(panics::cases());
    cases.extend(register::cases());
    cases.extend(errors::cases());
    cases.extend(updates::cases());
    elowen_tests::table::main(cases)
}
