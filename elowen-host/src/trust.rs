//! Decides whether a library file may be loaded, and reads it.
//!
//! Every check is made on opened descriptors, from the plugin root down to the file, and the bytes come from
//! the same descriptor, so nothing can be exchanged in between. No code runs. A loaded plugin has all rights of
//! the host: these checks guard against accidents and against other users, they are not a sandbox.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::error::Fault;
use crate::os::{self, Directory, Owner, Rights};

/// What the host puts up with.
#[derive(Clone, Debug)]
pub struct TrustPolicy {
    /// Load plugins built with `panic = "abort"`, whose panics end the host. Off by default.
    pub allow_abort: bool,
    /// Largest library, in bytes; 512 MiB by default.
    pub max_bytes: u64,
}

impl Default for TrustPolicy {
    fn default() -> Self {
        Self { allow_abort: false, max_bytes: 512 << 20 }
    }
}

/// A file that passed every check, with its contents.
#[derive(Clone)]
#[non_exhaustive]
pub struct VerifiedFile {
    /// Where it was found; absolute.
    pub path: PathBuf,
    /// All of its bytes.
    pub bytes: Vec<u8>,
    /// SHA-256 of `bytes`.
    pub sha256: [u8; 32],
    /// What the administrator may want to change, as sentences.
    pub warnings: Vec<String>,
}

impl fmt::Debug for VerifiedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifiedFile")
            .field("path", &self.path)
            .field("bytes", &self.bytes.len())
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}

/// Why a file is not trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file or the root is named relative to a working directory that anybody may change.
    #[error("the path {path:?} is not absolute")]
    NotAbsolute {
        /// The path as given.
        path: PathBuf,
    },
    /// A C interface would cut the name there and open another file.
    #[error("its path contains a NUL byte")]
    Nul,
    /// Longer than the system takes.
    #[error("its path is {len} bytes long")]
    TooLong {
        /// Length in bytes.
        len: usize,
    },
    /// A `..` leads elsewhere than it seems when a directory is a link.
    #[error("its path contains `..`")]
    DotDot,
    /// Not below the plugin root.
    #[error("it lies outside the plugin root {root:?}")]
    OutsideRoot {
        /// The root.
        root: PathBuf,
    },
    /// Opening failed.
    #[error("{path:?} cannot be opened: {source}")]
    Open {
        /// The file or a directory above it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file itself is a link.
    #[error("it is a symbolic link")]
    SymbolicLink,
    /// A directory, a FIFO, a device ...
    #[error("it is a {kind}, not a regular file")]
    NotRegular {
        /// What it is.
        kind: &'static str,
    },
    /// Somebody else can change it.
    #[error("{path:?} belongs to user {uid}, who is neither the one running this host nor root")]
    Owner {
        /// The file, a directory above it, or a link on the way.
        path: PathBuf,
        /// Its owner.
        uid: u32,
    },
    /// Everybody can change it.
    #[error("{path:?} is writable by everybody")]
    WorldWritable {
        /// The file or a directory above it.
        path: PathBuf,
    },
    /// No bytes.
    #[error("it is empty")]
    Empty,
    /// More bytes than [`TrustPolicy::max_bytes`].
    #[error("it has {len} bytes, the limit is {max}")]
    TooLarge {
        /// Its size.
        len: u64,
        /// The limit.
        max: u64,
    },
    /// Reading failed.
    #[error("it cannot be read: {0}")]
    Read(#[source] io::Error),
    /// Somebody wrote to it meanwhile.
    #[error("it changed while it was read")]
    Changed,
}

impl TrustError {
    /// Who can mend it.
    pub fn fault(&self) -> Fault {
        Fault::Installation
    }

    /// What to do, as a sentence without its full stop.
    pub fn remedy(&self) -> Cow<'static, str> {
        match self {
            Self::NotAbsolute { .. } => "Name the plugin root by an absolute path".into(),
            Self::Nul | Self::TooLong { .. } => "Rename or move the plugin's folder".into(),
            Self::DotDot | Self::OutsideRoot { .. } => "Put the library into the plugin's own folder".into(),
            Self::Open { .. } | Self::Read(_) => {
                "Make the file and its folders readable for this host".into()
            }
            Self::SymbolicLink => "Copy the library itself into the plugin's folder".into(),
            Self::NotRegular { .. } => "Let the manifest's `entry` name the library file".into(),
            Self::Owner { path, .. } => {
                format!("Install it as the user of this host, or `chown` {path:?}").into()
            }
            Self::WorldWritable { path } => format!("Run `chmod o-w` on {path:?}").into(),
            Self::Empty => "Build or copy the library again".into(),
            Self::TooLarge { .. } => "Strip the library, or raise the limit".into(),
            Self::Changed => {
                "Wait for the build or copy to finish, and move the finished file into place".into()
            }
        }
    }
}

/// Checks the file at `path`, everything between it and `root`, and `root`; then reads it.
///
/// Regular file, not a link, 1 byte to the policy's limit; it and every directory up to `root` belong to this
/// user or root; the file is not writable by everybody, and a directory only if it is sticky. Writable by a
/// group is a warning.
///
/// # Errors
///
/// The first check that fails, in the order above.
pub fn verify(path: &Path, root: &Path, policy: &TrustPolicy) -> Result<VerifiedFile, TrustError> {
    let steps = steps(path, root)?;
    let Some((file_name, folders)) = steps.split_last() else {
        return Err(TrustError::NotRegular { kind: "directory" });
    };
    let mut warnings = Vec::new();
    let mut here = root.to_path_buf();
    let mut directory = opened(&here, Directory::open(&here))?;
    check_directory(&here, opened(&here, directory.rights())?, &mut warnings)?;
    for folder in folders {
        here.push(folder);
        // A directory may be reached over a link, but only over one that a trusted user has put there.
        check_owner(&here, opened(&here, directory.entry_owner(folder))?)?;
        directory = opened(&here, directory.enter(folder))?;
        check_directory(&here, opened(&here, directory.rights())?, &mut warnings)?;
    }
    let mut file = match directory.open_file(file_name) {
        Err(error) if os::is_link_refusal(&error) => return Err(TrustError::SymbolicLink),
        other => opened(path, other)?,
    };
    let before = file.metadata().map_err(TrustError::Read)?;
    check_file(path, &before, policy, &mut warnings)?;
    let bytes = read_exactly(&mut file, before.len())?;
    check_unchanged(&before, &file)?;
    let sha256 = Sha256::digest(&bytes).into();
    Ok(VerifiedFile { path: path.to_path_buf(), bytes, sha256, warnings })
}

/// The names that lead from `root` to `path`.
fn steps<'a>(path: &'a Path, root: &Path) -> Result<Vec<&'a OsStr>, TrustError> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.contains(&0) {
        return Err(TrustError::Nul);
    }
    if bytes.len() > os::MAX_PATH_LEN {
        return Err(TrustError::TooLong { len: bytes.len() });
    }
    if let Some(path) = [path, root].into_iter().find(|path| !path.is_absolute()) {
        return Err(TrustError::NotAbsolute { path: path.to_path_buf() });
    }
    let inside = path.strip_prefix(root).map_err(|_| TrustError::OutsideRoot { root: root.to_path_buf() })?;
    let name = |component| match component {
        Component::Normal(name) => Ok(name),
        _ => Err(TrustError::DotDot),
    };
    inside.components().map(name).collect()
}

fn opened<T>(path: &Path, result: io::Result<T>) -> Result<T, TrustError> {
    result.map_err(|source| TrustError::Open { path: path.to_path_buf(), source })
}

fn check_owner(path: &Path, owner: Owner) -> Result<(), TrustError> {
    match owner {
        Owner::Me | Owner::Root | Owner::Unknown => Ok(()),
        Owner::Other(uid) => Err(TrustError::Owner { path: path.to_path_buf(), uid }),
    }
}

fn check_directory(path: &Path, rights: Rights, warnings: &mut Vec<String>) -> Result<(), TrustError> {
    // In a sticky directory nobody can exchange what belongs to another.
    check_rights(path, Rights { world_writable: rights.world_writable && !rights.sticky, ..rights }, warnings)
}

fn check_rights(path: &Path, rights: Rights, warnings: &mut Vec<String>) -> Result<(), TrustError> {
    check_owner(path, rights.owner)?;
    if rights.world_writable {
        return Err(TrustError::WorldWritable { path: path.to_path_buf() });
    }
    if rights.group_writable && !rights.sticky {
        warnings.push(format!(
            "{path:?} is writable by its group; `chmod g-w` keeps others from changing the plugin"
        ));
    }
    Ok(())
}

fn check_file(
    path: &Path,
    metadata: &Metadata,
    policy: &TrustPolicy,
    warnings: &mut Vec<String>,
) -> Result<(), TrustError> {
    if metadata.file_type().is_symlink() {
        return Err(TrustError::SymbolicLink);
    }
    if !metadata.is_file() {
        return Err(TrustError::NotRegular { kind: os::kind(metadata) });
    }
    check_rights(path, os::rights(metadata), warnings)?;
    match metadata.len() {
        0 => Err(TrustError::Empty),
        len if len > policy.max_bytes => Err(TrustError::TooLarge { len, max: policy.max_bytes }),
        _ => Ok(()),
    }
}

/// Reads the `len` bytes that the file is said to have, and finds out whether that is still all.
fn read_exactly(file: &mut impl Read, len: u64) -> Result<Vec<u8>, TrustError> {
    let mut bytes = Vec::new();
    let capacity = usize::try_from(len).map_err(|_| TrustError::Read(io::ErrorKind::OutOfMemory.into()))?;
    bytes.try_reserve_exact(capacity).map_err(|_| TrustError::Read(io::ErrorKind::OutOfMemory.into()))?;
    file.take(len.saturating_add(1)).read_to_end(&mut bytes).map_err(TrustError::Read)?;
    if bytes.len() == capacity { Ok(bytes) } else { Err(TrustError::Changed) }
}

fn check_unchanged(before: &Metadata, file: &File) -> Result<(), TrustError> {
    let after = file.metadata().map_err(TrustError::Read)?;
    let same = before.len() == after.len() && before.modified().ok() == after.modified().ok();
    if same { Ok(()) } else { Err(TrustError::Changed) }
}

#[cfg(all(test, unix))]
mod tests;
