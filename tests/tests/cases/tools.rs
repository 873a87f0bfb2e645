//! What a case expects of single tools as a session composed them: schema, description, what a provider is sent.

use crate::findings::{Findings, equal, names, shown};
use crate::sessions::Opened;
use elowen_host::session::offered::Offered;
use serde_json::{Map, Value, json};

const STATUS: &str = "_reason";

/// Compares one expectation, which mostly names tools and says something about each.
pub(crate) fn compare(what: &str, key: &str, expected: &Value, opened: &Opened, findings: &mut Findings) {
    let composition = opened.session.composition();
    if key == "payloadLacks" {
        let payload: Vec<_> = composition.tools().map(Offered::definition).collect();
        let payload = json!(payload).to_string();
        for part in findings.names(what, expected) {
            findings.check(!payload.contains(part), || format!("{what}: the payload has {part}"));
        }
        return;
    }
    if key == "schemas" {
        return schemas(what, expected, opened, findings);
    }
    let Some(expected) = expected.as_object() else {
        return findings.not_compared(format!("{what}: {}", shown(expected)));
    };
    for (name, value) in expected {
        let what = format!("{what} of {name}");
        match composition.tool(name) {
            Some(tool) => one(&what, key, value, tool, findings),
            None => findings.fail(format!("{what}: there is no such tool in the session")),
        }
    }
}

fn one(what: &str, key: &str, value: &Value, tool: &Offered, findings: &mut Findings) {
    let Offered { description, parameters, .. } = tool;
    let properties = parameters.get("properties").and_then(Value::as_object);
    match key {
        "parameters" => findings.same(what, value, parameters),
        "statusField" => {
            let has = properties.is_some_and(|properties| properties.contains_key(STATUS));
            findings.same(what, value, &json!(has));
        }
        "firstProperty" => {
            findings.same(what, value, &json!(properties.and_then(|properties| properties.keys().next())));
        }
        "required" => findings.same(what, value, &parameters["required"]),
        "rootKeys" => findings.same_names(what, value, keys(parameters)),
        "descriptionBytes" => findings.same(what, value, &json!(description.len())),
        "descriptionBytesAtMost" => {
            let fits = value.as_u64().is_some_and(|most| description.len() as u64 <= most);
            findings.check(fits, || format!("{what}: {} bytes", description.len()));
        }
        "descriptionEndsWith" => {
            let fits = value.as_str().is_some_and(|end| description.ends_with(end));
            findings.check(fits, || format!("{what}: expected {value}, got {description:?}"));
        }
        "descriptionContains" => {
            let parts = names(value).or_else(|| Some(vec![value.as_str()?]));
            let fits = parts.is_some_and(|parts| parts.iter().all(|part| description.contains(part)));
            findings.check(fits, || format!("{what}: expected {value}, got {description:?}"));
        }
        "definitionKeys" => findings.same_names(what, value, keys(&json!(tool.definition()))),
        _ => findings.not_compared(what),
    }
}

fn keys(object: &Value) -> impl Iterator<Item = &str> {
    object.as_object().into_iter().flat_map(Map::keys).map(String::as_str)
}

/// The schemas of the plugins' tools, but for the wording of the status field.
fn schemas(what: &str, expected: &Value, opened: &Opened, findings: &mut Findings) {
    let composed = opened.session.composition().tools().filter(|tool| tool.plugin.is_some());
    let got: Map<String, Value> =
        composed.map(|tool| (tool.name.clone(), without_words(&tool.parameters))).collect();
    let wanted: Map<String, Value> = expected
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name.clone(), without_words(schema)))
        .collect();
    findings.same_names(what, &json!(wanted.keys().collect::<Vec<_>>()), got.keys().map(String::as_str));
    for (name, wanted) in &wanted {
        let got = got.get(name).unwrap_or(&Value::Null);
        let order = |schema: &Value| json!(keys(&schema["properties"]).collect::<Vec<_>>());
        let same = equal(wanted, got) && order(wanted) == order(got);
        findings.check(same, || format!("{what} of {name}: expected {wanted}, got {got}"));
    }
}

fn without_words(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(Value::Object(field)) =
        schema.pointer_mut(&format!("/properties/{STATUS}")).filter(|field| field["type"] == "string")
    {
        field.remove("description");
    }
    schema
}
