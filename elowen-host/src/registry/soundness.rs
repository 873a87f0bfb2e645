//! Is a tool's schema one that a model can be shown? Finds what is broken in it, and says where.
//!
//! The tool stays registered (A26): models and providers differ in what they put up with, and its author may not be
//! the one who runs it. Keywords that this host does not know are nobody's mistake.

use serde_json::{Map, Value};

/// What one tool is told of at most.
const TOLD: usize = 5;
/// Schemas nested deeper than this are not looked at.
const DEPTH: usize = 64;
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];
/// Keywords whose value is a schema.
const SCHEMA: [&str; 4] = ["items", "additionalProperties", "not", "contains"];
/// Keywords whose value is a list of schemas.
const SCHEMAS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value has a schema under each name.
const NAMED_SCHEMAS: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];

/// What is broken, each with its place as a JSON pointer.
pub(super) fn problems(schema: &Value) -> Vec<String> {
    let mut search = Search { root: schema, problems: Vec::new() };
    search.schema(schema, "", DEPTH);
    search.problems
}

struct Search<'s> {
    root: &'s Value,
    problems: Vec<String>,
}

impl Search<'_> {
    fn problem(&mut self, at: &str, what: &str) {
        if self.problems.len() < TOLD {
            self.problems.push(format!("parameters{at} {what}"));
        }
    }

    fn schema(&mut self, schema: &Value, at: &str, depth: usize) {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.problems.len() < TOLD) else { return };
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Bool(_) => return,
            _ => return self.problem(at, "is no schema: it must be an object"),
        };
        self.types(keywords, at);
        self.required(keywords, at);
        self.reference(keywords, at);
        for key in SCHEMA {
            match keywords.get(key) {
                // The older form, a list for the first items.
                Some(Value::Array(list)) if key == "items" => self.list(list, &format!("{at}/{key}"), depth),
                Some(schema) => self.schema(schema, &format!("{at}/{key}"), depth),
                None => {}
            }
        }
        for key in SCHEMAS {
            match keywords.get(key) {
                Some(Value::Array(list)) => self.list(list, &format!("{at}/{key}"), depth),
                Some(_) => self.problem(&format!("{at}/{key}"), "is not a list of schemas"),
                None => {}
            }
        }
        for key in NAMED_SCHEMAS {
            match keywords.get(key) {
                Some(Value::Object(named)) => {
                    for (name, schema) in named {
                        self.schema(schema, &format!("{at}/{key}/{}", escaped(name)), depth);
                    }
                }
                Some(_) => self.problem(&format!("{at}/{key}"), "is not an object of schemas"),
                None => {}
            }
        }
        if keywords.get("enum").is_some_and(|values| values.as_array().is_none_or(Vec::is_empty)) {
            self.problem(&format!("{at}/enum"), "is not a list of values");
        }
    }

    fn list(&mut self, list: &[Value], at: &str, depth: usize) {
        for (index, schema) in list.iter().enumerate() {
            self.schema(schema, &format!("{at}/{index}"), depth);
        }
    }

    fn types(&mut self, keywords: &Map<String, Value>, at: &str) {
        let known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
        let Some(kind) = keywords.get("type") else { return };
        let wrong = match kind {
            Value::Array(kinds) => kinds.iter().find(|kind| !known(kind)),
            kind => Some(kind).filter(|kind| !known(kind)),
        };
        if let Some(wrong) = wrong {
            let what = format!("is {wrong}, which is no type: there are {}", TYPES.join(", "));
            self.problem(&format!("{at}/type"), &what);
        }
    }

    fn required(&mut self, keywords: &Map<String, Value>, at: &str) {
        let is_names =
            |value: &Value| value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
        if keywords.get("required").is_some_and(|required| !is_names(required)) {
            self.problem(&format!("{at}/required"), "is not a list of names");
        }
    }

    /// A reference into the schema itself must lead to something; others are not looked up.
    fn reference(&mut self, keywords: &Map<String, Value>, at: &str) {
        let Some(reference) = keywords.get("$ref") else { return };
        let leads_nowhere = match reference.as_str() {
            None => true,
            Some(text) => match text.strip_prefix('#') {
                Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                    self.root.pointer(pointer).is_none()
                }
                _ => false,
            },
        };
        if leads_nowhere {
            self.problem(
                &format!("{at}/$ref"),
                &format!("is {reference}, which leads nowhere in the schema"),
            );
        }
    }
}

/// A name in a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sound_schema_is_passed_over_in_silence() {
        let schema = json!({
            "type": "object", "required": ["a"], "additionalProperties": false, "x-more": {"type": 7},
            "$defs": {"n": {"type": ["integer", "null"]}},
            "properties": {
                "a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#"}, "c": {"$ref": "https://x/y"}, "d": true,
                "e": {"type": "array", "items": [{"type": "string"}]}, "type": {"enum": [1]}
            },
        });
        assert_eq!(problems(&schema), [""; 0]);
    }

    #[test]
    fn what_is_broken_is_named_with_its_place() {
        let cases = [
            (
                json!({"type": "object", "properties": []}),
                "parameters/properties is not an object of schemas",
            ),
            (json!({"required": "a"}), "parameters/required is not a list of names"),
            (json!({"required": [1]}), "parameters/required is not a list of names"),
            (
                json!({"properties": {"a/b": {"type": "text"}}}),
                "parameters/properties/a~1b/type is \"text\", which is no type: there are string, number, integer, boolean, object, array, null",
            ),
            (
                json!({"type": ["string", 1]}),
                "parameters/type is 1, which is no type: there are string, number, integer, boolean, object, array, null",
            ),
            (
                json!({"items": {"$ref": "#/$defs/gone"}}),
                "parameters/items/$ref is \"#/$defs/gone\", which leads nowhere in the schema",
            ),
            (json!({"anyOf": [{}, 3]}), "parameters/anyOf/1 is no schema: it must be an object"),
            (json!({"oneOf": {}}), "parameters/oneOf is not a list of schemas"),
            (json!({"enum": []}), "parameters/enum is not a list of values"),
        ];
        for (schema, expected) in cases {
            assert_eq!(problems(&schema), [expected], "{schema}");
        }
    }

    #[test]
    fn a_schema_that_is_all_wrong_is_told_so_a_few_times() {
        let schema = json!({"anyOf": vec![1; 1000]});
        assert_eq!(problems(&schema).len(), TOLD);
        let mut deep = json!({"type": "what"});
        (0..100).for_each(|_| deep = json!({"not": deep.take()}));
        assert_eq!(problems(&deep), [""; 0]);
    }
}
