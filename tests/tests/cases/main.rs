//! Does this host answer as the platform does? Each file of `tests/cases` is one case: plugins, sessions and calls,
//! and what is expected of them.
//!
//! `ELOWEN_CASES=DIR` takes the cases from another folder (with `platform` and `seed` in it, `platform-cases` and
//! `seed-cases`, or the files themselves). Whatever a case expects and nothing here compares makes it fail.

mod arguments;
mod calls;
mod case;
mod findings;
mod loaded;
mod manifests;
mod offered;
mod place;
mod registry;
mod sessions;
mod tally;
mod tools;

use case::Case;
use elowen_tests::table;
use findings::Findings;
use serde_json::Value;
use std::{process::ExitCode, sync::Arc};
use tally::Tally;

fn main() -> ExitCode {
    let cases = case::all();
    let tally = Arc::new(Tally::default());
    let tests = cases.into_iter().map(|case| {
        let tally = tally.clone();
        table::case(case.id.clone(), case.about.clone(), move || tally.judge(&case, compare(&case)))
    });
    let code = table::main(tests.collect());
    if let Some(summary) = tally.summary() {
        println!("{summary}\n");
    }
    code
}

/// All that differs between what a case expects and what this host does.
fn compare(case: &Case) -> Findings {
    let mut findings = Findings::default();
    let mut parts = Vec::new();
    for (key, value) in case.input.as_object().into_iter().flatten() {
        match key.as_str() {
            "id" | "about" | "enabled" | "sessions" | "calls" => {}
            "plugins" | "manifests" | "validations" => parts.push((key.as_str(), value)),
            _ => findings.fail(format!("not understood: {key} of the case")),
        }
    }
    let nothing = Value::Null;
    let expected = |key: &str| case.expected.get(key).unwrap_or(&nothing);
    for (part, value) in parts {
        match part {
            "manifests" => manifests::compare(value, expected(part), &mut findings),
            "validations" => arguments::compare(value, expected(part), &mut findings),
            _ => loaded::compare(&case.id, &case.input, &case.expected, &mut findings),
        }
    }
    if case.input.get("plugins").is_none() {
        for key in case.expected.as_object().into_iter().flat_map(|keys| keys.keys()) {
            match key.as_str() {
                "id" => findings.same(key, expected(key), &Value::from(case.id.as_str())),
                "manifests" | "validations" => {}
                _ => findings.not_compared(key),
            }
        }
    }
    findings
}
