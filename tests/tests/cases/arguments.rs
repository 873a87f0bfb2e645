//! Argument validations: straight to the checker (A33). Compared are the verdict and the arguments that come out of it.
//!
//! The platform also coerces where information is lost, and does not coerce everything that can be without loss.
//! There A12 decides, and is counted.

use crate::findings::{Findings, equal, shown};
use elowen_host::arguments::{Prepared, prepare};
use serde_json::Value;

const LOSSLESS: &str = "A11, A12: coercion is lossless, and texts are our own";

pub(crate) fn compare(validations: &Value, expected: &Value, findings: &mut Findings) {
    let (Some(validations), Some(expected)) = (validations.as_array(), expected.as_array()) else {
        return findings.fail("not understood: validations and what is expected of them are two lists");
    };
    findings.check(validations.len() == expected.len(), || "not as many validations as answers".to_owned());
    findings.decide(LOSSLESS);
    for (index, (validation, expected)) in validations.iter().zip(expected).enumerate() {
        let what = format!("validations[{index}] {}", shown(validation));
        for key in validation.as_object().into_iter().flat_map(|keys| keys.keys()) {
            if !matches!(key.as_str(), "tool" | "parameters" | "args") {
                findings.fail(format!("not understood: {key} of {what}"));
            }
        }
        for (key, _) in findings.fields(&what, expected) {
            // Where something is wrong is part of the text, which is our own.
            if !matches!(key.as_str(), "ok" | "args" | "error" | "paths") {
                findings.not_compared(format!("{key} of {what}"));
            }
        }
        one(&what, validation, expected, findings);
    }
}

fn one(what: &str, validation: &Value, expected: &Value, findings: &mut Findings) {
    let given = &validation["args"];
    let tool = validation["tool"].as_str().unwrap_or("T");
    let prepared = prepare(tool, &validation["parameters"], &given.to_string());
    let got = match &prepared {
        Ok(Prepared::Unchanged) => Ok(given.clone()),
        Ok(Prepared::Coerced(text)) => serde_json::from_str(text).map_err(|error| error.to_string()),
        Err(rejection) => Err(rejection.text.clone()),
    };
    match (expected["ok"].as_bool(), got) {
        (Some(true), Ok(got)) if loses(given, &expected["args"]) => {
            findings.check(!loses(given, &got), || format!("{what}: {got} has lost what was given"));
        }
        (Some(true), Ok(got)) => findings.same(what, &expected["args"], &got),
        (Some(true), Err(text)) => findings.check(loses(given, &expected["args"]), || {
            format!("{what}: expected {}, got {text:?}", expected["args"])
        }),
        (Some(false), Ok(got)) => findings.check(!equal(given, &got) && !loses(given, &got), || {
            format!("{what}: expected a rejection, got {got}")
        }),
        (Some(false), Err(_)) => {}
        (None, _) => {
            findings.fail(format!("not understood: {what} is expected to be neither right nor wrong"))
        }
    }
}

/// Whether a value became another from which it cannot be told any more: null a default, a boolean or a number each
/// other.
fn loses(given: &Value, coerced: &Value) -> bool {
    match (given, coerced) {
        (Value::Null, coerced) => !coerced.is_null(),
        (Value::Bool(_), Value::Number(_)) | (Value::Number(_), Value::Bool(_)) => true,
        (Value::Array(given), Value::Array(coerced)) => {
            given.iter().zip(coerced).any(|(given, coerced)| loses(given, coerced))
        }
        (Value::Object(given), Value::Object(coerced)) => {
            // A null that is left out, where it may be, says the same.
            given.iter().any(|(key, given)| coerced.get(key).is_some_and(|coerced| loses(given, coerced)))
        }
        _ => false,
    }
}
