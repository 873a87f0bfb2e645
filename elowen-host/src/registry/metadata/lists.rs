//! One plugin's own lists, read against its own tools.

use std::collections::BTreeSet;
use std::ops::Bound;

use crate::manifest::Declared;

/// What the lists of one plugin come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lists {
    /// Names, registered or not.
    pub(super) plan_safe: BTreeSet<String>,
    /// Names of its tools.
    pub(super) deferred: BTreeSet<String>,
    /// Names, registered or not.
    pub(super) read_only: BTreeSet<String>,
    /// Prefixes before a `*`, for its external tools.
    pub(super) read_only_families: Vec<String>,
    pub(super) user_grantable: bool,
}

impl Lists {
    /// With warnings for entries that count for nothing. `accepted` are the names of the plugin's tools.
    pub(super) fn read(plugin: &str, declared: &Declared, accepted: &BTreeSet<&str>) -> (Self, Vec<String>) {
        let mut lists = Lists { user_grantable: declared.user_grantable, ..Lists::default() };
        let mut warnings = Vec::new();
        let tools: Option<BTreeSet<&str>> =
            declared.tools.as_ref().map(|tools| tools.iter().map(String::as_str).collect());
        for name in trimmed(&declared.plan_safe) {
            if tools.as_ref().is_none_or(|tools| tools.contains(name)) {
                lists.plan_safe.insert(name.to_owned());
            } else {
                warnings.push(format!("planSafe '{name}' ignored: not declared in provides.tools"));
            }
        }
        for entry in trimmed(&declared.defer_loading) {
            let mut matching = matching(entry, accepted).peekable();
            if matching.peek().is_none() {
                warnings.push(format!(
                    "deferLoading '{entry}' ignored: no matching tools registered by '{plugin}'"
                ));
            }
            lists.deferred.extend(matching.map(str::to_owned));
        }
        for entry in &declared.read_only_tools {
            if !tools.as_ref().is_some_and(|tools| tools.contains(entry.as_str())) {
                warnings.push(format!("readOnlyTools '{entry}' ignored: not declared in provides.tools"));
            } else if entry.ends_with('*') {
                lists.read_only_families.push(entry.clone());
            } else {
                lists.read_only.insert(entry.clone());
            }
        }
        (lists, warnings)
    }
}

/// The entries without the blanks around them, and without those that are nothing else.
pub(super) fn trimmed(entries: &[String]) -> impl Iterator<Item = &str> {
    entries.iter().map(|entry| entry.trim()).filter(|entry| !entry.is_empty())
}

/// The names that an entry covers.
fn matching<'n>(entry: &str, names: &BTreeSet<&'n str>) -> impl Iterator<Item = &'n str> {
    let (start, exact) = match entry.strip_suffix('*') {
        Some(prefix) => (prefix, false),
        None => (entry, true),
    };
    let from = names.range::<str, _>((Bound::Included(start), Bound::Unbounded)).copied();
    from.take_while(move |name| if exact { *name == start } else { name.starts_with(start) })
}
