//! `call`: one call of one tool, from the command line to the exit code.

use std::path::PathBuf;
use std::time::Duration;

use super::caller::{self, Caller};
use super::configuration::Configuration;
use super::output::{self, Output};
use super::{Build, Exit, Global, Loading, Outcome, Stop, arguments, ending, seconds, suggest};
use crate::answer::{Answer, Content, Failure};
use crate::cancel::CancelToken;
use crate::plugin::Tool;
use crate::registry::Registry;
use crate::scope::Scope;
use crate::session::Session;
use serde_json::{Value, json};

/// How a sentence about the arguments begins.
const ARGUMENTS: &str = "the arguments are";
/// What a shell expects of a command that was interrupted.
const INTERRUPTED: i32 = 130;

/// Call a tool of a plugin and print its answer
///
/// PLUGIN is a plugin's folder (with elowen-plugin.json), or a crate's (with Cargo.toml), which is built first.
/// Updates that the tool sends while it runs go to stderr. Ctrl-C cancels the call.
///
/// Exit codes: 0 the tool answered; 1 it failed, refused its arguments or does not exist; 2 usage, arguments that
/// are no JSON, or a path that is not there; 3 the plugin could not be built or loaded.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  elowen-host call examples/hello MyTool '{\"value\":\"hello\"}'
  elowen-host call examples/hello MyTool --arg value=hello
  echo '{\"value\":\"hello\"}' | elowen-host call examples/hello MyTool - --json
  elowen-host call examples/c-hello CWait --arg milliseconds=5000 --timeout 1.5")]
pub(super) struct Call {
    /// The plugin's folder, or a crate's
    plugin: PathBuf,
    /// The tool's name
    tool: String,
    /// The arguments, a JSON object; `-` reads it from stdin; none is {}
    #[arg(value_name = "JSON")]
    arguments: Option<String>,
    /// One argument; VALUE is taken as JSON if it is that (5, true, [1]), else as a string; repeat for more
    #[arg(long = "arg", value_name = "KEY=VALUE", conflicts_with = "arguments")]
    pairs: Vec<String>,
    /// Print one line of JSON, whatever comes: the whole answer (content, details, isError), or an error
    #[arg(long)]
    json: bool,
    /// Give the call up after this many seconds; loading has --register-timeout
    #[arg(long, value_name = "SECONDS", value_parser = seconds::parse)]
    timeout: Option<Duration>,
    #[command(flatten)]
    caller: Caller,
    #[command(flatten)]
    configuration: Configuration,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    build: Build,
}

impl Call {
    pub(super) fn run(&self, global: &Global) -> Outcome {
        let mut output = Output::take()?;
        let outcome = self.try_run(global, &mut output);
        output.conclude(self.json, outcome)
    }

    fn try_run(&self, global: &Global, output: &mut Output) -> Outcome {
        let arguments = self.arguments().map_err(Stop::usage)?;
        let config = self.configuration.read()?;
        let folder = self.build.open(&self.plugin)?;
        let host = global.host(&self.loading, config.map(|config| (folder.as_path(), config)))?;
        let registry = host.load_alone(&folder).map_err(Stop::not_loaded)?;
        let scope = self.caller.scope();
        let session = Session::new(&registry, self.caller.session());
        let outcome = match session.tool(&self.tool) {
            Some(tool) => {
                let token = on_interrupt();
                if global.verbose > 0 {
                    output::note(&format!("Calling {} of {}", tool.name(), tool.plugin().name()));
                }
                let ended = self.answer(&session, &arguments, &token);
                self.print(output, ended)
            }
            None => self.unknown_tool(output, &registry, &session, &scope),
        };
        ending::shut_down(registry.plugins(), Some(&self.tool));
        outcome
    }

    fn arguments(&self) -> Result<String, String> {
        match self.arguments.as_deref() {
            Some("-") => arguments::from_stdin(ARGUMENTS),
            Some(json) => arguments::checked(json.to_owned(), ARGUMENTS),
            None => arguments::from_pairs(&self.pairs),
        }
    }

    /// Calls the tool. The one place that does.
    fn answer(&self, session: &Session, arguments: &str, token: &CancelToken) -> Result<Answer, Failure> {
        let mut call = session
            .call(&self.tool, arguments)
            .cancel_with(token)
            .on_update(|update| output::update(&update.to_text()));
        if let Some(timeout) = self.timeout {
            call = call.timeout(timeout);
        }
        pollster::block_on(std::future::poll_fn(|cx| call.poll_result(cx)))
    }

    fn print(&self, output: &mut Output, ended: Result<Answer, Failure>) -> Outcome {
        let answer = ended.unwrap_or_else(|failure| {
            // The platform has no room for the kind; programs at this command line have.
            let details = error_kind(&failure.kind.to_string());
            Answer { details, ..Answer::from(failure) }
        });
        if self.json {
            output.json(&answer)?;
        } else {
            for content in &answer.content {
                output.foreign(&text(content))?;
            }
        }
        Ok(if answer.is_error || answer.is_rejection() { Exit::Failed } else { Exit::Ok })
    }

    fn unknown_tool(
        &self,
        output: &mut Output,
        registry: &Registry,
        session: &Session,
        scope: &Scope,
    ) -> Outcome {
        let plugin = registry.plugins().first().map_or("", |plugin| plugin.name());
        let message = caller::unoffered(registry, plugin, &self.tool, scope).unwrap_or_else(|| {
            let tools: Vec<&str> = session.tools().iter().map(Tool::name).collect();
            suggest::unknown_tool(plugin, &self.tool, &tools)
        });
        if self.json {
            let details = error_kind("unknown_tool");
            output.json(&Answer { is_error: true, details, ..Answer::text(message.clone()) })?;
        }
        Err(Stop { told: true, ..Stop::new(Exit::Failed, "unknown_tool", message) })
    }
}

/// Details that tell programs what kind of failure it was.
fn error_kind(kind: &str) -> Value {
    json!({"ok": false, "error": {"kind": kind}})
}

/// A piece of an answer, for people: text with a line's end, an image by what it is.
fn text(content: &Content) -> String {
    match content {
        Content::Text { text } if text.ends_with('\n') => text.clone(),
        Content::Text { text } => format!("{text}\n"),
        Content::Image { data, mime_type } => {
            format!("[image {mime_type}, {} bytes of base64]\n", data.len())
        }
    }
}

/// A token that the first ctrl-C cancels. A second one ends the process.
fn on_interrupt() -> CancelToken {
    let token = CancelToken::new();
    let cancel = token.clone();
    let handler = ctrlc::set_handler(move || {
        if cancel.is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        cancel.cancel();
    });
    if let Err(error) = handler {
        output::warning(&format!("ctrl-C will end this process without cancelling the call: {error}"));
    }
    token
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_its_line_once_and_an_image_is_described() {
        let shown = |text: &str| super::text(&Content::Text { text: text.to_owned() });
        assert_eq!(shown("a"), "a\n");
        assert_eq!(shown("a\n"), "a\n");
        assert_eq!(shown(""), "\n");
        let image = Content::Image { data: "QUJD".to_owned(), mime_type: "image/png".to_owned() };
        assert_eq!(super::text(&image), "[image image/png, 4 bytes of base64]\n");
    }
}
