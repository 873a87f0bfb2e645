//! Why a plugin was not loaded, in one sentence: which plugin and file, what is wrong, what to do, whose fault.
//!
//! Each step of loading has an error of its own, which knows its cause and remedy; this module puts the sentence
//! together and has the failures of the steps after the file: mapping, entering and registering.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use elowen_sdk::abi;

use crate::blob::BlobError;
use crate::cache::CacheError;
use crate::manifest::ManifestError;
use crate::trust::TrustError;

/// The SDK release line that fits this host.
pub(crate) const SDK: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// Who can mend a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The plugin's author.
    Plugin,
    /// Whoever installed the plugin here.
    Installation,
    /// Whoever provides or updates this host.
    Host,
    /// Whoever looks after the machine.
    Machine,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plugin => "fault of the plugin",
            Self::Installation => "fault of the installation",
            Self::Host => "fault of the host",
            Self::Machine => "fault of the machine",
        })
    }
}

/// A plugin that was not loaded. Its neighbours are not affected.
#[derive(thiserror::Error)]
#[error("plugin `{plugin}` ({}) was not loaded: {}. {} ({}).", file.display(), self.about_it(), cause.remedy(), cause.fault())]
pub struct LoadError {
    /// The plugin's name, or its folder's.
    pub plugin: String,
    /// The library, or the manifest if that is what is wrong.
    pub file: PathBuf,
    /// What went wrong.
    #[source]
    pub cause: LoadFailure,
}

impl LoadError {
    /// The cause, which need not name the file again.
    fn about_it(&self) -> String {
        let cause = self.cause.to_string();
        match cause.strip_prefix(&format!("{:?} ", self.file)) {
            Some(rest) => format!("it {rest}"),
            None => cause,
        }
    }
}

/// The sentence: this is what a `main` that returns it shows.
impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The step that failed, and how.
#[derive(Debug, thiserror::Error)]
pub enum LoadFailure {
    /// The manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The file checks.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The private copy.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The metadata in the file.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The loader could not map it.
    #[error("the loader refused it: {message}")]
    Map {
        /// What the loader said.
        message: String,
    },
    /// The entry function is not exported.
    #[error("it does not export `{}`", abi::ENTRY_SYMBOL)]
    NoEntry,
    /// The entry function did not accept.
    #[error("its entry function {}", entry_answer(*status))]
    Entry {
        /// What it answered.
        status: i32,
    },
    /// A table that ends before the mandatory fields.
    #[error("its function table has {got} bytes, ABI {} needs {need}", abi::MAJOR)]
    TableTooShort {
        /// Bytes it filled.
        got: u32,
        /// Bytes that are mandatory.
        need: u32,
    },
    /// A mandatory function is missing.
    #[error("its function `{name}` is null")]
    NullFunction {
        /// The field in the table.
        name: &'static str,
    },
    /// What was checked in the file is not what runs.
    #[error("its metadata in memory differ from those in its file")]
    BlobDiffers,
    /// The loader took another library for this one.
    #[error("the loader gave the code of {other} for it")]
    SharedImage {
        /// The plugin or file whose code it is.
        other: String,
    },
    /// Registration answered with an error.
    #[error("its registration failed: {message}")]
    Register {
        /// What the plugin said.
        message: String,
    },
    /// Registration failed after the host could not give it a data folder.
    #[error(
        "its registration failed without the data folder that the host could not give it: {}",
        with_reason(message, reason)
    )]
    DataDir {
        /// Why there is none; names the folder.
        reason: String,
        /// What the plugin said.
        message: String,
        /// What says where the host keeps its state.
        setting: &'static str,
    },
    /// Registration panicked.
    #[error("its registration panicked{}: {message}", location.as_ref().map(|at| format!(" at {at}")).unwrap_or_default())]
    RegisterPanic {
        /// The panic's message.
        message: String,
        /// File, line and column, if known.
        location: Option<String>,
    },
    /// Registration did not end.
    #[error("its registration did not finish within {limit:?}")]
    RegisterTimeout {
        /// How long it may take.
        limit: Duration,
    },
}

/// A plugin mostly repeats what it was told.
fn with_reason(message: &str, reason: &str) -> String {
    if message.contains(reason) { message.to_owned() } else { format!("{message} ({reason})") }
}

fn entry_answer(status: i32) -> Cow<'static, str> {
    match status {
        abi::ERR_ABI => "does not speak the ABI that its metadata promise".into(),
        abi::ERR_INVALID => "says that the host broke a rule of the ABI".into(),
        abi::ERR_REFUSED => "refused".into(),
        abi::ERR_PANIC => "panicked".into(),
        other => format!("failed with status {other}").into(),
    }
}

impl LoadFailure {
    /// Who can mend it.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Manifest(error) => error.fault(),
            Self::Trust(error) => error.fault(),
            Self::Cache(error) => error.fault(),
            Self::Blob(error) => error.fault(),
            Self::Map { message } => map_hint(message).0,
            Self::DataDir { .. } => Fault::Machine,
            Self::Entry { status: abi::ERR_INVALID } | Self::SharedImage { .. } => Fault::Host,
            _ => Fault::Plugin,
        }
    }

    /// What to do, as a sentence without its full stop.
    pub fn remedy(&self) -> Cow<'static, str> {
        match self {
            Self::Manifest(error) => error.remedy(),
            Self::Trust(error) => error.remedy(),
            Self::Cache(error) => error.remedy(),
            Self::Blob(error) => error.remedy(),
            Self::Map { message } => map_hint(message).1.into(),
            Self::NoEntry => "Declare the plugin with `#[plugin]` in the crate that is the `cdylib`".into(),
            Self::Entry { status: abi::ERR_INVALID } => {
                "Update the host, or report this to its makers".into()
            }
            Self::Entry { status: abi::ERR_ABI }
            | Self::TableTooShort { .. }
            | Self::NullFunction { .. }
            | Self::BlobDiffers => format!("Rebuild it against elowen-sdk {SDK}").into(),
            Self::Entry { .. } => "See in the log why, and correct the plugin".into(),
            Self::SharedImage { .. } => {
                "Restart the host; if it happens again, report this to its makers".into()
            }
            Self::Register { .. } | Self::RegisterPanic { .. } => {
                "Correct the plugin's `register`, or the configuration that it reads".into()
            }
            Self::DataDir { setting, .. } => {
                format!("Mend the host's state folder, or let {setting} name one that this user can write to")
                    .into()
            }
            Self::RegisterTimeout { .. } => {
                "Move what takes so long out of `register`, into the tools, or give it more time (`HostBuilder::register_timeout`, --register-timeout)".into()
            }
        }
    }
}

/// Fault and remedy by what loaders are known to say. The first part that occurs decides.
fn map_hint(message: &str) -> (Fault, &'static str) {
    const HINTS: [(&str, Fault, &str); 16] = [
        ("undefined symbol", Fault::Plugin, SYMBOL),
        ("ymbol not found", Fault::Plugin, SYMBOL),
        ("static TLS", Fault::Plugin, TLS),
        ("failed to map segment", Fault::Machine, NOEXEC),
        ("wrong ELF class", Fault::Installation, MACHINE),
        ("incompatible architecture", Fault::Installation, MACHINE),
        ("not a valid Win32 application", Fault::Installation, MACHINE),
        ("version `", Fault::Plugin, LIBC),
        ("code signature", Fault::Machine, SIGNATURE),
        ("Team ID", Fault::Machine, SIGNATURE),
        ("Dynamic loading not supported", Fault::Host, STATIC),
        ("cannot open shared object file", Fault::Machine, DEPENDENCY),
        ("Error loading shared library", Fault::Machine, DEPENDENCY),
        ("Library not loaded", Fault::Machine, DEPENDENCY),
        ("image not found", Fault::Machine, DEPENDENCY),
        ("specified module could not be found", Fault::Machine, DEPENDENCY),
    ];
    const SYMBOL: &str = "Link the library that defines the symbol into the plugin";
    const TLS: &str = "Build the plugin's allocator without initial-exec TLS (jemalloc: the feature \
        `disable_initial_exec_tls`, mimalloc: `local_dynamic_tls`)";
    const NOEXEC: &str = "The folder of private copies seems to be mounted noexec: let ELOWEN_STATE_DIR or \
        --state-dir name a folder on another file system";
    const MACHINE: &str = "Install the build for this machine";
    const LIBC: &str = "Build the plugin on a system as old as this one";
    const SIGNATURE: &str = "Sign the library for this machine, or give the host the entitlement \
        `com.apple.security.cs.disable-library-validation`";
    const STATIC: &str = "Use a host that is not linked statically";
    const DEPENDENCY: &str =
        "Install the shared library that is named, or link it statically into the plugin";
    const OTHER: &str = "See with `ldd`, `otool -L` or `dumpbin /dependents` what the library needs";
    let known = HINTS.iter().find(|(part, ..)| message.contains(part));
    known.map_or((Fault::Plugin, OTHER), |&(_, fault, remedy)| (fault, remedy))
}

#[cfg(test)]
mod tests;
