//! What differs between operating systems, for reading manifests, trusting files and keeping private copies.
//!
//! Every `cfg` on the system is in this file; its callers decide, this file only answers. What a system
//! cannot say (Windows: owner and mode bits) comes out as unknown, never as a refusal. Mapping a library is
//! the one `unsafe` function here: what comes of it is the loader's.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

pub use imp::redirect_stdout;
pub(crate) use imp::{
    Directory, create_private_dir, create_private_file, deny_others_writing, is_link_refusal, kind,
    map_library, open_readable, rights, safe_library_name, touch_dir,
};

/// Longest path, in bytes, that is worth handing to the system.
pub(crate) const MAX_PATH_LEN: usize = if cfg!(windows) { 32_767 } else { 4_095 };

/// Whom a file belongs to. No system knows all of these.
#[allow(dead_code)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The user this process acts as.
    Me,
    /// The administrator.
    Root,
    /// Somebody else, by number.
    Other(u32),
    /// The system does not say.
    Unknown,
}

/// Who may change a file or a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rights {
    pub(crate) owner: Owner,
    pub(crate) group_writable: bool,
    pub(crate) world_writable: bool,
    /// Directories: only its owner may rename or remove an entry.
    pub(crate) sticky: bool,
}

/// No environment variable says where state may be kept.
#[derive(Debug, thiserror::Error)]
#[error("there is no folder for the host's state: let ELOWEN_STATE_DIR or --state-dir name one")]
pub struct NoStateDir;

/// Where the host keeps its state, as an absolute path that need not exist yet.
///
/// `$ELOWEN_STATE_DIR`, which may be relative to the current directory; else `$XDG_STATE_HOME/elowen` if that is absolute; else `~/.local/state/elowen`, on
/// macOS `~/Library/Application Support/elowen`. On Windows, after the first, `%LOCALAPPDATA%\elowen`.
///
/// # Errors
///
/// When neither these variables nor the home directory is set.
pub fn state_dir() -> Result<PathBuf, NoStateDir> {
    state_dir_from(|name| std::env::var_os(name))
}

fn state_dir_from(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, NoStateDir> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match set("ELOWEN_STATE_DIR") {
        Some(dir) => std::path::absolute(dir).ok(),
        None => imp::default_state_dir(set),
    }
    .ok_or(NoStateDir)
}

/// What the library of that name is called here: `hello` is `libhello.so`, `libhello.dylib` or `hello.dll`.
pub(crate) fn library_file_name(name: &OsStr) -> OsString {
    let mut file = OsString::from(DLL_PREFIX);
    file.push(name);
    file.push(DLL_SUFFIX);
    file
}

#[cfg(unix)]
mod imp {
    use std::ffi::{OsStr, OsString};
    use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
    use std::io::{self, Write as _};
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    use std::os::unix::fs::{
        DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    };
    use std::path::{Path, PathBuf};
    use std::time::SystemTime;

    use rustix::fs::{AtFlags, Mode, OFlags};
    use rustix::io::Errno;

    use super::{Owner, Rights};

    /// An open directory. What is opened through it cannot be exchanged between a check and its use.
    #[derive(Debug)]
    pub(crate) struct Directory(File);

    const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    // Non-blocking, so that a FIFO without a writer opens at once and can be refused for what it is.
    const READABLE: OFlags =
        OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

    impl Directory {
        /// Opens a directory, following links.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(rustix::fs::open(path, DIRECTORY, Mode::empty())?.into()))
        }

        /// Opens the directory `name` in this one, following links.
        pub(crate) fn enter(&self, name: &OsStr) -> io::Result<Self> {
            Ok(Self(rustix::fs::openat(&self.0, name, DIRECTORY, Mode::empty())?.into()))
        }

        /// Opens the file `name` in this directory for reading. A link is refused
        /// ([`is_link_refusal`](super::is_link_refusal)), a FIFO does not block.
        pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
            Ok(rustix::fs::openat(&self.0, name, READABLE | OFlags::NOFOLLOW, Mode::empty())?.into())
        }

        /// Whom the entry `name` belongs to; of a link, the link itself.
        pub(crate) fn entry_owner(&self, name: &OsStr) -> io::Result<Owner> {
            Ok(owner(rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?.st_uid))
        }

        /// Who may change this directory.
        pub(crate) fn rights(&self) -> io::Result<Rights> {
            Ok(rights(&self.0.metadata()?))
        }
    }

    fn owner(uid: u32) -> Owner {
        match uid {
            _ if uid == rustix::process::geteuid().as_raw() => Owner::Me,
            0 => Owner::Root,
            _ => Owner::Other(uid),
        }
    }

    /// Who may change what `metadata` describes.
    pub(crate) fn rights(metadata: &Metadata) -> Rights {
        let mode = metadata.mode();
        Rights {
            owner: owner(metadata.uid()),
            group_writable: mode & 0o020 != 0,
            world_writable: mode & 0o002 != 0,
            sticky: mode & 0o1000 != 0,
        }
    }

    /// Whether opening failed because the last component is a symbolic link.
    pub(crate) fn is_link_refusal(error: &io::Error) -> bool {
        matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::MLINK))
    }

    /// What `metadata` describes, for a message.
    pub(crate) fn kind(metadata: &Metadata) -> &'static str {
        let kind = metadata.file_type();
        match () {
            () if kind.is_file() => "file",
            () if kind.is_dir() => "directory",
            () if kind.is_symlink() => "symbolic link",
            () if kind.is_fifo() => "named pipe",
            () if kind.is_socket() => "socket",
            () if kind.is_block_device() || kind.is_char_device() => "device",
            () => "special file",
        }
    }

    /// Opens a file for reading, following links; a FIFO does not block.
    pub(crate) fn open_readable(path: &Path) -> io::Result<File> {
        Ok(rustix::fs::open(path, READABLE, Mode::empty())?.into())
    }

    /// Creates one directory that only this user can enter.
    pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
        DirBuilder::new().mode(0o700).create(path)
    }

    /// Creates a file that did not exist and that only this user can read.
    pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    }

    /// Takes the right to write from everybody but the owner.
    pub(crate) fn deny_others_writing(path: &Path) -> io::Result<()> {
        let mode = std::fs::metadata(path)?.mode() & 0o7755;
        std::fs::set_permissions(path, Permissions::from_mode(mode))
    }

    /// Sets a directory's modification time to now.
    pub(crate) fn touch_dir(path: &Path) -> io::Result<()> {
        File::open(path)?.set_modified(SystemTime::now())
    }

    /// A file name that the loader takes literally: glibc would expand `$ORIGIN` and its like.
    pub(crate) fn safe_library_name(name: &OsStr) -> OsString {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte) || byte >= 0x80;
        let name = name.as_bytes().iter().map(|&byte| if plain(byte) { byte } else { b'_' });
        OsString::from_vec(name.collect())
    }

    /// See [`state_dir`](super::state_dir).
    pub(super) fn default_state_dir(set: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        let home = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/state" };
        set("XDG_STATE_HOME")
            .filter(|dir| dir.is_absolute())
            .or_else(|| Some(set("HOME").filter(|dir| dir.is_absolute())?.join(home)))
            .map(|dir| dir.join("elowen"))
    }

    /// Points descriptor 1 at stderr for the whole process, and returns a file that writes to the real stdout.
    ///
    /// What a plugin prints then cannot end up between the bytes of an answer. Child processes inherit the
    /// redirected descriptor and not the saved one.
    ///
    /// # Errors
    ///
    /// When a descriptor cannot be duplicated.
    pub fn redirect_stdout() -> io::Result<File> {
        io::stdout().flush()?;
        let saved = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
        rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
        Ok(saved.into())
    }

    /// Maps a library for good: all symbols now, none shared, never unmapped.
    ///
    /// # Safety
    /// Runs the file's initialisers.
    pub(crate) unsafe fn map_library(
        file: &Path,
    ) -> Result<libloading::os::unix::Library, libloading::Error> {
        let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_NODELETE;
        // SAFETY: the caller's promise.
        unsafe { libloading::os::unix::Library::open(Some(file), flags) }
    }
}

#[cfg(windows)]
mod imp {
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File, Metadata, OpenOptions};
    use std::io::{self, Write as _};
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::os::windows::io::AsHandle as _;
    use std::path::{Path, PathBuf};
    use std::time::SystemTime;

    use super::{DLL_SUFFIX, Owner, Rights};

    const FILE_SHARE_READ: u32 = 0x1;
    const FILE_WRITE_ATTRIBUTES: u32 = 0x100;
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;

    /// A directory by its path: std opens nothing relative to a handle here.
    #[derive(Debug)]
    pub(crate) struct Directory(PathBuf);

    impl Directory {
        /// A directory, following links.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            if fs::metadata(path)?.is_dir() {
                Ok(Self(path.to_path_buf()))
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }

        /// The directory `name` in this one, following links.
        pub(crate) fn enter(&self, name: &OsStr) -> io::Result<Self> {
            Self::open(&self.0.join(name))
        }

        /// Opens the file `name` for reading. A link is opened itself, so its metadata tell that it is one;
        /// while the file is open nobody can write to it.
        pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
            OpenOptions::new()
                .read(true)
                .share_mode(FILE_SHARE_READ)
                .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
                .open(self.0.join(name))
        }

        /// Not known here.
        pub(crate) fn entry_owner(&self, name: &OsStr) -> io::Result<Owner> {
            fs::symlink_metadata(self.0.join(name)).map(|_| Owner::Unknown)
        }

        /// Not known here.
        pub(crate) fn rights(&self) -> io::Result<Rights> {
            fs::metadata(&self.0).map(|metadata| rights(&metadata))
        }
    }

    /// Not known here: access lists are not read.
    pub(crate) fn rights(_: &Metadata) -> Rights {
        Rights { owner: Owner::Unknown, group_writable: false, world_writable: false, sticky: false }
    }

    /// Never: links are opened and recognised by their metadata.
    pub(crate) fn is_link_refusal(_: &io::Error) -> bool {
        false
    }

    /// What `metadata` describes, for a message.
    pub(crate) fn kind(metadata: &Metadata) -> &'static str {
        match () {
            () if metadata.is_file() => "file",
            () if metadata.is_dir() => "directory",
            () if metadata.is_symlink() => "symbolic link",
            () => "special file",
        }
    }

    /// Opens a file for reading, following links.
    pub(crate) fn open_readable(path: &Path) -> io::Result<File> {
        // Without this flag a directory answers "access denied" instead of what it is.
        OpenOptions::new().read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)
    }

    /// Creates one directory; it inherits the access list of its parent.
    pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    /// Creates a file that did not exist; it inherits the access list of its folder.
    pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
        File::create_new(path)
    }

    /// Nothing to take: access lists are inherited from the folder.
    pub(crate) fn deny_others_writing(_: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Sets a directory's modification time to now.
    pub(crate) fn touch_dir(path: &Path) -> io::Result<()> {
        OpenOptions::new()
            .access_mode(FILE_WRITE_ATTRIBUTES)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
            .open(path)?
            .set_modified(SystemTime::now())
    }

    /// A file name that the loader takes literally: it would append `.dll` to a name without an extension.
    pub(crate) fn safe_library_name(name: &OsStr) -> OsString {
        let plain = |c: char| c.is_alphanumeric() || "._-+".contains(c);
        let mut name: String =
            name.to_string_lossy().chars().map(|c| if plain(c) { c } else { '_' }).collect();
        if !name.to_ascii_lowercase().ends_with(DLL_SUFFIX) {
            name.push_str(DLL_SUFFIX);
        }
        name.into()
    }

    /// See [`state_dir`](super::state_dir).
    pub(super) fn default_state_dir(set: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        set("LOCALAPPDATA").filter(|dir| dir.is_absolute()).map(|dir| dir.join("elowen"))
    }

    /// Returns a file that writes to the real stdout.
    ///
    /// Nothing is redirected here: exchanging the process's standard handle takes an unsafe call. What a plugin
    /// prints, with `println!` or the C library, still goes to the real stdout.
    ///
    /// # Errors
    ///
    /// When the handle cannot be duplicated.
    pub fn redirect_stdout() -> io::Result<File> {
        io::stdout().flush()?;
        Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
    }

    /// Maps a library for good. What it needs is looked for beside it and in the system's directory only.
    ///
    /// # Safety
    /// Runs the file's initialisers.
    pub(crate) unsafe fn map_library(
        file: &Path,
    ) -> Result<libloading::os::windows::Library, libloading::Error> {
        use libloading::os::windows::{
            LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, LOAD_LIBRARY_SEARCH_SYSTEM32, Library,
        };
        let flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32;
        // SAFETY: the caller's promise.
        let library = unsafe { Library::load_with_flags(file, flags) }?;
        library.pin()?;
        Ok(library)
    }
}

#[cfg(all(test, unix))]
mod tests;
