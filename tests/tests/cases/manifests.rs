//! Manifests alone: the text goes straight to the parser, no folder and no plugin is involved (A33).

use crate::findings::{Findings, shown};
use elowen_host::manifest::Manifest;
use serde_json::{Value, json};

/// What follows the path in a message about the shape is this project's own.
const OWN_WORDS: &str = "message bodies after the path are our own";

pub(crate) fn compare(manifests: &Value, expected: &Value, findings: &mut Findings) {
    let (manifests, expected) = (manifests.as_array(), expected.as_array());
    let (Some(manifests), Some(expected)) = (manifests, expected) else {
        return findings.fail("not understood: manifests and what is expected of them are two lists");
    };
    findings.check(manifests.len() == expected.len(), || "not as many manifests as answers".to_owned());
    findings.decide(OWN_WORDS);
    for (index, (manifest, expected)) in manifests.iter().zip(expected).enumerate() {
        one(&format!("manifests[{index}] {}", shown(manifest)), manifest, expected, findings);
    }
}

fn one(what: &str, manifest: &Value, expected: &Value, findings: &mut Findings) {
    let parsed = Manifest::parse(&manifest.to_string());
    for (key, value) in findings.fields(what, expected) {
        match (key.as_str(), &parsed) {
            ("ok", Ok(_)) => findings.same(what, value, &json!(true)),
            ("ok", Err(error)) => {
                findings.check(*value == json!(false), || format!("{what} was refused: {error}"));
            }
            ("manifest", Ok(manifest)) => {
                findings.same(what, value, &Value::Object(manifest.raw.clone()));
            }
            ("warnings", Ok(manifest)) => {
                findings.same(format!("warnings of {what}"), value, &json!(manifest.warnings));
            }
            ("warnings", Err(_)) => findings.same(format!("warnings of {what}"), value, &json!([])),
            ("error", Err(error)) => compare_error(what, value, &expected["errorClass"], error, findings),
            ("errorClass", Err(_)) => {
                for (key, value) in findings.fields(what, value) {
                    let known = match key.as_str() {
                        "kind" => value == "shape" || value == "apiVersion",
                        key => matches!(key, "path" | "detail"),
                    };
                    findings.check(known, || format!("not compared: {key} {value} of {what}"));
                }
            }
            // `ok` says what is wrong then.
            ("manifest", Err(_)) | ("error" | "errorClass", Ok(_)) => {}
            _ => findings.not_compared(format!("{key} of {what}")),
        }
    }
}

fn compare_error(
    what: &str,
    text: &Value,
    class: &Value,
    error: &elowen_host::manifest::ManifestError,
    findings: &mut Findings,
) {
    let got = error.to_string();
    match (class["kind"].as_str(), class["path"].as_str()) {
        (Some("shape"), Some(path)) => {
            let wanted = format!("invalid plugin manifest: {path} ");
            findings.check(got.starts_with(&wanted), || format!("{what}: expected {wanted:?}…, got {got:?}"));
        }
        _ => findings.same(what, text, &json!(got)),
    }
}
