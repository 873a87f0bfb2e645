//! How is one level of a schema written down, once `raw` has folded it?
//!
//! The second half of the pass: writes the structure (`type` to `anyOf`) in one fixed order and recurses. What needs
//! no recursion is copied by `keywords`.

use serde_json::{Map, Value};

use super::raw::{self, Level};
use super::{SchemaProblem, keywords, prose, union};

/// A problem and the place of it.
pub(super) type Failure = (String, SchemaProblem);

/// What the pass knows about the whole document.
pub(super) struct Pass<'a> {
    definitions: &'a Map<String, Value>,
    root: &'a str,
}

impl<'a> Pass<'a> {
    /// `root` is the name of the root type, for references to it.
    pub(super) fn new(definitions: &'a Map<String, Value>, root: &'a str) -> Self {
        Self { definitions, root }
    }

    pub(super) fn root(&self, schema: Map<String, Value>) -> Result<Value, Failure> {
        self.object(schema, "", false)
    }

    /// Compacts any schema. `optional`: the place may be left out, so `null` need not be offered as well.
    pub(super) fn schema(&self, schema: Value, path: &str, optional: bool) -> Result<Value, Failure> {
        match schema {
            Value::Bool(true) => Ok(Value::Object(Map::new())),
            Value::Bool(false) => Err((path.into(), SchemaProblem::Nothing)),
            Value::Object(schema) => self.object(schema, path, optional),
            other => Err((path.into(), SchemaProblem::Malformed(other.to_string()))),
        }
    }

    fn object(&self, schema: Map<String, Value>, path: &str, optional: bool) -> Result<Value, Failure> {
        let level = raw::fold(schema).map_err(|problem| (path.to_owned(), problem))?;
        let Level { keywords, branches, exclusive, nullable } = level;
        if keywords
            .get("not")
            .is_some_and(|not| *not == Value::Bool(true) || *not == Value::Object(Map::new()))
        {
            return Err((path.into(), SchemaProblem::Nothing));
        }
        let union = union::compact(self, branches, exclusive, path)?;
        let mut description = keywords
            .get("description")
            .and_then(Value::as_str)
            .map(prose::unwrap_lines)
            .filter(|text| !text.is_empty());
        description = prose::with_values(description, &union.docs);
        if let Some(Value::Array(examples)) = keywords.get("examples") {
            description = prose::with_examples(description, examples);
        }

        let mut out = Map::new();
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            let (stand_in, name) = self.cut(reference);
            out = stand_in;
            description.get_or_insert(format!("nested {name}"));
        }
        self.structure(&keywords, &mut out, path, !union.branches.is_empty())?;
        match union.branches.as_slice() {
            [] => {}
            [Value::Object(only)] if out.is_empty() => out = only.clone(),
            _ => {
                out.insert("anyOf".into(), Value::Array(union.branches));
            }
        }
        keywords::bounds(&keywords, &mut out);
        if nullable && !optional {
            out = or_null(out);
        }
        keywords::annotate(&keywords, &mut out, description);
        Ok(Value::Object(out))
    }

    /// A reference that is left over leads back to where it stands; models get one level of a recursion.
    fn cut(&self, reference: &str) -> (Map<String, Value>, String) {
        let mut out = Map::new();
        let name = reference.rsplit('/').next().unwrap_or_default();
        if name.is_empty() || name == "#" {
            out.insert("type".into(), "object".into());
            return (out, self.root.to_owned());
        }
        // Only an object is known to be an object: a recursive enum may also be a string.
        let kind = match self.definitions.get(name) {
            Some(target) => target.get("type").and_then(Value::as_str),
            None => Some("object"),
        };
        if let Some(kind) = kind {
            out.insert("type".into(), kind.into());
        }
        if kind == Some("array") {
            out.insert("items".into(), Value::Object(Map::new()));
        }
        (out, name.to_owned())
    }

    /// `type`, `enum`, `required`, `properties`, `additionalProperties` and `items`.
    fn structure(
        &self,
        keywords: &Map<String, Value>,
        out: &mut Map<String, Value>,
        path: &str,
        in_union: bool,
    ) -> Result<(), Failure> {
        let values = keywords.get("enum").and_then(Value::as_array);
        let kind =
            keywords.get("type").cloned().or_else(|| values.and_then(|values| keywords::common_type(values)));
        let is = |name: &str| kind.as_ref().is_some_and(|kind| kind == name);
        if let Some(values) = values
            && !is("null")
        {
            if values.is_empty() {
                return Err((path.into(), SchemaProblem::Nothing));
            }
            out.insert("enum".into(), Value::Array(values.clone()));
        }
        if let Some(kind) = &kind {
            out.shift_insert(0, "type".into(), kind.clone());
        }

        let closed = ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|key| keywords.get(*key) == Some(&Value::Bool(false)));
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            self.properties(keywords, properties, out, path, closed)?;
        }
        if let Some(rest) = self.additional(keywords, path)? {
            out.insert("additionalProperties".into(), rest);
        } else if closed && !in_union && !keywords.contains_key("patternProperties") {
            out.insert("additionalProperties".into(), false.into());
        }

        if let Some(items) = self.items(keywords, path)? {
            out.insert("items".into(), items);
        } else if is("array") {
            out.insert("items".into(), Value::Object(Map::new()));
        }
        Ok(())
    }

    fn properties(
        &self,
        keywords: &Map<String, Value>,
        properties: &Map<String, Value>,
        out: &mut Map<String, Value>,
        path: &str,
        closed: bool,
    ) -> Result<(), Failure> {
        let names = keywords.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let (mut required, mut kept) = (Vec::new(), Map::new());
        for (key, schema) in properties {
            check_key(key, path).map_err(|problem| (path.to_owned(), problem))?;
            let needed = names.iter().any(|name| name == key);
            let deprecated = schema.get("deprecated") == Some(&Value::Bool(true));
            // In a closed object a name that is not offered would not be accepted either.
            if deprecated && !needed && !closed {
                continue;
            }
            if needed {
                required.push(Value::from(key.as_str()));
            }
            kept.insert(key.clone(), self.schema(schema.clone(), &join(path, key), !needed)?);
        }
        if !required.is_empty() {
            out.insert("required".into(), Value::Array(required));
        }
        out.insert("properties".into(), Value::Object(kept));
        Ok(())
    }

    /// The schema of further properties, if it says anything. Patterns on names (maps with integer keys) are given
    /// up for the schema of their values.
    fn additional(&self, keywords: &Map<String, Value>, path: &str) -> Result<Option<Value>, Failure> {
        let path = join(path, "*");
        let mut schemas = Vec::new();
        if let Some(Value::Object(patterns)) = keywords.get("patternProperties") {
            schemas.extend(patterns.values().cloned());
            // Without a rule for the other names every name is free.
            schemas.push(keywords.get("additionalProperties").cloned().unwrap_or(Value::Bool(true)));
        } else {
            schemas.extend(keywords.get("additionalProperties").cloned());
        }
        schemas.retain(|schema| *schema != Value::Bool(false));
        let one = self.one_of_these(schemas, &path)?;
        Ok(one.filter(|schema| schema.as_object().is_some_and(|schema| !schema.is_empty())))
    }

    /// The schema of an array's items; a tuple becomes "any of its parts", its length is in the bounds.
    fn items(&self, keywords: &Map<String, Value>, path: &str) -> Result<Option<Value>, Failure> {
        let mut schemas = match keywords.get("prefixItems") {
            Some(Value::Array(parts)) => parts.clone(),
            _ => Vec::new(),
        };
        match keywords.get("items") {
            Some(Value::Bool(false)) if !schemas.is_empty() => {}
            Some(rest) => schemas.push(rest.clone()),
            None => {}
        }
        self.one_of_these(schemas, &format!("{path}[]"))
    }

    fn one_of_these(&self, schemas: Vec<Value>, path: &str) -> Result<Option<Value>, Failure> {
        let union = union::compact(self, schemas, false, path)?;
        Ok(match union.branches.as_slice() {
            [] => None,
            [only] => {
                let mut only = only.clone();
                if let (Value::Object(only), Some(docs)) = (&mut only, prose::with_values(None, &union.docs))
                {
                    only.insert("description".into(), docs.into());
                }
                Some(only)
            }
            many if many.iter().any(|branch| branch.as_object().is_some_and(Map::is_empty)) => {
                Some(Value::Object(Map::new()))
            }
            _ => Some(serde_json::json!({ "anyOf": union.branches })),
        })
    }
}

fn or_null(mut out: Map<String, Value>) -> Map<String, Value> {
    let null = serde_json::json!({ "type": "null" });
    if out.is_empty() {
        return out;
    }
    if let (1, Some(Value::Array(branches))) = (out.len(), out.get_mut("anyOf")) {
        branches.push(null);
        return out;
    }
    let mut either = Map::new();
    either.insert("anyOf".into(), Value::Array(vec![Value::Object(out), null]));
    either
}

fn check_key(key: &str, path: &str) -> Result<(), SchemaProblem> {
    let mut bytes = key.bytes();
    let starts = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if !starts || key.len() > 64 || !bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(SchemaProblem::Key(key.to_owned()));
    }
    // Only the arguments' own keys are stripped, not those of nested objects.
    if key == "_reason" && path.is_empty() {
        return Err(SchemaProblem::ReservedKey(key.to_owned()));
    }
    Ok(())
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
