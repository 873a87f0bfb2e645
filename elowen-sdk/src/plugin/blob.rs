//! Builds the metadata blob at compile time, so that it can be read from the file without running anything.

use crate::abi;

/// What a plugin says about itself before it is loaded.
#[derive(Debug)]
pub struct BlobFields {
    /// Plugin name.
    pub name: &'static str,
    /// Plugin version.
    pub version: &'static str,
    /// `unwind` or `abort`.
    pub panic: &'static str,
    /// `debug` or `release`.
    pub profile: &'static str,
    /// Names of the static tools.
    pub tools: &'static [&'static str],
}

/// Length of the blob, in bytes.
pub const fn blob_len(fields: &BlobFields) -> usize {
    write(fields, &mut []) + abi::BLOB_HEADER_LEN
}

/// The blob; `N` is its [`blob_len`].
pub const fn blob<const N: usize>(fields: &BlobFields) -> [u8; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < 8 {
        out[i] = abi::BLOB_MAGIC[i];
        i += 1;
    }
    put(&mut out, 8, &(N as u32).to_le_bytes());
    put(&mut out, 12, &abi::MAJOR.to_le_bytes());
    put(&mut out, 14, &abi::MAJOR.to_le_bytes());
    out[20] = size_of::<usize>() as u8;
    out[21] = if cfg!(target_endian = "little") { 1 } else { 2 };
    write(fields, out.split_at_mut(abi::BLOB_HEADER_LEN).1);
    out
}

const fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    let mut i = 0;
    while i < bytes.len() {
        out[at + i] = bytes[i];
        i += 1;
    }
}

/// Writes the JSON, or with an empty `out` only counts. Returns its length.
const fn write(fields: &BlobFields, out: &mut [u8]) -> usize {
    let mut at = 0;
    at = raw(out, at, "{\"plugin\":{\"name\":");
    at = string(out, at, fields.name);
    at = raw(out, at, ",\"version\":");
    at = string(out, at, fields.version);
    at = raw(out, at, "},\"tools\":[");
    let mut i = 0;
    while i < fields.tools.len() {
        if i > 0 {
            at = raw(out, at, ",");
        }
        at = string(out, at, fields.tools[i]);
        i += 1;
    }
    at = raw(out, at, "],\"sdk\":");
    at = string(out, at, concat!("elowen-sdk ", env!("CARGO_PKG_VERSION")));
    at = raw(out, at, ",\"rustc\":");
    at = string(out, at, env!("ELOWEN_RUSTC"));
    at = raw(out, at, ",\"target\":");
    at = string(out, at, env!("ELOWEN_TARGET"));
    at = raw(out, at, ",\"profile\":");
    at = string(out, at, fields.profile);
    at = raw(out, at, ",\"panic\":");
    at = string(out, at, fields.panic);
    raw(out, at, "}")
}

const fn raw(out: &mut [u8], mut at: usize, text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        at = byte(out, at, bytes[i]);
        i += 1;
    }
    at
}

const fn byte(out: &mut [u8], at: usize, byte: u8) -> usize {
    if !out.is_empty() {
        out[at] = byte;
    }
    at + 1
}

const fn string(out: &mut [u8], mut at: usize, text: &str) -> usize {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    at = byte(out, at, b'"');
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'"' | b'\\' => {
                at = byte(out, at, b'\\');
                at = byte(out, at, bytes[i]);
            }
            control @ 0..0x20 => {
                at = raw(out, at, "\\u00");
                at = byte(out, at, HEX[(control >> 4) as usize]);
                at = byte(out, at, HEX[(control & 15) as usize]);
            }
            other => at = byte(out, at, other),
        }
        i += 1;
    }
    byte(out, at, b'"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: BlobFields = BlobFields {
        name: "no\"tes\n",
        version: "1.0.0",
        panic: "unwind",
        profile: "debug",
        tools: &["NoteAdd", "NoteFind"],
    };
    static BLOB: [u8; blob_len(&FIELDS)] = blob(&FIELDS);

    #[test]
    fn the_blob_is_a_header_and_json_that_any_parser_reads() {
        assert_eq!(BLOB[..8], abi::BLOB_MAGIC);
        assert_eq!(BLOB[8..12], u32::try_from(BLOB.len()).unwrap().to_le_bytes());
        let json: serde_json::Value = serde_json::from_slice(&BLOB[abi::BLOB_HEADER_LEN..]).unwrap();
        assert_eq!(json["plugin"]["name"], "no\"tes\n");
        assert_eq!(json["tools"], serde_json::json!(["NoteAdd", "NoteFind"]));
        assert_eq!(json["panic"], "unwind");
        assert!(json["rustc"].as_str().unwrap().starts_with("rustc "), "{json}");
    }
}
