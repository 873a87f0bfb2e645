//! The host's table, checked once and called safely.

use crate::abi::{self, Buf, Completion, LogRecord, Slice, Status};
use crate::query::{Answer, Pending, QueryError};
use std::{ffi::c_void, mem::size_of, ptr, sync::Arc};

/// The host's functions, all present.
#[derive(Clone)]
pub(crate) struct Host {
    ctx: *mut c_void,
    log_enabled: unsafe extern "C" fn(*mut c_void, u32) -> u32,
    log: unsafe extern "C" fn(*mut c_void, *const LogRecord),
    register_tool: unsafe extern "C" fn(*mut c_void, u64, *const abi::Tool) -> Status,
    progress: unsafe extern "C" fn(*mut c_void, u64, Slice) -> Status,
    complete: unsafe extern "C" fn(*mut c_void, u64, *mut Completion),
    query: unsafe extern "C" fn(*mut c_void, u64, Slice, Slice, *mut c_void, Option<abi::AnswerFn>),
}

// SAFETY: the ABI allows every host function from any thread, and `ctx` is only ever handed to them.
unsafe impl Send for Host {}
// SAFETY: as above; concurrent calls are allowed too.
unsafe impl Sync for Host {}

impl Host {
    /// Reads a table.
    ///
    /// # Safety
    /// `table` is null or points to a host table that stays valid while the process lives.
    pub(crate) unsafe fn new(table: *const abi::Host) -> Result<Self, Status> {
        if table.is_null() {
            return Err(abi::ERR_INVALID);
        }
        // SAFETY: every table has at least its size field (ABI, "Growth").
        let size = unsafe { ptr::addr_of!((*table).struct_size).read() };
        if (size as usize) < size_of::<abi::Host>() {
            return Err(abi::ERR_INVALID);
        }
        // SAFETY: the size says that all fields we know are there.
        let table = unsafe { &*table };
        let all = || {
            Some(Host {
                ctx: table.ctx,
                log_enabled: table.log_enabled?,
                log: table.log?,
                register_tool: table.register_tool?,
                progress: table.progress?,
                complete: table.complete?,
                query: table.query?,
            })
        };
        all().ok_or(abi::ERR_INVALID)
    }

    pub(crate) fn log_enabled(&self, level: u32) -> bool {
        // SAFETY: a function of the checked table, with its `ctx`.
        unsafe { (self.log_enabled)(self.ctx, level) != 0 }
    }

    pub(crate) fn log(&self, level: u32, operation: u64, target: &str, message: &str, fields: &str) {
        let record = LogRecord {
            struct_size: size_of::<LogRecord>() as u32,
            level,
            operation,
            target: slice(target.as_bytes()),
            message: slice(message.as_bytes()),
            fields: slice(fields.as_bytes()),
        };
        // SAFETY: as above; the record and its slices outlive the call.
        unsafe { (self.log)(self.ctx, &record) }
    }

    pub(crate) fn register_tool(
        &self,
        operation: u64,
        number: u64,
        run: u32,
        definition: &str,
        options: &str,
    ) -> Status {
        let tool = abi::Tool {
            struct_size: size_of::<abi::Tool>() as u32,
            run,
            tool: number,
            definition: slice(definition.as_bytes()),
            options: slice(options.as_bytes()),
        };
        // SAFETY: as above.
        unsafe { (self.register_tool)(self.ctx, operation, &tool) }
    }

    pub(crate) fn progress(&self, operation: u64, update: &[u8]) {
        // SAFETY: as above.
        unsafe { (self.progress)(self.ctx, operation, slice(update)) };
    }

    pub(crate) fn complete(&self, operation: u64, kind: u32, body: Vec<u8>, first_poll_ns: u64, flags: u32) {
        let mut completion = Completion {
            struct_size: size_of::<Completion>() as u32,
            kind,
            body: owned(body),
            first_poll_ns,
            flags,
            reserved: 0,
        };
        // SAFETY: as above; the host owns the body from here on.
        unsafe { (self.complete)(self.ctx, operation, &mut completion) }
    }

    pub(crate) fn query(&self, operation: u64, name: &str, request: &[u8], pending: Arc<Pending>) {
        let user = Arc::into_raw(pending).cast_mut().cast::<c_void>();
        // SAFETY: as above; `user` is one reference to a `Pending`, which `answer` takes back when it is called, exactly once.
        unsafe {
            (self.query)(self.ctx, operation, slice(name.as_bytes()), slice(request), user, Some(answer))
        }
    }
}

fn slice(bytes: &[u8]) -> Slice {
    Slice { ptr: bytes.as_ptr(), len: bytes.len() }
}

/// Bytes that cross with the function that frees them; `ctx` carries the capacity.
fn owned(bytes: Vec<u8>) -> Buf {
    let mut bytes = std::mem::ManuallyDrop::new(bytes);
    Buf {
        ptr: bytes.as_mut_ptr(),
        len: bytes.len(),
        ctx: ptr::without_provenance_mut(bytes.capacity()),
        drop: Some(free),
    }
}

unsafe extern "C" fn free(ctx: *mut c_void, ptr: *mut u8, len: usize) {
    // SAFETY: `owned` made the three values from one `Vec`, and a buffer is dropped once (ABI, "Memory").
    drop(unsafe { Vec::from_raw_parts(ptr, len, ctx.addr()) });
}

unsafe extern "C" fn answer(user: *mut c_void, status: Status, answer: Buf) {
    super::trampoline::guarded("an answer", || {
        // SAFETY: `user` is the reference that `query` gave away, and an answer comes once (ABI, `AnswerFn`).
        let pending = unsafe { Arc::from_raw(user.cast_const().cast::<Pending>()) };
        // SAFETY: the host's buffer is ours now, with its `drop`.
        let bytes = unsafe { take(answer) };
        pending.answer(read(status, bytes));
    });
}

fn read(status: Status, bytes: Vec<u8>) -> Answer {
    let message = || match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(body) => body.get("message").and_then(|m| m.as_str()).unwrap_or_default().to_owned(),
        Err(_) => String::new(),
    };
    match status {
        abi::OK => Ok(bytes),
        abi::ERR_UNKNOWN => Err(QueryError::Unknown(message())),
        abi::ERR_CLOSED => Err(QueryError::Closed),
        abi::ERR_INVALID => Err(QueryError::Invalid(message())),
        _ => Err(QueryError::Refused(message())),
    }
}

/// Copies a foreign buffer and frees it.
///
/// # Safety
/// The buffer is the caller's, valid, and not used afterwards.
unsafe fn take(buf: Buf) -> Vec<u8> {
    let bytes = if buf.ptr.is_null() {
        Vec::new()
    } else {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(buf.ptr, buf.len) }.to_vec()
    };
    if let Some(drop) = buf.drop {
        // SAFETY: the buffer's own function, called once.
        unsafe { drop(buf.ctx, buf.ptr, buf.len) };
    }
    bytes
}
