//! The configuration fields of a manifest: which are left out, what must hold between their parts, their defaults.
//!
//! A field of an unknown type costs the plugin that field and not its life: it was written for a newer host.

use serde_json::{Map, Value};

use super::fields::TYPES;
use super::shape::{Mismatch, below};

/// The two keys that hold configuration fields: the installation's, and each account's own.
pub(super) const SCHEMAS: [&str; 2] = ["configSchema", "userConfigSchema"];

/// Takes the fields of unknown type out, with a warning for each. What is not even a field is left for the check.
pub(super) fn drop_unknown(manifest: &mut Map<String, Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    for schema in SCHEMAS {
        let Some(Value::Array(fields)) = manifest.get_mut(schema) else { continue };
        fields.retain(|field| {
            let Some(kind) = field.get("type").and_then(Value::as_str) else { return true };
            let known = TYPES.contains(&kind);
            if !known {
                let key = field.get("key").and_then(Value::as_str).unwrap_or("?");
                warnings.push(format!(
                    "ignoring config field \"{key}\": unknown type \"{kind}\" (needs a newer core)"
                ));
            }
            known
        });
    }
    warnings
}

/// The fields' defaults by key; the first of a key counts. Headings have no value.
pub(super) fn defaults(manifest: &Map<String, Value>, schema: &str) -> Map<String, Value> {
    let mut defaults = Map::new();
    for field in manifest.get(schema).and_then(Value::as_array).into_iter().flatten() {
        let key = field.get("key").and_then(Value::as_str);
        if let (Some(key), Some(default)) = (key, field.get("default"))
            && field.get("type").and_then(Value::as_str) != Some("section")
            && !defaults.contains_key(key)
        {
            defaults.insert(key.to_owned(), default.clone());
        }
    }
    defaults
}

/// What must hold between the parts of each field. The shapes have been checked.
pub(super) fn check(manifest: &Map<String, Value>) -> Result<(), Mismatch> {
    for schema in SCHEMAS {
        for (index, field) in manifest.get(schema).and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            Rules { field, at: format!("/{schema}/{index}"), own: schema == SCHEMAS[1] }.check()?;
        }
    }
    Ok(())
}

struct Rules<'m> {
    field: &'m Value,
    at: String,
    /// Each account has its own value.
    own: bool,
}

impl Rules<'_> {
    fn check(&self) -> Result<(), Mismatch> {
        let kind = self.field.get("type").and_then(Value::as_str).unwrap_or_default();
        let default = self.field.get("default");
        self.must(self.number("/display/divisor").is_none_or(|n| n > 0.0), "display/divisor", "be > 0")?;
        if self.field.get("browse").is_some() {
            self.must(kind == "tokenList", "browse", "stand in a field of type tokenList")?;
            self.must(!self.own, "browse", "not stand in userConfigSchema")?;
        }
        match (kind, default) {
            ("timezone", Some(default)) => {
                let name = default.as_str();
                let good = name.is_some_and(|name| name.is_empty() || is_timezone(name));
                self.must(good, "default", "be the name of a time zone, without spaces")?;
            }
            ("tokenList", Some(default)) => self.must(
                is_token_list(default),
                "default",
                "be a list of different texts, none of them blank or with blanks at its ends",
            )?,
            (_, Some(Value::Array(_))) => {
                self.must(false, "default", "not be a list but in a field of type tokenList")?;
            }
            _ => {}
        }
        let slider = self.field.pointer("/display/control").and_then(Value::as_str) == Some("slider");
        match kind {
            "number" => self.check_number(slider),
            _ => self.must(!slider, "display/control", "not be slider but in a field of type number"),
        }
    }

    fn check_number(&self, slider: bool) -> Result<(), Mismatch> {
        let (min, max, step) = (self.number("/min"), self.number("/max"), self.number("/step"));
        self.must(step.is_none_or(|step| step > 0.0), "step", "be > 0")?;
        if let (Some(min), Some(max)) = (min, max) {
            self.must(min <= max, "min", &format!("be <= max, which is {max}"))?;
        }
        if let Some(default) = self.field.get("default") {
            self.must(default.is_number(), "default", "be number")?;
            let default = default.as_f64().unwrap_or_default();
            if let Some(min) = min {
                self.must(default >= min, "default", &format!("be >= min, which is {min}"))?;
            }
            if let Some(max) = max {
                self.must(default <= max, "default", &format!("be <= max, which is {max}"))?;
            }
            if let Some(step) = step {
                let base = min.unwrap_or(0.0);
                let reached = is_reached(default, base, step);
                self.must(reached, "default", &format!("be reached from {base} in steps of {step}"))?;
            }
        }
        match (slider, min, max, step) {
            (false, ..) => Ok(()),
            (true, Some(min), Some(max), Some(step)) => {
                self.must(min < max, "min", &format!("be < max, which is {max}"))?;
                let reached = is_reached(max, min, step);
                self.must(reached, "max", &format!("be reached from {min} in steps of {step}"))
            }
            _ => self.must(false, "display/control", "have min, max and step beside it to be slider"),
        }
    }

    fn number(&self, pointer: &str) -> Option<f64> {
        self.field.pointer(pointer)?.as_f64()
    }

    fn must(&self, holds: bool, part: &str, what: &str) -> Result<(), Mismatch> {
        let at = || part.split('/').fold(self.at.clone(), |at, key| below(&at, key));
        if holds { Ok(()) } else { Err(Mismatch::new(&at(), format!("must {what}"))) }
    }
}

/// Whether a name has the form of a time zone's (`Europe/Prague`, `UTC`, `Etc/GMT+1`). Which there are, only the
/// embedder's calendar knows.
fn is_timezone(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-:".contains(&byte))
    };
    name.split('/').all(part)
}

fn is_token_list(value: &Value) -> bool {
    let Value::Array(items) = value else { return false };
    let mut seen = std::collections::HashSet::new();
    items.iter().all(|item| {
        item.as_str().is_some_and(|text| !text.is_empty() && text.trim() == text && seen.insert(text))
    })
}

/// Whether a whole number of steps leads from `base` to `value`, as far as floating point can tell.
fn is_reached(value: f64, base: f64, step: f64) -> bool {
    let nearest = base + ((value - base) / step).round() * step;
    let scale = [value, base, step, nearest].into_iter().fold(1.0, |scale: f64, n| scale.max(n.abs()));
    (value - nearest).abs() <= f64::EPSILON * scale * 8.0
}

#[cfg(test)]
mod tests;
