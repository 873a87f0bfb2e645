//! What a comparison found: differences, and rules of this project that decided.

use serde_json::{Map, Value, json};
use std::{fmt::Display, iter::Flatten, option};

/// Of a value in a message, in characters.
const SHOWN: usize = 1_200;

/// What one case came to.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What differs, or could not be understood.
    pub(crate) failures: Vec<String>,
    /// The rules by which this project answers differently, each once.
    pub(crate) decided: Vec<String>,
}

impl Findings {
    pub(crate) fn fail(&mut self, what: impl Into<String>) {
        self.failures.push(what.into());
    }

    /// An expectation that nothing here knows.
    pub(crate) fn not_compared(&mut self, field: impl Display) {
        self.fail(format!("not compared: {field}"));
    }

    /// The platform answers otherwise, and this rule says why that is right.
    pub(crate) fn decide(&mut self, rule: &str) {
        if !self.decided.iter().any(|held| held == rule) {
            self.decided.push(rule.to_owned());
        }
    }

    /// Fails unless this holds.
    pub(crate) fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.fail(what());
        }
    }

    /// Compares a value, numbers by what they are worth.
    pub(crate) fn same(&mut self, what: impl Display, expected: &Value, got: &Value) {
        self.check(equal(expected, got), || {
            format!("{what}: expected {}, got {}", shown(expected), shown(got))
        });
    }

    /// Compares lists of names as sets.
    pub(crate) fn same_names<'n>(
        &mut self,
        what: impl Display,
        expected: &Value,
        got: impl IntoIterator<Item = &'n str>,
    ) {
        let sorted = |names: Vec<&str>| {
            let mut names = names;
            names.sort_unstable();
            json!(names)
        };
        match names(expected) {
            Some(expected) => self.same(what, &sorted(expected), &sorted(got.into_iter().collect())),
            None => self.fail(format!("not understood: {what} is no list of names: {}", shown(expected))),
        }
    }
}

impl Findings {
    /// The members of an object, which it must be.
    pub(crate) fn fields<'v>(
        &mut self,
        what: impl Display,
        value: &'v Value,
    ) -> Flatten<option::IntoIter<&'v Map<String, Value>>> {
        self.check(value.is_object(), || format!("not understood: {what} is no object: {}", shown(value)));
        value.as_object().into_iter().flatten()
    }

    /// The names in a list, which it must be.
    pub(crate) fn names<'v>(&mut self, what: impl Display, value: &'v Value) -> Vec<&'v str> {
        let names = names(value);
        self.check(names.is_some(), || {
            format!("not understood: {what} is no list of names: {}", shown(value))
        });
        names.unwrap_or_default()
    }
}

/// A list of names.
pub(crate) fn names(list: &Value) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Value::as_str).collect()
}

/// Whether two values are the same; `5` and `5.0` are, the order of keys does not count.
pub(crate) fn equal(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one == two || one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| equal(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len()
                && one.iter().all(|(key, one)| two.get(key).is_some_and(|two| equal(one, two)))
        }
        _ => one == two,
    }
}

/// A value as text, cut where it gets long.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}
