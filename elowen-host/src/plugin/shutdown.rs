//! Ending a plugin: its calls are cancelled, its handles given back, its own shutdown awaited for a while. Whatever
//! does not come back is left behind.

use super::{Loaded, Plugin};
use crate::library::Table;
use crate::operation;
use crate::timer;
use elowen_sdk::abi;
use std::{
    fmt,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

/// Why a shutdown was not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShutdownError {
    /// It was shut down before.
    Already,
    /// A thread is still inside one of its functions; it was left running.
    Stuck,
    /// It did not finish in time, or said so.
    Timeout,
    /// It answered this status.
    Status(i32),
}

impl fmt::Display for ShutdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShutdownError::Already => f.write_str("it was shut down before"),
            ShutdownError::Stuck => f.write_str("a thread is still running its code and was left behind"),
            ShutdownError::Timeout => f.write_str("it did not finish in time and was left behind"),
            ShutdownError::Status(status) => write!(f, "it answered status {status}"),
        }
    }
}

impl std::error::Error for ShutdownError {}

impl Plugin {
    /// Shuts it down within about `timeout`: calls under way are cancelled and fail as closed, later ones too.
    /// The library stays mapped.
    ///
    /// # Errors
    /// If something of it is still running; it is left behind.
    pub fn shutdown(&self, timeout: Duration) -> Result<(), ShutdownError> {
        let ended = self.0.shutdown(timeout);
        if ended != Err(ShutdownError::Already) {
            self.0.gone.store(true, Ordering::SeqCst);
        }
        ended
    }
}

impl Loaded {
    fn shutdown(&'static self, timeout: Duration) -> Result<(), ShutdownError> {
        let deadline = timer::after(timeout);
        if self.closed.swap(true, Ordering::SeqCst) {
            return Err(ShutdownError::Already);
        }
        let Some(table) = self.table.get() else { return Ok(()) };
        self.close_operations(table, deadline);
        self.wait_until_outside(deadline)?;
        // Handles of calls that were just being started when the first look was taken. Whoever else has taken one
        // is inside until it is released.
        self.close_operations(table, deadline);
        self.wait_until_outside(deadline)?;
        // On a thread of its own: the plugin may not come back, and may not be on a thread of an async runtime.
        let left = deadline.saturating_duration_since(Instant::now());
        let (done, ended) = std::sync::mpsc::channel();
        let ending = std::thread::Builder::new().name("elowen-shutdown".to_owned()).spawn(move || {
            let _ = done.send(table.shutdown(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)));
        });
        if ending.is_err() {
            return Err(ShutdownError::Timeout);
        }
        // A little longer than the plugin was given, so that its own word arrives.
        match ended.recv_timeout(left + Duration::from_millis(250)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(abi::ERR_TIMEOUT)) | Err(_) => Err(ShutdownError::Timeout),
            Ok(Err(status)) => Err(ShutdownError::Status(status)),
        }
    }

    fn wait_until_outside(&self, deadline: Instant) -> Result<(), ShutdownError> {
        while self.inside.load(Ordering::SeqCst) != 0 {
            if Instant::now() >= deadline {
                return Err(ShutdownError::Stuck);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Cancels what is under way, waits for it for half the time, and releases every handle.
    fn close_operations(&'static self, table: &Table, deadline: Instant) {
        let half = Instant::now() + deadline.saturating_duration_since(Instant::now()) / 2;
        let mut handles = Vec::new();
        for number in operation::of_plugin(self) {
            let taken = operation::with(number, |operation| {
                operation.closed = true;
                operation.cancelled = true;
                (operation.handle.take(), operation.waker.take())
            });
            if let Some((handle, waker)) = taken {
                if let Some(handle) = handle {
                    table.cancel(&handle);
                    handles.push((number, handle));
                }
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        }
        let running = |number: u64| operation::with(number, |o| !o.completed) == Some(true);
        while handles.iter().any(|(number, _)| running(*number)) && Instant::now() < half {
            std::thread::sleep(Duration::from_millis(1));
        }
        handles.into_iter().for_each(|(_, handle)| table.release(handle));
    }
}
