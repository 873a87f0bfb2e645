//! Runs one operation's body and ends it exactly once: here, on the runtime, or on a blocking thread.

use crate::abi;
use crate::call::State;
use crate::error::Repr;
use crate::plugin::Instance;
use crate::private::trampoline::{Panic, catch};
use crate::scope;
use crate::tool::{Body, BoxBody, Callable};
use crate::{ToolError, ToolResult};
use serde_json::json;
use std::{
    future::Future,
    io::{self, Write},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

/// How long a body that handles cancellation itself may take to finish afterwards.
const GRACE: Duration = Duration::from_secs(2);

/// An operation under way. Whatever happens to it, dropping included, the host is told once.
pub(crate) struct Task {
    state: Arc<State>,
    stage: Stage,
    grace: Option<Pin<Box<tokio::time::Sleep>>>,
    /// How long the first poll took; none yet.
    first_poll_ns: Option<u64>,
}

enum Stage {
    /// The arguments are still text.
    Start(u64, String),
    Running(BoxBody),
    Over,
}

impl Task {
    fn new(state: Arc<State>, stage: Stage) -> Self {
        Task { state, stage, grace: None, first_poll_ns: None }
    }

    /// The plugin's `register`, and then the host's for each tool.
    pub(crate) fn registration(state: Arc<State>) -> Self {
        let body = Instance::registration(&state);
        Task::new(state, Stage::Running(body))
    }

    /// Ends a call that cannot be started.
    pub(crate) fn refuse(state: &Arc<State>, why: &str) {
        let _ = Task::new(state.clone(), Stage::Over).end(Err(ToolError::fault(why)));
    }

    /// Starts a call. True if it is over already.
    pub(crate) fn start(state: &Arc<State>, number: u64, arguments: &str, inline: bool) -> bool {
        let mut task = Task::new(state.clone(), Stage::Over);
        let Some(tool) = state.instance.tool(number) else {
            let unknown = ToolError::fault(format!("the plugin has no tool number {number}"));
            return task.end(Err(unknown)).is_ready();
        };
        let body = tool.body();
        if !inline {
            task.stage = Stage::Start(number, arguments.to_owned());
            task.hop(body);
            return false;
        }
        // An inline plain `fn` needs no runtime; an async body may look for one at its first poll.
        let runtime = match body {
            Body::Sync => state.instance.runtime().existing(),
            Body::Async => match state.instance.runtime().handle(&state.instance) {
                Ok(runtime) => Some(runtime),
                Err(error) => return task.end_without_runtime(&error).is_ready(),
            },
        };
        let entered = runtime.map(|runtime| runtime.enter());
        let scope = scope::enter(state);
        let begun = Instant::now();
        let polled = match task.begin(tool, arguments, begun) {
            // The real waker comes with the next poll, on the runtime.
            Poll::Pending => task.advance(&mut Context::from_waker(Waker::noop()), begun),
            over => over,
        };
        drop((scope, entered));
        if polled.is_pending() {
            task.hop(Body::Async);
        }
        polled.is_ready()
    }

    /// Polls a `body` once on this thread, and goes on on the runtime if that was not enough.
    pub(crate) fn run_here(mut self, body: Body) {
        let state = self.state.clone();
        // An async body may look for a runtime at its first poll; a plain `fn` needs none.
        let runtime = match body {
            Body::Sync => state.instance.runtime().existing(),
            Body::Async => match state.instance.runtime().handle(&state.instance) {
                Ok(runtime) => Some(runtime),
                Err(error) => {
                    let _ = self.end_without_runtime(&error);
                    return;
                }
            },
        };
        let _entered = runtime.map(|runtime| runtime.enter());
        if Pin::new(&mut self).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            self.hop(Body::Async);
        }
    }

    fn hop(mut self, body: Body) {
        let instance = self.state.instance.clone();
        let runtime = match instance.runtime().handle(&instance) {
            Ok(runtime) => runtime,
            Err(error) => {
                let _ = self.end_without_runtime(&error);
                return;
            }
        };
        match body {
            Body::Async => drop(runtime.spawn(self)),
            // Polled outside any async context, so that a plain `fn` may block and start runtimes of its own.
            Body::Sync => drop(runtime.spawn_blocking(move || {
                if Pin::new(&mut self).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
                    self.hop(Body::Async);
                }
            })),
        }
    }

    fn end_without_runtime(&mut self, error: &io::Error) -> Poll<()> {
        self.end(Err(ToolError::fault(format!("the plugin's runtime did not start: {error}"))))
    }

    /// Reads the arguments and makes the body. Ready if there is none and the operation is over.
    fn begin(&mut self, tool: &dyn Callable, arguments: &str, begun: Instant) -> Poll<()> {
        match catch(|| tool.start(arguments, &self.state)) {
            Ok(Ok(body)) => {
                self.stage = Stage::Running(body);
                Poll::Pending
            }
            Ok(Err(answer)) => {
                self.measure(begun);
                self.end(answer)
            }
            Err(panic) => self.end_panic(panic),
        }
    }

    /// Polls the body, inside the scope of its operation.
    fn advance(&mut self, cx: &mut Context<'_>, begun: Instant) -> Poll<()> {
        if self.state.is_cancelled() && !self.state.is_observed() {
            return self.abort();
        }
        let Stage::Running(body) = &mut self.stage else { return Poll::Ready(()) };
        let polled = catch(|| body.as_mut().poll(cx));
        let first = self.first_poll_ns.is_none();
        if first {
            self.measure(begun);
        }
        match polled {
            Ok(Poll::Ready(result)) => {
                return self.end_with(result, if first { abi::FINISHED_ON_FIRST_POLL } else { 0 });
            }
            Err(panic) => return self.end_panic(panic),
            Ok(Poll::Pending) => {}
        }
        match self.state.poll_cancelled(cx.waker()) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) if !self.state.is_observed() => self.abort(),
            Poll::Ready(()) if tokio::runtime::Handle::try_current().is_err() => Poll::Pending,
            Poll::Ready(()) => {
                let grace = self.grace.get_or_insert_with(|| Box::pin(tokio::time::sleep(GRACE)));
                match grace.as_mut().poll(cx) {
                    Poll::Ready(()) => self.abort(),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }

    fn measure(&mut self, begun: Instant) {
        self.first_poll_ns = Some(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }

    fn end(&mut self, result: ToolResult) -> Poll<()> {
        self.end_with(result, 0)
    }

    fn end_with(&mut self, result: ToolResult, flags: u32) -> Poll<()> {
        let (kind, body) = match result {
            Ok(output) => (abi::DONE, output.to_json()),
            Err(ToolError(Repr::Text(output))) => (abi::DONE, output.to_json()),
            Err(ToolError(Repr::Transport(message))) => (abi::TRANSPORT, message_body(&message, None)),
            Err(ToolError(Repr::Fault(message))) => (abi::FAULT, message_body(&message, None)),
            Err(ToolError(Repr::Cancelled)) => (abi::CANCELLED, Vec::new()),
        };
        self.complete(kind, body, flags)
    }

    fn end_panic(&mut self, panic: Panic) -> Poll<()> {
        self.complete(abi::PANIC, message_body(&panic.message, panic.location.as_deref()), 0)
    }

    /// Drops the body, which is how Rust cancels, and says so.
    fn abort(&mut self) -> Poll<()> {
        self.complete(abi::CANCELLED, Vec::new(), 0)
    }

    fn complete(&mut self, kind: u32, body: Vec<u8>, flags: u32) -> Poll<()> {
        let stage = std::mem::replace(&mut self.stage, Stage::Over);
        if let Err(panic) = catch(|| drop(stage)) {
            let text = format!("a value of the tool panicked while it was dropped: {panic}");
            crate::log_bridge::note(abi::LOG_ERROR, &text);
        }
        let _ = std::io::stdout().flush();
        self.state.host().complete(self.state.operation, kind, body, self.first_poll_ns.unwrap_or(0), flags);
        Poll::Ready(())
    }
}

fn message_body(message: &str, location: Option<&str>) -> Vec<u8> {
    match location {
        Some(location) => json!({"message": message, "location": location}),
        None => json!({"message": message}),
    }
    .to_string()
    .into_bytes()
}

impl Future for Task {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let task = self.get_mut();
        let begun = Instant::now();
        let _scope = scope::enter(&task.state);
        if let Stage::Start(number, arguments) = &mut task.stage {
            let (number, arguments) = (*number, std::mem::take(arguments));
            let instance = task.state.instance.clone();
            let Some(tool) = instance.tool(number) else { return Poll::Ready(()) };
            if task.begin(tool, &arguments, begun).is_ready() {
                return Poll::Ready(());
            }
        }
        task.advance(cx, begun)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if !matches!(self.stage, Stage::Over) {
            let _scope = scope::enter(&self.state);
            let _ = self.complete(abi::CANCELLED, message_body("the plugin was shut down", None), 0);
        }
    }
}
