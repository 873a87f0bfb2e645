//! What this system answers.

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;

use super::*;

fn with(variables: &[(&str, &str)]) -> Option<PathBuf> {
    state_dir_from(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into())).ok()
}

#[test]
fn the_state_folder_is_the_first_that_is_named() {
    let home = ("HOME", "/home/u");
    let default = if cfg!(target_os = "macos") {
        "/home/u/Library/Application Support"
    } else {
        "/home/u/.local/state"
    };
    let default = PathBuf::from(default).join("elowen");
    assert_eq!(with(&[home]), Some(default.clone()));
    assert_eq!(with(&[home, ("XDG_STATE_HOME", "/x")]), Some("/x/elowen".into()));
    assert_eq!(with(&[home, ("XDG_STATE_HOME", "relative")]), Some(default));
    assert_eq!(with(&[home, ("XDG_STATE_HOME", "/x"), ("ELOWEN_STATE_DIR", "/s")]), Some("/s".into()));
    assert_eq!(
        with(&[("HOME", "/h"), ("ELOWEN_STATE_DIR", ""), ("XDG_STATE_HOME", "/x")]),
        Some("/x/elowen".into())
    );
    assert!(
        with(&[("ELOWEN_STATE_DIR", "here")]).is_some_and(|dir| dir.is_absolute() && dir.ends_with("here"))
    );
    assert_eq!(with(&[]), None);
}

#[test]
fn the_loader_finds_nothing_to_expand_in_a_safe_name() {
    assert_eq!(safe_library_name(OsStr::new("libhello.so")), "libhello.so");
    assert_eq!(safe_library_name(OsStr::new("$ORIGIN {x}.so")), "_ORIGIN__x_.so");
    assert_eq!(safe_library_name(OsStr::from_bytes(b"\xff\n.so")).as_bytes(), b"\xff_.so");
}

#[test]
fn after_redirection_prints_go_to_stderr_and_answers_to_the_real_stdout() {
    const CHILD: &str = "ELOWEN_TEST_REDIRECTED_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let mut answers = redirect_stdout().unwrap();
        rustix::io::write(rustix::stdio::stdout(), b"<printed>").unwrap();
        answers.write_all(b"<answer>").unwrap();
        return;
    }
    let name = "os::tests::after_redirection_prints_go_to_stderr_and_answers_to_the_real_stdout";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    assert!(out.contains("<answer>") && !out.contains("<printed>"), "{out}");
    assert!(err.contains("<printed>") && !err.contains("<answer>"), "{err}");
}
