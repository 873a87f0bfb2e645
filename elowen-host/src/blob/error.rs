//! Why a library's blob does not satisfy the host, in words about "it": the error that names the plugin and its
//! file is [`LoadError`](crate::error::LoadError).

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::MAX_LEN;
use crate::error::{Fault, SDK};

/// Why a library is refused before any of its code runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// No bytes.
    #[error("it is empty")]
    Empty,
    /// Not of any known format.
    #[error("it is not a library: neither ELF, Mach-O nor PE")]
    NotALibrary,
    /// The beginning of a library, but not all of one.
    #[error("it is a truncated or damaged library: {message}")]
    Damaged {
        /// What does not fit.
        message: String,
    },
    /// An executable, an object file ...
    #[error("it is {kind}, not a shared library")]
    NotShared {
        /// What it is, with its article.
        kind: &'static str,
    },
    /// Object format, architecture, pointer width or byte order differ.
    #[error("it is built for another machine ({file}); this host is {host}")]
    OtherMachine {
        /// What the file is for.
        file: String,
        /// What the host needs.
        host: String,
    },
    /// There is no such section.
    #[error(
        "it is not an elowen plugin, or the linker has dropped its metadata: it has no section {section:?}"
    )]
    NoSection {
        /// The name that was looked for.
        section: &'static str,
    },
    /// Something else is in the section.
    #[error("its metadata do not begin with the mark of an elowen plugin")]
    Magic,
    /// The section ends before the blob.
    #[error("its metadata are truncated: {got} of {need} bytes")]
    Truncated {
        /// Bytes that are there.
        got: usize,
        /// Bytes that the blob should have.
        need: usize,
    },
    /// An impossible length.
    #[error("its metadata claim a length of {len} bytes; 32 to {MAX_LEN} are possible")]
    Length {
        /// The length it claims.
        len: usize,
    },
    /// Two crates in one library export a plugin.
    #[error("it holds the metadata of more than one plugin")]
    MoreThanOne,
    /// Made for a newer host.
    #[error("its metadata have flags {bits:#06x}, which a host must understand and this one does not")]
    UnknownFlags {
        /// The flags.
        bits: u32,
    },
    /// The blob does not fit the library around it.
    #[error(
        "its metadata are for {pointer_width}-byte pointers and {} order, its code is not",
        order(*byte_order)
    )]
    Layout {
        /// In bytes.
        pointer_width: u8,
        /// 1 little, 2 big.
        byte_order: u8,
    },
    /// An empty range, or one with 0.
    #[error("its metadata name an impossible ABI range, {lowest} to {highest}")]
    AbiRange {
        /// Lowest major.
        lowest: u16,
        /// Highest major.
        highest: u16,
    },
    /// Not text.
    #[error("its metadata are not UTF-8: byte {offset} of the JSON is wrong")]
    Utf8 {
        /// Number of good bytes before it.
        offset: usize,
    },
    /// Not the JSON that is meant.
    #[error("its metadata are not the JSON object that a host reads: {message}")]
    Json {
        /// What the parser said.
        message: String,
    },
    /// Nested beyond reason.
    #[error("its metadata are nested too deeply")]
    TooDeep,
    /// No ABI major that both sides speak.
    #[error(
        "it speaks ABI {}, this host speaks {}: the {} is too old",
        majors(plugin),
        majors(host),
        if plugin.end() < host.start() { "plugin" } else { "host" }
    )]
    NoCommonAbi {
        /// The plugin's majors.
        plugin: RangeInclusive<u16>,
        /// The host's majors.
        host: RangeInclusive<u16>,
    },
    /// A panic of the plugin would end the host.
    #[error("it is built with panic = \"abort\", so a panic in a tool would end this host")]
    PanicAbort {
        /// The profile that its metadata name: `debug`, `release` or nothing.
        profile: String,
    },
}

fn order(byte_order: u8) -> Cow<'static, str> {
    match byte_order {
        1 => "little-endian".into(),
        2 => "big-endian".into(),
        other => format!("an unknown ({other})").into(),
    }
}

fn majors(range: &RangeInclusive<u16>) -> String {
    match (range.start(), range.end()) {
        (low, high) if low == high => low.to_string(),
        (low, high) => format!("{low} to {high}"),
    }
}

impl BlobError {
    /// Who can mend it.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Empty | Self::NotALibrary | Self::Damaged { .. } | Self::NotShared { .. } => {
                Fault::Installation
            }
            Self::OtherMachine { .. } => Fault::Installation,
            Self::UnknownFlags { .. } => Fault::Host,
            Self::NoCommonAbi { plugin, host } if plugin.start() > host.end() => Fault::Host,
            _ => Fault::Plugin,
        }
    }

    /// What to do, as a sentence without its full stop.
    pub fn remedy(&self) -> Cow<'static, str> {
        match self {
            Self::Empty | Self::Damaged { .. } => "Build or copy the library again".into(),
            Self::NotALibrary | Self::NotShared { .. } => {
                "Let the manifest's `entry` name the library that a crate of type `cdylib` gives".into()
            }
            Self::OtherMachine { host, .. } => {
                format!("Install the build for {host}, or build it here").into()
            }
            Self::NoSection { .. } => {
                "Declare the plugin with `#[plugin]`, or keep the linker from dropping the section".into()
            }
            Self::MoreThanOne => "Let exactly one crate in the library be a plugin".into(),
            Self::UnknownFlags { .. } => "Update the host".into(),
            Self::NoCommonAbi { plugin, host } if plugin.start() > host.end() => {
                format!("Rebuild it against elowen-sdk {SDK}, or update the host").into()
            }
            Self::PanicAbort { profile } if profile.is_empty() => "Build it so that panics unwind".into(),
            Self::PanicAbort { profile } => {
                let profile = if profile == "debug" { "dev" } else { profile };
                format!(
                    "Set `panic = \"unwind\"` under `[profile.{profile}]` (or the profile it was built with, if that \
                     is another) in the Cargo.toml of the plugin's workspace and rebuild it"
                )
                .into()
            }
            _ => format!("Rebuild it against elowen-sdk {SDK}").into(),
        }
    }
}
