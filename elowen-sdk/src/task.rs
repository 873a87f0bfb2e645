//! Runs one operation's body and ends it exactly once: here, on the runtime, or on a blocking thread.

use crate::abi;
use crate::call::State;
use crate::error::Repr;
use crate::plugin::Instance;
use crate::private::trampoline::{Panic, catch};
use crate::scope;
use crate::tool::{Body, BoxBody};
use crate::{ToolError, ToolResult};
use serde_json::json;
use std::{
    future::Future,
    io::Write,
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
    /// The arguments are still bytes.
    Start(u64, Vec<u8>),
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

    /// Starts a call. True if it is over already.
    pub(crate) fn start(state: &Arc<State>, number: u64, arguments: &[u8], inline: bool) -> bool {
        let Some(tool) = state.instance.tool(number) else {
            let unknown = ToolError::fault(format!("the plugin has no tool number {number}"));
            return Task::new(state.clone(), Stage::Over).end(Err(unknown)).is_ready();
        };
        let body = tool.body();
        if !inline {
            let task = Task::new(state.clone(), Stage::Start(number, arguments.to_vec()));
            task.hop(body);
            return false;
        }
        let mut task = Task::new(state.clone(), Stage::Over);
        // An inline plain `fn` needs no runtime; an async body may look for one at its first poll.
        if body == Body::Async && !task.ensure_runtime() {
            return true;
        }
        let _entered = state.instance.runtime().existing().map(|runtime| runtime.enter());
        let begun = Instant::now();
        let started = {
            let _scope = scope::enter(state);
            catch(|| tool.start(arguments, state))
        };
        match started {
            Ok(Ok(body)) => task.stage = Stage::Running(body),
            Ok(Err(answer)) => {
                task.measure(begun);
                return task.end(answer).is_ready();
            }
            Err(panic) => return task.end_panic(panic).is_ready(),
        }
        if Pin::new(&mut task).poll_since(&mut Context::from_waker(Waker::noop()), begun).is_ready() {
            return true;
        }
        // The real waker comes with the next poll, on the runtime.
        task.hop(Body::Async);
        false
    }

    /// Polls a `body` once on this thread, and goes on on the runtime if that was not enough.
    pub(crate) fn run_here(mut self, body: Body) {
        // An async body may look for a runtime at its first poll; a plain `fn` needs none.
        if body == Body::Async && !self.ensure_runtime() {
            return;
        }
        let _entered = self.state.instance.runtime().existing().map(|runtime| runtime.enter());
        if Pin::new(&mut self).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            self.hop(Body::Async);
        }
    }

    fn hop(mut self, body: Body) {
        if !self.ensure_runtime() {
            return;
        }
        let instance = self.state.instance.clone();
        let Some(runtime) = instance.runtime().existing() else { return };
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

    /// False, and ended, if there can be none.
    fn ensure_runtime(&mut self) -> bool {
        let Err(error) = self.state.instance.runtime().handle(&self.state.instance) else { return true };
        let _ = self.end(Err(ToolError::fault(format!("the plugin's runtime did not start: {error}"))));
        false
    }

    fn poll_since(self: Pin<&mut Self>, cx: &mut Context<'_>, begun: Instant) -> Poll<()> {
        let task = self.get_mut();
        let state = task.state.clone();
        let _scope = scope::enter(&state);
        if let Stage::Start(number, arguments) = &mut task.stage {
            let (number, arguments) = (*number, std::mem::take(arguments));
            let Some(tool) = state.instance.tool(number) else { return Poll::Ready(()) };
            match catch(|| tool.start(&arguments, &state)) {
                Ok(Ok(body)) => task.stage = Stage::Running(body),
                Ok(Err(answer)) => return task.end(answer),
                Err(panic) => return task.end_panic(panic),
            }
        }
        if state.is_cancelled() && !state.is_observed() {
            return task.abort();
        }
        let Stage::Running(body) = &mut task.stage else { return Poll::Ready(()) };
        let polled = catch(|| body.as_mut().poll(cx));
        let first = task.first_poll_ns.is_none();
        if first {
            task.measure(begun);
        }
        match polled {
            Ok(Poll::Ready(result)) => {
                return task.end_with(result, if first { abi::FINISHED_ON_FIRST_POLL } else { 0 });
            }
            Err(panic) => return task.end_panic(panic),
            Ok(Poll::Pending) => {}
        }
        match state.poll_cancelled(cx.waker()) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) if !state.is_observed() => task.abort(),
            Poll::Ready(()) if tokio::runtime::Handle::try_current().is_err() => Poll::Pending,
            Poll::Ready(()) => {
                let grace = task.grace.get_or_insert_with(|| Box::pin(tokio::time::sleep(GRACE)));
                match grace.as_mut().poll(cx) {
                    Poll::Ready(()) => task.abort(),
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
        let begun = Instant::now();
        self.poll_since(cx, begun)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if !matches!(self.stage, Stage::Over) {
            let state = self.state.clone();
            let _scope = scope::enter(&state);
            let _ = self.complete(abi::CANCELLED, message_body("the plugin was shut down", None), 0);
        }
    }
}
