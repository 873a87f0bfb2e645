//! Whose work this thread is doing, so that logs and panics find their way home.

use crate::call::State;
use crate::plugin::Instance;
use std::{
    cell::{Cell, OnceCell},
    sync::{Arc, Weak},
};

thread_local! {
    static CURRENT: Cell<Option<Arc<State>>> = const { Cell::new(None) };
    static HOME: OnceCell<Weak<Instance>> = const { OnceCell::new() };
}

/// Marks this thread as working on `state` until the guard is dropped.
pub(crate) fn enter(state: &Arc<State>) -> Entered {
    Entered(CURRENT.try_with(|current| current.replace(Some(state.clone()))).ok().flatten())
}

pub(crate) struct Entered(Option<Arc<State>>);

impl Drop for Entered {
    fn drop(&mut self) {
        let outer = self.0.take();
        let _ = CURRENT.try_with(|current| current.replace(outer));
    }
}

/// The operation this thread is polling.
pub(crate) fn current() -> Option<Arc<State>> {
    let look = |current: &Cell<Option<Arc<State>>>| {
        let state = current.take();
        current.set(state.clone());
        state
    };
    CURRENT.try_with(look).ok().flatten()
}

/// Whether this thread is polling an operation.
pub(crate) fn is_inside() -> bool {
    current().is_some()
}

/// Marks a thread of an instance's runtime, for good.
pub(crate) fn set_home(instance: Weak<Instance>) {
    let _ = HOME.try_with(|home| home.set(instance));
}

/// The instance whose runtime this thread belongs to.
pub(crate) fn home() -> Option<Arc<Instance>> {
    HOME.try_with(|home| home.get()?.upgrade()).ok()?
}
