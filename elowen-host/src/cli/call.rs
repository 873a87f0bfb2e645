//! `call`: one call of one tool, from the command line to the exit code.

use std::path::PathBuf;
use std::time::Duration;

use super::output::{self, Output};
use super::{Build, Exit, Global, Outcome, Stop, arguments, suggest};
use crate::answer::{Answer, Content};
use crate::cancel::CancelToken;
use crate::plugin::Tool;
use crate::registry::Registry;
use crate::scope::Scope;
use crate::session::Session;
use serde_json::json;

/// How long a plugin may take to shut down after the call.
const SHUTDOWN: Duration = Duration::from_secs(2);
/// What a shell expects of a command that was interrupted.
const INTERRUPTED: i32 = 130;

/// Call a tool of a plugin and print its answer
///
/// PLUGIN is a plugin's folder (with elowen-plugin.json), or a crate's (with Cargo.toml), which is built first.
/// Updates that the tool sends while it runs go to stderr. Ctrl-C cancels the call.
///
/// Exit codes: 0 the tool answered; 1 it failed, refused its arguments or does not exist; 2 usage, or arguments
/// that are no JSON; 3 the plugin could not be built or loaded.
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
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    arguments: Option<String>,
    /// One argument; VALUE is taken as JSON if it is that (5, true, [1]), else as a string; repeat for more
    #[arg(long = "arg", value_name = "KEY=VALUE", conflicts_with = "arguments")]
    pairs: Vec<String>,
    /// Print the whole answer as one line of JSON: content, details, isError
    #[arg(long)]
    json: bool,
    /// Give the call up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    build: Build,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it must be a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("it must be more than 0 seconds".to_owned()),
    }
}

impl Call {
    pub(super) fn run(&self, global: &Global) -> Outcome {
        let arguments = self.arguments().map_err(Stop::usage)?;
        let mut output = Output::take()?;
        let folder = self.build.open(&self.plugin)?;
        let registry = global.host()?.load_alone(&folder).map_err(Stop::not_loaded)?;
        let session = Session::new(&registry, Scope::command_line());
        let outcome = match session.tool(&self.tool) {
            Some(tool) => {
                let token = on_interrupt();
                if global.verbose > 0 {
                    output::note(&format!("Calling {} of {}", tool.name(), tool.plugin().name()));
                }
                let answer = self.answer(&session, &arguments, &token);
                self.print(&mut output, &answer)
            }
            None => self.unknown_tool(&mut output, &registry, &session),
        };
        for plugin in registry.plugins() {
            if let Err(error) = plugin.shutdown(SHUTDOWN) {
                output::warning(&format!("plugin `{}` was not shut down: {error}", plugin.name()));
            }
        }
        outcome
    }

    fn arguments(&self) -> Result<String, String> {
        match self.arguments.as_deref() {
            Some("-") => arguments::from_stdin(),
            Some(json) => arguments::checked(json.to_owned()),
            None => arguments::from_pairs(&self.pairs),
        }
    }

    /// Calls the tool. The one place that does.
    fn answer(&self, session: &Session, arguments: &str, token: &CancelToken) -> Answer {
        let mut call = session
            .call(&self.tool, arguments)
            .cancel_with(token)
            .on_update(|update| output::update(&update.to_text()));
        if let Some(timeout) = self.timeout {
            call = call.timeout(timeout);
        }
        pollster::block_on(call)
    }

    fn print(&self, output: &mut Output, answer: &Answer) -> Outcome {
        if self.json {
            output.raw(line(answer).as_bytes())?;
        } else {
            for content in &answer.content {
                output.raw(text(content).as_bytes())?;
            }
        }
        Ok(if answer.is_error || answer.is_rejection() { Exit::Failed } else { Exit::Ok })
    }

    fn unknown_tool(&self, output: &mut Output, registry: &Registry, session: &Session) -> Outcome {
        let plugin = registry.plugins().first().map_or("", |plugin| plugin.name());
        let hidden = registry.tools().iter().any(|tool| tool.name() == self.tool);
        let message = if hidden {
            format!(
                "tool `{}` of plugin `{plugin}` is registered for another account, project or platform",
                self.tool
            )
        } else {
            let tools: Vec<&str> = session.tools().iter().map(Tool::name).collect();
            suggest::unknown_tool(plugin, &self.tool, &tools)
        };
        if self.json {
            let details = json!({"ok": false, "error": {"kind": "unknown_tool"}});
            let answer = Answer { is_error: true, details, ..Answer::text(message.clone()) };
            output.raw(line(&answer).as_bytes())?;
        }
        Err(Stop { exit: Exit::Failed, message })
    }
}

/// The whole answer, a line.
fn line(answer: &Answer) -> String {
    // Strings, numbers and JSON values: nothing in an answer can fail to be written.
    serde_json::to_string(answer).unwrap_or_default() + "\n"
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

    #[test]
    fn a_timeout_is_a_positive_number_of_seconds() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for wrong in ["0", "-1", "nan", "inf", "1e30", "soon", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
