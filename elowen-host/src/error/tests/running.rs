//! The same for the steps that run code: mapping, entering, registering.

use super::*;

#[test]
fn mapping() {
    let cases = [
        (
            "/c/libtodo.so: undefined symbol: SSL_new",
            "Link the library that defines the symbol into the plugin (fault of the plugin).",
        ),
        (
            "cannot allocate memory in static TLS block",
            "Build the plugin's allocator without initial-exec TLS (jemalloc: the feature `disable_initial_exec_tls`, mimalloc: `local_dynamic_tls`) (fault of the plugin).",
        ),
        (
            "failed to map segment from shared object: Operation not permitted",
            "The folder of private copies seems to be mounted noexec: let ELOWEN_STATE_DIR or --state-dir name a folder on another file system (fault of the machine).",
        ),
        ("wrong ELF class: ELFCLASS32", "Install the build for this machine (fault of the installation)."),
        (
            "libc.so.6: version `GLIBC_2.99' not found",
            "Build the plugin on a system as old as this one (fault of the plugin).",
        ),
        (
            "code signature not valid for use in process",
            "Sign the library for this machine, or give the host the entitlement `com.apple.security.cs.disable-library-validation` (fault of the machine).",
        ),
        ("Dynamic loading not supported", "Use a host that is not linked statically (fault of the host)."),
        (
            "libfoo.so.1: cannot open shared object file: No such file or directory",
            "Install the shared library that is named, or link it statically into the plugin (fault of the machine).",
        ),
        (
            "something else",
            "See with `ldd`, `otool -L` or `dumpbin /dependents` what the library needs (fault of the plugin).",
        ),
    ];
    for (message, expected) in cases {
        let text = text(LoadFailure::Map { message: message.into() });
        assert_eq!(text.strip_prefix(&format!("the loader refused it: {message}. ")), Some(expected));
    }
}

#[test]
fn entering_and_registering() {
    let cases: [(LoadFailure, &str); 15] = [
        (
            LoadFailure::NoEntry,
            "it does not export `elowen_plugin_entry`. Declare the plugin with `#[plugin]` in the crate that is the `cdylib` (fault of the plugin).",
        ),
        (
            LoadFailure::Entry { status: 1 },
            "its entry function does not speak the ABI that its metadata promise. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            LoadFailure::Entry { status: 2 },
            "its entry function says that the host broke a rule of the ABI. Update the host, or report this to its makers (fault of the host).",
        ),
        (
            LoadFailure::Entry { status: 3 },
            "its entry function refused. See in the log why, and correct the plugin (fault of the plugin).",
        ),
        (
            LoadFailure::Entry { status: 4 },
            "its entry function panicked. See in the log why, and correct the plugin (fault of the plugin).",
        ),
        (
            LoadFailure::Entry { status: -7 },
            "its entry function failed with status -7. See in the log why, and correct the plugin (fault of the plugin).",
        ),
        (
            LoadFailure::TableTooShort { got: 40, need: 80 },
            "its function table has 40 bytes, ABI 1 needs 80. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            LoadFailure::NullFunction { name: "call_start" },
            "its function `call_start` is null. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            LoadFailure::BlobDiffers,
            "its metadata in memory differ from those in its file. Rebuild it against elowen-sdk 0.1 (fault of the plugin).",
        ),
        (
            LoadFailure::SharedImage { other: "plugin `list`".into() },
            "the loader gave the code of plugin `list` for it. Restart the host; if it happens again, report this to its makers (fault of the host).",
        ),
        (
            LoadFailure::Register { message: "no key".into() },
            "its registration failed: no key. Correct the plugin's `register`, or the configuration that it reads (fault of the plugin).",
        ),
        (
            LoadFailure::DataDir {
                reason: "\"/s/data\": Not a directory".into(),
                message: "no folder".into(),
                setting: "--state-dir",
            },
            "its registration failed without the data folder that the host could not give it: no folder (\"/s/data\": Not a directory). Mend the host's state folder, or let --state-dir name one that this user can write to (fault of the machine).",
        ),
        (
            LoadFailure::RegisterPanic { message: "boom".into(), location: Some("src/lib.rs:7:5".into()) },
            "its registration panicked at src/lib.rs:7:5: boom. Correct the plugin's `register`, or the configuration that it reads (fault of the plugin).",
        ),
        (
            LoadFailure::RegisterPanic { message: "boom".into(), location: None },
            "its registration panicked: boom. Correct the plugin's `register`, or the configuration that it reads (fault of the plugin).",
        ),
        (
            LoadFailure::RegisterTimeout { limit: Duration::from_millis(30_500) },
            "its registration did not finish within 30.5s. Move what takes so long out of `register`, into the tools, or give it more time (`HostBuilder::register_timeout`, --register-timeout) (fault of the plugin).",
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(text(error), expected);
    }
}
