//! The door for generated code. Nothing here is for people, and nothing here is stable.

pub(crate) mod host;
pub(crate) mod trampoline;

pub use crate::context::RegisterError;
pub use crate::plugin::{BlobFields, IntoRegistered, Names, PluginFn, Tools, blob, blob_len};
pub use schemars;
pub use serde;

/// What the exported entry does: checks the tables and makes an instance.
///
/// # Safety
/// As [`crate::abi::EntryFn`] says: `host` is null or a table that stays valid while the process lives, `out` is null or writable
/// for the `struct_size` bytes it names.
pub unsafe fn entry<P: PluginFn>(
    abi_major: u32,
    host: *const crate::abi::Host,
    out: *mut crate::abi::Plugin,
    blob: &'static [u8],
) -> crate::abi::Status {
    // SAFETY: the caller's promise, handed on.
    unsafe { trampoline::entry::<P>(abi_major, host, out, blob) }
}
