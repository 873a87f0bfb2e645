//! `list`: the plugins of a directory and their tools.

mod report;

use std::path::{Path, PathBuf};

use super::caller::{Caller, not_offered};
use super::marks::Marks;
use super::output::Output;
use super::{Exit, Global, Loading, Outcome, Stop, ending};
use crate::blob::Blob;
use crate::discover::{self, Found};
use crate::error::LoadError;
use crate::manifest::{FILE_NAME, Manifest};
use crate::registry::Registry;
use crate::{folder, host};
use report::{Report, Row, ToolRow};

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
        let report = Report { dir, loaded: !self.no_load, rows, failures };
        if self.json {
            output.json(&report.as_json())?;
        } else {
            output.styled(&report.as_text())?;
        }
        let none_loaded = report.rows.is_empty() && !report.failures.is_empty();
        Ok(if none_loaded { Exit::NotLoaded } else { Exit::Ok })
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
                        manifest.warnings.iter().cloned().chain(file.warnings).chain(mismatch).collect();
                    let tool = |name| ToolRow { name, ..ToolRow::default() };
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
            let in_vain = host.merge(&mut registry, plugin);
            let row = |tool: crate::Tool| {
                let registration = tool.registration();
                let owner = registry.owner(tool.name()).map(|owner| owner.name());
                ToolRow {
                    name: tool.name().to_owned(),
                    text: Some((registration.label().to_owned(), registration.description().to_owned())),
                    taken_by: owner.filter(|owner| *owner != plugin.name()),
                    not_offered: not_offered(&scope, tool),
                    marks: Marks::of(&registry, tool),
                }
            };
            let tools = plugin.tools().map(row).collect();
            let said = manifest.warnings.iter().cloned().chain(plugin.registration_warnings());
            let warnings = said.chain(in_vain).collect();
            rows.push(Row { manifest, folder, tools, warnings });
        }
        ending::shut_down(registry.plugins(), None);
        Ok((rows, failures))
    }
}

/// Whether plugins' folders can be looked for there.
pub(super) fn is_directory_of_plugins(dir: &Path) -> Result<(), Stop> {
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
