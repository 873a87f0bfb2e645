//! Whose work this thread is doing, so that logs and panics find their way home.

use crate::call::State;
use crate::plugin::Instance;
use std::{
    cell::{OnceCell, RefCell},
    sync::{Arc, Weak},
};

thread_local! {
    static CURRENT: RefCell<Option<Arc<State>>> = const { RefCell::new(None) };
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
    CURRENT.try_with(|current| current.try_borrow().ok()?.clone()).ok()?
}

/// Whether this thread is polling an operation.
pub(crate) fn is_inside() -> bool {
    CURRENT.try_with(|current| current.try_borrow().is_ok_and(|current| current.is_some())).unwrap_or(false)
}

/// Marks a thread of an instance's runtime, for good.
pub(crate) fn set_home(instance: Weak<Instance>) {
    let _ = HOME.try_with(|home| home.set(instance));
}

/// The instance whose runtime this thread belongs to.
pub(crate) fn home() -> Option<Arc<Instance>> {
    HOME.try_with(|home| home.get()?.upgrade()).ok()?
}
