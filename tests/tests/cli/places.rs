//! Paths on the command line: over links and parents, absent, out of reach, or something else than was asked for.

use elowen_tests::cli::Place;
use std::fs;

#[cfg(unix)]
#[test]
fn a_folder_named_through_a_parent_is_the_one_on_the_disk() {
    let place = Place::default();
    place.c_hello();
    fs::create_dir_all(place.path().join("plugins/deep/down")).unwrap();
    std::os::unix::fs::symlink(place.path().join("plugins/deep"), place.path().join("near")).unwrap();
    let named = place.path().join("near/../c-hello");
    let named = named.to_str().unwrap();
    let called = place.run(&["call", named, "CHello", "--arg", "value=found"]);
    assert_eq!((called.code, called.stdout.as_str()), (0, "found\n"), "{}", called.stderr);
    for rest in [&[][..], &["--no-load"]] {
        let inspected = place.run(&[&["inspect", named], rest].concat());
        assert_eq!(inspected.code, 0, "{}", inspected.stderr);
        assert!(!inspected.stdout.contains(".."), "{}", inspected.stdout);
        let dir = place.path().join("near/..");
        let listed = place.run(&[&["list", dir.to_str().unwrap()], rest].concat());
        assert!(listed.stdout.starts_with("c-hello 1.0.0"), "{listed:?}");
    }
    // From inside, as a shell's `..` would be typed.
    let mut command = place.command(&["call", "../../c-hello", "CHello", "--arg", "value=near"]);
    command.current_dir(place.path().join("plugins/deep/down"));
    assert_eq!(elowen_tests::cli::ended(command).stdout, "near\n");
}

#[test]
fn a_path_that_is_not_there_is_wrong_usage_everywhere() {
    let place = Place::default();
    let (absent, file) = (place.path().join("absent"), place.write("file", ""));
    let (absent, file) = (absent.to_str().unwrap(), file.to_str().unwrap());
    for (path, text) in [(absent, "does not exist"), (file, "is not a")] {
        for arguments in
            [&["call", path, "T"][..], &["inspect", path], &["inspect", "--no-load", path], &["list", path]]
        {
            let ended = place.run(arguments);
            assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{arguments:?}: {}", ended.stderr);
            assert!(ended.stderr.contains(text), "{arguments:?}: {}", ended.stderr);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_path_that_cannot_be_looked_at_is_not_called_absent() {
    let place = Place::default();
    let around = place.path().join("loop");
    std::os::unix::fs::symlink(&around, &around).unwrap();
    for arguments in [["call", "T"], ["inspect", "--no-load"], ["list", "--no-load"]] {
        let ended = place.run(&[arguments[0], around.to_str().unwrap(), arguments[1]]);
        assert!(ended.code == 2 || ended.code == 3, "{ended:?}");
        assert!(ended.stderr.contains("cannot be looked at"), "{}", ended.stderr);
        assert!(!ended.stderr.contains("does not exist"), "{}", ended.stderr);
    }
}

#[test]
fn list_of_a_plugins_own_folder_points_at_inspect() {
    let place = Place::default();
    let plugin = place.c_hello();
    let listed = place.run(&["list", plugin.to_str().unwrap()]);
    assert_eq!((listed.code, listed.stdout.as_str()), (2, ""));
    assert!(
        listed.stderr.contains("is a plugin's folder itself. `elowen-host inspect "),
        "{}",
        listed.stderr
    );
}

#[test]
fn state_may_be_kept_in_a_relative_folder_however_it_is_named() {
    let place = Place::default();
    let plugin = place.c_hello();
    let run = |variable: bool, option: &[&str], made: &str| {
        let arguments = ["call", plugin.to_str().unwrap(), "CHello", "--arg", "value=x"];
        let mut command = place.command(&[&arguments, option].concat());
        command.current_dir(place.path());
        if variable {
            command.env("ELOWEN_STATE_DIR", "by-variable");
        }
        assert_eq!(elowen_tests::cli::ended(command).code, 0);
        assert!(place.path().join(made).join("plugin-cache").is_dir());
    };
    run(true, &[], "by-variable");
    run(false, &["--state-dir", "by-option"], "by-option");
}
