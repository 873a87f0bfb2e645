//! Is this path inside what the session may touch, once every link in it is followed?
//!
//! A [`PathGuard`] is made of the access of one moment and thrown away after one question. What is to be written
//! later, after waiting, is [anchored](PathGuard::anchor) now and asked about again then; see [`WriteQueue`].

mod anchor;
mod beneath;
mod resolve;

pub use anchor::{Anchor, WriteError, WriteQueue};
pub use beneath::Anchored;

use crate::policy::{Access, Reach};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Where projects lie; an embedder brings its own.
pub trait ProjectPaths: Send + Sync {
    /// The folder of a project; `None` if there is no such project (any more).
    fn path(&self, project: u64) -> Option<PathBuf>;
}

impl<F: Fn(u64) -> Option<PathBuf> + Send + Sync> ProjectPaths for F {
    fn path(&self, project: u64) -> Option<PathBuf> {
        self(project)
    }
}

/// The folders within reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Roots {
    /// The whole file system.
    All,
    /// These folders and what is in them.
    Within(Vec<PathBuf>),
}

/// The folders that a reach gives: every project that has one, in order.
pub fn allowed_roots(reach: &Reach, projects: &dyn ProjectPaths) -> Roots {
    match reach {
        Reach::All => Roots::All,
        Reach::Projects(ids) => Roots::Within(ids.iter().filter_map(|id| projects.path(*id)).collect()),
    }
}

/// The folder that relative paths start from: where the session works, else its first root, else where the host
/// itself runs.
///
/// # Errors
/// If the last is asked for and the system does not say.
pub fn default_directory(work_dir: Option<&Path>, roots: &Roots) -> io::Result<PathBuf> {
    let first = match roots {
        Roots::Within(roots) => roots.first().map(PathBuf::as_path),
        Roots::All => None,
    };
    work_dir.or(first).map_or_else(std::env::current_dir, |dir| Ok(dir.to_path_buf()))
}

/// Why a path may not be used. Text that the model can act on.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// It leads outside, or where it leads cannot be told.
    #[error("path not allowed: \"{}\" is outside your accessible repositories", .0.display())]
    Outside(PathBuf),
    /// Nothing may be written in this conversation now.
    #[error("path not allowed: \"{}\" cannot be written, this conversation may only read now", .0.display())]
    ReadOnly(PathBuf),
    /// Its folder cannot be looked up.
    #[error("\"{}\" cannot be looked up: {source}", path.display())]
    Unresolvable {
        /// The path as it was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a session may touch at one moment.
#[derive(Clone, Debug)]
pub struct PathGuard {
    roots: Roots,
    /// Files and folders that are allowed beside the roots.
    extra: Vec<PathBuf>,
    plan_file: Option<PathBuf>,
    read_only: bool,
    directory: PathBuf,
}

impl PathGuard {
    /// For that access; without one (no turn) nothing is allowed. Relative paths start from `directory`.
    pub fn new(access: Option<&Access>, projects: &dyn ProjectPaths, directory: impl Into<PathBuf>) -> Self {
        PathGuard {
            roots: access.map_or(Roots::Within(Vec::new()), |access| allowed_roots(access.reach(), projects)),
            extra: Vec::new(),
            plan_file: None,
            read_only: access.is_none_or(Access::read_only),
            directory: directory.into(),
        }
    }

    /// The session's own plan file may be used as well, and written even when nothing else may.
    #[must_use]
    pub fn plan_file(mut self, path: Option<&Path>) -> Self {
        self.plan_file = path.map(Path::to_path_buf);
        self
    }

    /// A folder of the session's own may be used as well, such as the one its large results are kept in.
    #[must_use]
    pub fn also(mut self, folder: impl Into<PathBuf>) -> Self {
        self.extra.push(folder.into());
        self
    }

    /// The real path, every link followed, if it may be looked at. It need not exist.
    ///
    /// # Errors
    /// [`PathError::Outside`] if it is not at or below one of the roots.
    pub fn assert_path_allowed(&self, path: &Path) -> Result<PathBuf, PathError> {
        self.locate(path).map(|place| place.real)
    }

    /// The same for writing: refused where the session may only read, but for its plan file.
    ///
    /// # Errors
    /// As above, and [`PathError::ReadOnly`].
    pub fn assert_writable(&self, path: &Path) -> Result<PathBuf, PathError> {
        self.locate_for_writing(path).map(|place| place.real)
    }

    /// Remembers where a file that is to be written lies; to be written by [`WriteQueue::write`].
    ///
    /// # Errors
    /// As [`assert_writable`](Self::assert_writable).
    pub fn anchor(&self, path: &Path) -> Result<Anchor, PathError> {
        let place = self.locate_for_writing(path)?;
        Ok(Anchor::new(self.absolute(path), place))
    }

    fn locate_for_writing(&self, path: &Path) -> Result<Place, PathError> {
        let place = self.locate(path)?;
        if self.read_only && self.real_plan_file().as_ref() != Some(&place.real) {
            return Err(PathError::ReadOnly(path.to_path_buf()));
        }
        Ok(place)
    }

    fn locate(&self, path: &Path) -> Result<Place, PathError> {
        let outside = || PathError::Outside(path.to_path_buf());
        let resolved = resolve::real_path(&self.absolute(path));
        let Roots::Within(roots) = &self.roots else {
            let resolved =
                resolved.map_err(|source| PathError::Unresolvable { path: path.to_path_buf(), source })?;
            return Ok(Place { base: resolved.existing_folder(), real: resolved.real });
        };
        let real = resolved.map_err(|_| outside())?.real;
        if self.real_plan_file().as_ref() == Some(&real) {
            let base = real.parent().unwrap_or(&real).to_path_buf();
            return Ok(Place { real, base });
        }
        // The longest root, so that what is opened beneath it is as near as can be.
        let roots = roots.iter().chain(&self.extra).filter_map(|root| root.canonicalize().ok());
        let within = roots.filter(|root| real.starts_with(root));
        let base = within.max_by_key(|root| root.components().count()).ok_or_else(outside)?;
        Ok(Place { real, base })
    }

    fn real_plan_file(&self) -> Option<PathBuf> {
        resolve::real_path(self.plan_file.as_deref()?).ok().map(|resolved| resolved.real)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }
}

/// A real path, and the real folder that it is reached from.
struct Place {
    real: PathBuf,
    base: PathBuf,
}

#[cfg(test)]
mod tests;
