//! The contract between a host and a plugin, version 1, on `core` alone.
//!
//! `include/elowen_plugin.h` says the same in C. Both sides share these types and nothing else: no Rust
//! type, allocator, runtime or panic crosses, only the records below, scalars and UTF-8 bytes.
//!
//! # How a library is used
//!
//! 1. The host reads the [metadata blob](BLOB_MAGIC) from the file. No code of the library has run yet.
//! 2. It maps the library and calls [`ENTRY_SYMBOL`] (an [`EntryFn`]), which fills a [`Plugin`] table. One
//!    library may be entered many times; every entry makes an instance of its own.
//! 3. It calls [`Plugin::register`]. Until that operation completes, the plugin may hand tools to
//!    [`Host::register_tool`].
//! 4. It calls [`Plugin::call_start`] for each tool call.
//! 5. It calls [`Plugin::shutdown`] once, and nothing of that instance afterwards. The library stays mapped.
//!
//! # Rules for every function
//!
//! - **Growth.** Every record begins with `struct_size`, the size its writer knows. A reader uses the fields
//!   that lie inside it and treats the rest as absent. Fields are only ever appended; larger features come
//!   through `get_extension`. A field that [version 1.0](MAJOR) has is mandatory: a table without it, or with
//!   a null function there, is refused.
//! - **Threads.** Unless its text says otherwise a function may be called from any thread, by several at once,
//!   and may call back before it returns: neither side holds a lock while it calls the other.
//! - **Memory.** A [`Slice`] is borrowed and dead when the function that received it returns. A [`Buf`] is
//!   owned by its receiver, which calls its `drop` exactly once, from any thread.
//! - **Unwinding.** No panic or exception leaves any function here.
//! - **Operations.** The host numbers what it starts (a registration, a call). The plugin says
//!   [`Host::complete`] exactly once for each number, from any thread, also before the starting function has
//!   returned. A number is never reused, so a late or second completion is recognised, its buffer is freed,
//!   and nothing else happens.

use core::ffi::c_void;

/// The major version this file describes: what the tables mean.
pub const MAJOR: u16 = 1;
/// The minor version: which appended fields exist.
pub const MINOR: u16 = 0;
/// The exported function every plugin library has; its type is [`EntryFn`].
pub const ENTRY_SYMBOL: &str = "elowen_plugin_entry";

/// What a function answers. Anything but [`OK`] is a failure.
pub type Status = i32;
/// Done, or accepted.
pub const OK: Status = 0;
/// Entry: this library does not speak that major version.
pub const ERR_ABI: Status = 1;
/// The caller broke a rule of this file: a null pointer, bytes that are not UTF-8, a record that is too short.
pub const ERR_INVALID: Status = 2;
/// The receiver will not do it; it has said why in its log.
pub const ERR_REFUSED: Status = 3;
/// A panic was caught while doing it.
pub const ERR_PANIC: Status = 4;
/// The operation is over or the instance is shut down.
pub const ERR_CLOSED: Status = 5;
/// The other side knows no question or extension of that name.
pub const ERR_UNKNOWN: Status = 6;
/// It was not finished within the time given.
pub const ERR_TIMEOUT: Status = 7;
/// Progress: accepted, but an earlier update that nobody had read gave way.
pub const COALESCED: Status = 8;

/// How an operation ended ([`Completion::kind`]): the tool answered. The body is its result as JSON:
/// `{"content":[{"type":"text","text":..}|{"type":"image","data":<base64>,"mimeType":..}],"details":..,"terminate"?:bool}`.
/// For a registration: it succeeded, and the body is ignored.
pub const DONE: u32 = 0;
/// The world behind the tool failed (network, a dead remote). The body is `{"message":..,"location"?:..}`.
pub const TRANSPORT: u32 = 1;
/// The plugin failed. Body as for [`TRANSPORT`].
pub const FAULT: u32 = 2;
/// The plugin panicked. Body as for [`TRANSPORT`].
pub const PANIC: u32 = 3;
/// The call was cancelled and has stopped. Body as for [`TRANSPORT`], or empty.
pub const CANCELLED: u32 = 4;

/// [`Completion::flags`]: the body was finished when its first poll returned.
pub const FINISHED_ON_FIRST_POLL: u32 = 1;
/// [`Call::flags`]: the host lends its thread; the plugin may run the body on it until it first waits.
pub const INLINE: u32 = 1;

/// [`Tool::run`]: the host decides, from what it measures, whether to lend its thread.
pub const RUN_AUTO: u32 = 0;
/// [`Tool::run`]: the tool never blocks; the host may lend its thread from the first call on.
pub const RUN_INLINE: u32 = 1;
/// [`Tool::run`]: the host must never lend its thread.
pub const RUN_NEVER_INLINE: u32 = 2;

/// Log levels, as in [`LogRecord::level`].
pub const LOG_ERROR: u32 = 1;
/// A warning.
pub const LOG_WARN: u32 = 2;
/// Information.
pub const LOG_INFO: u32 = 3;
/// For debugging.
pub const LOG_DEBUG: u32 = 4;
/// Very verbose.
pub const LOG_TRACE: u32 = 5;

/// Borrowed bytes. UTF-8 wherever text or JSON is meant, which the receiver checks; may contain NUL; `ptr` may be null when `len` is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// First byte.
    pub ptr: *const u8,
    /// Number of bytes.
    pub len: usize,
}

/// Owned bytes with the function that frees them. The receiver calls `drop(ctx, ptr, len)` once; a null `drop`
/// means there is nothing to free.
#[repr(C)]
#[derive(Debug)]
pub struct Buf {
    /// First byte; may be null when `len` is 0.
    pub ptr: *mut u8,
    /// Number of bytes.
    pub len: usize,
    /// For `drop`.
    pub ctx: *mut c_void,
    /// Frees the bytes; any thread.
    pub drop: Option<unsafe extern "C" fn(ctx: *mut c_void, ptr: *mut u8, len: usize)>,
}

/// One line of a log.
#[repr(C)]
#[derive(Debug)]
pub struct LogRecord {
    /// Size of this record as its writer knows it, in bytes.
    pub struct_size: u32,
    /// [`LOG_ERROR`] to [`LOG_TRACE`]; anything else is read as [`LOG_INFO`].
    pub level: u32,
    /// The operation it belongs to, or 0.
    pub operation: u64,
    /// Where it comes from, such as a module path; may be empty.
    pub target: Slice,
    /// The text.
    pub message: Slice,
    /// Structured fields as a JSON object, or empty.
    pub fields: Slice,
}

/// A tool, as handed to [`Host::register_tool`].
#[repr(C)]
#[derive(Debug)]
pub struct Tool {
    /// Size of this record as its writer knows it, in bytes.
    pub struct_size: u32,
    /// [`RUN_AUTO`], [`RUN_INLINE`] or [`RUN_NEVER_INLINE`].
    pub run: u32,
    /// The plugin's own number for the tool; comes back as [`Call::tool`].
    pub tool: u64,
    /// JSON object: `name`, `label`, `description`, `parameters` (a JSON Schema), and further fields of a tool definition.
    pub definition: Slice,
    /// JSON object of registration options (`ownerUserId`, `projectId`, `platform`, `external`, ...), or empty.
    pub options: Slice,
}

/// One call of a tool.
#[repr(C)]
#[derive(Debug)]
pub struct Call {
    /// Size of this record as its writer knows it, in bytes.
    pub struct_size: u32,
    /// [`INLINE`] or 0; unknown bits are ignored.
    pub flags: u32,
    /// The host's number for this operation, never 0.
    pub operation: u64,
    /// [`Tool::tool`] of the tool that is called.
    pub tool: u64,
    /// The identifier the model gave the call; may be empty.
    pub call_id: Slice,
    /// The arguments, a JSON object.
    pub arguments: Slice,
}

/// How an operation ended.
#[repr(C)]
#[derive(Debug)]
pub struct Completion {
    /// Size of this record as its writer knows it, in bytes.
    pub struct_size: u32,
    /// [`DONE`], [`TRANSPORT`], [`FAULT`], [`PANIC`] or [`CANCELLED`]; anything else is a fault.
    pub kind: u32,
    /// What `kind` says. The host owns it from here on, whatever it answers.
    pub body: Buf,
    /// How long the body kept a thread busy until it first waited or ended, in nanoseconds; 0 if not measured. From it
    /// the host decides whether to lend its thread.
    pub first_poll_ns: u64,
    /// [`FINISHED_ON_FIRST_POLL`] or 0; unknown bits are ignored.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
}

/// Receives the answer to a [`Host::query`], exactly once, on any thread, perhaps before `query` returns.
/// With [`OK`] the answer is JSON, otherwise `{"message":..}` or empty.
pub type AnswerFn = unsafe extern "C" fn(user: *mut c_void, status: Status, answer: Buf);

/// What the host offers an instance. The table and what it points to stay valid while the process lives; after
/// [`Plugin::shutdown`] its functions do nothing and answer [`ERR_CLOSED`].
#[repr(C)]
#[derive(Debug)]
pub struct Host {
    /// Size of this table as the host knows it, in bytes.
    pub struct_size: u32,
    /// The major version in use, equal to the entry's first argument.
    pub abi_major: u16,
    /// The host's minor version.
    pub abi_minor: u16,
    /// First argument of every function here.
    pub ctx: *mut c_void,
    /// A further table by its name, such as `elowen.example/1`; null if the host has none of that name.
    pub get_extension: Option<unsafe extern "C" fn(ctx: *mut c_void, id: Slice) -> *const c_void>,
    /// Whether anybody reads records of this level: 1 or 0. Cheap; ask before formatting.
    pub log_enabled: Option<unsafe extern "C" fn(ctx: *mut c_void, level: u32) -> u32>,
    /// Hands over one record. Never blocks for long.
    pub log: Option<unsafe extern "C" fn(ctx: *mut c_void, record: *const LogRecord)>,
    /// Offers a tool, while registration `operation` is running. [`ERR_REFUSED`]: the platform's rules say no,
    /// which the host has logged; the plugin goes on.
    pub register_tool:
        Option<unsafe extern "C" fn(ctx: *mut c_void, operation: u64, tool: *const Tool) -> Status>,
    /// Hands over a partial result, JSON shaped as for [`DONE`]. Never blocks: when nobody reads, the oldest
    /// unread updates give way ([`COALESCED`]) and the last is always delivered. [`ERR_CLOSED`]: the call is
    /// over or cancelled, stop.
    pub progress: Option<unsafe extern "C" fn(ctx: *mut c_void, operation: u64, update: Slice) -> Status>,
    /// 1 if the operation has been cancelled or is over, else 0.
    pub is_cancelled: Option<unsafe extern "C" fn(ctx: *mut c_void, operation: u64) -> u32>,
    /// Ends an operation.
    pub complete: Option<unsafe extern "C" fn(ctx: *mut c_void, operation: u64, completion: *mut Completion)>,
    /// Asks the host a question by name, for `operation` or, with 0, for the instance. `request` is JSON or
    /// empty. `answer` is called exactly once, whatever happens. `docs/abi.md` lists the questions.
    pub query: Option<
        unsafe extern "C" fn(
            ctx: *mut c_void,
            operation: u64,
            name: Slice,
            request: Slice,
            user: *mut c_void,
            answer: Option<AnswerFn>,
        ),
    >,
}

/// What an instance offers the host.
#[repr(C)]
#[derive(Debug)]
pub struct Plugin {
    /// In: the size of the host's record, zeroed but for this field. Out: how much of it was filled, in bytes.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// The metadata blob as it lies in memory; byte for byte what the file's section holds.
    pub blob: Slice,
    /// First argument of every function here.
    pub ctx: *mut c_void,
    /// Starts the registration `operation`. Called once, before any call. Returns as `call_start` does.
    pub register: Option<unsafe extern "C" fn(ctx: *mut c_void, operation: u64) -> *mut c_void>,
    /// Starts a call and returns a handle that the host gives to `release` once. Null is allowed only if
    /// `complete` was already called. Without [`INLINE`] it returns within microseconds.
    pub call_start: Option<unsafe extern "C" fn(ctx: *mut c_void, call: *const Call) -> *mut c_void>,
    /// Asks an operation to stop soon; it still completes. At most once a handle, before its `release`. Never null.
    pub cancel: Option<unsafe extern "C" fn(ctx: *mut c_void, handle: *mut c_void)>,
    /// Gives the handle back, after completion or when the host stops waiting. Never null.
    pub release: Option<unsafe extern "C" fn(ctx: *mut c_void, handle: *mut c_void)>,
    /// Ends the instance: stop what runs, give resources back, within `timeout_ms`. Called once, when every
    /// handle has been released, and by one thread that calls nothing else of this instance meanwhile.
    pub shutdown: Option<unsafe extern "C" fn(ctx: *mut c_void, timeout_ms: u64) -> Status>,
    /// A further table by its name; null if the plugin has none of that name.
    pub get_extension: Option<unsafe extern "C" fn(ctx: *mut c_void, id: Slice) -> *const c_void>,
}

/// The entry. `abi_major` says which version's tables `host` and `out` are: a library that does not speak it
/// answers [`ERR_ABI`] without reading them. `host` stays valid while the process lives.
pub type EntryFn = unsafe extern "C" fn(abi_major: u32, host: *const Host, out: *mut Plugin) -> Status;

/// First bytes of the metadata blob.
///
/// The blob lies in a section of its own ([`BLOB_SECTION`]) and is read from the file before the library is
/// mapped. Header, [`BLOB_HEADER_LEN`] bytes, integers little-endian: magic (8), length of the whole blob
/// (u32), lowest and highest ABI major (u16, u16), flags (u32: the reader must know a set bit of 0..=15, may
/// ignore 16..=31), pointer width in bytes (u8), byte order (u8: 1 little, 2 big), zeros. Then a JSON object:
/// `{"plugin":{"name","version"},"tools":[name..],"sdk","rustc","target","profile","panic":"unwind"|"abort"}`.
pub const BLOB_MAGIC: [u8; 8] = *b"ELWNPLG\0";
/// Length of the blob's header, in bytes.
pub const BLOB_HEADER_LEN: usize = 32;
/// Highest flag bit that a reader must understand, exclusive.
pub const BLOB_MUST_UNDERSTAND: u32 = 0xffff;

/// The blob's section per object format: ELF, Mach-O (in segment `__DATA`), PE.
pub const BLOB_SECTION: BlobSection =
    BlobSection { elf: ".elowen.abi", macho: "__elowen_abi", pe: ".elwabi" };

/// See [`BLOB_SECTION`].
#[derive(Clone, Copy, Debug)]
pub struct BlobSection {
    /// ELF section name.
    pub elf: &'static str,
    /// Mach-O section name, in segment `__DATA`.
    pub macho: &'static str,
    /// PE section name.
    pub pe: &'static str,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    use core::mem::{offset_of, size_of};
    assert!(size_of::<Slice>() == 16 && size_of::<Buf>() == 32);
    assert!(size_of::<LogRecord>() == 64 && offset_of!(LogRecord, fields) == 48);
    assert!(size_of::<Tool>() == 48 && offset_of!(Tool, options) == 32);
    assert!(size_of::<Call>() == 56 && offset_of!(Call, arguments) == 40);
    assert!(size_of::<Completion>() == 56 && offset_of!(Completion, first_poll_ns) == 40);
    assert!(size_of::<Host>() == 80 && offset_of!(Host, query) == 72);
    assert!(size_of::<Plugin>() == 80 && offset_of!(Plugin, get_extension) == 72);
};
