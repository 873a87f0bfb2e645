//! What a case expects of its calls, which are made one after another, each through its session's one door.

use crate::findings::{Findings, equal, names, shown};
use crate::offered;
use crate::sessions::{self, Opened};
use elowen_host::registry::Registry;
use elowen_host::session::tool_search;
use elowen_host::{Answer, FailureKind, output};
use serde_json::{Map, Value, json};

const UNCHECKED: &str =
    "A11: the platform's run hands arguments over unchecked; what is missing was filled in";

pub(crate) fn compare(
    case: &Value,
    expected: &Value,
    opened: &[(String, Opened)],
    registry: &Registry,
    findings: &mut Findings,
) {
    let calls = case["calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    for key in ["calls", "output"] {
        let wanted = expected.get(key).map(|list| list.as_array().map(Vec::len));
        findings.check(wanted.is_none_or(|wanted| wanted == Some(calls.len())), || {
            format!("{key}: not as many answers as calls")
        });
    }
    for (index, call) in calls.iter().enumerate() {
        let made = match Made::make(call, opened, findings) {
            Ok(made) => made,
            Err(what) => return findings.fail(format!("not understood: call {}: {what}", shown(call))),
        };
        let nothing = json!({});
        let wanted = |key: &str| expected.get(key).map_or(&nothing, |list| &list[index]);
        for (key, value) in findings.fields(format!("calls[{index}]"), wanted("calls")) {
            let what = format!("calls[{index}] of {}: {key}", made.tool);
            made.compare(&what, key, value, registry, findings);
        }
        for (key, value) in findings.fields(format!("output[{index}]"), wanted("output")) {
            let what = format!("output[{index}]: {key}");
            match key.as_str() {
                "tool" => findings.same(what, value, &json!(made.tool)),
                "shown" => {
                    let display = output::display(made.tool, &made.answer, registry.metadata().shown());
                    findings.same(what, value, &json!(display.shown));
                }
                _ => findings.not_compared(what),
            }
        }
    }
}

/// A call that was made.
struct Made<'c> {
    tool: &'c str,
    arguments: String,
    opened: &'c Opened,
    answer: Answer,
}

impl<'c> Made<'c> {
    fn make(
        call: &'c Value,
        opened: &'c [(String, Opened)],
        findings: &mut Findings,
    ) -> Result<Self, String> {
        for key in call.as_object().into_iter().flat_map(Map::keys) {
            if !matches!(key.as_str(), "session" | "tool" | "args" | "mode" | "live") {
                return Err(key.clone());
            }
        }
        let opened = call["session"].as_str().and_then(|id| sessions::find(opened, id));
        let (opened, tool) = (opened.ok_or("its session")?, call["tool"].as_str().ok_or("its tool")?);
        if let Some(live) = call.get("live") {
            opened.authority.says(sessions::live(live)?);
        }
        let mode = call.get("mode").and_then(Value::as_str).map(sessions::mode).transpose()?;
        opened.session.turn().admit(mode.or(opened.mode));
        let mut arguments = call["args"].to_string();
        let mut answer = pollster::block_on(opened.session.call(tool, arguments.as_str()));
        if answer.is_rejection()
            && let Some(filled) = filled(&call["args"], opened, tool)
        {
            let again = pollster::block_on(opened.session.call(tool, filled.as_str()));
            if !again.is_rejection() && call["args"] == json!({}) && !is_echo(&again, &filled) {
                findings.decide(UNCHECKED);
                (arguments, answer) = (filled, again);
            }
        }
        Ok(Made { tool, arguments, opened, answer })
    }

    fn compare(&self, what: &str, key: &str, value: &Value, registry: &Registry, findings: &mut Findings) {
        let Made { tool, opened, answer, .. } = self;
        let text = answer.to_text();
        match key {
            "tool" => findings.same(what, value, &json!(tool)),
            "isError" => findings.same(format!("{what} {text:?}"), value, &json!(answer.is_error)),
            "text" => findings.same(what, value, &json!(text)),
            "textContains" => {
                let parts = names(value);
                let fits = parts.is_some_and(|parts| parts.iter().all(|part| text.contains(part)));
                findings.check(fits, || format!("{what}: expected {value}, got {text:?}"));
            }
            "unknown" => {
                let unknown = text == format!("Tool {tool} not found") && answer.is_error;
                findings.same(format!("{what} {text:?}"), value, &json!(unknown));
            }
            "refused" => {
                let unknown = text == format!("Tool {tool} not found") && answer.is_error;
                let refused = unknown || text.starts_with(&format!("The tool \"{tool}\" is not available"));
                findings.same(format!("{what} {text:?}"), value, &json!(refused));
            }
            "transport" => findings.same(what, value, &json!(self.is_transport())),
            "result" => self.compare_result(what, value, findings),
            "activated" => {
                let activated = opened.session.activated();
                findings.same_names(what, value, activated.iter().map(String::as_str));
            }
            "activeAfter" => {
                let wanted = offered::without_core(findings.names(what, value), registry);
                findings.same(what, &json!(wanted), &json!(offered::active(opened)));
            }
            "access" | "identity" => {
                let told: Value = serde_json::from_str(&text).unwrap_or_default();
                findings.check(is_told(value, &told), || format!("{what}: expected {value}, got {text:?}"));
            }
            _ => findings.not_compared(what),
        }
    }

    /// Content as it is. Details are the scripts' own, except ToolSearch's.
    fn compare_result(&self, what: &str, expected: &Value, findings: &mut Findings) {
        for (key, value) in findings.fields(what, expected) {
            let what = format!("{what}.{key}");
            match key.as_str() {
                "content" => {
                    let got = json!(self.answer.content);
                    match identity_of(value) {
                        Some(wanted) => {
                            let told: Value =
                                serde_json::from_str(&self.answer.to_text()).unwrap_or_default();
                            findings.same(what, &wanted, &told);
                        }
                        None => findings.same(what, value, &got),
                    }
                }
                "details" if self.tool == tool_search::NAME => {
                    findings.same(what, value, &self.answer.details);
                }
                "details" if *value == json!({}) => {}
                _ => findings.not_compared(what),
            }
        }
    }

    /// Whether the same call fails in its tool as a transport failure; an answer does not tell kinds apart.
    fn is_transport(&self) -> bool {
        self.opened.session.tool(self.tool).is_some_and(|tool| {
            let failed = pollster::block_on(tool.call(self.arguments.as_str())).err();
            failed.is_some_and(|failure| failure.kind == FailureKind::Transport)
        })
    }
}

/// The arguments with an empty text for each required one that is missing.
fn filled(arguments: &Value, opened: &Opened, tool: &str) -> Option<String> {
    let mut arguments = arguments.as_object()?.clone();
    let registered = opened.session.tool(tool)?.registration().parameters();
    for name in names(&registered["required"])? {
        arguments.entry(name).or_insert_with(|| json!(""));
    }
    Some(Value::Object(arguments).to_string())
}

/// An echo shows what was filled in.
fn is_echo(answer: &Answer, arguments: &str) -> bool {
    answer.to_text() == arguments
}

/// The platform's script for `identity` wraps what it was told in an object of its own.
fn identity_of(content: &Value) -> Option<Value> {
    let text: Value = serde_json::from_str(content.pointer("/0/text")?.as_str()?).ok()?;
    let object = text.as_object()?;
    let wrapped = object.len() == 3 && object.contains_key("admin") && object.contains_key("session");
    object.get("identity").filter(|_| wrapped).cloned()
}

/// Whether a tool was told what is named; what is false may be left out.
fn is_told(expected: &Value, told: &Value) -> bool {
    let Some(expected) = expected.as_object() else { return equal(expected, told) };
    expected.iter().all(|(key, value)| match told.get(key) {
        Some(told) => equal(value, told),
        None => matches!(value, Value::Bool(false) | Value::Null),
    })
}
