//! Do an object's members fit, and is a name that nobody knows a slip?

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::check::{Checker, Report};
use super::describe::{self, Path};
use super::edit::Edit;
use super::json::{Json, Kind};
use super::near;

/// Only this many unknown names of one object are compared with the known ones.
const COMPARED: usize = 64;
/// The host's own argument, which is never a slip of another.
const STATUS: &str = "_reason";

/// What a schema says about the members of an object.
#[derive(Clone, Copy)]
struct Fields<'s> {
    keywords: &'s Map<String, Value>,
    properties: Option<&'s Map<String, Value>>,
    required: &'s [Value],
}

impl<'s> Fields<'s> {
    fn requires(&self, key: &str) -> bool {
        self.required.iter().any(|name| name == key)
    }

    fn schema(&self, key: &str) -> Option<(&'s str, &'s Value)> {
        self.properties?.get_key_value(key).map(|(key, schema)| (key.as_str(), schema))
    }
}

/// What an object holds, seen by its schema.
#[derive(Default)]
struct Seen<'s, 'a> {
    /// The last value of each property that the schema has, and where among the members it stands.
    known: HashMap<&'s str, (usize, Json<'a>)>,
    /// The first names that the schema does not have.
    unknown: Vec<Cow<'a, str>>,
    /// Members that must not reach the tool: repeated ones, and `null` for "not given".
    dropped: Vec<usize>,
}

impl<'s> Checker<'s> {
    /// `alone`: no other schema speaks about the same object.
    pub(super) fn object(
        &self,
        keywords: &'s Map<String, Value>,
        value: Json,
        path: &Path,
        alone: bool,
        report: &mut Report,
    ) {
        let fields = Fields {
            keywords,
            properties: keywords.get("properties").and_then(Value::as_object),
            required: keywords.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice),
        };
        let mut seen = self.seen(fields, value);
        for (key, schema) in fields.properties.into_iter().flatten() {
            match seen.known.get(key.as_str()) {
                Some((index, member))
                    if member.kind() == Kind::Null
                        && !fields.requires(key)
                        && !self.takes(schema, *member) =>
                {
                    seen.dropped.push(*index);
                }
                Some((_, member)) => self.check(schema, *member, &Path::Key(path, key), true, report),
                None if fields.requires(key) => {
                    report.problem(missing(fields, &mut seen, key, &self.expected(schema), path));
                }
                None => {}
            }
        }
        for key in fields.required.iter().filter_map(Value::as_str) {
            if fields.schema(key).is_none() && !value.members().any(|member| member.key == key) {
                report.problem(format!("{}: missing", Path::Key(path, key)));
            }
        }
        self.unknown(fields, &seen, path, alone, report);
        self.additional(fields, value, path, report);
        report.edits.extend(removals(value, seen.dropped));
    }

    fn seen<'a>(&self, fields: Fields<'s>, value: Json<'a>) -> Seen<'s, 'a> {
        let mut seen = Seen::default();
        for (index, member) in value.members().enumerate() {
            if let Some((key, _)) = fields.schema(&member.key) {
                if let Some((earlier, _)) = seen.known.insert(key, (index, member.value)) {
                    seen.dropped.push(earlier);
                }
            } else if seen.unknown.len() < COMPARED && self.by_pattern(fields, &member.key).next().is_none() {
                seen.unknown.push(member.key);
            }
        }
        seen
    }

    /// Whether the schema allows the value as it is.
    fn takes(&self, schema: &'s Value, value: Json) -> bool {
        let mut report = Report::default();
        self.check(schema, value, &Path::Root, true, &mut report);
        report.problems.is_empty()
    }

    /// Names that the schema does not have: wrong in a closed object, and in an open one if they look like a slip.
    fn unknown(&self, fields: Fields<'s>, seen: &Seen, path: &Path, alone: bool, report: &mut Report) {
        let unset = || {
            fields.properties.into_iter().flatten().filter(|(key, _)| !seen.known.contains_key(key.as_str()))
        };
        let closed = match fields.keywords.get("additionalProperties") {
            Some(Value::Bool(false)) => true,
            None if alone => false,
            _ => return,
        };
        for key in &seen.unknown {
            if report.is_full() {
                return;
            }
            let options = unset().filter(|(name, _)| !fields.requires(name)).map(|(name, _)| name.as_str());
            let place = Path::Key(path, key);
            match near::closest(key, options).and_then(|near| fields.schema(near)) {
                Some((near, schema)) if closed || key != STATUS => {
                    let name = describe::name(near);
                    let expected = self.expected(schema);
                    report.problem(format!("{place}: not an argument — rename it to {name} ({expected})"));
                }
                _ if closed => {
                    let left = unset().count();
                    let names = describe::list(unset().map(|(name, _)| describe::name(name)), left);
                    let left = if left == 0 { String::new() } else { format!("; not set yet: {names}") };
                    report.problem(format!("{place}: not an argument; leave it out{left}"));
                }
                _ => {}
            }
        }
    }

    /// The values under names that only `patternProperties` or `additionalProperties` speak about.
    fn additional(&self, fields: Fields<'s>, value: Json, path: &Path, report: &mut Report) {
        let rest = fields.keywords.get("additionalProperties").filter(|rest| rest.is_object());
        if rest.is_none() && !fields.keywords.contains_key("patternProperties") {
            return;
        }
        for member in value.members() {
            if report.is_full() {
                return;
            }
            if fields.schema(&member.key).is_some() {
                continue;
            }
            let place = Path::Key(path, &member.key);
            let mut matched = self.by_pattern(fields, &member.key).peekable();
            if let (None, Some(rest)) = (matched.peek(), rest) {
                self.check(rest, member.value, &place, true, report);
            }
            let matched: Vec<&'s Value> = matched.collect();
            matched.into_iter().for_each(|schema| self.check(schema, member.value, &place, true, report));
        }
    }

    /// The schemas that `patternProperties` has for a name.
    fn by_pattern<'k>(&'k self, fields: Fields<'s>, key: &'k str) -> impl Iterator<Item = &'s Value> + 'k
    where
        's: 'k,
    {
        let patterns = fields.keywords.get("patternProperties").and_then(Value::as_object);
        let matches = |(pattern, _): &(&'s String, &'s Value)| self.is_match(pattern, key).unwrap_or(false);
        patterns.into_iter().flatten().filter(matches).map(|(_, schema)| schema)
    }
}

/// The line about a required property that is not there. An unknown name that looks like it is taken to be it, and
/// is not spoken of again.
fn missing(fields: Fields, seen: &mut Seen, key: &str, expected: &str, path: &Path) -> String {
    let place = Path::Key(path, key);
    let absent = |name: &&str| !seen.known.contains_key(name);
    let slip = seen.unknown.iter().position(|unknown| {
        let options = fields.properties.into_iter().flatten().map(|(name, _)| name.as_str()).filter(absent);
        near::closest(unknown, options) == Some(key)
    });
    match slip {
        None => format!("{place}: missing; expected {expected}"),
        Some(index) => {
            let slip = describe::name(&seen.unknown.remove(index));
            format!(
                "{place}: missing; {slip} is not an argument — rename it to {} ({expected})",
                describe::name(key)
            )
        }
    }
}

/// The edits that take members out of an object, with the commas that go with them.
fn removals(value: Json, mut dropped: Vec<usize>) -> Vec<Edit> {
    let mut edits = Vec::new();
    if dropped.is_empty() {
        return edits;
    }
    dropped.sort_unstable();
    let mut dropped = dropped.into_iter().peekable();
    let (mut kept_before, mut last_end) = (false, None);
    let mut members = value.members().enumerate().peekable();
    while let Some((index, member)) = members.next() {
        let end = member.value.range().end;
        if dropped.next_if_eq(&index).is_some() {
            let range = match (kept_before, last_end, members.peek()) {
                (true, Some(before), _) => before..end,
                (_, _, Some((_, next))) => member.start..next.start,
                _ => member.start..end,
            };
            edits.push(Edit { range, text: String::new() });
        } else {
            kept_before = true;
        }
        last_end = Some(end);
    }
    edits
}
