//! One call of a session as a future: its gates, the tool itself, and whoever looks at the result.

use super::Shared;
use crate::answer::{Answer, Failure, FailureKind};
use crate::call::{Call, Update};
use crate::cancel::CancelToken;
use crate::gates::{GateCall, HookCall, Target, Verdict};
use std::{
    borrow::Cow,
    fmt,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

/// A call that is prepared, under way, or answered already. Resolves to its answer.
#[must_use = "a call starts when it is awaited"]
pub struct SessionCall<'a>(Stage<'a>);

enum Stage<'a> {
    Answered(Option<Answer>),
    Pending(Option<Pending<'a>>),
    Running(Running<'a>),
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + 'a>>;

/// A call that has not begun.
pub(super) struct Pending<'a> {
    session: Arc<Shared>,
    target: Target<'static>,
    work: Work<'a>,
    cancel: Option<CancelToken>,
}

/// What is to be done once the gates have let it pass.
pub(super) enum Work<'a> {
    /// Run ToolSearch with these arguments.
    Search(Cow<'a, str>),
    /// Run the plugin's tool.
    Tool(Box<Call<'a>>),
}

impl<'a> Pending<'a> {
    pub(super) fn new(session: Arc<Shared>, target: Target<'static>, work: Work<'a>) -> Self {
        Pending { session, target, work, cancel: None }
    }

    async fn run(self) -> Result<Answer, Failure> {
        let Pending { session, target, work, cancel } = self;
        let arguments = match &work {
            Work::Search(arguments) => arguments,
            Work::Tool(call) => call.arguments(),
        };
        let gate = GateCall::new(target, &session.turn, arguments);
        if let Verdict::Refuse(text) = unless_cancelled(cancel, target, session.gates.check(&gate)).await? {
            return Ok(Answer::text(text));
        }
        let watched = target.plugin.is_some() && !session.after.is_empty();
        let params = watched.then(|| gate.params().clone());
        drop(gate);
        let mut answer = match work {
            Work::Search(arguments) => session.search(&arguments),
            Work::Tool(call) => call.await?.parse()?,
        };
        if let Some(params) = &params {
            session.after.run(HookCall { tool: target.name, params }, &mut answer).await;
        }
        Ok(answer)
    }
}

/// Waits for the gates, which may ask a person, for as long as the call is wanted.
async fn unless_cancelled(
    token: Option<CancelToken>,
    target: Target<'static>,
    gates: impl Future<Output = Verdict>,
) -> Result<Verdict, Failure> {
    let Some(token) = token else { return Ok(gates.await) };
    let waiting = Waiting::new(token);
    let mut gates = pin!(gates);
    poll_fn(|cx| {
        if waiting.token.poll(waiting.number, cx.waker()) {
            let plugin = target.plugin.unwrap_or_default();
            let kind = FailureKind::Cancelled;
            return Poll::Ready(Err(Failure { kind, plugin, message: String::new(), location: None }));
        }
        gates.as_mut().poll(cx).map(Ok)
    })
    .await
}

/// Somebody who waits on a token without having an operation yet. Operations have numbers from 2^32 up.
struct Waiting {
    token: CancelToken,
    number: u64,
}

impl Waiting {
    fn new(token: CancelToken) -> Self {
        static NUMBERS: AtomicU32 = AtomicU32::new(0);
        Waiting { token, number: NUMBERS.fetch_add(1, Ordering::Relaxed).into() }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.token.forget(self.number);
    }
}

impl<'a> SessionCall<'a> {
    pub(super) fn new(pending: Pending<'a>) -> Self {
        SessionCall(Stage::Pending(Some(pending)))
    }

    pub(super) fn answered(answer: Answer) -> Self {
        SessionCall(Stage::Answered(Some(answer)))
    }

    fn map(mut self, set: impl FnOnce(Call<'a>) -> Call<'a>) -> Self {
        if let Stage::Pending(Some(pending)) = &mut self.0
            && let Work::Tool(_) = &pending.work
        {
            let none = Work::Search(Cow::Borrowed(""));
            if let Work::Tool(call) = std::mem::replace(&mut pending.work, none) {
                pending.work = Work::Tool(Box::new(set(*call)));
            }
        }
        self
    }

    /// The identifier the model gave the call.
    pub fn call_id(self, id: impl Into<Cow<'a, str>>) -> Self {
        self.map(|call| call.call_id(id))
    }

    /// Gives the call up when its tool has run for this time. Waiting for somebody's permission does not count.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.map(|call| call.timeout(timeout))
    }

    /// Gives the call up when the token is cancelled.
    pub fn cancel_with(mut self, token: &CancelToken) -> Self {
        if let Stage::Pending(Some(pending)) = &mut self.0 {
            pending.cancel = Some(token.clone());
        }
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
        if let Stage::Pending(pending) = &mut self.0
            && let Some(pending) = pending.take()
        {
            self.0 = Stage::Running(Box::pin(pending.run()));
        }
        let ended = match &mut self.0 {
            Stage::Answered(answer) => answer.take().map(Ok),
            Stage::Pending(_) => None,
            Stage::Running(running) => match running.as_mut().poll(cx) {
                Poll::Ready(ended) => Some(ended),
                Poll::Pending => return Poll::Pending,
            },
        };
        // Polled after its end, which a future must not be, it has nothing more to say.
        self.0 = Stage::Answered(None);
        ended.map_or(Poll::Pending, Poll::Ready)
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
