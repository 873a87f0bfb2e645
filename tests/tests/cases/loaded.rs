//! What a case expects of loading: which plugins are found, skipped and loaded, and what is said about it.

use crate::findings::{Findings, shown};
use crate::place::Place;
use crate::{registry, sessions};
use elowen_host::LoadFailure;
use elowen_host::log::Level;
use elowen_host::manifest::ManifestError;
use serde_json::{Value, json};

const OTHER_RUNTIME: &str = "A33: the error text after the prefix is another runtime's";
const NOT_OURS: &str = "A14: prompts and what is left of removed accounts are no part of this project";
/// What the platform warns about parts that only it has.
const OTHER_PARTS: [&str; 2] =
    ["registers no registerUserRemoved handler", "which reach every session regardless of the grant"];

pub(crate) fn compare(id: &str, case: &Value, expected: &Value, findings: &mut Findings) {
    let place = match Place::load(case) {
        Ok(place) => place,
        Err(what) => return findings.fail(format!("not understood: {what}")),
    };
    let Some(keys) = expected.as_object() else {
        return findings.fail("not understood: nothing is expected");
    };
    for (key, value) in keys {
        match key.as_str() {
            "id" => findings.same(key, value, &json!(id)),
            "discovered" => match place.discovered() {
                Ok(got) => findings.same(key, value, &got),
                Err(error) => findings.fail(error),
            },
            "log" => log(value, &expected["skipped"], &place, findings),
            "warnings" => {
                let got: Vec<&str> = warnings(&place).collect();
                findings.same(key, value, &json!(got));
            }
            "warningsContain" => {
                for part in findings.names(key, value) {
                    findings.check(warnings(&place).any(|line| line.contains(part)), || {
                        format!("no warning contains {part:?}: {:?}", place.log)
                    });
                }
            }
            "skipped" => skipped(value, &place, findings),
            "registry" => registry::compare(value, &place.report.registry, findings),
            "report" => registry::report(value, &place.report.registry, findings),
            "metadata" => registry::metadata(value, &place.report.registry, findings),
            "readOnly" => registry::read_only(value, &place.report.registry, findings),
            "registryParameters" => registry::parameters(value, &place.report.registry, findings),
            "sessions" | "calls" | "output" => {}
            _ => findings.not_compared(key),
        }
    }
    sessions::compare(case, expected, &place.report.registry, findings);
}

fn warnings(place: &Place) -> impl Iterator<Item = &str> {
    place.log.iter().filter(|(level, _)| *level == Level::Warn).map(|(_, line)| line.as_str())
}

/// The lines in order. An error's own words may go on where the platform's end.
fn log(expected: &Value, skipped: &Value, place: &Place, findings: &mut Findings) {
    let lines = expected.as_array().into_iter().flatten();
    let line = |line: &Value| {
        line.as_object().filter(|line| line.len() == 2)?;
        Some((line.get("level")?.as_str()?.to_owned(), line.get("message")?.as_str()?.to_owned()))
    };
    let Some(mut lines) = lines.map(line).collect::<Option<Vec<_>>>() else {
        return findings.fail(format!("not understood: a line of the log {}", shown(expected)));
    };
    let all = lines.len();
    lines.retain(|(_, line)| !OTHER_PARTS.iter().any(|part| line.contains(part)));
    if lines.len() < all {
        findings.decide(NOT_OURS);
    }
    let mut fits = lines.len() == place.log.len();
    for ((level, line), (got_level, got)) in lines.iter().zip(&place.log) {
        fits &= *level == got_level.to_string();
        fits &= match says_why(line) {
            Some((prefix, why)) => {
                let rest = got.strip_prefix(prefix);
                let name = prefix.trim_start_matches("plugin skipped: ").trim_end_matches(": ");
                let foreign = is_foreign(skipped, name);
                if foreign {
                    findings.decide(OTHER_RUNTIME);
                }
                rest.is_some_and(|rest| foreign || rest.contains(why))
            }
            None => got == line,
        };
    }
    findings.check(fits, || format!("log: expected {lines:#?}, got {:#?}", place.log));
}

/// A line that says why a plugin was skipped, parted before the reason.
fn says_why(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("plugin skipped: ")?;
    let end = line.len() - rest.len() + rest.find(": ")? + 2;
    Some(line.split_at(end))
}

/// Whether the reason is one that the platform's runtime words.
fn is_foreign(skipped: &Value, plugin: &str) -> bool {
    let entry = skipped.as_array().into_iter().flatten().find(|entry| entry["name"] == plugin);
    let kind = entry.and_then(|entry| entry.pointer("/errorClass/kind")).and_then(Value::as_str);
    matches!(kind, Some("json" | "entry-missing" | "no-register"))
}

/// Which plugins, and for which kind of reason.
fn skipped(expected: &Value, place: &Place, findings: &mut Findings) {
    let failures = &place.report.failures;
    let wanted = expected.as_array().map(|list| list.iter().map(|entry| &entry["name"]).collect::<Vec<_>>());
    let got: Vec<&str> = failures.iter().map(|failure| failure.plugin.as_str()).collect();
    findings.same("skipped", &json!(wanted), &json!(got));
    for (entry, failure) in expected.as_array().into_iter().flatten().zip(failures) {
        let class = &entry["errorClass"];
        for key in class.as_object().into_iter().flat_map(|keys| keys.keys()) {
            if !matches!(key.as_str(), "kind" | "path" | "detail") {
                findings.not_compared(format!("{key} of skipped"));
            }
        }
        match class["kind"].as_str().and_then(|kind| is_kind(kind, class, &failure.cause)) {
            Some(fits) => {
                findings.check(fits, || format!("skipped: expected {entry}, got {:?}", failure.cause));
            }
            None => findings.not_compared(format!("skipped {entry}")),
        }
    }
}

/// Whether it failed for that kind of reason, if the kind is one that is known here.
fn is_kind(kind: &str, class: &Value, cause: &LoadFailure) -> Option<bool> {
    let is_shape = || {
        let wanted = format!("invalid plugin manifest: {} ", class["path"].as_str().unwrap_or_default());
        cause.to_string().starts_with(&wanted)
    };
    Some(match kind {
        "json" => matches!(cause, LoadFailure::Manifest(ManifestError::Json { .. })),
        "shape" => is_shape(),
        "apiVersion" => matches!(cause, LoadFailure::Manifest(ManifestError::ApiVersion { .. })),
        "name-mismatch" => matches!(cause, LoadFailure::Manifest(ManifestError::Name { .. })),
        "entry-missing" => matches!(cause, LoadFailure::Manifest(ManifestError::NoLibrary { .. })),
        kind if kind.contains("escape") => {
            matches!(cause, LoadFailure::Manifest(ManifestError::Escapes { .. }))
        }
        // What is no library has nothing to register with.
        "no-register" => matches!(cause, LoadFailure::NoEntry | LoadFailure::Blob(_)),
        "register-threw" => matches!(cause, LoadFailure::Register { .. }),
        _ => return None,
    })
}
