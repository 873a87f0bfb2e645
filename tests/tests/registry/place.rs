//! Plugins that do as they are told, directories for them, and a host that keeps what it logs.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use elowen_host::log::{Level, Log, Record};
use elowen_host::scope::Scope;
use elowen_host::session::{Session, SessionOptions};
use elowen_host::{Grants, HostBuilder, LoadReport};
use elowen_tests::build;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Keeps lines up to `info`, as the platform writes them.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<(Level, String)>>>);

impl Log for Lines {
    fn enabled(&self, level: Level) -> bool {
        level <= Level::Info
    }

    fn log(&self, record: &Record<'_>) {
        self.0.lock().unwrap().push((record.level, record.to_string()));
    }
}

impl Lines {
    /// The warnings, but for those about the one library that all these plugins are.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        let warnings = lines.iter().filter(|(level, _)| *level == Level::Warn).map(|(_, line)| line.clone());
        warnings.filter(|line| !line.contains("the library says that it is plugin")).collect()
    }

    pub(crate) fn errors(&self) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        lines.iter().filter(|(level, _)| *level == Level::Error).map(|(_, line)| line.clone()).collect()
    }
}

/// A temporary folder with plugin directories in it.
pub(crate) struct Place {
    dir: TempDir,
    pub(crate) log: Lines,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
        Place { dir, log: Lines::default() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Lays out a plugin in a directory, with these keys in its manifest, that does these steps when it registers.
    pub(crate) fn plugin(&self, directory: &str, name: &str, keys: Value, steps: Value) -> PathBuf {
        let library = build::library("tests/fixtures/scripted");
        let folder = build::folder(&self.path(directory), name, &library);
        let file = folder.join("elowen-plugin.json");
        let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        for (key, value) in keys.as_object().unwrap() {
            manifest[key] = value.clone();
        }
        fs::write(&file, manifest.to_string()).unwrap();
        fs::write(folder.join("script.json"), steps.to_string()).unwrap();
        folder
    }

    /// Loads directories, with the host's settings changed.
    pub(crate) fn load_with(
        &self,
        directories: &[&str],
        enabled: Option<&[&str]>,
        settings: impl FnOnce(HostBuilder) -> HostBuilder,
    ) -> LoadReport {
        // Its folder is not needed: the state lies in this place.
        let (_state, builder) = build::host();
        let builder = builder.state_dir(self.path("state")).log(self.log.clone());
        let host = settings(builder).build().unwrap_or_else(|error| panic!("{error}"));
        let directories: Vec<PathBuf> = directories.iter().map(|name| self.path(name)).collect();
        let enabled: Option<Vec<String>> =
            enabled.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        host.load_dirs(&directories, enabled.as_deref()).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn load(&self, directories: &[&str], enabled: Option<&[&str]>) -> LoadReport {
        self.load_with(directories, enabled, |builder| builder)
    }
}

/// Registers a tool that answers with a text.
pub(crate) fn says(name: &str, text: &str) -> Value {
    says_to(name, text, json!({}))
}

/// The same with options.
pub(crate) fn says_to(name: &str, text: &str, options: Value) -> Value {
    does(name, json!({"kind": "text", "text": text}), options)
}

/// Registers a tool that behaves so.
pub(crate) fn does(name: &str, behavior: Value, options: Value) -> Value {
    let tool = json!({
        "name": name,
        "label": name,
        "description": format!("{name} for tests."),
        "parameters": {"type": "object", "properties": {}},
        "behavior": behavior,
    });
    json!({"op": "tool", "tool": tool, "options": options})
}

/// `plugin/tool` of each accepted tool, in order.
pub(crate) fn owned(report: &LoadReport) -> Vec<String> {
    let tools = report.registry.tools().iter();
    tools.map(|tool| format!("{}/{}", tool.plugin().name(), tool.name())).collect()
}

/// The names of the plugins, in order.
pub(crate) fn plugins(report: &LoadReport) -> Vec<&'static str> {
    report.registry.plugins().iter().map(|plugin| plugin.name()).collect()
}

pub(crate) fn session(report: &LoadReport, scope: Scope, grants: &Grants) -> Session {
    Session::new(&report.registry, SessionOptions { grants: grants.clone(), ..scope.into() })
}

/// The text of an answer.
pub(crate) fn answer(session: &Session, tool: &str) -> String {
    pollster::block_on(session.call(tool, "{}")).to_text()
}

/// The text of an answer to the command line, which is granted everything.
pub(crate) fn answer_of(report: &LoadReport, tool: &str) -> String {
    answer(&session(report, Scope::command_line(), &Grants::All), tool)
}
