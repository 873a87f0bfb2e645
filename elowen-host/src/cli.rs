//! The command line: what can be said, and how it ends.
//!
//! One file a command below; this one has what they share. Answers go to stdout, everything else (progress, logs,
//! what plugins print) to stderr. `Exit` has the exit codes.

mod arguments;
mod call;
mod caller;
mod completions;
mod configuration;
mod ending;
mod inspect;
mod list;
mod marks;
mod output;
mod seconds;
mod session;
mod suggest;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgAction, Args, CommandFactory as _, Parser, Subcommand};

use crate::error::LoadError;
use crate::host::Host;
use crate::library::Trust;
use crate::log::{Level, Stderr};
use crate::package::{self, BuildOptions, Kind, OpenError, Profile};
use crate::trust::TrustPolicy;
use crate::{folder, os, printable};
use serde_json::{Value, json};

/// How a command ended, as its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// The command did what it was asked; `call`: the tool answered.
    Ok = 0,
    /// `call`: the result is flagged, the arguments were rejected, or there is no such tool.
    Failed = 1,
    /// The command line makes no sense, its JSON is none, or it names a path that is not there. (Also what clap
    /// exits with.)
    Usage = 2,
    /// The plugin could not be built or loaded.
    NotLoaded = 3,
}

/// Why a command could not do what it was asked, as a message for stderr.
#[derive(Debug)]
struct Stop {
    exit: Exit,
    /// For programs: `usage`, `build`, `load`, `host`, `unknown_tool` or `output`.
    kind: &'static str,
    message: String,
    /// Programs have been told already.
    told: bool,
}

impl Stop {
    fn new(exit: Exit, kind: &'static str, message: impl ToString) -> Self {
        Stop { exit, kind, message: message.to_string(), told: false }
    }

    fn usage(message: impl ToString) -> Self {
        Stop::new(Exit::Usage, "usage", message)
    }

    /// A plugin was not loaded. Its own words may be in the message, so no line of it but the first stands at the
    /// margin.
    fn not_loaded(error: LoadError) -> Self {
        Stop::new(Exit::NotLoaded, "load", printable::indented(&error.to_string(), "  "))
    }

    fn as_json(&self) -> Value {
        json!({"error": {"kind": self.kind, "message": self.message}})
    }
}

impl From<OpenError> for Stop {
    fn from(error: OpenError) -> Self {
        let (exit, kind) = match &error {
            OpenError::Missing { .. } | OpenError::NotAFolder { .. } => (Exit::Usage, "usage"),
            OpenError::NoPlugin { .. } | OpenError::Unreadable { .. } => (Exit::NotLoaded, "load"),
            OpenError::Build(_) | OpenError::Package(_) | OpenError::Make(_) => (Exit::NotLoaded, "build"),
        };
        Stop::new(exit, kind, error)
    }
}

type Outcome = Result<Exit, Stop>;

/// Loads native plugins for the Elowen AI agent platform and runs their tools.
#[derive(Debug, Parser)]
#[command(name = "elowen-host", version, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  elowen-host call examples/hello MyTool '{\"value\":\"hello\"}'
  elowen-host inspect examples/hello
  elowen-host list ~/.local/share/elowen/plugins

Exit codes: 0 done, 1 the tool failed or refused its arguments, 2 usage or a path that is not\nthere, 3 the plugin could not be loaded.")]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// What holds for every command.
#[derive(Debug, Args)]
struct Global {
    /// Keep data and private copies of libraries here
    #[arg(long, value_name = "DIR", global = true, help_heading = "Global options")]
    state_dir: Option<PathBuf>,
    /// Log what happens; -vv also each step of loading, and how long it took
    #[arg(short, long, action = ArgAction::Count, global = true, help_heading = "Global options")]
    verbose: u8,
    /// Load plugins built with panic = "abort", whose panics end this process
    #[arg(long, global = true, help_heading = "Global options")]
    allow_abort: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Call(call::Call),
    Inspect(inspect::Inspect),
    List(list::List),
    Session(session::Session),
    Completions(completions::Completions),
}

/// How a crate is built, for commands that take one.
#[derive(Debug, Args)]
struct Build {
    /// A crate: build it with the release profile
    #[arg(long, help_heading = "Building a crate")]
    release: bool,
    /// A crate: build it with this profile
    #[arg(long, value_name = "NAME", conflicts_with = "release", help_heading = "Building a crate")]
    profile: Option<String>,
    /// A crate: build it with this rustup toolchain
    #[arg(long, value_name = "NAME", help_heading = "Building a crate")]
    toolchain: Option<String>,
}

impl Build {
    /// The folder to load for what was named on the command line; a crate is built and packaged first.
    fn open(&self, plugin: &Path) -> Result<PathBuf, Stop> {
        let profile = match (&self.profile, self.release) {
            (Some(name), _) => Profile::Named(name.clone()),
            (None, true) => Profile::Release,
            (None, false) => Profile::Debug,
        };
        let (kind, place) = (package::kind(plugin)?, folder::real(plugin));
        if let (Kind::Folder, Some(option)) = (kind, self.given()) {
            return Err(Stop::usage(format!(
                "{option} has no effect: {place:?} is a plugin's folder and not a crate, so nothing is built. Leave it out"
            )));
        }
        let options = BuildOptions { profile, toolchain: self.toolchain.clone(), ..BuildOptions::default() };
        let opened = package::open(plugin, &options)?;
        if let Some(packaged) = &opened.packaged {
            output::note(&format!(
                "Packaged {} {} into {}",
                packaged.name,
                packaged.version,
                packaged.folder.display()
            ));
        }
        Ok(opened.folder)
    }

    /// The first option that says how to build.
    fn given(&self) -> Option<&'static str> {
        let given = [
            (self.release, "--release"),
            (self.profile.is_some(), "--profile"),
            (self.toolchain.is_some(), "--toolchain"),
        ];
        given.into_iter().find_map(|(given, option)| given.then_some(option))
    }
}

/// How plugins are loaded, for commands that do.
#[derive(Debug, Args)]
struct Loading {
    /// Give up a plugin whose registration takes longer than this many seconds
    #[arg(
        long, value_name = "SECONDS", value_parser = seconds::parse, default_value = "30", help_heading = "Loading"
    )]
    register_timeout: Duration,
}

impl Global {
    fn policy(&self) -> TrustPolicy {
        TrustPolicy { allow_abort: self.allow_abort, ..TrustPolicy::default() }
    }

    /// The folder of the host's state, which need not be there; `None` if nothing says where it is.
    fn state_dir(&self) -> Option<PathBuf> {
        match &self.state_dir {
            Some(dir) => Some(std::path::absolute(dir).unwrap_or_else(|_| dir.clone())),
            None => os::state_dir().ok(),
        }
    }

    /// The host that the plugins of this command are loaded into; `configured` is one plugin's folder and its
    /// configuration.
    fn host(&self, loading: &Loading, configured: Option<(&Path, Value)>) -> Result<Host, Stop> {
        let level = match self.verbose {
            0 => Level::Warn,
            1 => Level::Info,
            _ => Level::Debug,
        };
        let mut builder = Host::builder(Trust::of_the_command_line())
            .policy(self.policy())
            .log(Stderr(level))
            // A tool that blocks must not take ctrl-C and the deadline with it.
            .never_inline()
            .register_timeout(loading.register_timeout);
        if let Some(dir) = &self.state_dir {
            builder = builder.state_dir_by("--state-dir", dir.clone());
        }
        if let Some((folder, config)) = configured {
            // A plugin is called as its folder is.
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            builder = builder.config(name, config);
        }
        builder.build().map_err(|error| Stop::new(Exit::NotLoaded, "host", error))
    }
}

/// Runs the command that this process was started with.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match &cli.command {
        Command::Call(call) => call.run(&cli.global),
        Command::Inspect(inspect) => inspect.run(&cli.global),
        Command::List(list) => list.run(&cli.global),
        Command::Session(session) => session.run(&cli.global),
        Command::Completions(completions) => completions.run(Cli::command()),
    };
    let exit = outcome.unwrap_or_else(|stop| {
        output::error(&stop.message);
        stop.exit
    });
    ExitCode::from(exit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
