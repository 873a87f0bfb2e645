//! What is kept, for whom, and for how long.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;
use crate::trust::{TrustPolicy, verify};

/// A state folder and a plugin folder.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        // Whatever the umask of whoever runs the tests.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Self { dir }
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("deep/state")
    }

    fn copies(&self) -> PrivateCopies {
        PrivateCopies::open(&self.state()).unwrap()
    }

    fn file(&self, name: &OsStr, bytes: &[u8]) -> VerifiedFile {
        let path = self.dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        verify(&path, self.dir.path(), &TrustPolicy::default()).unwrap()
    }

    fn library(&self) -> VerifiedFile {
        self.file(OsStr::new("libtodo.so"), b"library")
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn age(path: &Path, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
    fs::File::open(path).unwrap().set_modified(then).unwrap();
}

#[test]
fn a_copy_lies_under_its_hash_for_this_user_alone() {
    let place = Place::new();
    let (copies, file) = (place.copies(), place.library());
    let copy = copies.store(&file).unwrap();
    let cache = place.state().join("plugin-cache");
    assert_eq!(copy, cache.join(hex(&file.sha256)).join("libtodo.so"));
    assert_eq!(fs::read(&copy).unwrap(), b"library");
    let folder = copy.parent().unwrap();
    assert_eq!([mode(&place.state()), mode(&cache), mode(folder), mode(&copy)], [0o700, 0o700, 0o700, 0o600]);
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
}

#[test]
fn an_equal_copy_is_used_again() {
    use std::os::unix::fs::MetadataExt as _;
    let place = Place::new();
    let (copies, file) = (place.copies(), place.library());
    let inode = |path: &Path| fs::metadata(path).unwrap().ino();
    let first = copies.store(&file).unwrap();
    let before = inode(&first);
    let second = place.copies().store(&file).unwrap();
    assert_eq!((&first, before), (&second, inode(&second)));
}

#[test]
fn a_copy_that_differs_is_replaced() {
    let place = Place::new();
    let (copies, file) = (place.copies(), place.library());
    let copy = copies.store(&file).unwrap();
    for wrong in [&b"LIBRARY"[..], b"", b"library and more"] {
        fs::write(&copy, wrong).unwrap();
        assert_eq!(copies.store(&file).unwrap(), copy);
        assert_eq!(fs::read(&copy).unwrap(), b"library");
    }
    let elsewhere = place.dir.path().join("elsewhere");
    fs::write(&elsewhere, b"library").unwrap();
    fs::remove_file(&copy).unwrap();
    symlink(&elsewhere, &copy).unwrap();
    copies.store(&file).unwrap();
    assert!(fs::symlink_metadata(&copy).unwrap().is_file());
}

#[test]
fn other_bytes_of_the_same_name_have_another_path() {
    let place = Place::new();
    let name = OsStr::new("libtodo.so");
    let first = place.copies().store(&place.file(name, b"v1")).unwrap();
    let second = place.copies().store(&place.file(name, b"v2")).unwrap();
    assert_ne!(first, second);
    assert_eq!((fs::read(first).unwrap(), fs::read(second).unwrap()), (b"v1".to_vec(), b"v2".to_vec()));
}

#[test]
fn odd_names_are_stored_under_names_that_a_loader_takes_literally() {
    let place = Place::new();
    for (name, expected) in [(&b"\xff.so"[..], &b"\xff.so"[..]), (b"$ORIGIN.so", b"_ORIGIN.so")] {
        let copy = place.copies().store(&place.file(OsStr::from_bytes(name), b"x")).unwrap();
        assert_eq!(copy.file_name().unwrap().as_bytes(), expected);
        assert_eq!(fs::read(copy).unwrap(), b"x");
    }
}

#[test]
fn many_may_store_the_same_bytes_at_once() {
    let place = Place::new();
    let file = place.file(OsStr::new("lib.so"), &vec![7; 100_000]);
    std::thread::scope(|scope| {
        let store = || {
            for _ in 0..50 {
                let copies = place.copies();
                let copy = copies.store(&file).unwrap();
                assert!(fs::read(copy).unwrap() == file.bytes);
            }
        };
        for _ in 0..8 {
            scope.spawn(store);
        }
    });
    assert_eq!(fs::read_dir(place.state().join("plugin-cache")).unwrap().count(), 1);
}

#[test]
fn what_was_not_used_for_long_is_pruned() {
    let place = Place::new();
    let copies = place.copies();
    let old = copies.store(&place.file(OsStr::new("old.so"), b"old")).unwrap();
    let young = copies.store(&place.file(OsStr::new("young.so"), b"young")).unwrap();
    let cache = place.state().join("plugin-cache");
    let (left, foreign) = (cache.join(".tmp-1-1"), cache.join("notes"));
    fs::write(&left, "half a copy").unwrap();
    fs::create_dir(&foreign).unwrap();
    for path in [old.parent().unwrap(), &left, &foreign] {
        age(path, 31);
    }
    age(young.parent().unwrap(), 29);
    assert_eq!(copies.prune(KEEP).unwrap(), 2);
    assert!(!old.exists() && !left.exists() && young.exists() && foreign.exists());
}

#[test]
fn use_keeps_a_copy_from_being_pruned() {
    let place = Place::new();
    let (copies, file) = (place.copies(), place.library());
    let copy = copies.store(&file).unwrap();
    age(copy.parent().unwrap(), 31);
    copies.store(&file).unwrap();
    assert_eq!(copies.prune(KEEP).unwrap(), 0);
    assert!(copy.exists());
}

#[test]
fn a_cache_that_others_can_write_is_refused() {
    let place = Place::new();
    place.copies();
    let cache = place.state().join("plugin-cache");
    for (open, why) in [(0o770, "writable by its group"), (0o707, "writable by everybody")] {
        fs::set_permissions(&cache, fs::Permissions::from_mode(open)).unwrap();
        let error = PrivateCopies::open(&place.state()).unwrap_err();
        assert!(matches!(error, CacheError::Insecure { .. }) && error.to_string().contains(why), "{error}");
    }
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(place.state(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(
        matches!(PrivateCopies::open(&place.state()), Err(CacheError::Insecure { dir, .. }) if dir == place.state())
    );
    fs::set_permissions(place.state(), fs::Permissions::from_mode(0o1777)).unwrap();
    assert!(PrivateCopies::open(&place.state()).is_ok());
}

#[test]
fn a_cache_that_is_a_link_or_a_file_is_refused() {
    let place = Place::new();
    let cache = place.state().join("plugin-cache");
    place.copies();
    fs::remove_dir(&cache).unwrap();
    symlink(place.dir.path(), &cache).unwrap();
    let error = PrivateCopies::open(&place.state()).unwrap_err().to_string();
    assert!(error.contains("is a symbolic link, not a directory"), "{error}");
    fs::remove_file(&cache).unwrap();
    fs::write(&cache, "").unwrap();
    let error = PrivateCopies::open(&place.state()).unwrap_err().to_string();
    assert!(error.contains("is a file, not a directory"), "{error}");
}

#[test]
fn a_state_folder_that_cannot_be_made_is_named_with_the_way_out() {
    let place = Place::new();
    let file = place.dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = PrivateCopies::open(&file.join("state")).unwrap_err();
    assert!(error.to_string().contains("file/state/plugin-cache"), "{error}");
    assert!(error.remedy().contains("ELOWEN_STATE_DIR"));

    let error = |kind: io::ErrorKind| CacheError::new(Path::new("/s"), kind.into()).to_string();
    assert_eq!(error(io::ErrorKind::StorageFull), "there is no space left for private copies in \"/s\"");
    assert_eq!(
        error(io::ErrorKind::ReadOnlyFilesystem),
        "private copies cannot be written: \"/s\" is on a read-only file system"
    );
    assert_eq!(
        error(io::ErrorKind::PermissionDenied),
        "private copies cannot be written: this user may not write to \"/s\""
    );
}
