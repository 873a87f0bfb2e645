//! The contribution report: which tools are live and whose they are, whatever the manifests declare.

use serde::Serialize;
use serde_json::Value;

use super::metadata::Merged;

/// One live tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contribution<'a> {
    /// Its name.
    pub name: &'a str,
    /// The plugin that has it.
    pub plugin: &'a str,
    /// Its description, as registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<&'a str>,
    /// Its arguments in a line; see [`schema_summary`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

/// How many arguments a summary names.
const NAMED: usize = 8;

/// The accepted tools in order. A name that has several scopes stands there as often.
pub fn contributions<'a>(tools: &[Merged<'a>]) -> Vec<Contribution<'a>> {
    let contribution = |tool: &Merged<'a>| Contribution {
        name: &tool.registration.name,
        plugin: tool.plugin,
        description: tool.registration.definition.get("description").and_then(Value::as_str),
        schema: schema_summary(tool.registration.parameters()),
    };
    tools.iter().map(contribution).collect()
}

/// The first eight arguments of a schema, `*` behind those that are required: `path*, count`. A schema without any
/// is `schema available`; what is no schema has no summary.
pub fn schema_summary(parameters: &Value) -> Option<String> {
    let schema = parameters.as_object()?;
    let properties = schema.get("properties").and_then(Value::as_object).filter(|named| !named.is_empty());
    let Some(properties) = properties else { return Some("schema available".to_owned()) };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |key: &str| required.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(key)));
    let named = properties.keys().take(NAMED);
    let named = named.map(|key| format!("{key}{}", if is_required(key) { "*" } else { "" }));
    let more = if properties.len() > NAMED { "…" } else { "" };
    Some(named.collect::<Vec<_>>().join(", ") + more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn summary(parameters: Value) -> Option<String> {
        schema_summary(&parameters)
    }

    #[test]
    fn r20_a_schema_is_summed_up_in_a_line() {
        let two = json!({"type": "object", "required": ["a"], "properties": {"a": {}, "b": {}}});
        assert_eq!(summary(two).unwrap(), "a*, b");
        let order = json!({"required": ["m", "z"], "properties": {"z": {}, "a": {}, "m": {}}});
        assert_eq!(summary(order).unwrap(), "z*, a, m*");
        let nine: serde_json::Map<String, Value> = (1..10).map(|n| (format!("p{n}"), json!({}))).collect();
        assert_eq!(summary(json!({"properties": nine})).unwrap(), "p1, p2, p3, p4, p5, p6, p7, p8…");
        let mut eight = nine;
        eight.remove("p9");
        assert_eq!(summary(json!({"properties": eight})).unwrap(), "p1, p2, p3, p4, p5, p6, p7, p8");
        for without in [json!({}), json!({"properties": {}}), json!({"properties": 1}), json!({"anyOf": []})]
        {
            assert_eq!(summary(without).unwrap(), "schema available");
        }
        for none in [json!(null), json!(true), json!("x")] {
            assert_eq!(summary(none), None);
        }
        let odd = json!({"required": "a", "properties": {"a": {}}});
        assert_eq!(summary(odd).unwrap(), "a");
    }
}
