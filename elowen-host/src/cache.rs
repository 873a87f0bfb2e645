//! Keeps private copies of verified libraries, one folder for each content.
//!
//! A copy is what the loader maps: nobody else can change it, overwriting the original cannot disturb running
//! code, and other bytes have another path, so a loader that remembers paths never confuses two versions.
//! Several hosts may share one state folder.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::error::Fault;
use crate::os::{self, Directory, Owner};
use crate::trust::VerifiedFile;

/// How long an unused copy is kept unless told otherwise.
pub const KEEP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const FOLDER: &str = "plugin-cache";
/// Names of files and folders on their way in or out begin so.
const TEMPORARY: &str = ".tmp-";

/// The folder of private copies.
#[derive(Clone, Debug)]
pub struct PrivateCopies {
    dir: PathBuf,
}

/// Why there is no private copy.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The disk or a quota is full.
    #[error("there is no space left for private copies in {dir:?}")]
    NoSpace {
        /// The folder of copies.
        dir: PathBuf,
    },
    /// On a file system that cannot be written.
    #[error("private copies cannot be written: {dir:?} is on a read-only file system")]
    ReadOnly {
        /// The folder of copies.
        dir: PathBuf,
    },
    /// Not ours to write.
    #[error("private copies cannot be written: this user may not write to {dir:?}")]
    Denied {
        /// The folder of copies.
        dir: PathBuf,
    },
    /// Somebody else could exchange a copy.
    #[error("private copies are not safe in {dir:?}, which {why}")]
    Insecure {
        /// The folder of copies, or the state folder.
        dir: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Anything else.
    #[error("private copies cannot be kept in {dir:?}: {source}")]
    Io {
        /// The folder of copies.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl CacheError {
    fn new(dir: &Path, source: io::Error) -> Self {
        let dir = dir.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace { dir },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { dir },
            io::ErrorKind::PermissionDenied => Self::Denied { dir },
            _ => Self::Io { dir, source },
        }
    }

    /// Who can mend it.
    pub fn fault(&self) -> Fault {
        Fault::Machine
    }

    /// What to do, as a sentence without its full stop.
    pub fn remedy(&self) -> Cow<'static, str> {
        self.remedy_by("ELOWEN_STATE_DIR or --state-dir").into()
    }

    /// The same where it is known what says where the host keeps its state.
    pub(crate) fn remedy_by(&self, setting: &str) -> String {
        match self {
            Self::NoSpace { .. } => format!("Make room there, or let {setting} name another folder"),
            Self::Insecure { dir, .. } => format!(
                "Give {dir:?} to this user and take away the others' right to write, or let {setting} name another \
                 folder"
            ),
            _ => format!("Let {setting} name a folder that this user can write to"),
        }
    }
}

impl PrivateCopies {
    /// Opens `<state_dir>/plugin-cache`, creating both if need be, for this user alone.
    ///
    /// # Errors
    ///
    /// When it cannot be created, or others own it or may write to it.
    pub fn open(state_dir: &Path) -> Result<Self, CacheError> {
        let state = std::path::absolute(state_dir).map_err(|error| CacheError::new(state_dir, error))?;
        let dir = state.join(FOLDER);
        create_with_parents(&dir).map_err(|error| CacheError::new(&dir, error))?;
        check_private(&state, true)?;
        check_private(&dir, false)?;
        Ok(Self { dir })
    }

    /// The path of a private copy of `file`, made now or earlier.
    ///
    /// An earlier copy is used only if its bytes are equal. Any number of threads and processes may do this at
    /// once.
    ///
    /// # Errors
    ///
    /// When the copy cannot be written.
    pub fn store(&self, file: &VerifiedFile) -> Result<PathBuf, CacheError> {
        self.try_store(file).map_err(|error| CacheError::new(&self.dir, error))
    }

    /// The same folder, without looking whether it is there: for those who only name places in it.
    pub(crate) fn named(state_dir: &Path) -> Self {
        Self { dir: state_dir.join(FOLDER) }
    }

    /// Where the private copy of `file` lies, if there is one.
    pub fn path_of(&self, file: &VerifiedFile) -> PathBuf {
        let name = os::safe_library_name(file.path.file_name().unwrap_or_default());
        self.dir.join(hex(&file.sha256)).join(name)
    }

    fn try_store(&self, file: &VerifiedFile) -> io::Result<PathBuf> {
        let folder = self.dir.join(hex(&file.sha256));
        let target = self.path_of(file);
        if is_copy(&folder, &target, &file.bytes)? {
            return Ok(target);
        }
        let temporary = self.write_temporary(&file.bytes)?;
        let moved = move_into(&temporary, &folder, &target);
        if let Err(error) = moved {
            // Where a mapped file cannot be replaced, another process may have been first.
            let _ = fs::remove_file(&temporary);
            return if is_copy(&folder, &target, &file.bytes)? { Ok(target) } else { Err(error) };
        }
        Ok(target)
    }

    fn write_temporary(&self, bytes: &[u8]) -> io::Result<PathBuf> {
        loop {
            let path = self.dir.join(temporary_name());
            let written = match os::create_private_file(&path) {
                // Left behind by a process that had our number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?.write_all(bytes),
            };
            return match written {
                Ok(()) => Ok(path),
                Err(error) => {
                    let _ = fs::remove_file(&path);
                    Err(error)
                }
            };
        }
    }

    /// Removes the copies that were not used for `older_than` ([`KEEP`] is the usual), and returns how many.
    /// Libraries that are mapped stay usable.
    ///
    /// # Errors
    ///
    /// When the folder cannot be listed. A copy that cannot be removed is left.
    pub fn prune(&self, older_than: Duration) -> Result<usize, CacheError> {
        let entries = fs::read_dir(&self.dir).map_err(|error| CacheError::new(&self.dir, error))?;
        let ours = entries.flatten().map(|entry| entry.path()).filter(|path| is_ours(path));
        Ok(ours.filter(|path| self.remove_if_old(path, older_than).unwrap_or(false)).count())
    }

    /// Moves `path` aside before it is removed, so that nobody finds half of it; and back, if it was used
    /// meanwhile.
    fn remove_if_old(&self, path: &Path, older_than: Duration) -> io::Result<bool> {
        if !is_old(path, older_than)? {
            return Ok(false);
        }
        let aside = self.dir.join(temporary_name());
        fs::rename(path, &aside)?;
        if !is_old(&aside, older_than)? && fs::rename(&aside, path).is_ok() {
            return Ok(false);
        }
        if fs::symlink_metadata(&aside)?.is_dir() {
            fs::remove_dir_all(&aside)?
        } else {
            fs::remove_file(&aside)?
        }
        Ok(true)
    }
}

fn create_with_parents(dir: &Path) -> io::Result<()> {
    match os::create_private_dir(dir) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_with_parents(dir.parent().ok_or(error)?)?;
            create_or_reuse(dir)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn create_or_reuse(dir: &Path) -> io::Result<()> {
    match os::create_private_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// Whether nobody but this user can exchange what lies in `dir`. The state folder may be shared (`sticky`).
fn check_private(dir: &Path, may_be_sticky: bool) -> Result<(), CacheError> {
    let metadata = if may_be_sticky { fs::metadata(dir) } else { fs::symlink_metadata(dir) };
    let metadata = metadata.map_err(|error| CacheError::new(dir, error))?;
    let insecure = |why: String| Err(CacheError::Insecure { dir: dir.to_path_buf(), why });
    if !metadata.is_dir() {
        return insecure(format!("is a {}, not a directory", os::kind(&metadata)));
    }
    let rights = os::rights(&metadata);
    match rights.owner {
        Owner::Other(uid) => insecure(format!("belongs to user {uid}")),
        Owner::Root if !may_be_sticky => insecure("belongs to root".to_owned()),
        _ if may_be_sticky && (rights.sticky || !rights.world_writable) => Ok(()),
        _ if rights.world_writable => insecure("is writable by everybody".to_owned()),
        _ if rights.group_writable => insecure("is writable by its group".to_owned()),
        _ => Ok(()),
    }
}

/// Whether `target` holds these bytes; marks its folder as used.
fn is_copy(folder: &Path, target: &Path, bytes: &[u8]) -> io::Result<bool> {
    // Marked before it is read: whoever prunes looks at the mark again after moving the folder aside.
    match os::touch_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    }
    let name = target.file_name().unwrap_or_default();
    let Ok(file) = Directory::open(folder).and_then(|folder| folder.open_file(name)) else {
        return Ok(false);
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut found = Vec::with_capacity(bytes.len());
    file.take(bytes.len() as u64 + 1).read_to_end(&mut found)?;
    Ok(found == bytes)
}

fn move_into(temporary: &Path, folder: &Path, target: &Path) -> io::Result<()> {
    create_or_reuse(folder)?;
    match fs::rename(temporary, target) {
        // The folder was pruned in between.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_or_reuse(folder)?;
            fs::rename(temporary, target)
        }
        other => other,
    }
}

fn is_old(path: &Path, than: Duration) -> io::Result<bool> {
    let used = fs::symlink_metadata(path)?.modified()?;
    Ok(SystemTime::now().duration_since(used).is_ok_and(|age| age >= than))
}

fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.starts_with(TEMPORARY) || (name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn temporary_name() -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{TEMPORARY}{}-{number}", std::process::id()).into()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(all(test, unix))]
mod tests;
