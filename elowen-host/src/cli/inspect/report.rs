//! What `inspect` has found out, as text for people and as JSON for programs.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::blob::Blob;
use crate::cache::hex;
use crate::cli::caller::not_offered;
use crate::cli::marks::Marks;
use crate::cli::output::{BAD, DIM, NAME, WARN};
use crate::error::LoadError;
use crate::manifest::Manifest;
use crate::plugin::{Plugin, Tool};
use crate::printable;
use crate::registry::{Registration, Registry};
use crate::scope::Scope;
use crate::trust::VerifiedFile;
use elowen_sdk::abi;
use serde_json::{Map, Value, json};

/// What was found out.
pub(super) struct Report {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    pub(super) blob: Blob,
    pub(super) file: VerifiedFile,
    /// Where its private copy lies or would lie; none if nothing says where the host's state is.
    pub(super) copy: Option<PathBuf>,
    /// None if it was not loaded.
    pub(super) plugin: Option<Plugin>,
    /// Its tools, once it is loaded.
    pub(super) registry: Registry,
    /// What its manifest says without any effect.
    pub(super) in_vain: Vec<String>,
    /// Why it was not, if it was to be.
    pub(super) failure: Option<LoadError>,
    /// Whom its tools are to be offered to.
    pub(super) scope: Scope,
}

impl Report {
    /// What is odd about it, though it can be loaded.
    fn warnings(&self) -> Vec<String> {
        let registered = self.plugin.map(|plugin| plugin.registration_warnings()).unwrap_or_default();
        let mismatch = self.blob.mismatch(&self.manifest);
        self.manifest
            .warnings
            .iter()
            .cloned()
            .chain(mismatch)
            .chain(registered)
            .chain(self.in_vain.clone())
            .collect()
    }

    pub(super) fn as_json(&self) -> Value {
        let blob = &self.blob;
        let mut report = json!({
            "folder": self.folder.to_string_lossy(),
            "loaded": self.plugin.is_some(),
            "manifest": self.manifest.raw,
            "file": {
                "path": self.file.path.to_string_lossy(),
                "size": self.file.bytes.len(),
                "sha256": hex(&self.file.sha256),
                "privateCopy": self.copy.as_ref().map(|copy| copy.to_string_lossy()),
                "warnings": self.file.warnings,
            },
            "blob": {
                "abi": {"lowest": blob.abi.start(), "highest": blob.abi.end()},
                "plugin": {"name": blob.plugin.name, "version": blob.plugin.version},
                "sdk": blob.sdk,
                "rustc": blob.rustc,
                "target": blob.target,
                "profile": blob.profile,
                "panic": blob.panic,
                "tools": blob.tools,
            },
            "warnings": self.warnings(),
        });
        if let Some(plugin) = self.plugin {
            let tool = |tool: Tool| {
                let registration = tool.registration();
                let mut entry = json!({
                    "definition": registration.definition,
                    "options": options(registration),
                    "run": run(registration),
                    "offered": self.scope.covers(registration),
                });
                Marks::of(&self.registry, tool).describe(&mut entry);
                entry
            };
            report["tools"] = plugin.tools().map(tool).collect();
        }
        if let Some(error) = &self.failure {
            report["error"] = json!({"kind": "load", "message": error.to_string()});
        }
        report
    }

    pub(super) fn as_text(&self) -> String {
        let Manifest { name, version, description, entry, raw, .. } = &self.manifest;
        let blob = &self.blob;
        let title = format!(
            "{NAME}{}{NAME:#} {}  {}",
            printable::line(name),
            printable::line(version),
            printable::indented(description, "  ")
        );
        let mut text = format!("{}\n", title.trim_end());
        // What is not said is left out.
        let mut row = |key: &str, value: &str| {
            if !value.is_empty() {
                // Writing to a string does not fail.
                let _ = writeln!(text, "  {DIM}{key:13}{DIM:#} {}", printable::line(value));
            }
        };
        row("folder", &self.folder.to_string_lossy());
        row("entry", entry);
        row("provides", &raw.get("provides").map(Value::to_string).unwrap_or_default());
        row("library", &self.file.path.to_string_lossy());
        let mismatch = blob.mismatch(&self.manifest).map(|_| &blob.plugin);
        row("built as", &mismatch.map(|id| format!("{} {}", id.name, id.version)).unwrap_or_default());
        row("size", &format!("{} bytes", self.file.bytes.len()));
        row("sha256", &hex(&self.file.sha256));
        if let Some(copy) = &self.copy {
            let made = if copy.exists() { "" } else { " (not made yet)" };
            row("private copy", &format!("{}{made}", copy.display()));
        }
        let (lowest, highest) = (blob.abi.start(), blob.abi.end());
        let abi = if lowest == highest { lowest.to_string() } else { format!("{lowest} to {highest}") };
        row("speaks ABI", &format!("{abi} (this host: {})", abi::MAJOR));
        row("SDK", &blob.sdk);
        row("rustc", &blob.rustc);
        row("target", &blob.target);
        row("profile", &blob.profile);
        row("panic", &blob.panic);
        row("declares", &blob.tools.join(", "));
        for warning in self.file.warnings.iter().chain(&self.warnings()) {
            let _ = writeln!(text, "  {WARN}warning{WARN:#}       {}", printable::line(warning));
        }
        match (self.plugin, &self.failure) {
            (Some(plugin), _) => plugin.tools().for_each(|tool| text.push_str(&self.about(tool))),
            (None, Some(_)) => {
                let _ = writeln!(text, "\n{BAD}not loaded{BAD:#}: see the error");
            }
            (None, None) => text.push_str("\nnot loaded: the tools it registers are not known\n"),
        }
        text
    }

    /// One tool, for people.
    fn about(&self, tool: Tool) -> String {
        let registration = tool.registration();
        let mut text = format!("\n{NAME}{}{NAME:#}\n", printable::line(tool.name()));
        let mut row = |key: &str, value: &str| {
            let _ = writeln!(text, "  {DIM}{key:13}{DIM:#} {}", printable::line(value));
        };
        if registration.label() != tool.name() {
            row("label", registration.label());
        }
        let options = options(registration);
        if !options.is_empty() {
            row("options", &Value::Object(options).to_string());
        }
        // Almost every tool has none.
        let marks = Marks::of(&self.registry, tool).line();
        if !marks.is_empty() {
            row("marked", &marks);
        }
        if let Some(why) = not_offered(&self.scope, tool) {
            row("not offered", &why);
        }
        row("runs", run(registration));
        if !registration.description().is_empty() {
            let _ = writeln!(text, "  {}", printable::indented(registration.description(), "  "));
        }
        let _ =
            writeln!(text, "  {}", printable::indented(&format!("{:#}", registration.parameters()), "  "));
        text
    }
}

/// What it was registered with, as the platform calls it; what was not given is left out.
fn options(registration: &Registration) -> Map<String, Value> {
    let mut options = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            options.insert(key.to_owned(), value);
        }
    };
    set("ownerUserId", registration.owner_user_id.map(Value::from));
    set("projectId", registration.project_id.map(Value::from));
    set("platform", registration.platform.clone().map(Value::from));
    set("external", registration.external.then_some(Value::Bool(true)));
    options
}

/// Where its calls run.
fn run(registration: &Registration) -> &'static str {
    match registration.run {
        abi::RUN_INLINE => "inline",
        abi::RUN_NEVER_INLINE => "never inline",
        _ => "as it earns",
    }
}
