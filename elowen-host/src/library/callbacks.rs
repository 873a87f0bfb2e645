//! The host's table: what a plugin may call, from any thread, at any time, in any state of mind.

use super::{ForeignBuf, bytes, guarded, record};
use crate::operation::{self, Completed, Delivery, Ending};
use crate::plugin::{Loaded, Offer};
use crate::query::Reply;
use elowen_sdk::abi::{self, Buf, Completion, LogRecord, Slice, Status};
use std::{ffi::c_void, mem::size_of, ptr};

/// Makes the table for one plugin. It lives as long as the process: an image is never unmapped, and its threads
/// may call at any time.
pub(super) fn table(plugin: &'static Loaded) -> *const abi::Host {
    Box::leak(Box::new(abi::Host {
        struct_size: size_of::<abi::Host>() as u32,
        abi_major: abi::MAJOR,
        abi_minor: abi::MINOR,
        ctx: ptr::from_ref(plugin).cast_mut().cast(),
        get_extension: Some(get_extension),
        log_enabled: Some(log_enabled),
        log: Some(log),
        register_tool: Some(register_tool),
        progress: Some(progress),
        is_cancelled: Some(is_cancelled),
        complete: Some(complete),
        query: Some(query),
    }))
}

/// # Safety
/// `ctx` is the one in a table made here.
unsafe fn plugin(ctx: *mut c_void) -> Option<&'static Loaded> {
    // SAFETY: `table` put a leaked `Loaded` there; null is the mistake of a plugin that lost it.
    unsafe { ctx.cast_const().cast::<Loaded>().as_ref() }
}

/// # Safety
/// As for [`bytes`].
unsafe fn text<'a>(slice: &Slice) -> Option<&'a str> {
    // SAFETY: the caller's promise.
    std::str::from_utf8(unsafe { bytes(slice) }?).ok()
}

/// Text that is shown to people, so bad bytes are replaced rather than refused.
///
/// # Safety
/// As for [`bytes`].
unsafe fn lossy(slice: &Slice) -> String {
    // SAFETY: the caller's promise.
    String::from_utf8_lossy(unsafe { bytes(slice) }.unwrap_or_default()).into_owned()
}

unsafe extern "C" fn get_extension(_ctx: *mut c_void, _id: Slice) -> *const c_void {
    ptr::null()
}

unsafe extern "C" fn log_enabled(ctx: *mut c_void, level: u32) -> u32 {
    // SAFETY: a plugin passes its table's `ctx` (ABI); so in every function here.
    let Some(plugin) = (unsafe { plugin(ctx) }) else { return 0 };
    guarded(0, || u32::from(plugin.log_enabled(level)))
}

unsafe extern "C" fn log(ctx: *mut c_void, log_record: *const LogRecord) {
    // SAFETY: see `log_enabled`; the record is borrowed until this returns (ABI, "Memory").
    let (plugin, log_record) = unsafe { (plugin(ctx), record(log_record)) };
    let Some(plugin) = plugin else { return };
    let Some(log_record) = log_record else {
        return guarded((), || plugin.breach(0, "a log record is null or shorter than version 1.0"));
    };
    // SAFETY: slices of a record are readable until this returns.
    let (target, message, fields) =
        unsafe { (lossy(&log_record.target), lossy(&log_record.message), lossy(&log_record.fields)) };
    guarded((), || plugin.log(log_record.level, log_record.operation, &target, &message, &fields));
}

unsafe extern "C" fn register_tool(ctx: *mut c_void, operation: u64, tool: *const abi::Tool) -> Status {
    // SAFETY: see `log`.
    let (plugin, tool) = unsafe { (plugin(ctx), record(tool)) };
    let Some(plugin) = plugin else { return abi::ERR_INVALID };
    let Some(tool) = tool else {
        return guarded(abi::ERR_INVALID, || {
            plugin.breach(operation, "a tool's record is null or shorter than version 1.0");
            abi::ERR_INVALID
        });
    };
    // SAFETY: slices of a record are readable until this returns.
    let (definition, options) = unsafe { (text(&tool.definition), text(&tool.options)) };
    guarded(abi::ERR_PANIC, || {
        let (Some(definition), Some(options)) = (definition, options) else {
            plugin.warn("register_tool: the definition or the options are not UTF-8; the tool was refused");
            return abi::ERR_INVALID;
        };
        plugin.offer(operation, &Offer { number: tool.tool, run: tool.run, definition, options })
    })
}

unsafe extern "C" fn progress(ctx: *mut c_void, operation: u64, update: Slice) -> Status {
    // SAFETY: see `log`.
    let (plugin, update) = unsafe { (plugin(ctx), text(&update)) };
    let Some(plugin) = plugin else { return abi::ERR_INVALID };
    guarded(abi::ERR_PANIC, || {
        let Some(update) = update else {
            plugin.breach(operation, "a progress update is not UTF-8");
            return abi::ERR_INVALID;
        };
        match operation::update(operation, plugin, update.to_owned()) {
            Delivery::Queued => abi::OK,
            Delivery::Coalesced => abi::COALESCED,
            Delivery::Closed => abi::ERR_CLOSED,
        }
    })
}

unsafe extern "C" fn is_cancelled(ctx: *mut c_void, operation: u64) -> u32 {
    // SAFETY: see `log_enabled`.
    let Some(plugin) = (unsafe { plugin(ctx) }) else { return 1 };
    guarded(1, || {
        let running =
            operation::with(operation, |o| ptr::eq(o.plugin, plugin) && !o.cancelled && !o.completed);
        u32::from(running != Some(true))
    })
}

unsafe extern "C" fn complete(ctx: *mut c_void, operation: u64, completion: *mut Completion) {
    // SAFETY: see `log`.
    let (plugin, completion) = unsafe { (plugin(ctx), record(completion.cast_const())) };
    let (Some(plugin), Some(completion)) = (plugin, completion) else {
        if let Some(plugin) = plugin {
            guarded((), || plugin.breach(operation, "a completion is null or shorter than version 1.0"));
        }
        return;
    };
    let moved = Buf {
        ptr: completion.body.ptr,
        len: completion.body.len,
        ctx: completion.body.ctx,
        drop: completion.body.drop,
    };
    // SAFETY: the body is ours from here on, whatever happens (ABI, `complete`).
    let body = unsafe { ForeignBuf::new(moved) };
    let ending = Ending {
        kind: completion.kind,
        body,
        first_poll_ns: completion.first_poll_ns,
        finished_on_first_poll: completion.flags & abi::FINISHED_ON_FIRST_POLL != 0,
    };
    guarded((), || match operation::complete(operation, plugin, ending) {
        Completed::Accepted => {}
        Completed::Abandoned => plugin.abandoned_ended(),
        Completed::Unknown => {
            plugin.breach(operation, "completed an operation that is over or was never its own")
        }
    });
}

unsafe extern "C" fn query(
    ctx: *mut c_void,
    operation: u64,
    name: Slice,
    request: Slice,
    user: *mut c_void,
    answer: Option<abi::AnswerFn>,
) {
    // SAFETY: see `log`.
    let plugin = unsafe { plugin(ctx) };
    let Some(answer) = answer else {
        if let Some(plugin) = plugin {
            guarded((), || plugin.breach(operation, "asked a question without an answer function"));
        }
        return;
    };
    let reply = Reply::new(Asker { user, answer });
    // SAFETY: slices are readable until this returns.
    let (name, request) = unsafe { (text(&name), text(&request)) };
    guarded((), || match (plugin, name, request) {
        (Some(plugin), Some(name), Some(request)) => plugin.ask(operation, name, request, reply),
        _ => reply.invalid("the question's name or request is not UTF-8"),
    });
}

/// Who asked. Answered exactly once, which [`Reply`] sees to.
pub(crate) struct Asker {
    user: *mut c_void,
    answer: abi::AnswerFn,
}

// SAFETY: the ABI lets an answer arrive on any thread.
unsafe impl Send for Asker {}

impl Asker {
    pub(crate) fn answer(self, status: Status, body: Vec<u8>) {
        let mut body = std::mem::ManuallyDrop::new(body);
        let buf = Buf {
            ptr: body.as_mut_ptr(),
            len: body.len(),
            ctx: ptr::without_provenance_mut(body.capacity()),
            drop: Some(free),
        };
        // SAFETY: the plugin's function with its own context, called once since this takes `self`.
        unsafe { (self.answer)(self.user, status, buf) }
    }
}

unsafe extern "C" fn free(ctx: *mut c_void, ptr: *mut u8, len: usize) {
    // SAFETY: `Asker::answer` made the three values from one `Vec`, and a buffer is dropped once (ABI, "Memory").
    drop(unsafe { Vec::from_raw_parts(ptr, len, ctx.addr()) });
}
