//! `session`: what a session's model is offered of a directory's plugins, and what it costs.

mod report;

use std::path::PathBuf;

use super::caller::{Caller, not_offered};
use super::list::is_directory_of_plugins;
use super::output::{self, Output};
use super::{Exit, Global, Loading, Outcome, ending};
use crate::error::LoadError;
use crate::folder;
use crate::plugin::Tool;
use crate::policy::Mode;
use crate::registry::Registry;
use crate::session::{SessionOptions, defer::Deferral, offered::Offered};
use report::{Report, Row, State};

/// Show what a session's model is offered
///
/// Loads the plugins of DIR, composes a session, and lists its tools in the order in which a provider is sent them: the
/// bytes of each definition, and which tools are deferred, capped or hidden, and why. Sizes are bytes of compact JSON
/// of name, description and parameters.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  elowen-host session ~/.local/share/elowen/plugins
  elowen-host session plugins --platform web --status-field --defer --json")]
pub(super) struct Session {
    /// The directory that holds the plugins' folders
    dir: PathBuf,
    /// Begin in plan mode
    #[arg(long)]
    plan: bool,
    /// Let calls say what they are doing: adds a property to every internal tool
    #[arg(long)]
    status_field: bool,
    /// Defer tools as the platform does by default
    #[arg(long)]
    defer: bool,
    /// Print one line of JSON, whatever comes: the session, or an error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    caller: Caller,
    #[command(flatten)]
    loading: Loading,
}

impl Session {
    pub(super) fn run(&self, global: &Global) -> Outcome {
        let mut output = Output::take()?;
        let outcome = self.try_run(global, &mut output);
        output.conclude(self.json, outcome)
    }

    fn try_run(&self, global: &Global, output: &mut Output) -> Outcome {
        let dir = folder::real(&self.dir);
        is_directory_of_plugins(&dir)?;
        let host = global.host(&self.loading, None)?;
        let loaded = host.load_dir(&dir).map_err(super::Stop::usage)?;
        let report = self.report(&loaded.registry, loaded.failures);
        for warning in &report.warnings {
            output::warning(warning);
        }
        if self.json {
            output.json(&report.as_json())?;
        } else {
            output.styled(&report.as_text())?;
        }
        ending::shut_down(loaded.registry.plugins(), None);
        let none_loaded = loaded.registry.plugins().is_empty() && !report.failures.is_empty();
        Ok(if none_loaded { Exit::NotLoaded } else { Exit::Ok })
    }

    fn report(&self, registry: &Registry, failures: Vec<LoadError>) -> Report {
        let scope = self.caller.scope();
        let session = crate::session::Session::new(registry, self.options());
        let (composition, offered) = (session.composition(), session.offered());
        let row = |tool: &Offered| {
            let capped = composition.capped().iter().find(|capped| capped.name == tool.name);
            let state = match composition.decision(&tool.name) {
                _ if offered.iter().any(|offered| offered.name == tool.name) => State::Offered,
                Some(decision) if tool.plan_safe || !self.plan => State::Deferred(decision.reason.as_str()),
                // Nothing else hides a tool here: the command line has no lists of its own.
                _ => State::Hidden("plan mode may not use it".to_owned()),
            };
            Row::new(tool, capped.cloned(), state)
        };
        let mut rows: Vec<Row> = composition.tools().map(row).collect();
        // Those that the scope leaves out stand in no session; a name of which another version was chosen does.
        let absent = |tool: &&Tool| session.tool(tool.name()).is_none();
        for tool in registry.tools().iter().filter(absent) {
            let (metadata, merged) = (registry.metadata(), tool.merged());
            let (read_only, plan_safe) = (metadata.is_read_only(&merged), metadata.is_plan_safe(&merged));
            let offered = Offered::new(tool.registration(), tool.plugin().name(), read_only, plan_safe);
            let why = not_offered(&scope, *tool).unwrap_or_else(|| "the session has its own".to_owned());
            rows.push(Row::new(&offered, None, State::Hidden(why)));
        }
        Report { scope, plan: self.plan, rows, warnings: composition.warnings().to_vec(), failures }
    }

    fn options(&self) -> SessionOptions {
        SessionOptions {
            mode: self.plan.then_some(Mode::Plan),
            status_field: self.status_field,
            deferral: self.defer.then(Deferral::default),
            ..self.caller.session()
        }
    }
}
