//! Which libraries are accepted before any of their code runs. The libraries are written here, for every format.

use object::write::{self, pe};
use object::{Architecture, BinaryFormat, Endianness, SectionKind};

use super::*;

const LINUX: Machine = Machine {
    format: BinaryFormat::Elf,
    architecture: Architecture::X86_64,
    pointer_width: 8,
    little_endian: true,
};
const MAC: Machine = Machine { format: BinaryFormat::MachO, architecture: Architecture::Aarch64, ..LINUX };
const WINDOWS: Machine = Machine { format: BinaryFormat::Pe, ..LINUX };

const JSON: &str = r#"{"plugin":{"name":"todo","version":"1.2"},"tools":["add","list"],"sdk":"0.1.0","rustc":"1.95.0","target":"t","profile":"release","panic":"unwind","news":{"a":[1]}}"#;

/// A blob that can be spoilt byte by byte.
fn blob(json: &str) -> Vec<u8> {
    let mut blob = abi::BLOB_MAGIC.to_vec();
    blob.extend((abi::BLOB_HEADER_LEN as u32 + json.len() as u32).to_le_bytes());
    blob.extend([1, 0, 1, 0, 0, 0, 0, 0, 8, 1]);
    blob.resize(abi::BLOB_HEADER_LEN, 0);
    blob.extend(json.as_bytes());
    blob
}

fn spoilt(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut blob = blob(JSON);
    blob[at..at + bytes.len()].copy_from_slice(bytes);
    blob
}

/// A shared library for `machine` with these sections.
fn library(machine: Machine, sections: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let order = if machine.little_endian { Endianness::Little } else { Endianness::Big };
    let mut object = write::Object::new(machine.format, machine.architecture, order);
    for (segment, name, data) in sections {
        let section =
            object.add_section(segment.as_bytes().to_vec(), name.as_bytes().to_vec(), SectionKind::Data);
        object.set_section_data(section, data.to_vec(), 8);
    }
    let mut bytes = object.write().unwrap();
    // The writer makes object files; their type makes them shared libraries.
    match machine.format {
        BinaryFormat::Elf => bytes[if machine.little_endian { 16 } else { 17 }] = 3,
        _ => bytes[12] = 6,
    }
    bytes
}

fn elf(section: &[u8]) -> Vec<u8> {
    library(LINUX, &[("", ".elowen.abi", section)])
}

fn mach_o(section: &[u8]) -> Vec<u8> {
    library(MAC, &[("__DATA", "__elowen_abi", section)])
}

/// A DLL whose section is padded to 512 bytes in the file.
fn dll(section: &[u8], virtual_size: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = pe::Writer::new(true, 0x1000, 0x200, &mut bytes);
    writer.reserve_dos_header_and_stub();
    writer.reserve_nt_headers(16);
    writer.reserve_section_headers(1);
    let flags = object::pe::IMAGE_SCN_CNT_INITIALIZED_DATA | object::pe::IMAGE_SCN_MEM_READ;
    let range = writer.reserve_section(*b".elwabi\0", flags, virtual_size as u32, section.len() as u32);
    writer.write_dos_header_and_stub().unwrap();
    writer.write_nt_headers(pe::NtHeaders {
        machine: object::pe::IMAGE_FILE_MACHINE_AMD64,
        time_date_stamp: 0,
        characteristics: object::pe::IMAGE_FILE_DLL | object::pe::IMAGE_FILE_EXECUTABLE_IMAGE,
        major_linker_version: 0,
        minor_linker_version: 0,
        address_of_entry_point: 0,
        image_base: 0x1_8000_0000,
        major_operating_system_version: 6,
        minor_operating_system_version: 0,
        major_image_version: 0,
        minor_image_version: 0,
        major_subsystem_version: 6,
        minor_subsystem_version: 0,
        subsystem: object::pe::IMAGE_SUBSYSTEM_WINDOWS_CUI,
        dll_characteristics: object::pe::IMAGE_DLLCHARACTERISTICS_NX_COMPAT,
        size_of_stack_reserve: 0,
        size_of_stack_commit: 0,
        size_of_heap_reserve: 0,
        size_of_heap_commit: 0,
    });
    writer.write_section_headers();
    writer.write_section(range.file_offset, section);
    bytes
}

/// A universal Mach-O file of these parts, each with its CPU type.
fn universal(parts: &[(u32, &[u8])]) -> Vec<u8> {
    let mut header = [0xcafe_babe_u32, parts.len() as u32].map(u32::to_be_bytes).concat();
    let mut body = Vec::new();
    let start = header.len() + parts.len() * 20;
    for (cpu, part) in parts {
        header.extend(
            [*cpu, 0, (start + body.len()) as u32, part.len() as u32, 0].map(u32::to_be_bytes).concat(),
        );
        body.extend_from_slice(part);
    }
    [header, body].concat()
}

fn refusal(section: &[u8]) -> BlobError {
    parse(section).unwrap_err()
}

#[test]
fn a_blob_says_what_the_plugin_is() {
    let blob = read_for(&elf(&blob(JSON)), LINUX).unwrap();
    assert_eq!(blob.plugin, PluginId { name: "todo".into(), version: "1.2".into() });
    assert_eq!((blob.abi.clone(), blob.flags, blob.tools), (1..=1, 0, vec!["add".into(), "list".into()]));
    assert_eq!(
        [blob.sdk, blob.rustc, blob.target, blob.profile, blob.panic],
        ["0.1.0", "1.95.0", "t", "release", "unwind"]
    );
    assert_eq!(blob.bytes, self::blob(JSON));
}

#[test]
fn what_the_json_does_not_say_is_empty() {
    let blob = parse(&blob(r#"{"plugin":{"name":"c"}}"#)).unwrap();
    assert_eq!((blob.plugin.name.as_str(), blob.plugin.version.as_str(), blob.panic.as_str()), ("c", "", ""));
    assert!(blob.tools.is_empty());
}

#[test]
fn elf_mach_o_and_pe_are_read_alike() {
    let plain = blob(JSON);
    for (file, machine) in [(elf(&plain), LINUX), (mach_o(&plain), MAC), (dll(&plain, plain.len()), WINDOWS)]
    {
        assert_eq!(read_for(&file, machine).unwrap().bytes, plain, "{machine:?}");
    }
}

#[test]
fn what_pads_a_section_is_not_part_of_the_blob() {
    let plain = blob(JSON);
    let padded = [plain.clone(), vec![0; 100]].concat();
    for (file, machine) in [
        (elf(&padded), LINUX),
        (mach_o(&padded), MAC),
        (dll(&padded, padded.len()), WINDOWS),
        (dll(&plain, plain.len() + 2000), WINDOWS),
    ] {
        assert_eq!(read_for(&file, machine).unwrap().bytes, plain, "{machine:?}");
    }
    // Bytes of the file beyond the section's size in memory do not exist for the plugin.
    assert_eq!(
        read_for(&dll(&[plain.clone(), vec![7; 9]].concat(), plain.len()), WINDOWS).unwrap().bytes,
        plain
    );
}

#[test]
fn this_machines_part_of_a_universal_file_is_read() {
    let (part, other) = (mach_o(&blob(JSON)), mach_o(b"unread"));
    let (arm64, x86_64) = (0x0100_000c, 0x0100_0007);
    let file = universal(&[(x86_64, &other), (arm64, &part)]);
    assert_eq!(read_for(&file, MAC).unwrap().plugin.name, "todo");

    let error = read_for(&universal(&[(x86_64, &other)]), MAC).unwrap_err().to_string();
    assert_eq!(
        error,
        "it is built for another machine (universal Mach-O for x86_64); this host is Mach-O for aarch64, 64-bit, little-endian"
    );
    assert!(matches!(read_for(&file, LINUX), Err(BlobError::OtherMachine { .. })));
}

#[test]
fn a_library_for_another_machine_is_refused() {
    let elsewhere = [
        Machine { architecture: Architecture::Aarch64, ..LINUX },
        Machine { architecture: Architecture::I386, pointer_width: 4, ..LINUX },
        Machine { architecture: Architecture::PowerPc64, little_endian: false, ..LINUX },
        MAC,
    ];
    for machine in elsewhere {
        let file = library(machine, &[("__DATA", "x", b"x")]);
        assert!(matches!(read_for(&file, LINUX), Err(BlobError::OtherMachine { .. })), "{machine:?}");
    }
    let file = library(elsewhere[2], &[]);
    assert_eq!(
        read_for(&file, LINUX).unwrap_err().to_string(),
        "it is built for another machine (ELF for powerpc64, 64-bit, big-endian); this host is ELF for x86_64, 64-bit, little-endian"
    );
}

#[test]
fn a_blob_that_contradicts_its_library_is_refused() {
    let wrong = elf(&spoilt(20, &[4]));
    assert_eq!(read_for(&wrong, LINUX), Err(BlobError::Layout { pointer_width: 4, byte_order: 1 }));
    let wrong = elf(&spoilt(21, &[2]));
    assert_eq!(read_for(&wrong, LINUX), Err(BlobError::Layout { pointer_width: 8, byte_order: 2 }));
}

#[test]
fn what_is_no_library_is_told_apart() {
    assert_eq!(read(b""), Err(BlobError::Empty));
    assert_eq!(read(b"#!/bin/sh\necho hello, this is a script\n"), Err(BlobError::NotALibrary));
    assert!(matches!(read(b"\x7fELF"), Err(BlobError::Damaged { .. })));
    assert!(matches!(read(&elf(&blob(JSON))[..100]), Err(BlobError::Damaged { .. })));
    let mut object_file = elf(&blob(JSON));
    for (kind, name) in [(1, "an object file"), (2, "an executable"), (4, "a core dump")] {
        object_file[16] = kind;
        assert_eq!(read_for(&object_file, LINUX), Err(BlobError::NotShared { kind: name }));
    }
}

#[test]
fn a_library_without_the_section_is_no_plugin() {
    let file = library(LINUX, &[("", ".text", b"x")]);
    assert_eq!(read_for(&file, LINUX), Err(BlobError::NoSection { section: ".elowen.abi" }));
    // A section of that name in another segment is not the one.
    let file = library(MAC, &[("__TEXT", "__elowen_abi", &blob(JSON))]);
    assert_eq!(read_for(&file, MAC), Err(BlobError::NoSection { section: "__elowen_abi" }));
}

#[test]
fn two_plugins_in_one_library_are_refused() {
    let one = blob(JSON);
    assert_eq!(refusal(&[one.clone(), one.clone()].concat()), BlobError::MoreThanOne);
    assert_eq!(refusal(&[one.clone(), vec![0; 40], one.clone()].concat()), BlobError::MoreThanOne);
    let file = library(LINUX, &[("", ".elowen.abi", &one), ("", ".elowen.abi", &one)]);
    assert_eq!(read_for(&file, LINUX), Err(BlobError::MoreThanOne));
}

#[test]
fn a_spoilt_header_is_refused_for_what_is_wrong_with_it() {
    let len = blob(JSON).len();
    assert_eq!(refusal(b""), BlobError::Truncated { got: 0, need: 32 });
    assert_eq!(refusal(&blob(JSON)[..len - 1]), BlobError::Truncated { got: len - 1, need: len });
    assert_eq!(refusal(&spoilt(0, b"X")), BlobError::Magic);
    assert_eq!(refusal(&spoilt(8, &31_u32.to_le_bytes())), BlobError::Length { len: 31 });
    assert_eq!(refusal(&spoilt(8, &u32::MAX.to_le_bytes())), BlobError::Length { len: u32::MAX as usize });
    assert_eq!(refusal(&spoilt(16, &[0, 0x80])), BlobError::UnknownFlags { bits: 0x8000 });
    assert_eq!(parse(&spoilt(16, &[0, 0, 0x01, 0x80])).unwrap().flags, 0x8001_0000);
    assert_eq!(refusal(&spoilt(12, &[0, 0])), BlobError::AbiRange { lowest: 0, highest: 1 });
    assert_eq!(refusal(&spoilt(12, &[2, 0])), BlobError::AbiRange { lowest: 2, highest: 1 });
}

#[test]
fn spoilt_json_is_refused_for_what_is_wrong_with_it() {
    assert_eq!(refusal(&spoilt(40, &[0xff])), BlobError::Utf8 { offset: 8 });
    for json in ["", "[]x", "{\"tools\":[1]}", "{\"plugin\":null}", "{} {}", "7"] {
        assert!(matches!(refusal(&blob(json)), BlobError::Json { .. }), "{json}");
    }
    for open in ["[", "{\"a\":"] {
        assert_eq!(refusal(&blob(&open.repeat(100_000))), BlobError::TooDeep);
    }
    let brackets_in_text = format!(r#"{{"sdk":"{}"}}"#, r#"[\""#.repeat(100));
    assert!(parse(&blob(&brackets_in_text)).is_ok());
}

#[test]
fn the_highest_common_abi_is_chosen() {
    let blob = |abi| Blob { abi, ..parse(&blob(JSON)).unwrap() };
    assert_eq!(blob(1..=1).negotiate(1..=1), Ok(1));
    assert_eq!(blob(1..=3).negotiate(2..=5), Ok(3));
    assert_eq!(blob(2..=9).negotiate(1..=4), Ok(4));
    let too_new = blob(2..=3).negotiate(1..=1).unwrap_err();
    assert_eq!(too_new.to_string(), "it speaks ABI 2 to 3, this host speaks 1: the host is too old");
    assert_eq!(too_new.remedy(), "Rebuild it against elowen-sdk 0.1, or update the host");
    let too_old = blob(1..=1).negotiate(2..=3).unwrap_err();
    assert_eq!(too_old.to_string(), "it speaks ABI 1, this host speaks 2 to 3: the plugin is too old");
    assert_eq!(too_old.remedy(), "Rebuild it against elowen-sdk 0.1");
}

#[test]
fn a_plugin_that_aborts_on_panic_is_refused_unless_allowed() {
    let with = |panic: &str| Blob { panic: panic.into(), ..parse(&blob(JSON)).unwrap() };
    assert_eq!(with("abort").check_panic(false), Err(BlobError::PanicAbort { profile: "release".into() }));
    assert_eq!(with("abort").check_panic(true), Ok(()));
    assert_eq!(with("unwind").check_panic(false), Ok(()));
    assert_eq!(with("").check_panic(false), Ok(()));
}

#[test]
fn a_library_of_another_plugin_or_version_is_told_apart() {
    let mismatch = |name: &str, version: &str, json: &str| {
        let manifest = serde_json::json!({"name": name, "version": version, "apiVersion": "1", "description": "", "entry": "x"});
        parse(&blob(json)).unwrap().mismatch(&Manifest::parse(&manifest.to_string()).unwrap())
    };
    assert_eq!(mismatch("todo", "1.2", JSON), None);
    assert_eq!(mismatch("todo", "1.2", "{}"), None);
    let other = mismatch("list", "1.2", JSON).unwrap();
    let expected = r#"the library says that it is plugin "todo", version "1.2"; the manifest says "list", version "1.2"."#;
    assert!(other.starts_with(expected), "{other}");
    assert!(mismatch("todo", "1.3", JSON).unwrap().contains(r#"says "todo", version "1.3""#));
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let plain = blob(JSON);
    let whole = elf(&plain);
    for len in 0..whole.len() {
        assert!(read_for(&whole[..len], LINUX).is_err(), "{len} of {} bytes", whole.len());
    }
    for (whole, machine) in [(mach_o(&plain), MAC), (dll(&plain, plain.len()), WINDOWS)] {
        for len in 0..whole.len() {
            // The symbol table or the padding may be cut off, the blob may not.
            if let Ok(blob) = read_for(&whole[..len], machine) {
                assert_eq!(blob.bytes, plain);
            }
        }
    }
}

#[test]
fn no_flipped_bit_makes_the_reader_panic_or_read_what_is_not_there() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let plain = blob(JSON);
    let fat = universal(&[(0x0100_000c, &mach_o(&plain))]);
    for (whole, machine) in
        [(elf(&plain), LINUX), (mach_o(&plain), MAC), (dll(&plain, plain.len()), WINDOWS), (fat, MAC)]
    {
        for _ in 0..5_000 {
            let mut bytes = whole.clone();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                bytes[at] = random(256) as u8;
            }
            if let Ok(blob) = read_for(&bytes, machine) {
                assert!(bytes.windows(blob.bytes.len()).any(|window| window == blob.bytes));
            }
        }
    }
}

#[test]
fn what_this_compiler_builds_is_for_this_machine() {
    let this_test = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    // Position-independent executables look like libraries; where they do not, that is what is wrong with them.
    let section = BlobError::NoSection { section: abi::BLOB_SECTION.elf };
    let executable = BlobError::NotShared { kind: "an executable" };
    let error = read(&this_test).unwrap_err();
    assert!(error == section || error == executable, "{error}");
}
