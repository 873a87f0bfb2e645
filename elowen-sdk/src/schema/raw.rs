//! Which one thing does a schema, as schemars wrote it, say about a value?
//!
//! The first half of the pass, on one level: `const`, `allOf`, one-branch unions and the many spellings of "or null"
//! are folded into the level itself, so that the second half meets each idea in one form only.

use serde_json::{Map, Value};

use super::SchemaProblem;

/// One level with its synonyms folded.
pub(super) struct Level {
    /// All keywords but unions.
    pub(super) keywords: Map<String, Value>,
    /// The branches of its union, `null` left out; never exactly one.
    pub(super) branches: Vec<Value>,
    /// The union came from `oneOf`: schemars closes such variants only to keep them apart.
    pub(super) exclusive: bool,
    /// `null` is allowed besides.
    pub(super) nullable: bool,
}

/// Folds the level until nothing on it can be said more simply.
pub(super) fn fold(mut keywords: Map<String, Value>) -> Result<Level, SchemaProblem> {
    let (mut branches, mut exclusive, mut nullable) = (Vec::new(), false, false);
    loop {
        for part in take_array(&mut keywords, "allOf") {
            merge(&mut keywords, part)?;
        }
        if let Some(value) = keywords.shift_remove("const") {
            keywords.insert("enum".into(), Value::Array(vec![value]));
        }
        for (key, one) in [("oneOf", true), ("anyOf", false)] {
            let found = take_array(&mut keywords, key);
            if found.is_empty() {
                continue;
            }
            if !branches.is_empty() {
                return Err(SchemaProblem::AllOf);
            }
            branches = found;
            exclusive |= one;
        }
        nullable |= take_null(&mut keywords);
        let before = branches.len();
        branches.retain(|branch| !is_null(branch));
        // A branch on which nothing matches adds nothing to a union.
        branches.retain(|branch| *branch != Value::Bool(false));
        nullable |= branches.len() < before && before > 0;
        if before > 0 && branches.is_empty() {
            keywords.insert("type".into(), "null".into());
        }
        if branches.len() != 1 {
            break;
        }
        let mut only = branches.remove(0);
        if exclusive {
            open(&mut only);
        }
        exclusive = false;
        merge(&mut keywords, only)?;
    }
    split_types(&mut keywords, &mut branches)?;
    Ok(Level { keywords, branches, exclusive, nullable })
}

/// Removes the `additionalProperties: false` with which schemars keeps the variants of an enum apart.
pub(super) fn open(variant: &mut Value) {
    if let Value::Object(variant) = variant {
        for key in ["additionalProperties", "unevaluatedProperties"] {
            if variant.get(key) == Some(&Value::Bool(false)) {
                variant.shift_remove(key);
            }
        }
    }
}

fn take_array(keywords: &mut Map<String, Value>, key: &str) -> Vec<Value> {
    match keywords.shift_remove(key) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null") || schema.get("const").is_some_and(Value::is_null)
}

/// Takes `null` out of `type` and `enum`, unless it is all there is.
fn take_null(keywords: &mut Map<String, Value>) -> bool {
    let mut found = false;
    if let Some(Value::Array(types)) = keywords.get_mut("type") {
        let before = types.len();
        if before > 1 {
            types.retain(|name| name != "null");
        }
        found |= types.len() < before;
        if let [only] = types.as_slice() {
            let only = only.clone();
            keywords.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = keywords.get_mut("enum")
        && values.len() > 1
        && values.iter().any(Value::is_null)
    {
        values.retain(|value| !value.is_null());
        // `{"type":"string","enum":["a",null]}` never allowed null.
        found |= !keywords.contains_key("type");
    }
    found
}

/// Adds what `part` says to `keywords`, which win where both say something.
fn merge(keywords: &mut Map<String, Value>, part: Value) -> Result<(), SchemaProblem> {
    let part = match part {
        Value::Bool(true) => return Ok(()),
        Value::Bool(false) => return Err(SchemaProblem::Nothing),
        Value::Object(part) => part,
        other => return Err(SchemaProblem::Malformed(other.to_string())),
    };
    for (key, theirs) in part {
        match (keywords.get_mut(&key), theirs) {
            (None, theirs) => {
                keywords.insert(key, theirs);
            }
            (Some(Value::Object(ours)), Value::Object(theirs)) if key == "properties" => {
                for (name, schema) in theirs {
                    ours.entry(name).or_insert(schema);
                }
            }
            (Some(Value::Array(ours)), Value::Array(theirs)) if key == "required" || key == "allOf" => {
                for item in theirs {
                    if !ours.contains(&item) {
                        ours.push(item);
                    }
                }
            }
            (Some(_), _) if key == "anyOf" || key == "oneOf" => return Err(SchemaProblem::AllOf),
            (Some(_), _) => {}
        }
    }
    Ok(())
}

/// `"type": ["string", "integer"]` becomes a union: some providers refuse a list of types.
fn split_types(keywords: &mut Map<String, Value>, branches: &mut Vec<Value>) -> Result<(), SchemaProblem> {
    if !matches!(keywords.get("type"), Some(Value::Array(types)) if types.len() > 1) {
        return Ok(());
    }
    if !branches.is_empty() {
        return Err(SchemaProblem::AllOf);
    }
    let types = take_array(keywords, "type");
    let mut shared = Map::new();
    for annotation in ["title", "description", "default", "examples", "deprecated"] {
        if let Some(value) = keywords.shift_remove(annotation) {
            shared.insert(annotation.into(), value);
        }
    }
    let rules = std::mem::replace(keywords, shared);
    for name in types {
        let mut branch = Map::new();
        branch.insert("type".into(), name.clone());
        branch.extend(
            rules.clone().into_iter().filter(|(rule, _)| applies(rule, name.as_str().unwrap_or_default())),
        );
        branches.push(Value::Object(branch));
    }
    Ok(())
}

/// Whether a keyword says anything about values of the type.
fn applies(rule: &str, name: &str) -> bool {
    match rule {
        "minLength" | "maxLength" | "pattern" | "format" => name == "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            matches!(name, "integer" | "number")
        }
        "items" | "prefixItems" | "minItems" | "maxItems" => name == "array",
        "properties" | "required" | "additionalProperties" | "patternProperties" => name == "object",
        _ => true,
    }
}
