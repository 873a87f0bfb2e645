//! One call of a tool as a future: start, updates, cancellation, deadline, and its end exactly once.
//!
//! It needs no particular async runtime. Dropping it cancels the call.

use crate::answer::{Answer, Failure, FailureKind, RawAnswer};
use crate::cancel::CancelToken;
use crate::library::Start;
use crate::operation::{self, Ending, Look, Updates};
use crate::plugin::Tool;
use crate::policy::Turn;
use crate::timer;
use elowen_sdk::abi;
use serde_json::Value;
use std::{
    borrow::Cow,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

type OnUpdate<'a> = Box<dyn FnMut(Update) + Send + 'a>;

/// A partial result.
#[derive(Clone, Debug)]
pub struct Update(String);

impl Update {
    /// As JSON text, as the plugin sent it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its texts, a line each; the whole JSON where it is not a result.
    pub fn to_text(&self) -> String {
        match serde_json::from_str::<Answer>(&self.0) {
            Ok(answer) => answer.to_text(),
            Err(_) => self.0.clone(),
        }
    }
}

impl Tool {
    /// Prepares a call with a JSON object of arguments. It starts when it is first polled.
    ///
    /// This is the raw call: nothing is checked and no rule applied. [`Session::call`](crate::session::Session::call) is
    /// the way in for whatever a model asks for.
    pub fn call<'a>(&self, arguments: impl Into<Cow<'a, str>>) -> Call<'a> {
        let request = Request {
            tool: *self,
            arguments: arguments.into(),
            call_id: Cow::Borrowed(""),
            timeout: None,
            cancel: None,
            on_update: None,
            turn: None,
        };
        Call { request, stage: Stage::Ready }
    }
}

/// A call that is prepared or under way. Resolves to the tool's result.
#[must_use = "a call starts when it is awaited"]
pub struct Call<'a> {
    request: Request<'a>,
    stage: Stage,
}

/// What is asked for.
struct Request<'a> {
    tool: Tool,
    arguments: Cow<'a, str>,
    call_id: Cow<'a, str>,
    timeout: Option<Duration>,
    cancel: Option<CancelToken>,
    on_update: Option<OnUpdate<'a>>,
    /// Whose call it is.
    turn: Option<Arc<Turn>>,
}

#[derive(Clone, Copy)]
enum Stage {
    Ready,
    Running(Running),
    Over,
}

#[derive(Clone, Copy)]
struct Running {
    number: u64,
    /// Whether the plugin gave a handle for it.
    handed: bool,
    /// The deadline, and whether the timer knows it.
    deadline: Option<(Instant, bool)>,
}

impl<'a> Call<'a> {
    /// The identifier the model gave the call.
    pub fn call_id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.request.call_id = id.into();
        self
    }

    /// Gives the call up after this time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.request.timeout = Some(timeout);
        self
    }

    /// Gives the call up when the token is cancelled.
    pub fn cancel_with(mut self, token: &CancelToken) -> Self {
        self.request.cancel = Some(token.clone());
        self
    }

    /// Takes partial results, on the thread that polls the call. Those that nobody has read in time are
    /// coalesced; the last one always arrives, before the result.
    pub fn on_update(mut self, on_update: impl FnMut(Update) + Send + 'a) -> Self {
        self.request.on_update = Some(Box::new(on_update));
        self
    }

    /// The call is one of that turn: what the tool asks about identity and access is answered from it.
    pub(crate) fn of_turn(mut self, turn: Arc<Turn>) -> Self {
        self.request.turn = Some(turn);
        self
    }

    /// What the tool will be given.
    pub(crate) fn arguments(&self) -> &str {
        &self.request.arguments
    }
}

impl Request<'_> {
    fn fail<T>(&self, kind: FailureKind, message: impl Into<String>) -> Result<T, Failure> {
        Err(Failure { kind, plugin: self.tool.plugin().name(), message: message.into(), location: None })
    }

    /// On the heap, which keeps it out of the way of a call that starts.
    #[cold]
    fn refuse<T>(&self, kind: FailureKind, message: impl Into<String>) -> Result<T, Box<Failure>> {
        self.fail(kind, message).map_err(Box::new)
    }

    fn start(&self) -> Result<Running, Box<Failure>> {
        let plugin = self.tool.0.plugin;
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return self.refuse(FailureKind::Cancelled, "");
        }
        if let Some(stuck) = plugin.is_busy() {
            return self
                .refuse(FailureKind::Busy, format!("{stuck} of its calls were given up and have not ended"));
        }
        let Some(inside) = plugin.enter() else { return self.refuse(FailureKind::Closed, "") };
        let Some(table) = inside.table() else { return self.refuse(FailureKind::Closed, "") };
        let registration = &self.tool.0.registration;
        let inline = plugin.may_inline()
            && match registration.run {
                abi::RUN_INLINE => true,
                abi::RUN_NEVER_INLINE => false,
                _ => self.tool.0.earned.is_inline(),
            };
        let number = operation::open(plugin, false);
        if let Some(turn) = &self.turn {
            operation::with(number, |operation| operation.turn = Some(turn.clone()));
        }
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let watching = deadline.filter(|_| inline).map(|at| timer::watch(at, number));
        let start = Start {
            operation: number,
            tool: registration.number,
            inline,
            call_id: &self.call_id,
            arguments: &self.arguments,
        };
        let mut handle = table.call_start(&start);
        drop(watching);
        let handed = handle.is_some();
        if handed {
            // Where the call's end, its cancellation and the plugin's shutdown find it.
            let stuck = operation::with(number, |operation| {
                operation.starting = false;
                operation.handle = handle.take();
                std::mem::take(&mut operation.stuck)
            });
            if stuck == Some(true) {
                plugin.abandoned_ended();
            }
        }
        Ok(Running { number, handed, deadline: deadline.map(|at| (at, false)) })
    }

    /// A plugin that gives no handle must have completed the call by then.
    #[cold]
    fn without_handle(&self, number: u64) -> Result<RawAnswer, Failure> {
        let plugin = self.tool.0.plugin;
        if operation::with(number, |operation| std::mem::take(&mut operation.stuck)) == Some(true) {
            plugin.abandoned_ended();
        }
        plugin.breach(number, "call_start returned no handle and has not completed");
        plugin.abandoned_began();
        if !operation::abandon(number) {
            plugin.abandoned_ended();
        }
        self.fail(FailureKind::Protocol, "a call was started without a handle")
    }

    fn poll(&mut self, running: &mut Running, cx: &mut Context<'_>) -> Poll<Result<RawAnswer, Failure>> {
        let cancelled = self.cancel.as_ref().is_some_and(|token| token.poll(running.number, cx.waker()));
        // Entered before a handle is taken, so that shutdown either finds the handle or waits for this.
        let plugin = self.tool.0.plugin;
        let inside = running.handed.then(|| plugin.enter_closed());
        let (updates, closed, late) = match operation::look(running.number, cx.waker()) {
            Look::Over { ending, handle, updates, late, stuck } => {
                if let (Some(handle), Some(table)) =
                    (handle, inside.as_ref().and_then(|inside| inside.table()))
                {
                    table.release(handle);
                }
                drop(inside);
                if stuck {
                    plugin.abandoned_ended();
                }
                self.forget(running);
                self.deliver(updates);
                return Poll::Ready(if late { self.too_late() } else { self.read(ending) });
            }
            Look::Running { .. } if !running.handed => {
                return Poll::Ready(self.without_handle(running.number));
            }
            Look::Running { updates, closed, late } => (updates, closed, late),
            Look::Gone => return Poll::Ready(self.fail(FailureKind::Closed, "")),
        };
        drop(inside);
        self.deliver(updates);
        let failure = match (closed, late, cancelled) {
            (true, ..) => self.fail(FailureKind::Closed, ""),
            (_, true, _) => self.too_late(),
            (.., true) => self.fail(FailureKind::Cancelled, ""),
            _ => {
                if let Some((at, armed @ false)) = &mut running.deadline {
                    *armed = true;
                    timer::arm(*at, running.number);
                }
                return Poll::Pending;
            }
        };
        self.give_up(running);
        Poll::Ready(failure)
    }

    fn too_late<T>(&self) -> Result<T, Failure> {
        let timeout = self.timeout.unwrap_or_default();
        self.fail(FailureKind::Deadline, format!("within {timeout:?}"))
    }

    #[inline]
    fn deliver(&mut self, updates: Updates) {
        if let (Some(on_update), Some(updates)) = (&mut self.on_update, updates) {
            updates.into_iter().map(Update).for_each(on_update);
        }
    }

    /// Nobody waits any more: cancel, release, and count the call until the plugin completes it.
    fn give_up(&self, running: &Running) {
        self.forget(running);
        let plugin = self.tool.0.plugin;
        let inside = plugin.enter_closed();
        let handle = operation::with(running.number, |operation| {
            operation.cancelled = true;
            operation.handle.take()
        });
        let handle = handle.flatten().zip(inside.table());
        if let Some((handle, table)) = &handle {
            table.cancel(handle);
        }
        plugin.abandoned_began();
        if !operation::abandon(running.number) {
            plugin.abandoned_ended();
        }
        if let Some((handle, table)) = handle {
            table.release(handle);
        }
    }

    /// The timer and the token need not know it any longer.
    #[inline]
    fn forget(&self, running: &Running) {
        if let Some((at, true)) = running.deadline {
            timer::disarm(at, running.number);
        }
        if let Some(token) = &self.cancel {
            token.forget(running.number);
        }
    }

    fn read(&self, ending: Ending) -> Result<RawAnswer, Failure> {
        if self.tool.0.registration.run == abi::RUN_AUTO {
            self.tool.0.earned.record(ending.first_poll_ns, ending.finished_on_first_poll);
        }
        let plugin = self.tool.plugin().name();
        let kind = match ending.kind {
            abi::DONE => return RawAnswer::new(ending.body, plugin),
            abi::TRANSPORT => FailureKind::Transport,
            abi::PANIC => FailureKind::Panic,
            abi::CANCELLED => FailureKind::Cancelled,
            _ => FailureKind::Fault,
        };
        let body: Option<Value> = ending.body.bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
        let field = |name| body.as_ref().and_then(|body| body.get(name)?.as_str().map(str::to_owned));
        Err(Failure {
            kind,
            plugin,
            message: field("message").unwrap_or_else(|| "it failed without a message".to_owned()),
            location: field("location"),
        })
    }
}

/// The deadline of a call has passed.
pub(crate) fn deadline(number: u64) {
    let late = operation::with(number, |operation| {
        operation.late = true;
        operation.stuck = operation.starting && !operation.completed && !operation.closed;
        if operation.stuck {
            operation.plugin.abandoned_began();
        }
        (operation.plugin, operation.stuck, operation.waker.take())
    });
    let Some((plugin, stuck, waker)) = late else { return };
    if stuck {
        plugin.forbid_inline();
        plugin.warn(
            "a call blocked the thread it was lent beyond its deadline: no more lending until it is reloaded",
        );
    }
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Future for Call<'_> {
    type Output = Result<RawAnswer, Failure>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Call { request, stage } = self.get_mut();
        if matches!(stage, Stage::Ready) {
            *stage = Stage::Over;
            match request.start() {
                Ok(running) => *stage = Stage::Running(running),
                Err(failure) => return Poll::Ready(Err(*failure)),
            }
        }
        // Polled after its end, which a future must not be, it has nothing more to say.
        let Stage::Running(running) = stage else { return Poll::Pending };
        let polled = request.poll(running, cx);
        if polled.is_ready() {
            *stage = Stage::Over;
        }
        polled
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if let Stage::Running(running) = &self.stage {
            self.request.give_up(running);
        }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("tool", &self.request.tool).finish_non_exhaustive()
    }
}
