//! Which folder does a path mean, and is something there or only out of reach?
//!
//! `..` leads elsewhere than it seems where a folder is a link, so whoever takes a path from outside asks here once,
//! and everything after that compares and joins paths without looking at the disk.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The same place as an absolute path without `..`. What stands before a `..` is looked up on the disk; links after
/// the last one stay as they are, so that a folder keeps the name it was called by. A path that leads nowhere is
/// only made absolute.
pub(crate) fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let parts: Vec<Component<'_>> = absolute.components().collect();
    let Some(last) = parts.iter().rposition(|part| *part == Component::ParentDir) else {
        return absolute;
    };
    let (looked_up, kept) = parts.split_at(last + 1);
    match looked_up.iter().collect::<PathBuf>().canonicalize() {
        Ok(real) => real.join(kept.iter().collect::<PathBuf>()),
        Err(_) => absolute,
    }
}

/// Whether a name can be a folder's: one part of a path, and not `.` or `..`.
pub(crate) fn is_name(name: &str) -> bool {
    let mut components = Path::new(name).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(only)), None) if only == OsStr::new(name))
        && !name.contains('\0')
}

/// Whether an error says that nothing is there, as against something that cannot be reached.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_parents_is_only_made_absolute() {
        assert_eq!(real(Path::new("/a/./b")), Path::new("/a/b"));
        assert_eq!(real(Path::new("x")), std::env::current_dir().unwrap().join("x"));
        assert_eq!(real(Path::new("/no/such/../folder")), Path::new("/no/such/../folder"));
    }

    #[cfg(unix)]
    #[test]
    fn a_parent_is_the_one_on_the_disk_and_later_links_keep_their_names() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(dir.join("far/away")).unwrap();
        std::fs::create_dir_all(dir.join("far/plugin")).unwrap();
        std::os::unix::fs::symlink(dir.join("far/away"), dir.join("near")).unwrap();
        std::os::unix::fs::symlink("plugin", dir.join("far/link")).unwrap();
        assert_eq!(real(&dir.join("near/../plugin")), dir.join("far/plugin"));
        assert_eq!(real(&dir.join("near/../link")), dir.join("far/link"));
        assert_eq!(real(&dir.join("far/away/..")), dir.join("far"));
    }

    #[test]
    fn a_folders_name_is_one_part_of_a_path() {
        for name in ["a", "a b", "..a"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "/a", "a/", "a\0"] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
