//! A question to the host: started, answered once from any thread, awaited or waited for.

use crate::private::host::Host;
use serde::Serialize;
use serde_json::Value;
use std::{
    error::Error,
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Condvar, Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

/// Why a question was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryError {
    /// This host knows no such question.
    Unknown(String),
    /// The call is over, or the plugin is shut down.
    Closed,
    /// The host will not answer; its words.
    Refused(String),
    /// The request or the answer was not JSON.
    Invalid(String),
    /// The answer does not have the shape that was asked for; which place, what belongs there, what was found.
    Unfit(String),
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::Unknown(name) => write!(f, "this host knows no question `{name}`; a newer one may"),
            QueryError::Closed => f.write_str("the call this question belongs to is over"),
            QueryError::Refused(message) => write!(f, "the host will not answer: {message}"),
            QueryError::Invalid(message) => write!(f, "not JSON: {message}"),
            QueryError::Unfit(message) => f.write_str(message),
        }
    }
}

impl Error for QueryError {}

pub(crate) type Answer = Result<Vec<u8>, QueryError>;

#[derive(Default)]
struct Slot {
    answer: Option<Answer>,
    waker: Option<Waker>,
}

/// Where the answer arrives.
#[derive(Default)]
pub(crate) struct Pending {
    slot: Mutex<Slot>,
    arrived: Condvar,
}

impl Pending {
    pub(crate) fn answer(&self, answer: Answer) {
        let waker = {
            let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
            slot.answer = Some(answer);
            slot.waker.take()
        };
        self.arrived.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// A question under way.
pub(crate) struct Question(Arc<Pending>);

/// Starts one.
pub(crate) fn ask(
    host: &Host,
    operation: u64,
    name: &str,
    request: &impl Serialize,
) -> Result<Question, QueryError> {
    let request = serde_json::to_vec(request).map_err(|e| QueryError::Invalid(e.to_string()))?;
    let pending = Arc::new(Pending::default());
    host.query(operation, name, &request, pending.clone());
    Ok(Question(pending))
}

impl Question {
    pub(crate) fn wait(self) -> Result<Value, QueryError> {
        let mut slot = self.0.slot.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(answer) = slot.answer.take() {
                return read(answer);
            }
            slot = self.0.arrived.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Future for Question {
    type Output = Result<Value, QueryError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut slot = self.0.slot.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.answer.take() {
            Some(answer) => Poll::Ready(read(answer)),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

fn read(answer: Answer) -> Result<Value, QueryError> {
    serde_json::from_slice(&answer?).map_err(|e| QueryError::Invalid(e.to_string()))
}
