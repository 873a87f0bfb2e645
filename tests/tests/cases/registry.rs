//! What a case expects of the registry: tools and their owners, what manifests say of them, the contribution report.

use crate::findings::{Findings, equal, shown};
use elowen_host::Tool;
use elowen_host::registry::Registry;
use serde_json::{Map, Value, json};

pub(crate) fn compare(expected: &Value, registry: &Registry, findings: &mut Findings) {
    let metadata = registry.metadata();
    for (key, value) in findings.fields("registry", expected) {
        let got = match key.as_str() {
            "plugins" => json!(registry.plugins().iter().map(|plugin| plugin.name()).collect::<Vec<_>>()),
            "tools" => registry.tools().iter().map(row).collect(),
            "showOutput" => json!(metadata.shown()),
            "planSafe" => json!(metadata.plan_safe_names(registry.owners())),
            "deferLoading" => json!(metadata.deferred_names()),
            "icons" => json!(metadata.icons().by_key()),
            "userGrantable" => json!(metadata.user_grantable()),
            _ => {
                findings.not_compared(format!("{key} of the registry"));
                continue;
            }
        };
        findings.same(format!("registry.{key}"), value, &got);
    }
}

fn row(tool: &Tool) -> Value {
    let registration = tool.registration();
    json!({
        "name": tool.name(),
        "plugin": tool.plugin().name(),
        "ownerUserId": registration.owner_user_id,
        "description": registration.description(),
    })
}

/// What is live; as rows, or as names alone.
pub(crate) fn report(expected: &Value, registry: &Registry, findings: &mut Findings) {
    let contributions = registry.contributions();
    if expected.is_array() {
        let names = contributions.iter().map(|contribution| contribution.name);
        return findings.same_names("report", expected, names);
    }
    for (key, value) in findings.fields("report", expected) {
        match key.as_str() {
            "tools" => findings.same("report.tools", value, &json!(contributions)),
            _ => findings.not_compared(format!("{key} of the report")),
        }
    }
}

/// The accepted registrations in order; of each what is named. Null and absent are the same.
pub(crate) fn metadata(expected: &Value, registry: &Registry, findings: &mut Findings) {
    let got: Vec<Value> = registry.tools().iter().map(accepted).collect();
    let wanted = expected.as_array().map(Vec::as_slice).unwrap_or_default();
    let fits = wanted.len() == got.len()
        && wanted.iter().zip(&got).all(|(wanted, got)| {
            let known = |(key, value): (&String, &Value)| got.get(key).is_some_and(|got| equal(value, got));
            wanted.as_object().is_some_and(|wanted| wanted.iter().all(known))
        });
    findings.check(fits, || format!("metadata: expected {}, got {}", shown(expected), shown(&json!(got))));
}

fn accepted(tool: &Tool) -> Value {
    let registration = tool.registration();
    json!({
        "tool": tool.name(),
        "plugin": tool.plugin().name(),
        "ownerUserId": registration.owner_user_id,
        "projectId": registration.project_id,
        "platform": registration.platform,
        "external": registration.external,
    })
}

pub(crate) fn read_only(expected: &Value, registry: &Registry, findings: &mut Findings) {
    let tools = registry.tools().iter().filter(|tool| registry.metadata().is_read_only(&tool.merged()));
    findings.same_names("readOnly", expected, tools.map(Tool::name));
}

/// The schemas as they were registered (A23).
pub(crate) fn parameters(expected: &Value, registry: &Registry, findings: &mut Findings) {
    let names = expected.as_object().into_iter().flat_map(Map::keys);
    let got = names.filter_map(|name| {
        let tool = registry.tools().iter().find(|tool| tool.name() == name)?;
        Some((name.clone(), tool.registration().parameters().clone()))
    });
    findings.same("registryParameters", expected, &Value::Object(got.collect()));
}
