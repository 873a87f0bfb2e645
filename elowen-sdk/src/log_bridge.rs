//! Sends the plugin's `log` and `tracing` records, and the SDK's own notes, to the host.
//!
//! Both crates' globals exist once an image, while an image may hold several instances: a record goes to the
//! instance whose operation this thread is working on, else to the one whose runtime it belongs to, else to the
//! oldest one alive.

#[cfg(feature = "log")]
mod log_records;
#[cfg(feature = "tracing")]
mod tracing_events;

use crate::plugin::Instance;
use crate::scope;
use std::sync::{Arc, Mutex, PoisonError, Weak};

static ALIVE: Mutex<Vec<Weak<Instance>>> = Mutex::new(Vec::new());

/// Makes an instance known, and installs the bridges if the plugin has not set loggers of its own.
pub(crate) fn install(instance: &Arc<Instance>) {
    let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    alive.retain(|other| other.strong_count() > 0);
    alive.push(Arc::downgrade(instance));
    drop(alive);
    #[cfg(feature = "log")]
    log_records::install();
    #[cfg(feature = "tracing")]
    tracing_events::install();
}

/// Where a record made on this thread belongs, and its operation or 0.
fn route() -> Option<(Arc<Instance>, u64)> {
    if let Some(state) = scope::current() {
        return Some((state.instance.clone(), state.operation));
    }
    if let Some(instance) = scope::home() {
        return Some((instance, 0));
    }
    let alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    alive.iter().find_map(Weak::upgrade).map(|instance| (instance, 0))
}

/// Whether anybody reads records of this level made on this thread.
pub(crate) fn enabled(level: u32) -> bool {
    route().is_some_and(|(instance, _)| instance.host().log_enabled(level))
}

fn write(level: u32, target: &str, message: &str, fields: &str) {
    if let Some((instance, operation)) = route() {
        instance.host().log(level, operation, target, message, fields);
    }
}

/// A note of the SDK itself.
pub(crate) fn note(level: u32, message: &str) {
    write(level, "elowen_sdk", message, "");
}
