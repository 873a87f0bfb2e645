//! What a case expects one session's model to be offered: which tools, in which order, and in which form.

use crate::findings::{Findings, shown};
use crate::sessions::Opened;
use crate::tools;
use elowen_host::Tool;
use elowen_host::diagnostics::{EXTERNAL, ExternalNames};
use elowen_host::registry::Registry;
use elowen_host::session::defer::Loading;
use elowen_host::session::{active::Activated, tool_search, turn::Turn};
use serde_json::{Value, json};

const LOADED: &str = "X3: planSafe has no say in what is deferred";
const OWN_WORDS: &str = "the texts around the names are our own";
/// The platform's reason for what is no reason here.
const PLAN_SAFE: &str = "plan-safe";

pub(crate) fn compare(
    id: &str,
    expected: &Value,
    opened: &Opened,
    registry: &Registry,
    findings: &mut Findings,
) {
    let (session, composition) = (&opened.session, opened.session.composition());
    let turn = Turn::now(session.turn());
    let composed = || composition.tools().map(|tool| tool.name.as_str());
    let shown_tools = || composition.tools().filter(|tool| turn.shows(tool)).map(|tool| tool.name.as_str());
    let deferred =
        || composition.deferred().filter(|tool| turn.mode_permits(tool)).map(|tool| tool.name.as_str());
    let own = || composition.tools().filter(|tool| tool.plugin.is_some());
    let block = session.deferred_block();
    for (key, value) in findings.fields(format!("session {id}"), expected) {
        let what = format!("session {id}: {key}");
        let mut in_order = |got: Vec<&str>| {
            let wanted = without_core(findings.names(&what, value), registry);
            findings.same(&what, &json!(wanted), &json!(got));
        };
        match key.as_str() {
            "composed" => in_order(composed().collect()),
            "active" => {
                in_order(active(opened));
                // What is active, less what the mode and the lists hide.
                let offered: Vec<&str> = session.offered().iter().map(|tool| tool.name.as_str()).collect();
                let mut wanted = active(opened);
                wanted.retain(|name| shown_tools().any(|tool| tool == *name));
                findings.same(&what, &json!(wanted), &json!(offered));
            }
            "visible" => in_order(shown_tools().collect()),
            "toolsFor" => {
                let row = |tool: &Tool| json!({"name": tool.name(), "description": tool.registration().description()});
                findings.same(what, value, &session.tools().iter().map(row).collect());
            }
            "selected" => findings.same_names(what, value, session.tools().iter().map(Tool::name)),
            "catalog" => findings.same_names(what, value, own().map(|tool| tool.name.as_str())),
            "deferred" => findings.same_names(what, value, deferred()),
            "deferredCount" => findings.same(what, value, &json!(deferred().count())),
            "notDeferred" => {
                for name in findings.names(&what, value) {
                    let loaded = composition.tool(name).is_some() && !composition.is_deferred(name);
                    findings.check(loaded, || format!("{what}: {name} is not there, or deferred"));
                }
            }
            "absent" => {
                let block = block.as_deref().unwrap_or_default();
                for name in findings.names(&what, value) {
                    let there = shown_tools().any(|tool| tool == name) || block.contains(name);
                    findings.check(!there, || format!("{what}: {name} is offered"));
                }
            }
            "toolSearch" => {
                let there = session.offered().iter().any(|tool| tool.name == tool_search::NAME);
                findings.same(what, value, &json!(there));
            }
            "decisions" => decisions(&what, value, opened, findings),
            "planAllowed" => {
                let allowed = own().filter(|tool| tool.plan_safe).map(|tool| tool.name.as_str());
                findings.same_names(what, value, allowed);
            }
            "showOutput" => {
                let shown =
                    |tool: &Tool| (tool.name().to_owned(), json!(registry.metadata().shows(tool.name())));
                findings.same(what, value, &Value::Object(session.tools().iter().map(shown).collect()));
            }
            "deferredBlock" => {
                findings.decide(OWN_WORDS);
                findings.same(what, &lines(value.as_str()), &lines(block.as_deref()));
            }
            "awarenessLacks" => {
                let block = block.as_deref().unwrap_or_default();
                for name in findings.names(&what, value) {
                    findings.check(!block.contains(name), || format!("{what}: the block names {name}"));
                }
            }
            "capped" => {
                findings.same_names(what, value, composition.capped().iter().map(|tool| tool.name.as_str()));
            }
            "diagnostics" => diagnostics(&what, value, opened, findings),
            "redacted" => {
                let external = external_names(opened);
                let hidden = session.tools().iter().map(Tool::name);
                let hidden = hidden.filter(|name| external.label(name) == EXTERNAL && *name != EXTERNAL);
                findings.same_names(what, value, hidden);
            }
            key => tools::compare(&what, key, value, opened, findings),
        }
    }
}

/// The tools that need not be asked for, or have been, whatever the mode and the lists.
pub(crate) fn active(opened: &Opened) -> Vec<&str> {
    let mut activated = Activated::default();
    let names = opened.session.activated();
    activated.extend(names.iter().map(String::as_str));
    let visible = opened.session.composition().visible(Turn::default(), &activated);
    visible.into_iter().map(|tool| tool.name.as_str()).collect()
}

/// Without the tools that only the platform's core has, unless a plugin here has one of that name.
pub(crate) fn without_core<'n>(names: Vec<&'n str>, registry: &Registry) -> Vec<&'n str> {
    let core = |name: &str| {
        let only_there = name == "ExitPlanMode" || name.starts_with("Memory") || name.starts_with("Share");
        only_there && registry.owner(name).is_none()
    };
    names.into_iter().filter(|name| !core(name)).collect()
}

/// The tags, the lines that name tools, and how many are not named.
fn lines(block: Option<&str>) -> Value {
    let named = |line: &&str| line.starts_with("- ") || line.starts_with('<');
    let words = |line| match str::strip_prefix(line, "- …and ") {
        Some(rest) => rest.split(' ').next().unwrap_or_default(),
        None => line,
    };
    json!(block.map(|block| block.lines().filter(named).map(words).collect::<Vec<_>>()))
}

fn decisions(what: &str, expected: &Value, opened: &Opened, findings: &mut Findings) {
    let composition = opened.session.composition();
    let decided = composition.tools().filter(|tool| tool.plugin.is_some()).filter_map(|tool| {
        let decision = composition.decision(&tool.name)?;
        let effective = match decision.loading {
            Loading::Immediate => "immediate",
            Loading::Deferred => "deferred",
        };
        Some(json!({"name": tool.name, "effective": effective, "reason": decision.reason.as_str()}))
    });
    let got: Vec<Value> = decided.collect();
    let mut expected = expected.clone();
    for (wanted, got) in expected.as_array_mut().into_iter().flatten().zip(&got) {
        // Kept loaded for that reason there, and loaded for want of another one here.
        if wanted["reason"] == PLAN_SAFE && got["effective"] == "immediate" {
            findings.decide(LOADED);
            wanted["reason"] = got["reason"].clone();
        }
    }
    findings.same(what, &expected, &json!(got));
}

/// From the entries that this session selected (A25).
fn external_names(opened: &Opened) -> ExternalNames {
    let selected = opened.session.tools().iter();
    ExternalNames::of(selected.map(|tool| (tool.name(), tool.registration().external)))
}

fn diagnostics(what: &str, expected: &Value, opened: &Opened, findings: &mut Findings) {
    let external = external_names(opened);
    for (key, value) in findings.fields(what, expected) {
        match key.as_str() {
            "names" => {
                let names = opened.session.tools().iter().map(Tool::name);
                findings.same_names(what, value, names.map(|name| external.label(name)));
            }
            "namespaces" => {
                let label = |(name, tools): (&String, &Value)| {
                    let entry = json!({"name": name, "tools": tools});
                    (name.clone(), json!(external.label_of_entry(&entry, 0)))
                };
                findings.same(what, value, &Value::Object(opened.namespaces.iter().map(label).collect()));
            }
            _ => findings.not_compared(format!("{key} of {what}: {}", shown(value))),
        }
    }
}
