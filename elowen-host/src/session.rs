//! One conversation's door to its tools: look up, check the arguments, call, answer.
//!
//! Every call that a model asks for comes through [`Session::call`] (A17). Whatever goes wrong comes out as an
//! [`Answer`]: text that the model can act on, or a flagged failure.

use crate::answer::{Answer, Failure};
use crate::arguments::{self, Prepared};
use crate::call::{Call, Update};
use crate::cancel::CancelToken;
use crate::plugin::Tool;
use crate::registry::Registry;
use crate::scope::{self, Scope};
use serde_json::json;
use std::{
    borrow::Cow,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// The tools of one conversation.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use elowen_host::{Host, Trust, scope::Scope, session::Session};
///
/// // SAFETY: the folder is ours, and so is every plugin in it.
/// let host = Host::builder(unsafe { Trust::native_code() }).build()?;
/// let session = Session::new(&host.load_dir("plugins".as_ref())?.registry, Scope::command_line());
/// let answer = pollster::block_on(session.call("MyTool", r#"{"value":"hello"}"#));
/// assert!(!answer.is_error);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    tools: Vec<Tool>,
}

impl Session {
    /// Selects what the scope is offered.
    pub fn new(registry: &Registry, scope: Scope) -> Self {
        Session { tools: scope::select(registry.tools(), &scope) }
    }

    /// Its tools, in order.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name() == name).copied()
    }

    /// Prepares a call with a JSON object of arguments. It starts when it is first polled.
    ///
    /// An internal tool's arguments are checked and coerced first (A11, A12); an external tool's author checks
    /// them, so here they only have to be an object.
    pub fn call<'a>(&self, tool: &str, arguments: impl Into<Cow<'a, str>>) -> SessionCall<'a> {
        let Some(tool) = self.tool(tool) else {
            let answer = Answer { is_error: true, ..Answer::text(format!("Tool {tool} not found")) };
            return SessionCall(Stage::Answered(Some(answer)));
        };
        let registration = tool.registration();
        let arguments = arguments.into();
        let object = json!({"type": "object"});
        let schema = if registration.external { &object } else { registration.parameters() };
        match arguments::prepare(tool.name(), schema, &arguments) {
            Ok(Prepared::Unchanged) => SessionCall(Stage::Calling(Box::new(tool.call(arguments)))),
            Ok(Prepared::Coerced(coerced)) => SessionCall(Stage::Calling(Box::new(tool.call(coerced)))),
            Err(rejection) => SessionCall(Stage::Answered(Some(Answer {
                details: json!({"ok": false, "error": {"kind": INVALID_ARGUMENTS}}),
                ..Answer::text(rejection.text)
            }))),
        }
    }
}

/// `details.error.kind` of an answer to arguments that were not accepted.
pub const INVALID_ARGUMENTS: &str = "invalid_arguments";

impl Answer {
    /// Whether it says that the arguments were not accepted, so that the tool was not run.
    pub fn is_rejection(&self) -> bool {
        self.details.pointer("/error/kind").and_then(serde_json::Value::as_str) == Some(INVALID_ARGUMENTS)
    }
}

/// A call that is prepared, under way, or answered already. Resolves to its answer.
#[must_use = "a call starts when it is awaited"]
pub struct SessionCall<'a>(Stage<'a>);

enum Stage<'a> {
    Answered(Option<Answer>),
    Calling(Box<Call<'a>>),
}

impl<'a> SessionCall<'a> {
    fn map(self, set: impl FnOnce(Call<'a>) -> Call<'a>) -> Self {
        match self.0 {
            Stage::Calling(call) => SessionCall(Stage::Calling(Box::new(set(*call)))),
            answered => SessionCall(answered),
        }
    }

    /// The identifier the model gave the call.
    pub fn call_id(self, id: impl Into<Cow<'a, str>>) -> Self {
        self.map(|call| call.call_id(id))
    }

    /// Gives the call up after this time.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.map(|call| call.timeout(timeout))
    }

    /// Gives the call up when the token is cancelled.
    pub fn cancel_with(self, token: &CancelToken) -> Self {
        self.map(|call| call.cancel_with(token))
    }

    /// Takes partial results; see [`Call::on_update`].
    pub fn on_update(self, on_update: impl FnMut(Update) + Send + 'a) -> Self {
        self.map(|call| call.on_update(on_update))
    }
}

impl SessionCall<'_> {
    /// The answer, or the failure before it becomes one.
    pub(crate) fn poll_result(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Failure>> {
        match &mut self.0 {
            Stage::Answered(answer) => match answer.take() {
                Some(answer) => Poll::Ready(Ok(answer)),
                // Polled after its end, which a future must not be; it has nothing more to say.
                None => Poll::Pending,
            },
            Stage::Calling(call) => {
                Pin::new(&mut **call).poll(cx).map(|ended| ended.and_then(|raw| raw.parse()))
            }
        }
    }
}

impl Future for SessionCall<'_> {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        self.get_mut().poll_result(cx).map(|ended| ended.unwrap_or_else(Answer::from))
    }
}

impl fmt::Debug for SessionCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionCall")
    }
}
