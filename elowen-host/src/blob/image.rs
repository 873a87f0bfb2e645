//! Finds the blob's section in a library file, and says which machine the file is for.
//!
//! Everything that knows about ELF, Mach-O and PE is here. The machine is a parameter, so that files for other
//! machines can be read as well.

use elowen_sdk::abi::BLOB_SECTION;
use object::read::macho::{FatArch, MachOFatFile, MachOFatFile32, MachOFatFile64};
use object::{Architecture, BinaryFormat, File, FileKind, Object as _, ObjectKind, ObjectSection as _};

use super::BlobError;

/// The kind of machine a library runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) format: BinaryFormat,
    pub(super) architecture: Architecture,
    /// In bytes.
    pub(super) pointer_width: u8,
    pub(super) little_endian: bool,
}

impl Machine {
    /// The one this host was built for.
    pub(super) const HOST: Self = Self {
        format: if cfg!(windows) {
            BinaryFormat::Pe
        } else if cfg!(target_vendor = "apple") {
            BinaryFormat::MachO
        } else {
            BinaryFormat::Elf
        },
        architecture: host_architecture(),
        pointer_width: size_of::<usize>() as u8,
        little_endian: cfg!(target_endian = "little"),
    };

    /// As in the blob's header.
    pub(super) fn byte_order(self) -> u8 {
        if self.little_endian { 1 } else { 2 }
    }

    fn describe(self) -> String {
        let architecture = match self.architecture {
            Architecture::Unknown => "an unknown architecture".to_owned(),
            known => format!("{known:?}").to_ascii_lowercase(),
        };
        let order = if self.little_endian { "little" } else { "big" };
        let bits = u32::from(self.pointer_width) * 8;
        format!("{} for {architecture}, {bits}-bit, {order}-endian", format_name(self.format))
    }
}

const fn host_architecture() -> Architecture {
    let narrow = cfg!(target_pointer_width = "32");
    if cfg!(target_arch = "x86_64") {
        if narrow { Architecture::X86_64_X32 } else { Architecture::X86_64 }
    } else if cfg!(target_arch = "aarch64") {
        if narrow { Architecture::Aarch64_Ilp32 } else { Architecture::Aarch64 }
    } else if cfg!(target_arch = "x86") {
        Architecture::I386
    } else if cfg!(target_arch = "arm") {
        Architecture::Arm
    } else if cfg!(target_arch = "riscv64") {
        Architecture::Riscv64
    } else if cfg!(target_arch = "riscv32") {
        Architecture::Riscv32
    } else if cfg!(target_arch = "loongarch64") {
        Architecture::LoongArch64
    } else if cfg!(target_arch = "s390x") {
        Architecture::S390x
    } else if cfg!(target_arch = "powerpc64") {
        Architecture::PowerPc64
    } else {
        Architecture::Unknown
    }
}

fn format_name(format: BinaryFormat) -> String {
    match format {
        BinaryFormat::Elf => "ELF".to_owned(),
        BinaryFormat::MachO => "Mach-O".to_owned(),
        BinaryFormat::Pe => "PE".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The contents of the blob's section in a library for `machine`. What the linker pads it with may follow.
pub(super) fn section(bytes: &[u8], machine: Machine) -> Result<&[u8], BlobError> {
    let kind = kind(bytes)?;
    let bytes = match kind {
        FileKind::MachOFat32 => slice(bytes, &MachOFatFile32::parse(bytes).map_err(damaged)?, machine)?,
        FileKind::MachOFat64 => slice(bytes, &MachOFatFile64::parse(bytes).map_err(damaged)?, machine)?,
        _ => bytes,
    };
    let file = File::parse(bytes).map_err(damaged)?;
    check_machine(&file, machine)?;
    check_kind(file.kind())?;
    let (segment, name) = match machine.format {
        BinaryFormat::MachO => (Some("__DATA"), BLOB_SECTION.macho),
        BinaryFormat::Pe => (None, BLOB_SECTION.pe),
        _ => (None, BLOB_SECTION.elf),
    };
    let mut sections = file.sections().filter(|section| {
        section.name_bytes() == Ok(name.as_bytes())
            && segment.is_none_or(|segment| section.segment_name_bytes() == Ok(Some(segment.as_bytes())))
    });
    match (sections.next(), sections.next()) {
        (None, _) => Err(BlobError::NoSection { section: name }),
        (Some(_), Some(_)) => Err(BlobError::MoreThanOne),
        (Some(section), None) => section.data().map_err(damaged),
    }
}

fn kind(bytes: &[u8]) -> Result<FileKind, BlobError> {
    const SHORTEST: usize = 16;
    match bytes.len() {
        0 => Err(BlobError::Empty),
        len if len < SHORTEST => Err(BlobError::Damaged { message: format!("it has {len} bytes") }),
        _ if bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"MZ") => {
            FileKind::parse(bytes).map_err(damaged)
        }
        _ => FileKind::parse(bytes).map_err(|_| BlobError::NotALibrary),
    }
}

fn damaged(error: object::read::Error) -> BlobError {
    BlobError::Damaged { message: error.to_string() }
}

/// This machine's part of a universal file.
fn slice<'a, A: FatArch>(
    bytes: &'a [u8],
    fat: &MachOFatFile<'a, A>,
    machine: Machine,
) -> Result<&'a [u8], BlobError> {
    let part = match machine.format {
        BinaryFormat::MachO => fat.arches().iter().find(|part| part.architecture() == machine.architecture),
        _ => None,
    };
    match part {
        Some(part) => part.data(bytes).map_err(damaged),
        None => {
            let architectures = fat.arches().iter().take(8).map(|part| format!("{:?}", part.architecture()));
            let architectures = architectures.collect::<Vec<_>>().join(", ").to_ascii_lowercase();
            Err(BlobError::OtherMachine {
                file: format!("universal Mach-O for {architectures}"),
                host: machine.describe(),
            })
        }
    }
}

fn check_machine(file: &File<'_>, machine: Machine) -> Result<(), BlobError> {
    let found = Machine {
        format: file.format(),
        architecture: file.architecture(),
        pointer_width: if file.is_64() { 8 } else { 4 },
        little_endian: file.is_little_endian(),
    };
    if found == machine {
        Ok(())
    } else {
        Err(BlobError::OtherMachine { file: found.describe(), host: machine.describe() })
    }
}

fn check_kind(kind: ObjectKind) -> Result<(), BlobError> {
    match kind {
        ObjectKind::Relocatable => Err(BlobError::NotShared { kind: "an object file" }),
        ObjectKind::Executable => Err(BlobError::NotShared { kind: "an executable" }),
        ObjectKind::Core => Err(BlobError::NotShared { kind: "a core dump" }),
        // A Mach-O bundle, which can be loaded, is of no kind that the parser names.
        _ => Ok(()),
    }
}
