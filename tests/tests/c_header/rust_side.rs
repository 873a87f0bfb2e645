//! What `elowen_sdk::abi` says: each record with its size, its fields in order with offsets and C types, and
//! each constant. All of it comes from the compiler; nothing is a number typed here.

use std::ffi::c_void;
use std::mem::{offset_of, size_of};

use elowen_sdk::abi;

/// A record of the ABI.
pub(crate) struct Record {
    /// Its name in Rust.
    pub(crate) rust: &'static str,
    /// Its name in C.
    pub(crate) c: &'static str,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// Its fields, in order.
    pub(crate) fields: Vec<Field>,
}

/// A field of a record.
pub(crate) struct Field {
    /// Its name in C.
    pub(crate) c: &'static str,
    /// Its distance from the record's start, in bytes.
    pub(crate) offset: usize,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// A C declaration of `p` as a pointer to such a field.
    pub(crate) pointer: String,
}

/// A type of the ABI that C has too.
trait CType {
    /// The C declaration of `name` as this type.
    fn declare(name: &str) -> String;
}

macro_rules! c_names {
    ($($rust:ty => $c:literal,)*) => {$(
        impl CType for $rust {
            fn declare(name: &str) -> String { format!(concat!($c, " {}"), name) }
        }
    )*};
}

c_names! {
    u8 => "uint8_t", u16 => "uint16_t", u32 => "uint32_t", u64 => "uint64_t", usize => "size_t",
    i32 => "int32_t", c_void => "void", () => "void",
    abi::Slice => "elw_slice", abi::Buf => "elw_buf", abi::LogRecord => "elw_log_record",
    abi::Tool => "elw_tool", abi::Call => "elw_call", abi::Completion => "elw_completion",
    abi::Host => "elw_host", abi::Plugin => "elw_plugin",
}

impl<T: CType> CType for *mut T {
    fn declare(name: &str) -> String {
        T::declare(&format!("*{name}"))
    }
}

impl<T: CType> CType for *const T {
    fn declare(name: &str) -> String {
        format!("const {}", T::declare(&format!("*{name}")))
    }
}

impl<T: CType> CType for Option<T> {
    fn declare(name: &str) -> String {
        T::declare(name)
    }
}

macro_rules! functions {
    ($(($($argument:ident),+))*) => {$(
        impl<R: CType, $($argument: CType),+> CType for unsafe extern "C" fn($($argument),+) -> R {
            fn declare(name: &str) -> String {
                let arguments = [$($argument::declare("")),+].join(", ");
                R::declare(&format!("(*{name})({arguments})"))
            }
        }
    )*};
}

functions! { (A, B) (A, B, C) (A, B, C, D, E, F) }

/// `T` from a function that picks a field, so that the field's type need not be named.
fn pointer_to<S, T: CType>(_: fn(&S) -> &T) -> String {
    T::declare("*p")
}

fn size_of_field<S, T>(_: fn(&S) -> &T) -> usize {
    size_of::<T>()
}

macro_rules! records {
    ($($rust:ident = $c:literal { $($field:ident $(as $c_field:literal)?),* $(,)? })*) => {
        /// Every record of `abi.rs` that C declares.
        pub(crate) fn records() -> Vec<Record> {
            vec![$({
                // Does not compile when the record has a field that is not listed.
                let _ = |record: abi::$rust| { let abi::$rust { $($field: _),* } = record; };
                Record {
                    rust: stringify!($rust),
                    c: $c,
                    size: size_of::<abi::$rust>(),
                    fields: vec![$(Field {
                        c: [$($c_field,)? stringify!($field)][0],
                        offset: offset_of!(abi::$rust, $field),
                        size: size_of_field(|record: &abi::$rust| &record.$field),
                        pointer: pointer_to(|record: &abi::$rust| &record.$field),
                    }),*],
                }
            }),*]
        }
    };
}

records! {
    Slice = "elw_slice" { ptr, len }
    Buf = "elw_buf" { ptr, len, ctx, drop }
    LogRecord = "elw_log_record" { struct_size, level, operation, target, message, fields }
    Tool = "elw_tool" { struct_size, run, tool, definition, options }
    Call = "elw_call" { struct_size, flags, operation, tool, call_id, arguments }
    Completion = "elw_completion" { struct_size, kind, body, first_poll_ns, flags, reserved }
    Host = "elw_host" {
        struct_size, abi_major, abi_minor, ctx, get_extension, log_enabled, log, register_tool, progress,
        is_cancelled, complete, query,
    }
    // `register` is a keyword of C.
    Plugin = "elw_plugin" {
        struct_size, reserved, blob, ctx, register as "register_start", call_start, cancel, release, shutdown,
        get_extension,
    }
}

macro_rules! constants {
    ($($rust:ident = $c:literal),* $(,)?) => {
        /// Every numeric constant: name in Rust, name in C, value.
        pub(crate) fn constants() -> Vec<(&'static str, &'static str, i128)> {
            vec![$((stringify!($rust), $c, abi::$rust as i128)),*]
        }
    };
}

constants! {
    MAJOR = "ELW_ABI_MAJOR", MINOR = "ELW_ABI_MINOR",
    OK = "ELW_OK", ERR_ABI = "ELW_ERR_ABI", ERR_INVALID = "ELW_ERR_INVALID", ERR_REFUSED = "ELW_ERR_REFUSED",
    ERR_PANIC = "ELW_ERR_PANIC", ERR_CLOSED = "ELW_ERR_CLOSED", ERR_UNKNOWN = "ELW_ERR_UNKNOWN",
    ERR_TIMEOUT = "ELW_ERR_TIMEOUT", COALESCED = "ELW_COALESCED",
    DONE = "ELW_DONE", TRANSPORT = "ELW_TRANSPORT", FAULT = "ELW_FAULT", PANIC = "ELW_PANIC",
    CANCELLED = "ELW_CANCELLED",
    FINISHED_ON_FIRST_POLL = "ELW_FINISHED_ON_FIRST_POLL", INLINE = "ELW_INLINE",
    RUN_AUTO = "ELW_RUN_AUTO", RUN_INLINE = "ELW_RUN_INLINE", RUN_NEVER_INLINE = "ELW_RUN_NEVER_INLINE",
    LOG_ERROR = "ELW_LOG_ERROR", LOG_WARN = "ELW_LOG_WARN", LOG_INFO = "ELW_LOG_INFO",
    LOG_DEBUG = "ELW_LOG_DEBUG", LOG_TRACE = "ELW_LOG_TRACE",
    BLOB_HEADER_LEN = "ELW_BLOB_HEADER_LEN", BLOB_MUST_UNDERSTAND = "ELW_BLOB_MUST_UNDERSTAND",
}

/// The C declarations, each of a pointer `p`, of what is neither record nor constant: name in C, declaration.
pub(crate) fn other_types() -> [(&'static str, String); 3] {
    [
        ("elw_status", <*mut abi::Status>::declare("p")),
        ("elw_answer_fn", <*mut abi::AnswerFn>::declare("p")),
        ("elowen_plugin_entry", abi::EntryFn::declare("p")),
    ]
}
