//! `inspect`: everything that can be known about one plugin.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::list::read_library;
use super::output::{DIM, NAME, Output};
use super::{Build, Exit, Global, Outcome, Stop};
use crate::blob::Blob;
use crate::cache::hex;
use crate::manifest::{FILE_NAME, Manifest};
use crate::plugin::Plugin;
use crate::registry::Registration;
use crate::trust::VerifiedFile;
use crate::{LoadError, error::LoadFailure};
use elowen_sdk::abi;
use serde_json::{Map, Value, json};

const SHUTDOWN: Duration = Duration::from_secs(2);

/// Show what is known about a plugin: manifest, library, tools and their schemas
///
/// With --no-load no code of the plugin runs: the manifest and the metadata in the library are read, nothing
/// more. (A crate is built all the same, which runs its build scripts.)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  elowen-host inspect examples/hello
  elowen-host inspect --no-load --json downloads/some-plugin")]
pub(super) struct Inspect {
    /// The plugin's folder, or a crate's
    plugin: PathBuf,
    /// Run no code of the plugin
    #[arg(long)]
    no_load: bool,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    build: Build,
}

/// What was found out.
struct Report {
    folder: PathBuf,
    manifest: Manifest,
    blob: Blob,
    file: VerifiedFile,
    copy: PathBuf,
    /// None if it was not loaded.
    plugin: Option<Plugin>,
}

impl Inspect {
    pub(super) fn run(&self, global: &Global) -> Outcome {
        let mut output = Output::take()?;
        let folder = self.build.open(&self.plugin)?;
        let report = self.report(global, folder)?;
        let text = if self.json { format!("{}\n", report.as_json()) } else { report.as_text() };
        let written = output.styled(&text);
        if let Some(plugin) = report.plugin {
            // How that goes changes nothing in what was shown.
            let _ = plugin.shutdown(SHUTDOWN);
        }
        written.map(|()| Exit::Ok)
    }

    fn report(&self, global: &Global, folder: PathBuf) -> Result<Report, Stop> {
        let manifest = Manifest::read(&folder)
            .map_err(|error| Stop::not_loaded(manifest_error(&folder, LoadFailure::Manifest(error))))?;
        let (blob, file) = read_library(global, &folder, &manifest).map_err(Stop::not_loaded)?;
        let host = global.host()?;
        let plugin = match self.no_load {
            true => None,
            false => Some(host.load(&folder).map_err(Stop::not_loaded)?),
        };
        let copy = host.copies().path_of(&file);
        Ok(Report { folder, manifest, blob, file, copy, plugin })
    }
}

fn manifest_error(folder: &Path, cause: LoadFailure) -> LoadError {
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    LoadError { plugin: name, file: folder.join(FILE_NAME), cause }
}

impl Report {
    fn as_json(&self) -> Value {
        let blob = &self.blob;
        let mut report = json!({
            "folder": self.folder.to_string_lossy(),
            "loaded": self.plugin.is_some(),
            "manifest": self.manifest.raw,
            "file": {
                "path": self.file.path.to_string_lossy(),
                "size": self.file.bytes.len(),
                "sha256": hex(&self.file.sha256),
                "privateCopy": self.copy.to_string_lossy(),
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
        });
        if let Some(plugin) = self.plugin {
            let tool = |tool: crate::Tool| {
                let registration = tool.registration();
                json!({"definition": registration.definition, "options": options(registration), "run": run(registration)})
            };
            report["tools"] = plugin.tools().map(tool).collect();
        }
        report
    }

    fn as_text(&self) -> String {
        let Manifest { name, version, description, entry, raw, .. } = &self.manifest;
        let blob = &self.blob;
        let mut text = format!("{NAME}{name}{NAME:#} {version}  {description}\n");
        let mut row = |key: &str, value: &str| {
            let value = if value.is_empty() { "not said" } else { value };
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {DIM}{key:13}{DIM:#} {value}");
        };
        row("folder", &self.folder.to_string_lossy());
        row("entry", entry);
        row("provides", &raw.get("provides").map(Value::to_string).unwrap_or_else(|| "{}".to_owned()));
        row("library", &self.file.path.to_string_lossy());
        row("size", &format!("{} bytes", self.file.bytes.len()));
        row("sha256", &hex(&self.file.sha256));
        let made = if self.copy.exists() { "" } else { " (not made yet)" };
        row("private copy", &format!("{}{made}", self.copy.display()));
        let (lowest, highest) = (blob.abi.start(), blob.abi.end());
        let abi = if lowest == highest { lowest.to_string() } else { format!("{lowest} to {highest}") };
        row("speaks ABI", &format!("{abi} (this host: {})", abi::MAJOR));
        row("SDK", &blob.sdk);
        row("rustc", &blob.rustc);
        row("target", &blob.target);
        row("profile", &blob.profile);
        row("panic", &blob.panic);
        row("declares", &blob.tools.join(", "));
        for warning in &self.file.warnings {
            row("warning", warning);
        }
        match self.plugin {
            None => text.push_str("\nnot loaded: the tools it registers are not known\n"),
            Some(plugin) => plugin.tools().for_each(|tool| text.push_str(&about(tool.registration()))),
        }
        text
    }
}

/// One tool, for people.
fn about(registration: &Registration) -> String {
    let Registration { name, .. } = registration;
    let mut text = format!("\n{NAME}{name}{NAME:#}  {DIM}{}{DIM:#}\n", registration.label());
    for line in registration.description().lines() {
        let _ = writeln!(text, "  {line}");
    }
    let options = options(registration);
    if !options.is_empty() {
        let _ = writeln!(text, "  {DIM}options{DIM:#} {}", Value::Object(options));
    }
    let _ = writeln!(text, "  {DIM}runs{DIM:#} {}", run(registration));
    for line in format!("{:#}", registration.parameters()).lines() {
        let _ = writeln!(text, "  {line}");
    }
    text
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
