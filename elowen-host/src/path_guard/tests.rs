use super::*;
use crate::policy::{AccessSource, Captured, Ceiling, Live, Mode, Turn};
use crate::scope::Scope;
use std::sync::{Arc, Mutex, mpsc};
use tempfile::TempDir;

/// `a` is project 1, `b` project 2; `ab` and `secret` are nobody's.
struct Disk {
    dir: TempDir,
    root: PathBuf,
}

impl Disk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["a/src", "b", "ab", "secret"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("secret/key"), "k").unwrap();
        Disk { dir, root }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn projects(&self) -> impl ProjectPaths + use<> {
        let root = self.root.clone();
        move |id| match id {
            1 => Some(root.join("a")),
            2 => Some(root.join("b")),
            _ => None,
        }
    }

    fn guard(&self, live: &Live) -> PathGuard {
        PathGuard::new(Some(&turn(live.clone()).access()), &self.projects(), self.at("a"))
    }
}

fn turn(live: Live) -> Turn {
    let ceiling = Ceiling::capture(Captured::new(live.clone()));
    Turn::new(Scope::default(), ceiling, Arc::new(live))
}

fn not_allowed(result: Result<PathBuf, PathError>) -> bool {
    matches!(&result, Err(error) if error.to_string().starts_with("path not allowed: "))
}

#[test]
fn v1_projects_become_folders_and_an_administrator_has_all() {
    let disk = Disk::new();
    let roots = |live: &Live| allowed_roots(&live.reach, &disk.projects());
    assert_eq!(roots(&Live::projects([1, 2])), Roots::Within(vec![disk.at("a"), disk.at("b")]));
    assert_eq!(roots(&Live::projects([1, 9])), Roots::Within(vec![disk.at("a")]));
    assert_eq!(roots(&Live::admin()), Roots::All);
}

#[test]
fn v10_a_path_at_or_below_a_root_is_allowed_and_no_other() {
    let disk = Disk::new();
    let guard = disk.guard(&Live::projects([1]));
    for inside in ["a", "a/src", "a/src/new.rs", "a/new/deep/file", "a/src/../src"] {
        assert!(guard.assert_path_allowed(&disk.at(inside)).is_ok(), "{inside}");
    }
    let relative = guard.assert_path_allowed("src/x".as_ref()).unwrap();
    assert_eq!(relative, disk.at("a/src/x"));
    for outside in ["ab/x", "b", "a/../b", "a/missing/../../b", "a/missing/../src", "secret/key"] {
        assert!(not_allowed(guard.assert_path_allowed(&disk.at(outside))), "{outside}");
    }
    let error = guard.assert_path_allowed("/etc/passwd".as_ref()).unwrap_err();
    let text = "path not allowed: \"/etc/passwd\" is outside your accessible repositories";
    assert_eq!(error.to_string(), text);
    assert!(disk.guard(&Live::admin()).assert_path_allowed(&disk.at("secret/key")).is_ok());
}

#[test]
fn v2_v10_outside_a_turn_nothing_is_allowed() {
    let disk = Disk::new();
    let guard = PathGuard::new(None, &disk.projects(), disk.at("a"));
    assert!(not_allowed(guard.assert_path_allowed(&disk.at("a/src"))));
    assert!(guard.anchor(&disk.at("a/src/x")).is_err());
}

#[cfg(unix)]
#[test]
fn v11_a_link_leads_where_it_leads() {
    use std::os::unix::fs::symlink;
    let disk = Disk::new();
    symlink(disk.at("secret"), disk.at("a/out")).unwrap();
    symlink(disk.at("secret/new"), disk.at("a/dangling")).unwrap();
    symlink("dangling", disk.at("a/twice")).unwrap();
    symlink("../src", disk.at("a/src/in")).unwrap();
    symlink("circle", disk.at("a/circle")).unwrap();
    let guard = disk.guard(&Live::projects([1]));
    for path in ["a/out/key", "a/out/missing/file", "a/dangling", "a/twice", "a/circle", "a/circle/x"] {
        assert!(not_allowed(guard.assert_path_allowed(&disk.at(path))), "{path}");
    }
    let real = guard.assert_path_allowed(&disk.at("a/src/in/new.rs")).unwrap();
    assert_eq!(real, disk.at("a/src/new.rs"));
    // A root that is a link itself.
    symlink(disk.at("a"), disk.at("alias")).unwrap();
    let alias = disk.at("alias");
    let projects = move |_: u64| Some(alias.clone());
    let guard = PathGuard::new(Some(&turn(Live::projects([1])).access()), &projects, disk.dir.path());
    assert!(guard.assert_path_allowed(&disk.at("a/src")).is_ok());
}

#[test]
fn the_sessions_own_files_are_allowed_beside_its_roots() {
    let disk = Disk::new();
    let planning = turn(Live::projects([1])).mode(Mode::Plan).access();
    let plan = disk.at("secret/plan.md");
    let guard = PathGuard::new(Some(&planning), &disk.projects(), disk.at("a"));
    assert!(guard.assert_path_allowed(&disk.at("a/src")).is_ok());
    assert!(matches!(guard.assert_writable(&disk.at("a/src/x")), Err(PathError::ReadOnly(_))));
    let guard = guard.plan_file(Some(&plan)).also(disk.at("b"));
    assert!(guard.assert_path_allowed(&disk.at("b/result.txt")).is_ok());
    assert!(guard.assert_writable(&plan).is_ok());
    assert!(guard.assert_writable(&disk.at("b/result.txt")).is_err());
    assert!(not_allowed(guard.assert_path_allowed(&disk.at("secret/key"))));
}

#[test]
fn relative_paths_start_where_the_session_works() {
    let roots = Roots::Within(vec!["/r".into(), "/s".into()]);
    assert_eq!(default_directory(Some("/w".as_ref()), &roots).unwrap(), Path::new("/w"));
    assert_eq!(default_directory(None, &roots).unwrap(), Path::new("/r"));
    let here = std::env::current_dir().unwrap();
    assert_eq!(default_directory(None, &Roots::All).unwrap(), here);
    assert_eq!(default_directory(None, &Roots::Within(vec![])).unwrap(), here);
}

#[test]
fn a_write_makes_its_file_and_folders_and_replaces_what_was_there() {
    let disk = Disk::new();
    for live in [Live::projects([1]), Live::admin()] {
        let guard = disk.guard(&live);
        let queue = WriteQueue::default();
        let file = disk.at("a/new/deep/file");
        let anchor = guard.anchor(&file).unwrap();
        for content in ["a longer text", "short"] {
            queue.write(&anchor, || guard.clone(), |file| file.write(content.as_bytes())).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
        }
        let read = queue.write(&anchor, || guard.clone(), Anchored::read).unwrap();
        assert_eq!(read, b"short");
        let folder = guard.anchor(&disk.at("a/src")).unwrap();
        let refused = queue.write(&folder, || guard.clone(), |file| file.write(b"x"));
        assert!(matches!(refused, Err(WriteError::Io { .. })));
        std::fs::remove_dir_all(disk.at("a/new")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn w1_a_link_swapped_in_while_a_write_waits_gets_nothing() {
    let disk = Disk::new();
    let guard = disk.guard(&Live::projects([1, 2]));
    let queue = WriteQueue::default();
    let anchor = guard.anchor(&disk.at("a/src/x")).unwrap();
    let write = |meanwhile: &dyn Fn()| {
        let now = || {
            meanwhile();
            guard.clone()
        };
        queue.write(&anchor, now, |file| file.write(b"x"))
    };
    let swap = |target: &str| {
        let target = disk.at(target);
        let (link, aside) = (disk.at("a/src"), disk.at("a/aside"));
        move || {
            std::fs::rename(&link, &aside).unwrap();
            std::os::unix::fs::symlink(&target, &link).unwrap();
        }
    };
    let restore = || {
        std::fs::remove_file(disk.at("a/src")).unwrap();
        std::fs::rename(disk.at("a/aside"), disk.at("a/src")).unwrap();
    };
    assert!(matches!(write(&swap("secret")), Err(WriteError::Refused(PathError::Outside(_)))));
    restore();
    // Also where the other place would be allowed.
    assert!(matches!(write(&swap("b")), Err(WriteError::Moved(_))));
    restore();
    // Also after the last look, right before the file is opened.
    let late = queue.write(
        &anchor,
        || guard.clone(),
        |file| {
            swap("secret")();
            file.write(b"x")
        },
    );
    assert!(matches!(late, Err(WriteError::Moved(_))));
    restore();
    let late = queue.write(
        &anchor,
        || guard.clone(),
        |file| {
            std::os::unix::fs::symlink(disk.at("secret/key"), disk.at("a/src/x")).unwrap();
            file.write(b"x")
        },
    );
    assert!(matches!(late, Err(WriteError::Moved(_))));
    assert!(!disk.at("secret/x").exists() && !disk.at("b/x").exists());
    assert_eq!(std::fs::read(disk.at("secret/key")).unwrap(), b"k");
}

#[test]
fn w2_w3_what_was_revoked_while_a_write_waits_is_not_written() {
    struct Authority(Mutex<Live>);
    impl AccessSource for Authority {
        fn live(&self, _: Option<u64>) -> Option<Live> {
            Some(self.0.lock().unwrap().clone())
        }
    }
    let disk = Disk::new();
    let authority = Arc::new(Authority(Mutex::new(Live::projects([1, 2]))));
    let ceiling = Ceiling::capture(Captured::new(Live::projects([1, 2])));
    let turn = Turn::new(Scope::default(), ceiling, authority.clone());
    let guard = || PathGuard::new(Some(&turn.access()), &disk.projects(), disk.at("a"));
    let queue = WriteQueue::default();
    let anchor = guard().anchor(&disk.at("b/x")).unwrap();

    *authority.0.lock().unwrap() = Live::projects([1]);
    let revoked = queue.write(&anchor, guard, |file| file.write(b"x"));
    assert!(matches!(revoked, Err(WriteError::Refused(PathError::Outside(_)))));

    *authority.0.lock().unwrap() = Live::projects([1, 2]);
    turn.admit(Some(Mode::Plan));
    let planning = queue.write(&anchor, guard, |file| file.write(b"x"));
    assert!(matches!(&planning, Err(WriteError::Refused(PathError::ReadOnly(_)))));
    assert!(planning.unwrap_err().to_string().ends_with("; nothing was written"));
    assert!(!disk.at("b/x").exists());

    turn.admit(Some(Mode::Build));
    queue.write(&anchor, guard, |file| file.write(b"x")).unwrap();
}

#[test]
fn a21_writes_to_one_path_happen_one_after_another_and_others_do_not_wait() {
    let disk = Disk::new();
    let guard = disk.guard(&Live::projects([1]));
    let queue = WriteQueue::default();
    let one = guard.anchor(&disk.at("a/one")).unwrap();
    let other = guard.anchor(&disk.at("a/other")).unwrap();
    let (began, begins) = mpsc::channel();
    let (go_on, waits) = mpsc::channel::<()>();
    std::thread::scope(|threads| {
        let (queue, guard, first) = (&queue, &guard, &one);
        threads.spawn(move || {
            let write = |file: &Anchored| {
                began.send(()).unwrap();
                waits.recv().unwrap();
                file.write(b"first")
            };
            queue.write(first, || guard.clone(), write).unwrap();
        });
        begins.recv().unwrap();
        queue.write(&other, || guard.clone(), |file| file.write(b"other")).unwrap();
        let second = threads.spawn(|| queue.write(&one, || guard.clone(), Anchored::read).unwrap());
        while queue.waiting_for(one.path()) < 2 {
            std::thread::yield_now();
        }
        go_on.send(()).unwrap();
        assert_eq!(second.join().unwrap(), b"first");
    });
    assert_eq!(queue.waiting_for(one.path()), 0);
}
