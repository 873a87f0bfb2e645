//! The plugin's own tokio runtime: made by the first hop or the first poll of an async body, stopped at shutdown.

use crate::plugin::Instance;
use crate::scope;
use std::{
    io,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};
use tokio::runtime::{Builder, Handle, Runtime};

const WORKERS: usize = 2;
const BLOCKING_THREADS: usize = 64;

pub(crate) struct LazyRuntime {
    handle: OnceLock<Handle>,
    owner: Mutex<Owner>,
}

enum Owner {
    Unmade,
    Made(Runtime),
    Stopped,
}

impl LazyRuntime {
    pub(crate) fn new() -> Self {
        LazyRuntime { handle: OnceLock::new(), owner: Mutex::new(Owner::Unmade) }
    }

    /// The runtime if it exists already.
    pub(crate) fn existing(&self) -> Option<&Handle> {
        self.handle.get()
    }

    /// The runtime, made now if need be.
    pub(crate) fn handle(&self, instance: &Arc<Instance>) -> io::Result<&Handle> {
        if let Some(handle) = self.handle.get() {
            return Ok(handle);
        }
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*owner, Owner::Stopped) {
            return Err(io::Error::other("the plugin is shut down"));
        }
        if self.handle.get().is_none() {
            let home = Arc::downgrade(instance);
            let runtime = Builder::new_multi_thread()
                .worker_threads(WORKERS)
                .max_blocking_threads(BLOCKING_THREADS)
                .thread_name(format!("elw-{}", instance.name()))
                .on_thread_start(move || scope::set_home(home.clone()))
                .enable_all()
                .build()?;
            let _ = self.handle.set(runtime.handle().clone());
            *owner = Owner::Made(runtime);
        }
        self.handle.get().ok_or_else(|| io::Error::other("the plugin's runtime is missing"))
    }

    /// Stops it. Returns once its threads have ended or the time is over. Must not run on a thread of an
    /// async runtime.
    pub(crate) fn stop(&self, timeout: Duration) {
        let owner = std::mem::replace(
            &mut *self.owner.lock().unwrap_or_else(PoisonError::into_inner),
            Owner::Stopped,
        );
        if let Owner::Made(runtime) = owner {
            runtime.shutdown_timeout(timeout);
        }
    }
}
