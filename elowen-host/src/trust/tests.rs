//! Which files are trusted.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;

/// A root with `todo/libtodo.so` in it.
struct Place {
    root: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { root: TempDir::new().unwrap() };
        fs::create_dir(place.folder()).unwrap();
        // Whatever the umask of whoever runs the tests.
        place.chmod("", 0o755);
        place.chmod("todo", 0o755);
        fs::write(place.file(), b"library").unwrap();
        place.chmod("todo/libtodo.so", 0o644);
        place
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("todo")
    }

    fn file(&self) -> PathBuf {
        self.folder().join("libtodo.so")
    }

    fn chmod(&self, inside: &str, mode: u32) {
        fs::set_permissions(self.root.path().join(inside), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn verify(&self) -> Result<VerifiedFile, TrustError> {
        self.verify_named(OsStr::new("libtodo.so"))
    }

    fn verify_named(&self, name: &OsStr) -> Result<VerifiedFile, TrustError> {
        verify(&self.folder().join(name), self.root.path(), &TrustPolicy::default())
    }
}

#[test]
fn a_file_of_ours_is_read_and_hashed() {
    let place = Place::new();
    let file = place.verify().unwrap();
    assert_eq!((file.path, file.bytes), (place.file(), b"library".to_vec()));
    let hex: String = file.sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "b718f1354f7247312eca086d9a024afe5fa717ddea5adeddd6f12bcf945b2e8c");
    assert_eq!(file.warnings, Vec::<String>::new());
}

#[test]
fn a_file_that_everybody_can_write_is_refused() {
    let place = Place::new();
    place.chmod("todo/libtodo.so", 0o646);
    assert!(matches!(place.verify(), Err(TrustError::WorldWritable { path }) if path == place.file()));
}

#[test]
fn a_folder_that_everybody_can_write_is_refused_unless_it_is_sticky() {
    for inside in ["todo", ""] {
        let place = Place::new();
        place.chmod(inside, 0o777);
        assert!(matches!(place.verify(), Err(TrustError::WorldWritable { .. })), "{inside:?}");
        place.chmod(inside, 0o1777);
        assert_eq!(place.verify().unwrap().warnings.len(), 0);
    }
}

#[test]
fn what_a_group_can_write_is_loaded_with_a_warning() {
    let place = Place::new();
    place.chmod("todo/libtodo.so", 0o664);
    place.chmod("todo", 0o775);
    let warnings = place.verify().unwrap().warnings;
    assert_eq!(warnings.len(), 2);
    assert!(warnings[0].contains("/todo\" is writable by its group"), "{warnings:?}");
    assert!(warnings[1].contains("libtodo.so\" is writable by its group"), "{warnings:?}");
}

#[test]
fn only_this_user_and_root_are_trusted_owners() {
    let rights = |owner| Rights { owner, group_writable: false, world_writable: false, sticky: false };
    let check = |owner| check_directory(Path::new("/p"), rights(owner), &mut Vec::new());
    assert!(check(Owner::Me).is_ok() && check(Owner::Root).is_ok() && check(Owner::Unknown).is_ok());
    let refusal = check(Owner::Other(1234)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "\"/p\" belongs to user 1234, who is neither the one running this host nor root"
    );
}

#[test]
fn a_link_is_refused_wherever_it_leads() {
    let place = Place::new();
    symlink(place.file(), place.folder().join("link.so")).unwrap();
    symlink("/nowhere/at/all", place.folder().join("dangling.so")).unwrap();
    symlink("loop.so", place.folder().join("loop.so")).unwrap();
    for name in ["link.so", "dangling.so", "loop.so"] {
        assert!(matches!(place.verify_named(OsStr::new(name)), Err(TrustError::SymbolicLink)), "{name}");
    }
}

#[test]
fn a_plugin_folder_may_be_a_link_to_a_trusted_folder() {
    let place = Place::new();
    symlink("todo", place.root.path().join("alias")).unwrap();
    let alias = place.root.path().join("alias/libtodo.so");
    assert!(verify(&alias, place.root.path(), &TrustPolicy::default()).is_ok());
    place.chmod("todo", 0o777);
    let refused = verify(&alias, place.root.path(), &TrustPolicy::default());
    assert!(matches!(refused, Err(TrustError::WorldWritable { .. })));
}

#[test]
fn what_is_no_regular_file_is_named_and_does_not_block() {
    let place = Place::new();
    fs::create_dir(place.folder().join("folder.so")).unwrap();
    let mkfifo = std::process::Command::new("mkfifo").arg(place.folder().join("pipe.so")).status().unwrap();
    assert!(mkfifo.success());
    for (name, expected) in [("folder.so", "directory"), ("pipe.so", "named pipe")] {
        let error = place.verify_named(OsStr::new(name)).unwrap_err();
        assert!(matches!(error, TrustError::NotRegular { kind } if kind == expected), "{name}: {error}");
    }
    let root = verify(place.root.path(), place.root.path(), &TrustPolicy::default());
    assert!(matches!(root, Err(TrustError::NotRegular { kind: "directory" })));
}

#[test]
fn odd_names_give_a_clear_answer() {
    let place = Place::new();
    assert!(matches!(place.verify_named(OsStr::from_bytes(b"libtodo.so\0x")), Err(TrustError::Nul)));
    let long = "x".repeat(4096);
    assert!(matches!(place.verify_named(OsStr::new(&long)), Err(TrustError::TooLong { .. })));
    let error = place.verify_named(OsStr::new(&long[..300])).unwrap_err();
    assert!(error.to_string().contains("File name too long"), "{error}");
    let error = place.verify_named(OsStr::new("absent.so")).unwrap_err();
    assert!(matches!(&error, TrustError::Open { source, .. } if source.kind() == io::ErrorKind::NotFound));

    for name in [OsStr::from_bytes(b"\xff.so"), OsStr::new("\u{fc}nic\u{f6}de.so")] {
        fs::write(place.folder().join(name), b"bytes").unwrap();
        fs::set_permissions(place.folder().join(name), fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(place.verify_named(name).unwrap().bytes, b"bytes");
    }
}

#[test]
fn only_a_plain_absolute_path_below_the_root_is_accepted() {
    let place = Place::new();
    let policy = TrustPolicy::default();
    let relative = verify(Path::new("todo/libtodo.so"), place.root.path(), &policy);
    assert!(matches!(relative, Err(TrustError::NotAbsolute { .. })));
    let up = verify(&place.folder().join("../todo/libtodo.so"), place.root.path(), &policy);
    assert!(matches!(up, Err(TrustError::DotDot)));
    let outside = verify(&place.file(), Path::new("/elsewhere"), &policy);
    assert!(matches!(outside, Err(TrustError::OutsideRoot { .. })));
}

#[test]
fn the_size_has_limits() {
    let place = Place::new();
    let policy = |max_bytes| TrustPolicy { max_bytes, ..TrustPolicy::default() };
    assert!(verify(&place.file(), place.root.path(), &policy(7)).is_ok());
    let large = verify(&place.file(), place.root.path(), &policy(6));
    assert!(matches!(large, Err(TrustError::TooLarge { len: 7, max: 6 })));
    fs::write(place.file(), b"").unwrap();
    assert!(matches!(place.verify(), Err(TrustError::Empty)));
}

#[test]
fn a_file_that_shrinks_or_grows_while_it_is_read_is_refused() {
    assert_eq!(read_exactly(&mut &b"library"[..], 7).unwrap(), b"library");
    assert!(matches!(read_exactly(&mut &b"librar"[..], 7), Err(TrustError::Changed)));
    assert!(matches!(read_exactly(&mut &b"library!"[..], 7), Err(TrustError::Changed)));

    let place = Place::new();
    let mut file = OpenOptions::new().read(true).append(true).open(place.file()).unwrap();
    let before = file.metadata().unwrap();
    assert!(check_unchanged(&before, &file).is_ok());
    file.write_all(b"!").unwrap();
    assert!(matches!(check_unchanged(&before, &file), Err(TrustError::Changed)));
}
