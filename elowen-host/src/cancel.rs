//! Cancelling calls from outside, such as a ctrl-C handler: any thread, any number of calls.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};

/// Cancels every call it was given to. Copies are the same token.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    cancelled: AtomicBool,
    /// By the operation that waits.
    wakers: Mutex<HashMap<u64, Waker>>,
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, for good.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        let wakers = std::mem::take(&mut *self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner));
        wakers.into_values().for_each(Waker::wake);
    }

    /// Whether it has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Whether it has been cancelled; if not, the waker is woken when it is, until [`forget`](Self::forget).
    pub(crate) fn poll(&self, operation: u64, waker: &Waker) -> bool {
        if self.is_cancelled() {
            return true;
        }
        let mut wakers = self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        wakers.insert(operation, waker.clone());
        // `cancel` sets the flag before it empties the list.
        self.is_cancelled()
    }

    /// The operation waits no more.
    pub(crate) fn forget(&self, operation: u64) {
        self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner).remove(&operation);
    }
}
