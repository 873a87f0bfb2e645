//! Maps a verified file, enters it, and calls the functions of its table.
//!
//! With `library/callbacks.rs` (what plugins call) and `library/buffer.rs` (memory they hand over) the only
//! `unsafe` of this crate. What comes out of here is checked and safe to keep.

mod buffer;
mod callbacks;

pub(crate) use buffer::{ForeignBuf, ForeignText};
pub(crate) use callbacks::Asker;

use crate::error::LoadFailure;
use crate::plugin::Loaded;
use elowen_sdk::abi::{self, Slice};
use std::{
    collections::HashMap,
    ffi::c_void,
    mem::size_of,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    ptr,
    sync::{Mutex, PoisonError},
};

/// The decision to run native code in this process.
///
/// A native plugin can do whatever the process can: no check of this crate is a sandbox. So the decision is made
/// once, in words, where it can be found.
#[derive(Clone, Copy, Debug)]
pub struct Trust(());

impl Trust {
    /// Allows native plugins.
    ///
    /// # Safety
    /// The code of every plugin that the host is told to load runs with all rights of this process, its
    /// initialisers included, and must keep to the rules of `elowen_sdk::abi`, as the SDK does. The caller
    /// answers for whoever can write to the folders that are loaded from.
    pub unsafe fn native_code() -> Self {
        Trust(())
    }

    /// The person at the command line has named the plugin.
    pub(crate) fn of_the_command_line() -> Self {
        // SAFETY: whoever can start this command with these arguments can run the plugin's code anyway.
        unsafe { Self::native_code() }
    }
}

/// A plugin's functions, all present, with the context they take.
pub(crate) struct Table {
    ctx: *mut c_void,
    register: unsafe extern "C" fn(*mut c_void, u64) -> *mut c_void,
    call_start: unsafe extern "C" fn(*mut c_void, *const abi::Call) -> *mut c_void,
    cancel: unsafe extern "C" fn(*mut c_void, *mut c_void),
    release: unsafe extern "C" fn(*mut c_void, *mut c_void),
    shutdown: unsafe extern "C" fn(*mut c_void, u64) -> abi::Status,
}

// SAFETY: the ABI allows the table's functions from any thread; `ctx` is only handed to them.
unsafe impl Send for Table {}
// SAFETY: as above; concurrent calls are allowed too.
unsafe impl Sync for Table {}

/// A started operation. Given back exactly once, by [`Table::release`].
#[derive(Debug)]
pub(crate) struct Handle(*mut c_void);

// SAFETY: the ABI allows `cancel` and `release` from any thread.
unsafe impl Send for Handle {}

/// Entry addresses seen, each with the hash of the file it came from.
static ENTRIES: Mutex<Option<HashMap<usize, [u8; 32]>>> = Mutex::new(None);

/// What a library must be, by the file it was copied from.
pub(crate) struct Expected<'a> {
    pub(crate) sha256: [u8; 32],
    /// The blob found in the file.
    pub(crate) blob: &'a [u8],
    /// The major version both sides speak.
    pub(crate) abi_major: u16,
}

/// Maps the private copy at `file`, for good, and enters it once for `plugin`.
pub(crate) fn enter(
    _trust: Trust,
    file: &Path,
    expected: &Expected<'_>,
    plugin: &'static Loaded,
) -> Result<Table, LoadFailure> {
    let entry = map(file, expected)?;
    // SAFETY: all-zero is a valid table: null pointers and absent functions.
    let mut table: abi::Plugin = unsafe { std::mem::zeroed() };
    table.struct_size = size_of::<abi::Plugin>() as u32;
    let host = callbacks::table(plugin);
    // SAFETY: `entry` is the symbol of that name in a file whose blob speaks this version; `host` is leaked, `table` is writable
    // for the size it names.
    let status = unsafe { entry(u32::from(expected.abi_major), host, &mut table) };
    if status != abi::OK {
        return Err(LoadFailure::Entry { status });
    }
    verify(&table, expected)
}

fn map(file: &Path, expected: &Expected<'_>) -> Result<abi::EntryFn, LoadFailure> {
    debug_assert!(file.is_absolute(), "a bare name would be searched for in the system's directories");
    let failed = |e: libloading::Error| LoadFailure::Map { message: whole_text(&e) };
    // SAFETY: running the file's initialisers is what `Trust` allows.
    let image = unsafe { crate::os::map_library(file) }.map_err(failed)?;
    let name = format!("{}\0", abi::ENTRY_SYMBOL);
    // SAFETY: the ABI gives the symbol this type.
    let entry = unsafe { image.get::<abi::EntryFn>(name.as_bytes()) };
    let entry = match entry {
        Ok(symbol) => *symbol,
        Err(_) => return Err(LoadFailure::NoEntry),
    };
    // Never unmapped: threads, thread-locals and tables may point into it for as long as the process lives.
    std::mem::forget(image);
    let mut entries = ENTRIES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = *entries.get_or_insert_with(HashMap::new).entry(entry as usize).or_insert(expected.sha256);
    if known != expected.sha256 {
        return Err(LoadFailure::SharedImage { other: hex(&known) });
    }
    Ok(entry)
}

/// What failed, and what the system said about it, which this crate keeps in the error's source.
fn whole_text(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(error.source(), |error| error.source());
    sources.fold(error.to_string(), |text, source| format!("{text}: {source}"))
}

fn verify(table: &abi::Plugin, expected: &Expected<'_>) -> Result<Table, LoadFailure> {
    let (got, need) = (table.struct_size, size_of::<abi::Plugin>() as u32);
    if got < need {
        return Err(LoadFailure::TableTooShort { got, need });
    }
    // Length first: only as many bytes as the file's blob has are read.
    let same_length = table.blob.len == expected.blob.len() && !table.blob.ptr.is_null();
    // SAFETY: a plugin that fills in a table promises that its slices are readable (ABI, "Memory").
    if !same_length || unsafe { bytes(&table.blob) } != Some(expected.blob) {
        return Err(LoadFailure::BlobDiffers);
    }
    let null = |name| LoadFailure::NullFunction { name };
    table.get_extension.ok_or(null("get_extension"))?;
    Ok(Table {
        ctx: table.ctx,
        register: table.register.ok_or(null("register"))?,
        call_start: table.call_start.ok_or(null("call_start"))?,
        cancel: table.cancel.ok_or(null("cancel"))?,
        release: table.release.ok_or(null("release"))?,
        shutdown: table.shutdown.ok_or(null("shutdown"))?,
    })
}

/// What a started call is told.
pub(crate) struct Start<'a> {
    pub(crate) operation: u64,
    pub(crate) tool: u64,
    pub(crate) inline: bool,
    pub(crate) call_id: &'a str,
    pub(crate) arguments: &'a str,
}

impl Table {
    pub(crate) fn register(&self, operation: u64) -> Option<Handle> {
        // SAFETY: a checked function with its context; called once, before any call (see `host::load`).
        Handle::of(unsafe { (self.register)(self.ctx, operation) })
    }

    pub(crate) fn call_start(&self, start: &Start<'_>) -> Option<Handle> {
        let call = abi::Call {
            struct_size: size_of::<abi::Call>() as u32,
            flags: if start.inline { abi::INLINE } else { 0 },
            operation: start.operation,
            tool: start.tool,
            call_id: slice(start.call_id),
            arguments: slice(start.arguments),
        };
        // SAFETY: as above; the record and its slices outlive the call, and `Loaded::enter_call` keeps `shutdown` away.
        Handle::of(unsafe { (self.call_start)(self.ctx, &call) })
    }

    pub(crate) fn cancel(&self, handle: &Handle) {
        // SAFETY: a handle of this instance that has not been released.
        unsafe { (self.cancel)(self.ctx, handle.0) }
    }

    pub(crate) fn release(&self, handle: Handle) {
        // SAFETY: as above; taking the handle by value makes this the only time.
        unsafe { (self.release)(self.ctx, handle.0) }
    }

    /// # Errors
    /// The status, if it is not OK.
    pub(crate) fn shutdown(&self, timeout_ms: u64) -> Result<(), abi::Status> {
        // SAFETY: called once, when no handle is left (see `Loaded::shutdown`).
        match unsafe { (self.shutdown)(self.ctx, timeout_ms) } {
            abi::OK => Ok(()),
            status => Err(status),
        }
    }
}

impl Handle {
    fn of(raw: *mut c_void) -> Option<Self> {
        if raw.is_null() { None } else { Some(Handle(raw)) }
    }
}

fn slice(text: &str) -> Slice {
    Slice { ptr: text.as_ptr(), len: text.len() }
}

/// A plugin's slice; `None` if it cannot be one.
///
/// # Safety
/// If it names bytes, they are readable while `'a` lasts.
unsafe fn bytes<'a>(slice: &Slice) -> Option<&'a [u8]> {
    match (slice.ptr.is_null(), slice.len) {
        (_, 0) => Some(&[]),
        (true, _) => None,
        (false, len) if len > isize::MAX as usize => None,
        // SAFETY: the caller's promise; not null, and no longer than an object can be.
        (false, len) => Some(unsafe { std::slice::from_raw_parts(slice.ptr, len) }),
    }
}

/// A record of at least its first version; `None` if it is null or shorter.
///
/// # Safety
/// `record` is null or points to a record that begins with its size in bytes, readable while `'a` lasts.
unsafe fn record<'a, T>(record: *const T) -> Option<&'a T> {
    if record.is_null() {
        return None;
    }
    // SAFETY: every record of the ABI begins with its size.
    let size = unsafe { ptr::read(record.cast::<u32>()) };
    if (size as usize) < size_of::<T>() {
        return None;
    }
    // SAFETY: the size says that all fields we know are there.
    Some(unsafe { &*record })
}

/// Runs a callback's work; a panic of the host stays in the host.
fn guarded<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
