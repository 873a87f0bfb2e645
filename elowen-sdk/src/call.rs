//! One running call, seen from the plugin: its context, its cancellation, its updates.

use crate::private::host::Host;
use crate::query::{self, QueryError};
use crate::{Output, ToolError, ToolResult};
use serde::Serialize;
use serde_json::Value;
use std::{
    fmt,
    future::{Future, poll_fn},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
};

/// What the host and the plugin share about one operation, on the plugin's side.
pub(crate) struct State {
    pub(crate) instance: Arc<crate::plugin::Instance>,
    /// The host's number for it.
    pub(crate) operation: u64,
    call_id: Box<str>,
    cancelled: AtomicBool,
    /// Somebody asked for the [`Cancel`] handle, so the body gets time to clean up after a cancellation.
    observed: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

impl State {
    pub(crate) fn new(instance: Arc<crate::plugin::Instance>, operation: u64, call_id: &str) -> Self {
        State {
            instance,
            operation,
            call_id: call_id.into(),
            cancelled: AtomicBool::new(false),
            observed: AtomicBool::new(false),
            wakers: Mutex::new(Vec::new()),
        }
    }

    pub(crate) fn host(&self) -> &Host {
        self.instance.host()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Whether the body has asked to be told about cancellation, rather than being dropped.
    pub(crate) fn is_observed(&self) -> bool {
        self.observed.load(Ordering::Acquire)
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        let wakers = std::mem::take(&mut *self.wakers.lock().unwrap_or_else(PoisonError::into_inner));
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Ready once cancelled; otherwise the waker is remembered.
    pub(crate) fn poll_cancelled(&self, waker: &Waker) -> Poll<()> {
        if self.is_cancelled() {
            return Poll::Ready(());
        }
        let mut wakers = self.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        // Checked again under the lock: `cancel` sets the flag before it empties the list.
        if self.is_cancelled() {
            return Poll::Ready(());
        }
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
        Poll::Pending
    }
}

/// The context of one call. A tool takes it as `&Cx`.
pub struct Cx {
    cancel: Cancel,
    updates: Updates,
}

impl Cx {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Cx { cancel: Cancel(state.clone()), updates: Updates(state) }
    }

    fn state(&self) -> &Arc<State> {
        &self.cancel.0
    }

    /// The identifier the model gave this call; empty where it gave none.
    pub fn call_id(&self) -> &str {
        &self.state().call_id
    }

    /// Cancellation of this call. Asking for it means handling it: the body then has two seconds to finish after
    /// a cancellation, where it would otherwise be dropped at once.
    pub fn cancel(&self) -> &Cancel {
        self.state().observed.store(true, Ordering::Release);
        &self.cancel
    }

    /// Where partial results go.
    pub fn updates(&self) -> &Updates {
        &self.updates
    }

    /// The plugin's log, with this call's number on each record.
    pub fn logger(&self) -> crate::Logger {
        crate::Logger::of(self.state().instance.clone(), self.state().operation)
    }

    /// Asks the host a question by name and waits for the answer.
    ///
    /// # Errors
    /// See [`QueryError`]; also when the call is over.
    pub async fn query(&self, name: &str, request: impl Serialize) -> Result<Value, QueryError> {
        query::ask(self.state().host(), self.state().operation, name, &request)?.await
    }

    /// The same from a plain `fn`: blocks this thread until the host has answered.
    ///
    /// # Errors
    /// As [`Cx::query`].
    pub fn query_blocking(&self, name: &str, request: impl Serialize) -> Result<Value, QueryError> {
        query::ask(self.state().host(), self.state().operation, name, &request)?.wait()
    }
}

impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx").field("call_id", &self.call_id()).finish_non_exhaustive()
    }
}

/// Tells whether the host still wants the answer. Clones may go to subtasks.
#[derive(Clone)]
pub struct Cancel(Arc<State>);

impl Cancel {
    /// Whether the call has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Returns when the call is cancelled.
    pub async fn cancelled(&self) {
        poll_fn(|cx| self.0.poll_cancelled(cx.waker())).await;
    }

    /// For loops that do not wait: `cancel.check()?` leaves a cancelled call.
    ///
    /// # Errors
    /// [`ToolError::cancelled`] if so.
    pub fn check(&self) -> ToolResult<()> {
        if self.is_cancelled() { Err(ToolError::cancelled()) } else { Ok(()) }
    }

    /// Runs `work`, dropping it when the call is cancelled.
    ///
    /// # Errors
    /// [`ToolError::cancelled`] if it was.
    pub async fn guard<T>(&self, work: impl Future<Output = T>) -> ToolResult<T> {
        let mut work = std::pin::pin!(work);
        poll_fn(|cx| match self.0.poll_cancelled(cx.waker()) {
            Poll::Ready(()) => Poll::Ready(Err(ToolError::cancelled())),
            Poll::Pending => work.as_mut().poll(cx).map(Ok),
        })
        .await
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

/// Sends partial results while the tool runs. Never waits: where nobody reads, older ones give way.
#[derive(Clone)]
pub struct Updates(Arc<State>);

impl Updates {
    /// A partial result of one text.
    pub fn text(&self, text: impl Into<String>) {
        self.send(Output::text(text));
    }

    /// A partial result.
    pub fn send(&self, output: impl Into<Output>) {
        self.0.host().progress(self.0.operation, &output.into().to_json());
    }
}

impl fmt::Debug for Updates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Updates")
    }
}
