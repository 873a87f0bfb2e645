//! Can this tool be called with these arguments, and with which bytes exactly?
//!
//! [`prepare`] reads the model's JSON text against the tool's schema before the plugin is entered. What the model
//! plainly meant is put right where no information is lost; what is wrong is answered in a few lines that name the
//! place, what belongs there and what was found. Values that need no change keep their own bytes, so the digits of
//! a number never pass through a float. Knows nothing about sessions, policy or the status field.

mod check;
mod coerce;
mod describe;
mod edit;
mod json;
mod near;
mod number;
mod object;
mod union;

use std::fmt;

use serde_json::Value;

use check::Checker;
use describe::Path;
use json::{DEPTH, Json, Kind};
pub(crate) use near::closest;

/// Arguments that fit the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prepared {
    /// The text fits as it is.
    Unchanged,
    /// The text fits after lossless coercion; this is what the tool is to be given, a JSON object.
    Coerced(String),
}

/// Arguments that do not fit, as an answer for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// What the model reads: the tool was not run, and what to change. A heading and at most five lines.
    pub text: String,
    syntax: bool,
}

impl Rejection {
    /// Whether the arguments are no JSON at all (or nested too deeply to be read), as against JSON that does not fit.
    pub fn is_syntax(&self) -> bool {
        self.syntax
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Rejection {}

/// Fits the JSON text `arguments` to the schema of the tool called `tool`.
///
/// Empty text and `null` stand for `{}`, and a JSON string that holds an object for that object. Then, wherever the
/// schema asks for another type: numeric strings become numbers, `"true"` and `"false"` booleans, scalars strings,
/// `5.0` an integer (below 2^53), JSON text an array or object, and `null` for an optional property is left out. Of
/// a key given twice the last one counts. Names that the schema does not have are let through, unless the object is
/// closed or the name looks like a misspelt property that is not set.
///
/// Understood are `type`, `enum`, `properties`, `required`, `additionalProperties`, `items`, `anyOf`, the bounds of
/// strings, arrays and numbers, and `pattern` as far as it is also a Rust regular expression; besides, for schemas
/// that do not come from the SDK, `const`, `oneOf`, `allOf`, `not`, local `$ref`, `patternProperties`,
/// `prefixItems`, `uniqueItems`, `multipleOf` and exclusive bounds. `format` and anything else is not enforced: what
/// a Rust type asks for beyond its schema, the SDK checks when it reads the arguments.
///
/// # Errors
///
/// [`Rejection`], whose text is ready to be shown to the model.
pub fn prepare(tool: &str, schema: &Value, arguments: &str) -> Result<Prepared, Rejection> {
    let text = arguments.trim_matches(json::WHITESPACE);
    if text.is_empty() || text == "null" {
        return fit(tool, schema, "{}", true);
    }
    let value = Json::parse(arguments, DEPTH).map_err(|error| Rejection {
        text: if error.is_depth() {
            format!(
                "{tool} was not run: its arguments are nested too deeply; more than {DEPTH} levels cannot be read. Send \
                 flatter arguments and call it again."
            )
        } else {
            format!(
                "{tool} was not run: its arguments are not valid JSON ({error}). Send one JSON object and call it again."
            )
        },
        syntax: true,
    })?;
    match value.kind() {
        Kind::Object => fit(tool, schema, arguments, false),
        Kind::String => match value.string() {
            Some(inner) if Json::parse(&inner, DEPTH).is_ok_and(|value| value.kind() == Kind::Object) => {
                fit(tool, schema, &inner, true)
            }
            _ => Err(not_an_object(tool, value)),
        },
        _ => Err(not_an_object(tool, value)),
    }
}

/// Checks text that is known to be a JSON object; `replaced` when it is not the text that was given.
fn fit(tool: &str, schema: &Value, text: &str, replaced: bool) -> Result<Prepared, Rejection> {
    let value = Json::parse(text, DEPTH).map_err(|_| rejected(tool, &["expected an object".into()]))?;
    let report = Checker::new(schema, text.len()).run(schema, value);
    if !report.problems.is_empty() {
        return Err(rejected(tool, &report.problems));
    }
    if report.edits.is_empty() && !replaced {
        return Ok(Prepared::Unchanged);
    }
    Ok(Prepared::Coerced(edit::apply(text, report.edits)))
}

fn not_an_object(tool: &str, value: Json) -> Rejection {
    rejected(tool, &[describe::mismatch(&Path::Root, "an object", value)])
}

fn rejected(tool: &str, problems: &[String]) -> Rejection {
    let mut text = format!("{tool} was not run. Fix these arguments and call it again:");
    for problem in problems {
        text.push_str("\n- ");
        text.push_str(problem);
    }
    Rejection { text, syntax: false }
}
