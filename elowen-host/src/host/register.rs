//! One registration: the library is mapped and entered on a thread of its own, and its `register` awaited, for as
//! long as the host allows. Whatever does not come back is left behind.

use super::Host;
use crate::blob::Blob;
use crate::error::LoadFailure;
use crate::library::{self, Expected, Handle};
use crate::operation::{self, Ending};
use crate::plugin::Loaded;
use crate::timer;
use elowen_sdk::abi;
use serde_json::Value;
use std::{
    path::PathBuf,
    sync::{Arc, mpsc},
    task::{Wake, Waker},
    thread::{self, Thread},
    time::Instant,
};

impl Host {
    /// Maps, enters and registers, on a thread that can be left behind.
    pub(super) fn register(
        &self,
        plugin: &'static Loaded,
        copy: PathBuf,
        sha256: [u8; 32],
        blob: Blob,
        abi_major: u16,
    ) -> Result<(), LoadFailure> {
        let deadline = timer::after(self.register_timeout);
        let begun = Instant::now();
        let timeout = || LoadFailure::RegisterTimeout { limit: self.register_timeout };
        let (trust, number) = (self.trust, operation::open(plugin, true));
        let (done, entered) = mpsc::channel();
        let thread = thread::Builder::new().name("elowen-load".to_owned()).spawn(move || {
            let expected = Expected { sha256, blob: &blob.bytes, abi_major };
            let started = library::enter(trust, &copy, &expected, plugin).map(|table| {
                plugin.step(|| format!("mapped and entered in {:.1?}", begun.elapsed()));
                plugin.set_table(table);
                start_registration(plugin, number);
            });
            let _ = done.send(started);
        });
        if let Err(error) = thread {
            operation::close(number);
            return Err(LoadFailure::Map { message: format!("no thread to load it on: {error}") });
        }
        let started = match entered.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(started) => started,
            Err(_) => Err(timeout()),
        };
        let ended = started.and_then(|()| wait(number, deadline).ok_or_else(timeout));
        let handle = operation::with(number, |o| o.handle.take()).flatten();
        if let (Some(handle), Some(table)) = (handle, plugin.enter_closed().table()) {
            if ended.is_err() {
                table.cancel(&handle);
            }
            table.release(handle);
        }
        let ending = match ended {
            Ok(ending) => ending,
            Err(failure) => {
                plugin.abandoned_began();
                if !operation::abandon(number) {
                    plugin.abandoned_ended();
                }
                return Err(failure);
            }
        };
        operation::close(number);
        registered(&ending).map_err(|failure| plugin.blame(failure))?;
        plugin.finish_registration();
        plugin.step(|| {
            format!("registered {} tools, {:.1?} after it was mapped", plugin.tools().len(), begun.elapsed())
        });
        Ok(())
    }
}

fn start_registration(plugin: &'static Loaded, number: u64) {
    let inside = plugin.enter_closed();
    let Some(table) = inside.table() else { return };
    let mut handle: Option<Handle> = table.register(number);
    let _ = operation::with(number, |o| o.handle = handle.take());
    if let Some(handle) = handle {
        table.release(handle);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread for an operation's end.
fn wait(number: u64, deadline: Instant) -> Option<Ending> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        let ending = operation::with(number, |o| {
            o.waker = Some(waker.clone());
            o.ending.take()
        });
        match ending? {
            Some(ending) => return Some(ending),
            None => thread::park_timeout(deadline.checked_duration_since(Instant::now())?),
        }
    }
}

fn registered(ending: &Ending) -> Result<(), LoadFailure> {
    if ending.kind == abi::DONE {
        return Ok(());
    }
    let body: Option<Value> = ending.body.bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
    let field = |name| body.as_ref().and_then(|body| body.get(name)?.as_str().map(str::to_owned));
    let message = field("message").unwrap_or_else(|| "it failed without a message".to_owned());
    Err(match ending.kind {
        abi::PANIC => LoadFailure::RegisterPanic { message, location: field("location") },
        _ => LoadFailure::Register { message },
    })
}
