//! Which branch of a union did the model mean?
//!
//! The branch that fits as it stands, else the first that fits after coercion. If none does, the one whose tag the
//! value carries says what is wrong; without such a one a single line names all of them.

use serde_json::{Map, Value};

use super::check::{Checker, Report};
use super::coerce::equals;
use super::describe::{self, Path};
use super::json::{Json, Kind};

impl<'s> Checker<'s> {
    /// `anyOf`, `oneOf`, `allOf`, `not` and `$ref`.
    pub(super) fn composition(
        &self,
        schema: &'s Value,
        keywords: &'s Map<String, Value>,
        value: Json,
        path: &Path,
        alone: bool,
        report: &mut Report,
    ) {
        let branches = |key: &str| keywords.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // Beside `properties` a branch sees only some of the names that are known here.
        let alone = alone && !keywords.contains_key("properties");
        if let Some(target) = keywords.get("$ref").and_then(Value::as_str).and_then(|to| self.resolve(to)) {
            self.check(target, value, path, alone, report);
        }
        for part in branches("allOf") {
            self.check(part, value, path, false, report);
        }
        for (key, exclusive) in [("anyOf", false), ("oneOf", true)] {
            if !branches(key).is_empty() {
                self.union(schema, branches(key), exclusive, value, path, alone, report);
            }
        }
        if let Some(not) = keywords.get("not") {
            let mut other = Report::default();
            self.check(not, value, path, false, &mut other);
            if other.problems.is_empty() && other.edits.is_empty() {
                report.problem(format!("{path}: {} is not allowed here", describe::shown(value)));
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn union(
        &self,
        schema: &'s Value,
        branches: &'s [Value],
        exclusive: bool,
        value: Json,
        path: &Path,
        alone: bool,
        report: &mut Report,
    ) {
        let (mut exact, mut coerced, mut failed) = (0usize, None, Vec::new());
        for branch in branches {
            let mut tried = Report::default();
            self.check(branch, value, path, alone, &mut tried);
            if !tried.problems.is_empty() {
                failed.push((branch, tried));
            } else if !tried.edits.is_empty() {
                coerced.get_or_insert(tried);
            } else if exclusive {
                exact += 1;
            } else {
                return;
            }
        }
        match (exact, coerced) {
            (1, _) => {}
            (2.., _) => report.problem(format!(
                "{path}: {} fits more than one of {}; exactly one is expected",
                describe::shown(value),
                describe::expected(schema)
            )),
            (0, Some(tried)) => report.extend(tried),
            (0, None) => match meant(&mut failed, value) {
                Some(tried) => report.extend(tried),
                None => report.problem(describe::mismatch(path, &describe::expected(schema), value)),
            },
        }
    }
}

/// The report of the branch that the value must have been meant for: the only one that is not `null`, the only one
/// whose tag the value carries, or the only one of which it has the one required property.
fn meant(failed: &mut Vec<(&Value, Report)>, value: Json) -> Option<Report> {
    let carries = |(branch, _): &(&Value, Report)| {
        let Value::Object(branch) = branch else { return false };
        match (describe::tag(branch), branch.get("required").and_then(Value::as_array).map(Vec::as_slice)) {
            (Some((key, tag)), _) => {
                value.members().any(|member| member.key == key && equals(member.value, tag))
            }
            (None, Some([Value::String(only)])) => value.members().any(|member| member.key == only.as_str()),
            _ => false,
        }
    };
    let is_container = matches!(value.kind(), Kind::Array | Kind::Object);
    let nullable = |(branch, _): &(&Value, Report)| branch.get("type").is_some_and(|kind| kind == "null");
    let found = if failed.len() == 2
        && failed.iter().filter(|failed| nullable(failed)).count() == 1
        && is_container
    {
        failed.iter().position(|failed| !nullable(failed))
    } else {
        let mut fitting =
            failed.iter().enumerate().filter(|(_, failed)| carries(failed)).map(|(index, _)| index);
        fitting.next().filter(|_| fitting.next().is_none())
    };
    found.map(|index| failed.swap_remove(index).1)
}
