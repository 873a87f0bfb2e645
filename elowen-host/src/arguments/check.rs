//! Does one value fit one schema, and what would make it fit?
//!
//! A check changes nothing: it collects problems (for the model) and edits (for the text). So a union can try its
//! branches side by side and keep the report of the one that fits.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::coerce::{equals, is_type, to_type};
use super::describe::{self, Path};
use super::edit::{self, Edit};
use super::json::{DEPTH, Json, Kind};
use super::{near, number};

/// More problems than this are not shown: the model mends these first.
const LINES: usize = 5;
/// How deep checks may stand in each other, so that a schema that refers to itself cannot exhaust the stack.
const NESTING: usize = 256;

/// What is to be said about a value and done to it.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) problems: Vec<String>,
    pub(super) edits: Vec<Edit>,
}

impl Report {
    pub(super) fn problem(&mut self, line: String) {
        if !self.is_full() && !self.problems.contains(&line) {
            self.problems.push(line);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.problems.len() >= LINES
    }

    pub(super) fn extend(&mut self, other: Report) {
        other.problems.into_iter().for_each(|line| self.problem(line));
        self.edits.extend(other.edits);
    }
}

/// One check of one tool call.
pub(super) struct Checker<'s> {
    root: &'s Value,
    patterns: RefCell<HashMap<&'s str, Option<Regex>>>,
    steps: Cell<usize>,
    nesting: Cell<usize>,
}

impl<'s> Checker<'s> {
    /// `length` is that of the text: the work is bounded in proportion to it, whatever unions the schema nests.
    pub(super) fn new(root: &'s Value, length: usize) -> Self {
        Self {
            root,
            patterns: RefCell::default(),
            steps: Cell::new(length.saturating_mul(256).saturating_add(100_000)),
            nesting: Cell::new(0),
        }
    }

    pub(super) fn run(&self, schema: &'s Value, value: Json) -> Report {
        let mut report = Report::default();
        self.check(schema, value, &Path::Root, true, &mut report);
        if self.steps.get() == 0 {
            // What the branches said when the work ran out is accidental.
            report.problems = vec!["arguments: too many alternatives to check; send simpler values".into()];
        }
        report
    }

    /// `alone`: no other schema speaks about the same value, so a name this one does not know may be a slip.
    pub(super) fn check(
        &self,
        schema: &'s Value,
        value: Json,
        path: &Path,
        alone: bool,
        report: &mut Report,
    ) {
        if report.is_full() || self.steps.get() == 0 {
            return;
        }
        self.steps.set(self.steps.get() - 1);
        if self.nesting.get() >= NESTING {
            return report.problem(format!("{path}: nested too deeply to check"));
        }
        self.nesting.set(self.nesting.get() + 1);
        match schema {
            Value::Object(keywords) => self.typed(schema, keywords, value, path, alone, report),
            Value::Bool(false) => report.problem(format!("{path}: nothing is allowed here; leave it out")),
            _ => {}
        }
        self.nesting.set(self.nesting.get() - 1);
    }

    /// The type first: everything else is about values of the right type.
    fn typed(
        &self,
        schema: &'s Value,
        keywords: &'s Map<String, Value>,
        value: Json,
        path: &Path,
        alone: bool,
        report: &mut Report,
    ) {
        let types: &[Value] = match keywords.get("type") {
            Some(Value::Array(types)) => types,
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        let mut types = types.iter().filter_map(Value::as_str).peekable();
        if types.peek().is_none() || types.clone().any(|kind| is_type(kind, value)) {
            return self.rules(schema, keywords, value, path, alone, report);
        }
        let coerced = types.find_map(|kind| to_type(kind, value, path.depth()));
        let parsed = coerced.as_deref().and_then(|text| Some((text, Json::parse(text, DEPTH).ok()?)));
        let Some((text, inner)) = parsed else {
            return report.problem(describe::mismatch(path, &describe::expected(schema), value));
        };
        let mut changed = Report::default();
        self.rules(schema, keywords, inner, path, alone, &mut changed);
        let edits = std::mem::take(&mut changed.edits);
        if !changed.problems.is_empty() && !matches!(inner.kind(), Kind::Array | Kind::Object) {
            // Show what was sent, not what it became.
            return report.problem(describe::mismatch(path, &describe::expected(schema), value));
        }
        report.extend(changed);
        report.edits.push(Edit { range: value.range(), text: edit::apply(text, edits) });
    }

    /// Everything but the type.
    fn rules(
        &self,
        schema: &'s Value,
        keywords: &'s Map<String, Value>,
        value: Json,
        path: &Path,
        alone: bool,
        report: &mut Report,
    ) {
        if !named(keywords, value) {
            let mut line = describe::mismatch(path, &describe::expected(schema), value);
            let values = keywords.get("enum").and_then(Value::as_array).into_iter().flatten();
            if let Some(text) = value.string()
                && let Some(near) = near::closest(&text, values.filter_map(Value::as_str))
            {
                line.push_str(&format!(" — did you mean {}?", Value::from(near)));
            }
            return report.problem(line);
        }
        let within = match value.kind() {
            Kind::String => self.string(keywords, value),
            Kind::Number => in_range(keywords, value.raw()),
            Kind::Array => has_length(keywords, value),
            _ => true,
        };
        if !within {
            return report.problem(describe::mismatch(path, &describe::expected(schema), value));
        }
        match value.kind() {
            Kind::Array => self.items(keywords, value, path, report),
            Kind::Object => {
                let composed =
                    ["anyOf", "oneOf", "allOf", "$ref"].iter().any(|key| keywords.contains_key(*key));
                self.object(keywords, value, path, alone && !composed, report);
            }
            _ => {}
        }
        self.composition(schema, keywords, value, path, alone, report);
    }

    fn string(&self, keywords: &'s Map<String, Value>, value: Json) -> bool {
        let count = |key: &str| keywords.get(key).and_then(Value::as_u64);
        if let (None, None, None) = (count("minLength"), count("maxLength"), keywords.get("pattern")) {
            return true;
        }
        let Some(text) = value.string() else { return true };
        let length = text.chars().count() as u64;
        let fits = count("minLength").is_none_or(|least| length >= least)
            && count("maxLength").is_none_or(|most| length <= most);
        let pattern = keywords.get("pattern").and_then(Value::as_str);
        fits && pattern.is_none_or(|pattern| self.is_match(pattern, &text).unwrap_or(true))
    }

    /// Whether the text matches; nothing if the pattern is not one that Rust's regular expressions know.
    pub(super) fn is_match(&self, pattern: &'s str, text: &str) -> Option<bool> {
        let mut patterns = self.patterns.borrow_mut();
        let regex = patterns.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
        regex.as_ref().map(|regex| regex.is_match(text))
    }

    fn items(&self, keywords: &'s Map<String, Value>, value: Json, path: &Path, report: &mut Report) {
        let first = keywords.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let rest = keywords.get("items");
        if first.is_empty()
            && !matches!(rest, Some(Value::Object(rest)) if !rest.is_empty())
            && rest != Some(&Value::Bool(false))
        {
            return;
        }
        for (index, element) in value.elements().enumerate() {
            if report.is_full() {
                return;
            }
            if let Some(schema) = first.get(index).or(rest) {
                self.check(schema, element, &Path::Index(path, index), true, report);
            }
        }
    }

    /// What a schema asks for, in words, also if it only refers to another.
    pub(super) fn expected(&self, schema: &'s Value) -> String {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| self.resolve(reference));
        describe::expected(target.unwrap_or(schema))
    }

    /// The schema that a local reference (`#`, `#/$defs/x`) leads to.
    pub(super) fn resolve(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }
}

/// Whether `enum` and `const` allow the value.
fn named(keywords: &Map<String, Value>, value: Json) -> bool {
    let listed = match keywords.get("enum") {
        Some(Value::Array(values)) => values.iter().any(|named| equals(value, named)),
        _ => true,
    };
    listed && keywords.get("const").is_none_or(|named| equals(value, named))
}

fn in_range(keywords: &Map<String, Value>, raw: &str) -> bool {
    let bounds: [(&str, &[Ordering]); 4] = [
        ("minimum", &[Ordering::Greater, Ordering::Equal]),
        ("maximum", &[Ordering::Less, Ordering::Equal]),
        ("exclusiveMinimum", &[Ordering::Greater]),
        ("exclusiveMaximum", &[Ordering::Less]),
    ];
    let within = bounds.iter().all(|(key, fits)| match keywords.get(*key) {
        Some(Value::Number(bound)) => number::compare(raw, bound).is_none_or(|order| fits.contains(&order)),
        _ => true,
    });
    within
        && match keywords.get("multipleOf") {
            Some(Value::Number(step)) => number::is_multiple(raw, step),
            _ => true,
        }
}

fn has_length(keywords: &Map<String, Value>, value: Json) -> bool {
    let count = |key: &str| keywords.get(key).and_then(Value::as_u64);
    let (least, most) = (count("minItems"), count("maxItems"));
    if least.is_some() || most.is_some() {
        let length = value.elements().count() as u64;
        if least.is_some_and(|least| length < least) || most.is_some_and(|most| length > most) {
            return false;
        }
    }
    let mut seen = HashSet::new();
    keywords.get("uniqueItems") != Some(&Value::Bool(true))
        || value.elements().all(|element| seen.insert(element.raw()))
}
