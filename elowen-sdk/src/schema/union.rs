//! What are the alternatives of a union, in as few branches as possible?
//!
//! Values that an enum spells one by one (documented variants) become one `enum` with the documentation beside it;
//! a union inside a union is spliced in; equal branches are said once.

use serde_json::{Map, Value};

use super::compact::{Failure, Pass};
use super::{prose, raw};

/// Compacted branches, and what is known about single values if they all became one `enum`.
pub(super) struct Union {
    pub(super) branches: Vec<Value>,
    pub(super) docs: Vec<String>,
}

/// Compacts the branches; `exclusive` ones lose the closing that only kept them apart.
pub(super) fn compact(
    pass: &Pass,
    branches: Vec<Value>,
    exclusive: bool,
    path: &str,
) -> Result<Union, Failure> {
    let mut flat: Vec<Value> = Vec::new();
    for mut branch in branches {
        if exclusive {
            raw::open(&mut branch);
        }
        let branch = pass.schema(branch, path, false)?;
        match only_any_of(&branch) {
            Some(inner) => flat.extend(inner.iter().cloned()),
            None => flat.push(branch),
        }
    }

    let mut merged: Vec<(Value, Vec<String>)> = Vec::new();
    for (index, branch) in flat.iter().enumerate() {
        if flat[..index].contains(branch) {
            continue;
        }
        let (values, docs) = match values_of(branch) {
            Some((values, docs)) if has_company(&flat, index) => (values, docs),
            _ => {
                merged.push((branch.clone(), Vec::new()));
                continue;
            }
        };
        let twin =
            merged.iter_mut().find(|(other, _)| is_values(other) && other.get("type") == branch.get("type"));
        match twin {
            Some((Value::Object(twin), known)) => {
                if let Some(Value::Array(list)) = twin.get_mut("enum") {
                    list.extend(
                        values.iter().filter(|value| !list.contains(value)).cloned().collect::<Vec<_>>(),
                    );
                }
                known.extend(docs);
            }
            _ => {
                let mut bare = branch.clone();
                if let Value::Object(bare) = &mut bare {
                    bare.shift_remove("description");
                }
                merged.push((bare, docs.into_iter().collect()));
            }
        }
    }

    if merged.len() == 1
        && let Some((branch, docs)) = merged.pop()
    {
        return Ok(Union { branches: vec![branch], docs });
    }
    let branches = merged.into_iter().map(|(branch, docs)| described(branch, &docs)).collect();
    Ok(Union { branches, docs: Vec::new() })
}

fn described(mut branch: Value, docs: &[String]) -> Value {
    if let (Value::Object(branch), Some(text)) = (&mut branch, prose::with_values(None, docs)) {
        branch.insert("description".into(), text.into());
    }
    branch
}

fn only_any_of(branch: &Value) -> Option<&Vec<Value>> {
    let branch = branch.as_object().filter(|branch| branch.len() == 1)?;
    branch.get("anyOf")?.as_array()
}

/// Whether a branch is nothing but a list of values of one type.
fn is_values(branch: &Value) -> bool {
    let only = |map: &Map<String, Value>| {
        map.contains_key("type")
            && map.contains_key("enum")
            && map.keys().all(|key| matches!(key.as_str(), "type" | "enum" | "description"))
    };
    branch.as_object().is_some_and(only)
}

fn values_of(branch: &Value) -> Option<(&Vec<Value>, Option<String>)> {
    let values = branch.get("enum")?.as_array().filter(|_| is_values(branch))?;
    let docs = branch.get("description").and_then(Value::as_str).map(|text| prose::value(values, text));
    Some((values, docs))
}

fn has_company(branches: &[Value], index: usize) -> bool {
    let Some(branch) = branches.get(index) else { return false };
    branches
        .iter()
        .enumerate()
        .any(|(other, value)| other != index && is_values(value) && value.get("type") == branch.get("type"))
}
