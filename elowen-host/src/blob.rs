//! Reads the metadata blob out of a library's bytes: what the plugin says about itself before any of its code
//! runs.
//!
//! `image` finds the section in the file, this module takes the blob apart and compares it with the host. The
//! bytes are foreign: nothing in them can make this module panic.

mod error;
mod image;

use std::ops::RangeInclusive;

use crate::manifest::Manifest;
use elowen_sdk::abi;
use serde::Deserialize;

pub use error::BlobError;
use image::Machine;

/// Largest blob, in bytes.
pub const MAX_LEN: usize = 1 << 20;
/// Deepest nesting in a blob's JSON.
const MAX_DEPTH: usize = 32;

/// What a plugin's library says about itself. Texts that it does not give are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Exactly the blob, to be compared with what the mapped library shows.
    pub bytes: Vec<u8>,
    /// ABI majors it speaks.
    pub abi: RangeInclusive<u16>,
    /// Flags as written; none that must be understood is set.
    pub flags: u32,
    /// The plugin.
    pub plugin: PluginId,
    /// Names of the tools that are known before it runs.
    pub tools: Vec<String>,
    /// Version of the SDK it was built with.
    pub sdk: String,
    /// Version of the compiler.
    pub rustc: String,
    /// Target triple it was built for.
    pub target: String,
    /// Build profile.
    pub profile: String,
    /// Panic strategy: `unwind` or `abort`.
    pub panic: String,
}

/// Which plugin a library holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PluginId {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Json {
    plugin: PluginId,
    tools: Vec<String>,
    sdk: String,
    rustc: String,
    target: String,
    profile: String,
    panic: String,
}

/// Reads the blob of a library for this machine. A universal Mach-O file is read for this machine's part.
///
/// # Errors
///
/// When the bytes are no library, one for another machine, or have no sound blob.
pub fn read(bytes: &[u8]) -> Result<Blob, BlobError> {
    read_for(bytes, Machine::HOST)
}

fn read_for(bytes: &[u8], machine: Machine) -> Result<Blob, BlobError> {
    let blob = parse(image::section(bytes, machine)?)?;
    let (pointer_width, byte_order) = (byte(&blob.bytes, 20), byte(&blob.bytes, 21));
    if pointer_width == machine.pointer_width && byte_order == machine.byte_order() {
        Ok(blob)
    } else {
        Err(BlobError::Layout { pointer_width, byte_order })
    }
}

/// Takes the contents of the blob's section apart.
fn parse(section: &[u8]) -> Result<Blob, BlobError> {
    let Some(header) = section.get(..abi::BLOB_HEADER_LEN) else {
        return Err(BlobError::Truncated { got: section.len(), need: abi::BLOB_HEADER_LEN });
    };
    if !header.starts_with(&abi::BLOB_MAGIC) {
        return Err(BlobError::Magic);
    }
    let len = u32_at(header, 8) as usize;
    if !(abi::BLOB_HEADER_LEN..=MAX_LEN).contains(&len) {
        return Err(BlobError::Length { len });
    }
    let (Some(bytes), Some(rest)) = (section.get(..len), section.get(len..)) else {
        return Err(BlobError::Truncated { got: section.len(), need: len });
    };
    if rest.iter().any(|&byte| byte != 0) {
        return Err(BlobError::MoreThanOne);
    }
    let flags = u32_at(header, 16);
    if flags & abi::BLOB_MUST_UNDERSTAND != 0 {
        return Err(BlobError::UnknownFlags { bits: flags & abi::BLOB_MUST_UNDERSTAND });
    }
    let (lowest, highest) = (u16_at(header, 12), u16_at(header, 14));
    if lowest == 0 || lowest > highest {
        return Err(BlobError::AbiRange { lowest, highest });
    }
    let json = json(bytes.get(abi::BLOB_HEADER_LEN..).unwrap_or_default())?;
    Ok(Blob {
        bytes: bytes.to_vec(),
        abi: lowest..=highest,
        flags,
        plugin: json.plugin,
        tools: json.tools,
        sdk: json.sdk,
        rustc: json.rustc,
        target: json.target,
        profile: json.profile,
        panic: json.panic,
    })
}

fn json(bytes: &[u8]) -> Result<Json, BlobError> {
    let text = str::from_utf8(bytes).map_err(|error| BlobError::Utf8 { offset: error.valid_up_to() })?;
    if depth(text) > MAX_DEPTH {
        return Err(BlobError::TooDeep);
    }
    serde_json::from_str(text).map_err(|error| BlobError::Json { message: error.to_string() })
}

/// How deeply brackets nest outside strings; of text that need not be JSON.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([byte(bytes, at), byte(bytes, at + 1)])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

impl Blob {
    /// The highest ABI major that both sides speak.
    ///
    /// # Errors
    ///
    /// [`BlobError::NoCommonAbi`], whose text says which side is too old.
    pub fn negotiate(&self, host: RangeInclusive<u16>) -> Result<u16, BlobError> {
        let highest = *self.abi.end().min(host.end());
        if self.abi.contains(&highest) && host.contains(&highest) {
            Ok(highest)
        } else {
            Err(BlobError::NoCommonAbi { plugin: self.abi.clone(), host })
        }
    }

    /// What the library calls itself where the manifest says otherwise, as a sentence. One library may serve many
    /// folders on purpose, so this is worth a warning and no more.
    pub fn mismatch(&self, manifest: &Manifest) -> Option<String> {
        let PluginId { name, version } = &self.plugin;
        let differs = |said: &str, wanted: &str| !said.is_empty() && said != wanted;
        (differs(name, &manifest.name) || differs(version, &manifest.version)).then(|| {
            format!(
                "the library says that it is plugin {name:?}, version {version:?}; the manifest says {:?}, version {:?}. \
                 If that is not on purpose, another library was built or copied there",
                manifest.name, manifest.version
            )
        })
    }

    /// Whether a panic in the plugin can be caught.
    ///
    /// # Errors
    ///
    /// [`BlobError::PanicAbort`], unless `allow_abort`.
    pub fn check_panic(&self, allow_abort: bool) -> Result<(), BlobError> {
        if self.panic == "abort" && !allow_abort {
            Err(BlobError::PanicAbort { profile: self.profile.clone() })
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
