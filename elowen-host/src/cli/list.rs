//! `list`: the plugins of a directory and their tools.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::output::{BAD, DIM, NAME, Output};
use super::{Exit, Global, Outcome, Stop};
use crate::blob::Blob;
use crate::discover::{self, Found};
use crate::error::LoadError;
use crate::host;
use crate::manifest::Manifest;
use crate::registry::Registry;
use serde_json::{Value, json};

const SHUTDOWN: Duration = Duration::from_secs(2);

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
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// A plugin that is listed.
struct Row {
    manifest: Manifest,
    folder: PathBuf,
    tools: Vec<ToolRow>,
}

struct ToolRow {
    name: String,
    /// Label and description; not known before it is loaded.
    text: Option<(String, String)>,
    /// The plugin that has a tool of this name already.
    taken_by: Option<&'static str>,
}

impl List {
    pub(super) fn run(&self, global: &Global) -> Outcome {
        let mut output = Output::take()?;
        if !self.dir.is_dir() {
            return Err(Stop::usage(format!("{:?} is not a directory", self.dir)));
        }
        let found = discover::discover(&self.dir).map_err(Stop::usage)?;
        let (rows, failures) =
            if self.no_load { self.declared(global, found) } else { self.loaded(global, found)? };
        let text = if self.json { self.as_json(&rows, &failures) } else { self.as_text(&rows, &failures) };
        output.styled(&text)?;
        Ok(if rows.is_empty() && !failures.is_empty() { Exit::NotLoaded } else { Exit::Ok })
    }

    /// What manifests and libraries say, without running anything.
    fn declared(&self, global: &Global, found: Vec<Found>) -> (Vec<Row>, Vec<LoadError>) {
        let (mut rows, mut failures) = (Vec::new(), Vec::new());
        for found in found {
            let Found { folder, name, manifest } = found;
            let read = manifest.map_err(|error| manifest_error(&folder, &name, error)).and_then(|manifest| {
                let (blob, _) = read_library(global, &folder, &manifest)?;
                Ok((manifest, blob))
            });
            match read {
                Ok((manifest, blob)) => {
                    let tool = |name| ToolRow { name, text: None, taken_by: None };
                    rows.push(Row { manifest, folder, tools: blob.tools.into_iter().map(tool).collect() });
                }
                Err(error) => failures.push(error),
            }
        }
        (rows, failures)
    }

    fn loaded(&self, global: &Global, found: Vec<Found>) -> Result<(Vec<Row>, Vec<LoadError>), Stop> {
        let host = global.host()?;
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
                }
            };
            rows.push(Row { manifest, folder, tools: plugin.tools().map(row).collect() });
        }
        for plugin in registry.plugins() {
            // How that goes changes nothing in the list.
            let _ = plugin.shutdown(SHUTDOWN);
        }
        Ok((rows, failures))
    }

    fn as_json(&self, rows: &[Row], failures: &[LoadError]) -> String {
        let tool = |tool: &ToolRow| {
            let mut entry = json!({"name": tool.name});
            if let Some((label, description)) = &tool.text {
                entry["label"] = json!(label);
                entry["description"] = json!(description);
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
                "tools": row.tools.iter().map(tool).collect::<Vec<_>>(),
            })
        };
        let failure = |error: &LoadError| json!({"plugin": error.plugin, "file": error.file.to_string_lossy(), "error": error.to_string()});
        let list: Value = json!({
            "loaded": !self.no_load,
            "plugins": rows.iter().map(plugin).collect::<Vec<_>>(),
            "failures": failures.iter().map(failure).collect::<Vec<_>>(),
        });
        format!("{list}\n")
    }

    fn as_text(&self, rows: &[Row], failures: &[LoadError]) -> String {
        let mut text = String::new();
        for row in rows {
            let Manifest { name, version, description, .. } = &row.manifest;
            let note = if self.no_load { " (declared, not loaded)" } else { "" };
            text.push_str(&format!(
                "{NAME}{name}{NAME:#} {version}{DIM}{note}{DIM:#}  {}\n",
                first_line(description)
            ));
            let names = row.tools.iter().map(|tool| tool.name.chars().count()).max().unwrap_or(0);
            let labels = row.tools.iter().map(|tool| tool.label().chars().count()).max().unwrap_or(0);
            for tool in &row.tools {
                let label = tool.label();
                let mut line = format!("  {:names$}  {DIM}{label:labels$}{DIM:#}", tool.name);
                if let Some((_, description)) = &tool.text {
                    line.push_str(&format!("  {}", first_line(description)));
                }
                if let Some(owner) = tool.taken_by {
                    line.push_str(&format!("  {BAD}ignored{BAD:#}: `{owner}` has a tool of that name"));
                }
                text.push_str(line.trim_end());
                text.push('\n');
            }
            if row.tools.is_empty() {
                text.push_str(&format!("  {DIM}no tools{DIM:#}\n"));
            }
        }
        for error in failures {
            text.push_str(&format!("{BAD}failed{BAD:#}: {error}\n"));
        }
        if rows.is_empty() && failures.is_empty() {
            text.push_str(&format!("no plugins in {}\n", self.dir.display()));
        }
        text
    }
}

impl ToolRow {
    fn label(&self) -> &str {
        self.text.as_ref().map_or("", |(label, _)| label)
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn manifest_error(folder: &Path, name: &str, error: crate::manifest::ManifestError) -> LoadError {
    LoadError { plugin: name.to_owned(), file: folder.join(crate::manifest::FILE_NAME), cause: error.into() }
}

/// Reads a plugin's library without running it: its metadata and the file.
pub(super) fn read_library(
    global: &Global,
    folder: &Path,
    manifest: &Manifest,
) -> Result<(Blob, crate::trust::VerifiedFile), LoadError> {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let mut file = absolute.join(&manifest.entry);
    let read = manifest.library_path(&absolute).map_err(Into::into).and_then(|library| {
        file.clone_from(&library);
        host::inspect(&library, &absolute, &global.policy())
    });
    match read {
        Ok((verified, blob)) => Ok((blob, verified)),
        Err(cause) => Err(LoadError { plugin: manifest.name.clone(), file, cause }),
    }
}
