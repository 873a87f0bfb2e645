//! Does `elowen_plugin.h` say what `abi.rs` says?
//!
//! Compiles a C program, made from what the Rust types are, that prints every size, offset and constant of the
//! header and does not compile where a field's type differs; then compares the names on both sides, each way.

mod header_text;
mod rust_side;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use elowen_sdk::abi;
use elowen_tests::cc::{self, Language};

const HEADER: &str = include_str!("../../../elowen-sdk/include/elowen_plugin.h");
const RUST: &str = include_str!("../../../elowen-sdk/src/abi.rs");
const BLOB_JSON: &str = r#"{"plugin":{"name":"x","version":"1.0.0"},"tools":[],"panic":"unwind"}"#;

/// Macros that are for the writer of a plugin and have no counterpart in `abi.rs`.
const HELPERS: [&str; 9] = [
    "ELOWEN_PLUGIN_H",
    "ELW_EXPORT",
    "ELW_BLOB_SECTION",
    "ELW_IN_BLOB_SECTION",
    "ELW_BYTE_ORDER",
    "ELW_LE2",
    "ELW_LE4",
    "ELW_BLOB",
    "ELW_BLOB_SLICE",
];

/// A program that prints `name=value` lines. Valid C99 and C++17.
fn program() -> String {
    let mut c = String::from("#include \"elowen_plugin.h\"\n#include <stdio.h>\n");
    let _ = writeln!(c, "ELW_BLOB(blob, {BLOB_JSON:?});");
    for record in rust_side::records() {
        for field in &record.fields {
            let (name, field, pointer) = (record.c, field.c, &field.pointer);
            let _ = writeln!(c, "void {name}_{field}({name} *r);");
            let _ = writeln!(c, "void {name}_{field}({name} *r) {{ {pointer} = &r->{field}; (void)p; }}");
        }
    }
    for (name, pointer) in rust_side::other_types() {
        // A function is its own address and needs no object to point to.
        let parameter = if name == "elowen_plugin_entry" { "void".to_owned() } else { format!("{name} *r") };
        let value = if name == "elowen_plugin_entry" { name } else { "r" };
        let _ = writeln!(c, "void check_{name}({parameter});");
        let _ = writeln!(c, "void check_{name}({parameter}) {{ {pointer} = {value}; (void)p; }}");
    }
    // The check above takes the entry's address.
    c.push_str("elw_status elowen_plugin_entry(uint32_t m, const elw_host *h, elw_plugin *p) {\n");
    c.push_str("  (void)m; (void)h; (void)p; return ELW_OK;\n}\nint main(void) {\n  size_t i;\n");
    let mut print = |name: &str, value: &str| {
        let _ = writeln!(c, "  printf(\"{name}=%lld\\n\", (long long)({value}));");
    };
    for record in rust_side::records() {
        print(record.c, &format!("sizeof({})", record.c));
        for field in &record.fields {
            let (name, field) = (record.c, field.c);
            print(&format!("{name}.{field}"), &format!("offsetof({name}, {field})"));
            print(&format!("sizeof {name}.{field}"), &format!("sizeof((({name} *)0)->{field})"));
        }
    }
    for (_, name, _) in rust_side::constants() {
        print(name, name);
    }
    c.push_str("  printf(\"section=%s\\n\", ELW_BLOB_SECTION);\n  elw_slice s = ELW_BLOB_SLICE(blob);\n");
    c.push_str("  printf(\"blob=\");\n  for (i = 0; i < s.len; i++) printf(\"%02x\", (unsigned)s.ptr[i]);\n");
    c.push_str("  printf(\"\\n\");\n  return 0;\n}\n");
    c
}

fn values_printed(language: Language) -> BTreeMap<String, String> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, out) = match language {
        Language::C => ("c_header.c", "c_header_c"),
        Language::Cpp => ("c_header.cpp", "c_header_cpp"),
    };
    std::fs::write(dir.join(source), program()).unwrap();
    cc::compile_program(language, &dir.join(source), &dir.join(out), &[]);
    let output = Command::new(dir.join(out)).output().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    lines
        .lines()
        .map(|line| line.split_once('=').unwrap())
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect()
}

fn values_of_rust() -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for record in rust_side::records() {
        values.insert(record.c.to_owned(), record.size.to_string());
        for field in &record.fields {
            values.insert(format!("{}.{}", record.c, field.c), field.offset.to_string());
            values.insert(format!("sizeof {}.{}", record.c, field.c), field.size.to_string());
        }
    }
    for (_, name, value) in rust_side::constants() {
        values.insert(name.to_owned(), value.to_string());
    }
    let section = if cfg!(target_vendor = "apple") {
        format!("__DATA,{}", abi::BLOB_SECTION.macho)
    } else if cfg!(windows) {
        abi::BLOB_SECTION.pe.to_owned()
    } else {
        abi::BLOB_SECTION.elf.to_owned()
    };
    values.insert("section".to_owned(), section);
    values.insert("blob".to_owned(), expected_blob().iter().map(|byte| format!("{byte:02x}")).collect());
    values
}

/// The blob of [`BLOB_JSON`] for this machine, put together from `abi.rs`'s description.
fn expected_blob() -> Vec<u8> {
    let mut blob = abi::BLOB_MAGIC.to_vec();
    let length = u32::try_from(abi::BLOB_HEADER_LEN + BLOB_JSON.len()).unwrap();
    blob.extend(length.to_le_bytes());
    blob.extend(abi::MAJOR.to_le_bytes());
    blob.extend(abi::MAJOR.to_le_bytes());
    blob.extend(0u32.to_le_bytes());
    blob.push(u8::try_from(size_of::<usize>()).unwrap());
    blob.push(if cfg!(target_endian = "little") { 1 } else { 2 });
    blob.resize(abi::BLOB_HEADER_LEN, 0);
    blob.extend(BLOB_JSON.as_bytes());
    blob
}

/// The names after `prefix`, up to the first character that no name has, of all lines that begin with it.
fn names_in_rust(prefix: &str) -> Vec<&'static str> {
    let lines = RUST.lines().filter_map(|line| line.strip_prefix(prefix));
    lines.filter_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()).collect()
}

#[test]
fn c_sees_the_sizes_offsets_types_and_constants_that_rust_sees() {
    assert_eq!(values_printed(Language::C), values_of_rust());
}

#[test]
fn cpp_sees_the_sizes_offsets_types_and_constants_that_rust_sees() {
    assert_eq!(values_printed(Language::Cpp), values_of_rust());
}

#[test]
fn the_header_declares_the_records_of_rust_field_for_field_and_nothing_else() {
    let (structs, others) = header_text::declarations(&header_text::without_comments(HEADER));
    let records = rust_side::records().into_iter().map(|record| header_text::Struct {
        name: record.c.to_owned(),
        fields: record.fields.iter().map(|field| field.c.to_owned()).collect(),
    });
    assert_eq!(structs, records.collect::<Vec<_>>());
    assert_eq!(others, rust_side::other_types().map(|(name, _)| name));
    assert_eq!(abi::ENTRY_SYMBOL, "elowen_plugin_entry");
}

#[test]
fn the_header_defines_the_constants_of_rust_and_its_own_helpers_only() {
    let mut defined = header_text::macros(&header_text::without_comments(HEADER));
    let mut expected: Vec<_> = rust_side::constants().into_iter().map(|(_, name, _)| name).collect();
    expected.extend(HELPERS);
    defined.sort_unstable();
    expected.sort_unstable();
    assert_eq!(defined, expected);
}

#[test]
fn everything_public_in_rust_was_compared() {
    let records = rust_side::records().into_iter().map(|record| record.rust);
    assert_eq!(names_in_rust("pub struct "), records.chain(["BlobSection"]).collect::<Vec<_>>());

    // These three are compared as text or bytes.
    let mut constants: Vec<_> = rust_side::constants().into_iter().map(|(rust, _, _)| rust).collect();
    constants.extend(["ENTRY_SYMBOL", "BLOB_MAGIC", "BLOB_SECTION"]);
    let mut in_rust = names_in_rust("pub const ");
    constants.sort_unstable();
    in_rust.sort_unstable();
    assert_eq!(in_rust, constants);
    assert_eq!(names_in_rust("pub type "), ["Status", "AnswerFn", "EntryFn"]);
}
