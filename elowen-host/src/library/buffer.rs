//! Memory that a plugin has handed over: read here, freed by the plugin's own function.

use super::guarded;
use elowen_sdk::abi::Buf;

/// An owned foreign buffer. Dropping it frees it.
#[derive(Debug)]
pub(crate) struct ForeignBuf(Buf);

// SAFETY: the ABI makes the receiver the owner, and `drop` is allowed from any thread.
unsafe impl Send for ForeignBuf {}
// SAFETY: shared access only reads bytes that nobody writes any more.
unsafe impl Sync for ForeignBuf {}

impl ForeignBuf {
    /// Takes a buffer over.
    ///
    /// # Safety
    /// The buffer is the plugin's gift: readable for `len` bytes if not null, and used by nobody else.
    pub(super) unsafe fn new(buf: Buf) -> Self {
        ForeignBuf(buf)
    }

    /// The bytes; `None` where they cannot be any: a null pointer with a length, or a length no object has.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        let slice = elowen_sdk::abi::Slice { ptr: self.0.ptr, len: self.0.len };
        // SAFETY: `new`'s promise; the borrow of `self` keeps the buffer.
        unsafe { super::bytes(&slice) }
    }
}

/// A foreign buffer that holds text, which was checked once.
#[derive(Debug)]
pub(crate) struct ForeignText(ForeignBuf);

impl ForeignText {
    /// # Errors
    /// In words, if it is none.
    pub(crate) fn new(buf: ForeignBuf) -> Result<Self, &'static str> {
        // Most results are ASCII, which is much cheaper to see.
        match buf.bytes().map(|bytes| bytes.is_ascii() || std::str::from_utf8(bytes).is_ok()) {
            Some(true) => Ok(ForeignText(buf)),
            Some(false) => Err("is not UTF-8"),
            None => Err("has no bytes but a length"),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        // SAFETY: `new` has seen that these bytes are UTF-8, and nobody else has them to change them (`ForeignBuf::new`).
        unsafe { std::str::from_utf8_unchecked(self.0.bytes().unwrap_or_default()) }
    }
}

impl Drop for ForeignBuf {
    fn drop(&mut self) {
        if let Some(drop) = self.0.drop {
            let (ctx, ptr, len) = (self.0.ctx, self.0.ptr, self.0.len);
            // SAFETY: the buffer's own function, called this once.
            guarded((), || unsafe { drop(ctx, ptr, len) });
        }
    }
}
