//! `inspect`: everything that can be known about one plugin.

mod report;

use std::path::PathBuf;

use super::caller::Caller;
use super::configuration::Configuration;
use super::list::read_library;
use super::output::Output;
use super::{Build, Exit, Global, Loading, Outcome, Stop, ending};
use crate::cache::PrivateCopies;
use crate::error::{LoadError, LoadFailure};
use crate::manifest::{FILE_NAME, Manifest};
use crate::registry::Registry;
use report::Report;

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
    /// Print one line of JSON, whatever comes: the report, or an error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    caller: Caller,
    #[command(flatten)]
    configuration: Configuration,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    build: Build,
}

impl Inspect {
    pub(super) fn run(&self, global: &Global) -> Outcome {
        let mut output = Output::take()?;
        let outcome = self.try_run(global, &mut output);
        output.conclude(self.json, outcome)
    }

    fn try_run(&self, global: &Global, output: &mut Output) -> Outcome {
        let config = self.configuration.read()?;
        let folder = self.build.open(&self.plugin)?;
        let manifest = Manifest::read(&folder).map_err(|error| {
            let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
            let file = folder.join(FILE_NAME);
            Stop::not_loaded(LoadError { plugin: name, file, cause: LoadFailure::Manifest(error) })
        })?;
        let (blob, file) = read_library(global, &folder, &manifest).map_err(Stop::not_loaded)?;
        let copy = global.state_dir().map(|state| PrivateCopies::named(&state).path_of(&file));
        let mut registry = Registry::default();
        let loaded = match self.no_load {
            true => None,
            false => {
                let host = global.host(&self.loading, config.map(|config| (folder.as_path(), config)))?;
                Some(host.load(&folder).map(|plugin| (plugin, host.merge(&mut registry, plugin))))
            }
        };
        let (plugin, in_vain, failure) = match loaded {
            None => (None, Vec::new(), None),
            Some(Ok((plugin, in_vain))) => (Some(plugin), in_vain, None),
            Some(Err(error)) => (None, Vec::new(), Some(error)),
        };
        let scope = self.caller.scope();
        let report = Report { folder, manifest, blob, file, copy, plugin, registry, in_vain, failure, scope };
        let written =
            if self.json { output.json(&report.as_json()) } else { output.styled(&report.as_text()) };
        if let Some(plugin) = report.plugin {
            ending::shut_down(&[plugin], None);
        }
        written?;
        match report.failure {
            None => Ok(Exit::Ok),
            Some(error) => {
                let mut stop = Stop::not_loaded(error);
                stop.message.push_str("\nWith --no-load nothing of it is run.");
                Err(Stop { told: true, ..stop })
            }
        }
    }
}
