//! Sessions over real plugins: what a model is offered, and what becomes of its calls.
//!
//! The plugins are one library, `fixtures/scripted`, laid out under several names, each with a script of the tools that
//! it registers.

mod calls;
mod command;
mod composed;
mod gates;
mod live;

use elowen_host::log::Silent;
use elowen_host::registry::Registry;
use elowen_host::scope::Scope;
use elowen_host::session::{Session, SessionOptions};
use elowen_host::{Answer, Host};
use elowen_tests::build;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// Plugins that were loaded, and the folders they lie in.
struct Loaded {
    registry: Registry,
    _host: Host,
    _folders: [TempDir; 2],
}

/// Loads plugins of those names, each with its tools.
fn load(plugins: &[(&str, Vec<Value>)]) -> Loaded {
    load_declaring(plugins, &json!({}))
}

/// Loads plugins whose manifests have these fields besides.
fn load_declaring(plugins: &[(&str, Vec<Value>)], fields: &Value) -> Loaded {
    let folders = tempfile::tempdir().unwrap();
    lay_out(folders.path(), plugins, fields);
    let (state, builder) = build::host();
    let host = builder.log(Silent).build().unwrap();
    let report = host.load_dir(folders.path()).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    Loaded { registry: report.registry, _host: host, _folders: [state, folders] }
}

/// Writes the plugins' folders.
fn lay_out(dir: &Path, plugins: &[(&str, Vec<Value>)], fields: &Value) {
    let library = build::library("tests/fixtures/scripted");
    for (name, script) in plugins {
        let folder = build::folder(dir, name, &library);
        std::fs::write(folder.join("script.json"), json!(script).to_string()).unwrap();
        let manifest = folder.join("elowen-plugin.json");
        let mut fields_of: Value =
            serde_json::from_str(&std::fs::read_to_string(&manifest).unwrap()).unwrap();
        for (name, value) in fields.as_object().unwrap() {
            fields_of[name] = value.clone();
        }
        std::fs::write(manifest, fields_of.to_string()).unwrap();
    }
}

/// An operation of a script: a tool with one required argument, which does what `behavior` says.
fn tool(name: &str, behavior: Value, options: Value) -> Value {
    let parameters = json!({
        "type": "object",
        "properties": {"value": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["value"],
    });
    with_schema(name, parameters, behavior, options)
}

fn with_schema(name: &str, parameters: Value, behavior: Value, options: Value) -> Value {
    let description = format!("{name} does it");
    json!({
        "op": "tool",
        "tool": {"name": name, "label": name, "description": description, "parameters": parameters, "behavior": behavior},
        "options": options,
    })
}

/// A tool that answers with its arguments.
fn echo(name: &str) -> Value {
    tool(name, json!({"kind": "echo"}), json!({}))
}

fn options() -> SessionOptions {
    Scope::command_line().into()
}

fn call(session: &Session, tool: &str, arguments: Value) -> Answer {
    pollster::block_on(session.call(tool, arguments.to_string()))
}

/// What an unflagged answer says.
fn said(session: &Session, tool: &str, arguments: Value) -> String {
    let answer = call(session, tool, arguments);
    assert!(!answer.is_error, "{answer:?}");
    answer.to_text()
}

fn names(session: &Session) -> Vec<&str> {
    session.offered().iter().map(|tool| tool.name.as_str()).collect()
}
