//! Writes that wait their turn: one at a time for each real path, and asked about again when their turn comes.
//!
//! Between the moment a call was accepted and the moment its write begins, a folder may have become a link, a
//! project may have been taken away, planning may have begun. Then nothing is written (A21).

use super::{Anchored, PathError, PathGuard, Place, beneath::LinkOnTheWay};
use std::{
    collections::{HashMap, VecDeque},
    io,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, PoisonError},
};

/// Where a file that is to be written lay when that was allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// As it was asked for, made absolute.
    asked: PathBuf,
    real: PathBuf,
    base: PathBuf,
}

impl Anchor {
    pub(super) fn new(asked: PathBuf, place: Place) -> Self {
        Anchor { asked, real: place.real, base: place.base }
    }

    /// The real path.
    pub fn path(&self) -> &Path {
        &self.real
    }
}

/// Why nothing was written. The first two are text that the model can act on.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// It may not be written any more.
    #[error("{0}; nothing was written")]
    Refused(#[from] PathError),
    /// It lies elsewhere now.
    #[error("\"{}\" now leads somewhere else than when this was asked for; nothing was written", .0.display())]
    Moved(PathBuf),
    /// The system failed.
    #[error("\"{}\" was not written: {source}", path.display())]
    Io {
        /// The real path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Lets one write at a time happen to each real path, in the order they arrive.
#[derive(Debug, Default)]
pub struct WriteQueue {
    /// Who waits for a path; the first one writes.
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    tickets: u64,
    lines: HashMap<PathBuf, VecDeque<u64>>,
}

impl WriteQueue {
    /// Waits until nobody else writes to that file, asks `guard` what is allowed now, and if that is still the same
    /// file, runs `write`, which reaches it relative to the folder it was allowed in. Blocks its thread.
    ///
    /// # Errors
    /// See [`WriteError`]; `write` has run only if it is its own error.
    pub fn write<T>(
        &self,
        anchor: &Anchor,
        guard: impl FnOnce() -> PathGuard,
        write: impl FnOnce(&Anchored) -> io::Result<T>,
    ) -> Result<T, WriteError> {
        let _turn = self.turn(&anchor.real);
        let now = guard().anchor(&anchor.asked)?;
        if now.real != anchor.real {
            return Err(WriteError::Moved(anchor.asked.clone()));
        }
        let failed = |source| WriteError::Io { path: anchor.real.clone(), source };
        let tail = now.real.strip_prefix(&now.base).map_err(|error| failed(io::Error::other(error)))?;
        write(&Anchored::new(&now.base, tail)).map_err(|source| {
            // A link where none was: it was put there after the last look.
            let link = source.get_ref().is_some_and(|error| error.is::<LinkOnTheWay>());
            if link { WriteError::Moved(anchor.asked.clone()) } else { failed(source) }
        })
    }

    #[cfg(test)]
    pub(super) fn waiting_for(&self, path: &Path) -> usize {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.lines.get(path).map_or(0, VecDeque::len)
    }

    fn turn<'q>(&'q self, path: &'q Path) -> Turn<'q> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.tickets += 1;
        let ticket = waiting.tickets;
        waiting.lines.entry(path.to_path_buf()).or_default().push_back(ticket);
        let others_first = |waiting: &mut Waiting| {
            waiting.lines.get(path).and_then(VecDeque::front).is_some_and(|first| *first != ticket)
        };
        drop(self.changed.wait_while(waiting, others_first).unwrap_or_else(PoisonError::into_inner));
        Turn { queue: self, path }
    }
}

/// One write's turn; ends when dropped.
struct Turn<'q> {
    queue: &'q WriteQueue,
    path: &'q Path,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = waiting.lines.get_mut(self.path) {
            line.pop_front();
            if line.is_empty() {
                waiting.lines.remove(self.path);
            }
        }
        drop(waiting);
        self.queue.changed.notify_all();
    }
}
