//! Where cases come from, and what is expected once this project's own decisions are laid over them.
//!
//! `decisions.json` has, for a case in which a rule of this project wins, the values that this rule asks for.
//! `known.json` has the cases in which the host is known to be wrong, with the reason.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

const DECISIONS: &str = "decisions.json";
const KNOWN: &str = "known.json";

/// One case.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) about: String,
    /// Plugins, sessions, calls, manifests, validations.
    pub(crate) input: Value,
    /// With the decisions laid over it.
    pub(crate) expected: Value,
    /// What the case says about a decision of this project.
    pub(crate) decision_wins: Option<String>,
    /// The rule whose values were laid over what is expected.
    pub(crate) decision: Option<String>,
    /// Why the host is known to fail here.
    pub(crate) known: Option<String>,
}

/// What a rule asks for in one case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decision {
    rule: String,
    /// By JSON pointer into what the case expects.
    expected: Map<String, Value>,
}

/// All cases, by the names of their files.
///
/// # Panics
/// When there are none, or a file cannot be read.
pub(crate) fn all() -> Vec<Case> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let decisions: BTreeMap<String, Decision> = table(&own.join(DECISIONS));
    let known: BTreeMap<String, String> = table(&own.join(KNOWN));
    let elsewhere = std::env::var_os("ELOWEN_CASES").map(PathBuf::from);
    let dir = elsewhere.as_ref().unwrap_or(&own);
    let cases: Vec<Case> = files(dir).iter().map(|file| read(file, &decisions, &known)).collect();
    assert!(!cases.is_empty(), "there are no cases in {}", dir.display());
    if elsewhere.is_none() {
        // An entry that no case answers to would be a rule that nothing checks.
        for id in decisions.keys().chain(known.keys()) {
            assert!(cases.iter().any(|case| case.id == *id), "there is no case {id}");
        }
    }
    cases
}

fn table<T: for<'de> Deserialize<'de>>(file: &Path) -> T {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let folders = ["platform", "platform-cases", "seed", "seed-cases", "."].map(|name| dir.join(name));
    let is_case = |file: &PathBuf| {
        let name = file.file_name().and_then(OsStr::to_str);
        file.extension() == Some(OsStr::new("json")) && name != Some(DECISIONS) && name != Some(KNOWN)
    };
    let in_folder = |folder: &PathBuf| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        let mut files: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_case).collect();
        files.sort();
        files
    };
    folders.iter().flat_map(in_folder).collect()
}

fn read(file: &Path, decisions: &BTreeMap<String, Decision>, known: &BTreeMap<String, String>) -> Case {
    let mut whole: Value = table(file);
    let text = |key: &str| {
        let text = whole.get(key).or_else(|| whole.get("case")?.get(key));
        text.and_then(Value::as_str).map(str::to_owned)
    };
    let id =
        text("id").unwrap_or_else(|| file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    let (about, decision_wins) = (text("about").unwrap_or_default(), text("decision_wins"));
    let mut expected = whole["expected"].take();
    let decision = decisions.get(&id);
    for (pointer, value) in decision.into_iter().flat_map(|decision| &decision.expected) {
        lay_over(&mut expected, pointer, value)
            .unwrap_or_else(|| panic!("{DECISIONS}: {id} has no place {pointer}"));
    }
    Case {
        about,
        input: whole["case"].take(),
        expected,
        decision_wins,
        decision: decision.map(|decision| decision.rule.clone()),
        known: known.get(&id).cloned(),
        id,
    }
}

/// Sets a value; the object or list that it stands in must be there.
fn lay_over(expected: &mut Value, pointer: &str, value: &Value) -> Option<()> {
    let (parent, key) = pointer.rsplit_once('/')?;
    match expected.pointer_mut(parent)? {
        Value::Object(object) => {
            object.insert(key.replace("~1", "/").replace("~0", "~"), value.clone());
        }
        Value::Array(list) => *list.get_mut(key.parse::<usize>().ok()?)? = value.clone(),
        _ => return None,
    }
    Some(())
}
