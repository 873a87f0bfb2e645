//! The real path of something that may not exist yet: every link followed, also the last and also a dangling one.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

/// How many dangling links may lead to each other; what systems allow.
const LINKS: usize = 40;

pub(super) struct Resolved {
    /// The real path.
    pub(super) real: PathBuf,
    /// The part of it that exists.
    existing: PathBuf,
}

impl Resolved {
    /// The folder of what exists.
    pub(super) fn existing_folder(&self) -> PathBuf {
        let existing = &self.existing;
        let folder =
            if existing.is_dir() && *existing != self.real { Some(&**existing) } else { existing.parent() };
        folder.unwrap_or(existing).to_path_buf()
    }
}

/// Follows every link of an absolute path. What does not exist is put after its nearest folder that does.
///
/// # Errors
/// Where that cannot be told: no right to look, links that lead in circles, `..` after something missing.
pub(super) fn real_path(path: &Path) -> io::Result<Resolved> {
    let mut path = path.to_path_buf();
    let mut missing: Vec<OsString> = Vec::new();
    let mut links = 0;
    loop {
        match path.canonicalize() {
            Ok(existing) => {
                let mut real = existing.clone();
                real.extend(missing.iter().rev());
                return Ok(Resolved { real, existing });
            }
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        // A link whose target is missing: what would be written through it is the target.
        let target = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_symlink);
        let target = target.map(|_| fs::read_link(&path)).transpose()?;
        // `..` has no name: after something missing nobody can tell where it leads.
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        match target {
            Some(_) if links == LINKS => return Err(io::Error::other("too many links")),
            Some(target) => {
                links += 1;
                path = folder.join(target);
            }
            None => {
                missing.push(name.to_owned());
                path = folder.to_path_buf();
            }
        }
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
