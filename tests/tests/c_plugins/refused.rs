//! What the host says to the plugins it refuses: the kind of error, and the whole sentence after "was not loaded:".

use elowen_host::LoadFailure;
use elowen_host::blob::BlobError;

/// A kind of error and what its text contains.
pub(crate) type Refusal = (fn(&LoadFailure) -> bool, &'static [&'static str]);

/// The refusal for a case; `None` if its plugin is loaded or the case is unknown.
pub(crate) fn refusal(define: &str) -> Option<Refusal> {
    Some(match define {
        "CASE_BLOB_MAGIC" => (
            |cause| matches!(cause, LoadFailure::Blob(BlobError::Magic)),
            &[
                "its metadata do not begin with the mark of an elowen plugin. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
            ],
        ),
        "CASE_BLOB_ABI2" => (
            |cause| matches!(cause, LoadFailure::Blob(BlobError::NoCommonAbi { .. })),
            &[
                "it speaks ABI 2, this host speaks 1: the host is too old. Rebuild it against elowen-sdk 0.1, or update the host (fault of the host).",
            ],
        ),
        "CASE_BLOB_TWO" => (
            |cause| matches!(cause, LoadFailure::Blob(BlobError::MoreThanOne)),
            &[
                "it holds the metadata of more than one plugin. Let exactly one crate in the library be a plugin (fault of the plugin).",
            ],
        ),
        "CASE_BLOB_DIFFERS" | "CASE_BLOB_NULL" => (
            |cause| matches!(cause, LoadFailure::BlobDiffers),
            &[
                "its metadata in memory differ from those in its file. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
            ],
        ),
        "CASE_BLOB_ABORT" => (
            |cause| matches!(cause, LoadFailure::Blob(BlobError::PanicAbort { .. })),
            &[
                "it is built with panic = \"abort\", so a panic in a tool would end this host. Build it so that panics unwind (fault of the plugin).",
            ],
        ),
        "CASE_BLOB_FLAG" => (
            |cause| matches!(cause, LoadFailure::Blob(BlobError::UnknownFlags { bits: 0x40 })),
            &[
                "its metadata have flags 0x0040, which a host must understand and this one does not. Update the host (fault of the host).",
            ],
        ),
        "CASE_NO_ENTRY" => (
            |cause| matches!(cause, LoadFailure::NoEntry),
            &[
                "it does not export `elowen_plugin_entry`. Declare the plugin with `#[plugin]` in the crate that is the `cdylib` (fault of the plugin).",
            ],
        ),
        "CASE_UNDEFINED_SYMBOL" => (
            |cause| matches!(cause, LoadFailure::Map { .. }),
            &[
                "the loader refused it: ",
                "elowen_fixture_defined_nowhere",
                ". Link the library that defines the symbol into the plugin (fault of the plugin).",
            ],
        ),
        "CASE_ENTRY_ABI" => (
            |cause| matches!(cause, LoadFailure::Entry { status: 1 }),
            &[
                "its entry function does not speak the ABI that its metadata promise. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
            ],
        ),
        "CASE_ENTRY_REFUSED" => (
            |cause| matches!(cause, LoadFailure::Entry { status: 3 }),
            &[
                "its entry function refused. See in the log why, and correct the plugin (fault of the plugin).",
            ],
        ),
        "CASE_TABLE_SHORT" => (
            |cause| matches!(cause, LoadFailure::TableTooShort { got: 16, .. }),
            &[
                "its function table has 16 bytes, ABI 1 needs 80. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
            ],
        ),
        "CASE_REGISTER_FAULT" => (
            |cause| matches!(cause, LoadFailure::Register { .. }),
            &[
                "its registration failed: the database is locked. Correct the plugin's `register`, or the configuration that it reads (fault of the plugin).",
            ],
        ),
        "CASE_ENTRY_NEVER" | "CASE_REGISTER_NEVER" | "CASE_REGISTER_BLOCKS" => (
            |cause| matches!(cause, LoadFailure::RegisterTimeout { .. }),
            &[
                "its registration did not finish within 400ms. Move what takes so long out of `register`, into the tools, or give it more time (`HostBuilder::register_timeout`, --register-timeout) (fault of the plugin).",
            ],
        ),
        _ => return big_tls(define).or_else(|| null_function(define)),
    })
}

/// Linux keeps such storage where there may be no room for it.
fn big_tls(define: &str) -> Option<Refusal> {
    (cfg!(target_os = "linux") && define == "CASE_BIG_TLS").then_some((
        |cause| matches!(cause, LoadFailure::Map { .. }),
        &[
            "the loader refused it: ",
            "static TLS",
            ". Build the plugin's allocator without initial-exec TLS (jemalloc: the feature \
             `disable_initial_exec_tls`, mimalloc: `local_dynamic_tls`) (fault of the plugin).",
        ],
    ))
}

fn null_function(define: &str) -> Option<Refusal> {
    let text: &'static [&'static str] = match define.strip_prefix("CASE_NULL_SLOT=")? {
        "0" => &["its function `register` is null. Rebuild it against elowen-sdk 0.1 (fault of the plugin)."],
        "1" => {
            &["its function `call_start` is null. Rebuild it against elowen-sdk 0.1 (fault of the plugin)."]
        }
        "2" => &["its function `cancel` is null. Rebuild it against elowen-sdk 0.1 (fault of the plugin)."],
        "3" => &["its function `release` is null. Rebuild it against elowen-sdk 0.1 (fault of the plugin)."],
        "4" => &["its function `shutdown` is null. Rebuild it against elowen-sdk 0.1 (fault of the plugin)."],
        "5" => &[
            "its function `get_extension` is null. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ],
        _ => return None,
    };
    Some((|cause| matches!(cause, LoadFailure::NullFunction { .. }), text))
}
