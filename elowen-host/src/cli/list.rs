//! `list`: the plugins of a directory and their tools.

use std::path::{Path, PathBuf};

use super::caller::{Caller, not_offered};
use super::output::{BAD, DIM, NAME, Output, WARN};
use super::{Exit, Global, Loading, Outcome, Stop, ending};
use crate::blob::Blob;
use crate::discover::{self, Found};
use crate::error::LoadError;
use crate::manifest::{FILE_NAME, Manifest};
use crate::registry::Registry;
use crate::{folder, host, printable};
use serde_json::{Value, json};

/// Columns grow with what is in them up to this many characters.
const COLUMN: usize = 32;
/// Descriptions are cut to this many.
const DESCRIPTION: usize = 100;

/// List the plugins of a directory, with their tools
///
/// Every folder of DIR that has an elowen-plugin.json is loaded, in the order of their names. One that cannot be
/// loaded is listed with the reason; the command fails (3) only if that is so for all of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  elowen-host list ~/.local/share/elowen/plugins
  elowen-host list --no-load --json plugins")]
pub(super) struct List {
    /// The directory that holds the plugins' folders
    dir: PathBuf,
    /// Run no code of the plugins: show what their files declare
    #[arg(long)]
    no_load: bool,
    /// Print one line of JSON, whatever comes: the list, or an error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    caller: Caller,
    #[command(flatten)]
    loading: Loading,
}

/// A plugin that is listed.
struct Row {
    manifest: Manifest,
    folder: PathBuf,
    tools: Vec<ToolRow>,
    /// What is odd about it.
    warnings: Vec<String>,
}

struct ToolRow {
    name: String,
    /// Label and description; not known before it is loaded.
    text: Option<(String, String)>,
    /// The plugin that has a tool of this name already.
    taken_by: Option<&'static str>,
    /// Whom it is for, if not for this caller.
    not_offered: Option<String>,
}

impl List {
    pub(super) fn run(&self, global: &Global) -> Outcome {
        let mut output = Output::take()?;
        let outcome = self.try_run(global, &mut output);
        output.conclude(self.json, outcome)
    }

    fn try_run(&self, global: &Global, output: &mut Output) -> Outcome {
        let dir = folder::real(&self.dir);
        is_directory_of_plugins(&dir)?;
        let found = discover::discover(&dir).map_err(Stop::usage)?;
        let (rows, failures) =
            if self.no_load { self.declared(global, found) } else { self.loaded(global, found)? };
        if self.json {
            output.json(&self.as_json(&rows, &failures))?;
        } else {
            output.styled(&self.as_text(&dir, &rows, &failures))?;
        }
        Ok(if rows.is_empty() && !failures.is_empty() { Exit::NotLoaded } else { Exit::Ok })
    }

    /// What manifests and libraries say, without running anything.
    fn declared(&self, global: &Global, found: Vec<Found>) -> (Vec<Row>, Vec<LoadError>) {
        let (mut rows, mut failures) = (Vec::new(), Vec::new());
        for found in found {
            let Found { folder, name, manifest } = found;
            let read = manifest.map_err(|error| manifest_error(&folder, &name, error)).and_then(|manifest| {
                let (blob, file) = read_library(global, &folder, &manifest)?;
                Ok((manifest, blob, file))
            });
            match read {
                Ok((manifest, blob, file)) => {
                    let mismatch = blob.mismatch(&manifest);
                    let warnings =
                        manifest.warnings().into_iter().chain(file.warnings).chain(mismatch).collect();
                    let tool = |name| ToolRow { name, text: None, taken_by: None, not_offered: None };
                    let tools = blob.tools.into_iter().map(tool).collect();
                    rows.push(Row { manifest, folder, tools, warnings });
                }
                Err(error) => failures.push(error),
            }
        }
        (rows, failures)
    }

    fn loaded(&self, global: &Global, found: Vec<Found>) -> Result<(Vec<Row>, Vec<LoadError>), Stop> {
        let host = global.host(&self.loading, None)?;
        let scope = self.caller.scope();
        let (mut rows, mut failures, mut registry) = (Vec::new(), Vec::new(), Registry::default());
        for Found { folder, name, manifest } in found {
            let loaded = manifest
                .map_err(|error| manifest_error(&folder, &name, error))
                .and_then(|manifest| Ok((host.load(&folder)?, manifest)));
            let (plugin, manifest) = match loaded {
                Ok(loaded) => loaded,
                Err(error) => {
                    failures.push(error);
                    continue;
                }
            };
            host.merge(&mut registry, plugin);
            let row = |tool: crate::Tool| {
                let registration = tool.registration();
                let owner = registry.owner(tool.name()).map(|owner| owner.name());
                ToolRow {
                    name: tool.name().to_owned(),
                    text: Some((registration.label().to_owned(), registration.description().to_owned())),
                    taken_by: owner.filter(|owner| *owner != plugin.name()),
                    not_offered: not_offered(&scope, tool),
                }
            };
            let (tools, warnings) = (plugin.tools().map(row).collect(), plugin.registration_warnings());
            rows.push(Row { manifest, folder, tools, warnings });
        }
        ending::shut_down(registry.plugins(), None);
        Ok((rows, failures))
    }

    fn as_json(&self, rows: &[Row], failures: &[LoadError]) -> Value {
        let tool = |tool: &ToolRow| {
            let mut entry = json!({"name": tool.name});
            if let Some((label, description)) = &tool.text {
                entry["label"] = json!(label);
                entry["description"] = json!(description);
                entry["offered"] = json!(tool.taken_by.is_none() && tool.not_offered.is_none());
            }
            if let Some(owner) = tool.taken_by {
                entry["ignoredFor"] = json!(owner);
            }
            entry
        };
        let plugin = |row: &Row| {
            json!({
                "name": row.manifest.name,
                "version": row.manifest.version,
                "description": row.manifest.description,
                "folder": row.folder.to_string_lossy(),
                "loaded": !self.no_load,
                "tools": row.tools.iter().map(tool).collect::<Vec<_>>(),
                "warnings": row.warnings,
            })
        };
        let failure = |error: &LoadError| {
            json!({
                "plugin": error.plugin,
                "file": error.file.to_string_lossy(),
                "loaded": false,
                "error": error.to_string(),
            })
        };
        json!({
            "plugins": rows.iter().map(plugin).collect::<Vec<_>>(),
            "failures": failures.iter().map(failure).collect::<Vec<_>>(),
        })
    }

    fn as_text(&self, dir: &Path, rows: &[Row], failures: &[LoadError]) -> String {
        let mut text = String::new();
        let mut line = |line: String| {
            text.push_str(line.trim_end());
            text.push('\n');
        };
        for row in rows {
            let Manifest { name, version, description, .. } = &row.manifest;
            let (name, version) = (printable::line(name), printable::line(version));
            let note = if self.no_load { " (declared, not loaded)" } else { "" };
            line(format!("{NAME}{name}{NAME:#} {version}{DIM}{note}{DIM:#}  {}", first_line(description)));
            let width = |column: fn(&ToolRow) -> String| {
                row.tools.iter().map(|tool| column(tool).chars().count()).max().unwrap_or(0).min(COLUMN)
            };
            let (names, labels) = (width(ToolRow::name), width(ToolRow::label));
            for tool in &row.tools {
                let (name, label) = (tool.name(), tool.label());
                let description = tool.text.as_ref().map_or("", |(_, description)| description);
                let mut shown =
                    format!("  {name:names$}  {DIM}{label:labels$}{DIM:#}  {}", first_line(description));
                shown.truncate(shown.trim_end().len());
                if let Some(owner) = tool.taken_by {
                    shown.push_str(&format!("  {BAD}ignored{BAD:#}: `{owner}` has a tool of that name"));
                }
                if let Some(why) = &tool.not_offered {
                    shown.push_str(&format!("  {WARN}not offered{WARN:#}: {}", printable::line(why)));
                }
                line(shown);
            }
            if row.tools.is_empty() {
                line(format!("  {DIM}no tools{DIM:#}"));
            }
            for warning in &row.warnings {
                line(format!("  {WARN}warning{WARN:#}: {}", printable::line(warning)));
            }
        }
        for error in failures {
            line(format!("{BAD}failed{BAD:#}: {}", printable::indented(&error.to_string(), "  ")));
        }
        if rows.is_empty() && failures.is_empty() {
            line(format!("no plugins in {dir:?}: none of its folders has an {FILE_NAME}"));
            if dir.join("Cargo.toml").exists() {
                line(format!("It is a crate's folder: `elowen-host inspect {}` builds it", dir.display()));
            }
        }
        text
    }
}

impl ToolRow {
    /// In full, since it is what is called.
    fn name(&self) -> String {
        printable::line(&self.name).into_owned()
    }

    fn label(&self) -> String {
        self.text.as_ref().map(|(label, _)| printable::cut(label, COLUMN)).unwrap_or_default()
    }
}

fn first_line(text: &str) -> String {
    printable::cut(text.trim_start().lines().next().unwrap_or_default(), DESCRIPTION)
}

/// Whether plugins' folders can be looked for there.
fn is_directory_of_plugins(dir: &Path) -> Result<(), Stop> {
    match dir.metadata() {
        Err(error) if folder::is_absence(&error) => Err(Stop::usage(format!(
            "{dir:?} does not exist: name the directory that holds the plugins' folders"
        ))),
        Err(error) => Err(Stop::usage(format!("{dir:?} cannot be looked at: {error}"))),
        Ok(metadata) if !metadata.is_dir() => Err(Stop::usage(format!("{dir:?} is not a directory"))),
        Ok(_) if dir.join(FILE_NAME).exists() => Err(Stop::usage(format!(
            "{dir:?} is a plugin's folder itself. `elowen-host inspect {}` shows it; `list` takes the directory around it",
            dir.display()
        ))),
        Ok(_) => Ok(()),
    }
}

fn manifest_error(folder: &Path, name: &str, error: crate::manifest::ManifestError) -> LoadError {
    LoadError { plugin: name.to_owned(), file: folder.join(FILE_NAME), cause: error.into() }
}

/// Reads a plugin's library without running it: its metadata and the file.
pub(super) fn read_library(
    global: &Global,
    folder: &Path,
    manifest: &Manifest,
) -> Result<(Blob, crate::trust::VerifiedFile), LoadError> {
    let mut file = folder.join(&manifest.entry);
    let read = manifest.library_path(folder).map_err(Into::into).and_then(|library| {
        file.clone_from(&library);
        host::inspect(&library, folder, &global.policy())
    });
    match read {
        Ok((verified, blob)) => Ok((blob, verified)),
        Err(cause) => Err(LoadError { plugin: manifest.name.clone(), file, cause }),
    }
}
