//! Every function of the plugin's table, and the only `catch_unwind` of the SDK.
//!
//! Each one checks its pointers, turns them into references, and hands over to safe code. Nothing unwinds out.

use crate::abi::{self, Call, Plugin, Slice, Status};
use crate::call::State;
use crate::plugin::{Instance, PluginFn};
use crate::task::Task;
use std::{
    any::Any,
    cell::Cell,
    ffi::c_void,
    fmt,
    mem::size_of,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    str::Utf8Error,
    sync::{Arc, Once},
};

/// A caught panic.
#[derive(Debug)]
pub(crate) struct Panic {
    pub(crate) message: String,
    pub(crate) location: Option<String>,
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.location.as_ref().map_or(Ok(()), |location| write!(f, " (at {location})"))
    }
}

/// Runs foreign code and catches its panic. On the way of every call: inside a [`scope`](crate::scope), by which
/// the panic hook knows that the panic is caught.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    catch_unwind(AssertUnwindSafe(work)).map_err(caught)
}

/// The same where no operation is under way.
fn catch_outside<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    OUTSIDE.set(OUTSIDE.get() + 1);
    let caught = catch(work);
    OUTSIDE.set(OUTSIDE.get() - 1);
    caught
}

#[cold]
fn caught(payload: Box<dyn Any + Send>) -> Panic {
    let location = LOCATION.try_with(Cell::take).ok().flatten();
    Panic { message: describe(payload), location }
}

/// Runs a border function whose caller takes no error: a panic is logged by the hook, and swallowed.
pub(crate) fn guarded(what: &str, work: impl FnOnce()) {
    if let Err(panic) = catch_outside(work) {
        swallowed(what, &panic);
    }
}

#[cold]
fn swallowed(what: &str, panic: &Panic) {
    crate::log_bridge::note(abi::LOG_ERROR, &format!("panic in {what}: {panic}"));
}

/// The payload's text. A payload whose own drop panics is forgotten rather than dropped.
fn describe(payload: Box<dyn Any + Send>) -> String {
    let text = payload_text(&*payload).unwrap_or("a panic without a text").to_owned();
    if let Err(second) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        std::mem::forget(second);
        // The hook has noted the place of the second panic as well, which is nobody's.
        let _ = LOCATION.try_with(Cell::take);
    }
    text
}

fn payload_text(payload: &dyn Any) -> Option<&str> {
    payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}

thread_local! {
    /// How many [`catch_outside`]s this thread is inside of.
    static OUTSIDE: Cell<u32> = const { Cell::new(0) };
    /// Where the panic being caught on this thread began.
    static LOCATION: Cell<Option<String>> = const { Cell::new(None) };
}

/// Chains a panic hook, once an image: where the panic is caught it notes the place instead of printing.
fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string);
            if OUTSIDE.get() > 0 || crate::scope::is_inside() {
                note_backtrace();
                let _ = LOCATION.try_with(|slot| slot.set(place));
            } else if crate::scope::home().is_some() {
                let text = payload_text(info.payload()).unwrap_or("a panic without a text");
                let place = place.unwrap_or_default();
                crate::log_bridge::note(
                    abi::LOG_ERROR,
                    &format!("a background task panicked at {place}: {text}"),
                );
            } else {
                previous(info);
            }
        }));
    });
}

/// Logs where the panic came from, if backtraces are wanted and anybody reads them: they are dear.
fn note_backtrace() {
    if crate::log_bridge::enabled(abi::LOG_DEBUG) {
        let backtrace = std::backtrace::Backtrace::capture();
        if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
            crate::log_bridge::note(abi::LOG_DEBUG, &format!("backtrace of the panic:\n{backtrace}"));
        }
    }
}

/// # Safety
/// As [`crate::private::entry`].
pub(super) unsafe fn entry<P: PluginFn>(
    abi_major: u32,
    host: *const abi::Host,
    out: *mut Plugin,
    blob: &'static [u8],
) -> Status {
    if abi_major != u32::from(abi::MAJOR) {
        return abi::ERR_ABI;
    }
    if out.is_null() {
        return abi::ERR_INVALID;
    }
    // SAFETY: not null, and every record has at least its size field (ABI, "Growth").
    let size = unsafe { ptr::addr_of!((*out).struct_size).read() };
    if (size as usize) < size_of::<Plugin>() {
        return abi::ERR_INVALID;
    }
    // SAFETY: the caller's promise, handed on.
    let host = match unsafe { super::host::Host::new(host) } {
        Ok(host) => host,
        Err(status) => return status,
    };
    let made = catch_outside(|| {
        install_panic_hook();
        let instance = Instance::new::<P>(host, blob);
        crate::log_bridge::install(&instance);
        instance
    });
    let Ok(instance) = made else { return abi::ERR_PANIC };
    let table = Plugin {
        struct_size: size_of::<Plugin>() as u32,
        reserved: 0,
        blob: Slice { ptr: blob.as_ptr(), len: blob.len() },
        ctx: Arc::into_raw(instance).cast_mut().cast(),
        register: Some(register),
        call_start: Some(call_start),
        cancel: Some(cancel),
        release: Some(release),
        shutdown: Some(shutdown),
        get_extension: Some(get_extension),
    };
    // SAFETY: `out` names room for at least this record.
    unsafe { out.write(table) };
    abi::OK
}

/// # Safety
/// `ctx` is the table's and `shutdown` has not been called.
unsafe fn instance(ctx: *mut c_void) -> Arc<Instance> {
    let instance: *const Instance = ctx.cast_const().cast();
    // SAFETY: `entry` leaked one reference, which only `shutdown` takes back.
    unsafe {
        Arc::increment_strong_count(instance);
        Arc::from_raw(instance)
    }
}

/// # Safety
/// The slice lives as long as the function that received it.
unsafe fn text<'a>(slice: Slice) -> Result<&'a str, Utf8Error> {
    if slice.ptr.is_null() {
        return Ok("");
    }
    // SAFETY: the caller's promise; not null.
    utf8(unsafe { std::slice::from_raw_parts(slice.ptr, slice.len) })
}

/// [`std::str::from_utf8`], and much cheaper where all is ASCII.
fn utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    if bytes.is_ascii() {
        // SAFETY: ASCII is UTF-8.
        return Ok(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes)
}

/// A handle is one reference to the operation's state.
fn handle(state: Arc<State>) -> *mut c_void {
    Arc::into_raw(state).cast_mut().cast()
}

unsafe extern "C" fn register(ctx: *mut c_void, operation: u64) -> *mut c_void {
    // SAFETY: the host calls with the table's `ctx`, before `shutdown`.
    let instance = unsafe { instance(ctx) };
    let state = Arc::new(State::new(instance, operation, ""));
    let body = state.instance.register_body();
    guarded("register", || Task::registration(state.clone()).run_here(body));
    handle(state)
}

unsafe extern "C" fn call_start(ctx: *mut c_void, call: *const Call) -> *mut c_void {
    // SAFETY: as for `register`; `call` is a record of at least version 1.0 (ABI, "Growth").
    let (instance, call) = unsafe { (instance(ctx), &*call) };
    // SAFETY: borrowed until this function returns.
    let (call_id, arguments) = unsafe { (text(call.call_id), text(call.arguments)) };
    let state = Arc::new(State::new(instance, call.operation, call_id.unwrap_or_default()));
    let Ok(arguments) = arguments else {
        guarded("call_start", || Task::refuse(&state, "the host sent arguments that are not UTF-8"));
        return ptr::null_mut();
    };
    let mut over = false;
    // The task catches what the tool does, and completes when it is dropped; this is for its own mistakes.
    let inline = call.flags & abi::INLINE != 0;
    if let Err(panic) = catch(|| over = Task::start(&state, call.tool, arguments, inline)) {
        swallowed("call_start", &panic);
    }
    if over { ptr::null_mut() } else { handle(state) }
}

unsafe extern "C" fn cancel(_ctx: *mut c_void, handle: *mut c_void) {
    if handle.is_null() {
        return;
    }
    // SAFETY: the host uses a handle until it has released it.
    let state = unsafe { &*handle.cast_const().cast::<State>() };
    guarded("cancel", || state.cancel());
}

unsafe extern "C" fn release(_ctx: *mut c_void, handle: *mut c_void) {
    if handle.is_null() {
        return;
    }
    // SAFETY: made by `handle`, released once.
    let state = unsafe { Arc::from_raw(handle.cast_const().cast::<State>()) };
    guarded("release", || drop(state));
}

unsafe extern "C" fn shutdown(ctx: *mut c_void, timeout_ms: u64) -> Status {
    // SAFETY: called once; this takes back the reference that `entry` leaked.
    let instance = unsafe { Arc::from_raw(ctx.cast_const().cast::<Instance>()) };
    let ended = {
        // What its hooks log, and panic with, is the instance's.
        let state = Arc::new(State::new(instance.clone(), 0, ""));
        let _scope = crate::scope::enter(&state);
        catch_outside(|| instance.shutdown(std::time::Duration::from_millis(timeout_ms)))
    };
    // With it go the author's values in its tools. Nothing else could say any more whose panic it was.
    let host = instance.host().clone();
    if let Err(panic) = catch_outside(|| drop(instance)) {
        let text = format!("a value of the plugin panicked while it was dropped: {panic}");
        host.log(abi::LOG_ERROR, 0, "elowen_sdk", &text, "");
    }
    match ended {
        Ok(true) => abi::OK,
        Ok(false) => abi::ERR_TIMEOUT,
        Err(_) => abi::ERR_PANIC,
    }
}

unsafe extern "C" fn get_extension(_ctx: *mut c_void, _id: Slice) -> *const c_void {
    ptr::null()
}

#[cfg(test)]
mod tests {
    #[test]
    fn text_is_taken_for_text_exactly_where_std_does() {
        let samples: [&[u8]; 6] =
            [b"", b"{}", "zażółć 😀".as_bytes(), b"\xff", b"ascii and \xc3", b"\xed\xa0\x80"];
        for bytes in samples {
            assert_eq!(super::utf8(bytes), std::str::from_utf8(bytes));
        }
    }
}
