//! What comes out when real Rust plugins misbehave: one row a case, with what was asked for and what came out.
//!
//! In each case this process lives, the error or answer is the right one with its text, flag and kind, and the
//! neighbours go on answering.

mod bench;
mod cancel;
mod errors;
mod logs;
mod memory;
mod panics;
mod process;
mod questions;
mod register;
mod stuck;
mod surroundings;
mod threads;
mod updates;
mod variants;

use std::process::ExitCode;

fn main() -> ExitCode {
    let scenarios: &[(&str, fn())] = &[
        ("panics", panics::all_of_them),
        ("inline", threads::inline_alone),
        ("print", surroundings::print),
        ("measure", memory::measure),
    ];
    if let Some(code) = process::scenario(scenarios) {
        return code;
    }
    let parts = [
        panics::cases(),
        register::cases(),
        errors::cases(),
        updates::cases(),
        cancel::cases(),
        stuck::cases(),
        threads::cases(),
        logs::cases(),
        questions::cases(),
        surroundings::cases(),
        memory::cases(),
        variants::cases(),
    ];
    elowen_tests::table::main(parts.into_iter().flatten().collect())
}
