//! Reaches a file from an open folder, one step at a time and through no link.
//!
//! The path is a real one, so a link on the way was put there after the guard looked, and is refused. On Unix each
//! step is taken from the folder opened by the one before, which holds whatever is moved around meanwhile. Windows
//! has no such step here: the path is followed as it is and compared once the file is open, so a link put there in
//! that last moment gets no content, but can make an empty file come into being elsewhere.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read as _, Seek as _, Write as _},
    path::{Component, Path, PathBuf},
};

/// A file that may be written, below the folder it was allowed in.
#[derive(Debug)]
pub struct Anchored {
    base: PathBuf,
    tail: PathBuf,
}

impl Anchored {
    pub(super) fn new(base: &Path, tail: &Path) -> Self {
        Anchored { base: base.to_path_buf(), tail: tail.to_path_buf() }
    }

    /// What is in it.
    ///
    /// # Errors
    /// The system's.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.open(Purpose::Read)?.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Replaces what is in it. The file is made if it is missing, and so are folders on the way.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&self, content: &[u8]) -> io::Result<()> {
        let mut file = self.open(Purpose::Write)?;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(content)
    }

    fn open(&self, purpose: Purpose) -> io::Result<File> {
        let mut steps: Vec<&OsStr> = Vec::new();
        for step in self.tail.components() {
            match step {
                Component::Normal(name) => steps.push(name),
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        let Some((name, folders)) = steps.split_last() else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        let file = imp::open(&self.base, folders, name, purpose)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not an ordinary file"));
        }
        Ok(file)
    }
}

/// The path leads through a link, which the real path that was allowed did not.
#[derive(Debug, thiserror::Error)]
#[error("a link stands on the way")]
pub(super) struct LinkOnTheWay;

#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    Read,
    Write,
}

#[cfg(unix)]
mod imp {
    use super::*;
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;

    const FOLDER: OFlags =
        OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    pub(super) fn open(base: &Path, folders: &[&OsStr], name: &OsStr, purpose: Purpose) -> io::Result<File> {
        let mut folder = rustix::fs::open(base, FOLDER, Mode::empty()).map_err(refusal)?;
        for step in folders {
            if purpose == Purpose::Write {
                match rustix::fs::mkdirat(&folder, *step, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            folder = rustix::fs::openat(&folder, *step, FOLDER, Mode::empty()).map_err(|error| {
                // With O_DIRECTORY, systems say of a link that it is no directory.
                let link = rustix::fs::readlinkat(&folder, *step, Vec::new()).is_ok();
                if link { io::Error::other(LinkOnTheWay) } else { refusal(error) }
            })?;
        }
        // Non-blocking, so that a pipe opens at once and can be refused for what it is.
        let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = match purpose {
            Purpose::Read => flags | OFlags::RDONLY,
            Purpose::Write => flags | OFlags::WRONLY | OFlags::CREATE,
        };
        let file = rustix::fs::openat(&folder, name, flags, Mode::from_raw_mode(0o666)).map_err(refusal)?;
        Ok(file.into())
    }

    fn refusal(error: Errno) -> io::Error {
        match error {
            Errno::LOOP => io::Error::other(LinkOnTheWay),
            error => error.into(),
        }
    }
}

#[cfg(not(unix))]
mod imp {
    use super::*;
    use std::fs::{OpenOptions, create_dir_all};

    pub(super) fn open(base: &Path, folders: &[&OsStr], name: &OsStr, purpose: Purpose) -> io::Result<File> {
        let folder: PathBuf = std::iter::once(base.as_os_str()).chain(folders.iter().copied()).collect();
        if purpose == Purpose::Write {
            create_dir_all(&folder)?;
        }
        let path = folder.join(name);
        let mut options = OpenOptions::new();
        match purpose {
            Purpose::Read => options.read(true),
            Purpose::Write => options.write(true).create(true).truncate(false),
        };
        let file = options.open(&path)?;
        if path.canonicalize()? != path {
            return Err(io::Error::other(LinkOnTheWay));
        }
        Ok(file)
    }
}
