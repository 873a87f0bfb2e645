//! Help, usage errors, completions, colours.

use elowen_tests::cli::{Place, ended};

#[test]
fn every_command_has_help_with_examples() {
    let place = Place::default();
    for command in [&[][..], &["call"], &["inspect"], &["list"], &["completions"]] {
        let ended = place.run(&[command, &["--help"]].concat());
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{command:?}");
        let example = format!("Examples:\n  {}", "elowen-host");
        assert!(ended.stdout.contains("Usage: elowen-host"), "{}", ended.stdout);
        let has_example = ended.stdout.contains(&example) || ended.stdout.contains("Examples:\n  echo");
        assert!(has_example, "{}", ended.stdout);
    }
}

#[test]
fn nonsense_is_exit_code_2() {
    let place = Place::default();
    for arguments in [
        &[][..],
        &["no-such-command"],
        &["call", "plugin"],
        &["call", "plugin", "T", "{}", "--arg", "a=1"],
        &["call", "plugin", "T", "--arg", "a"],
        &["call", "plugin", "T", "--arg", "a=1", "--arg", "a=2"],
        &["call", "plugin", "T", "--timeout", "0"],
        &["call", "plugin", "T", "--release", "--profile", "x"],
        &["call", "plugin", "T", "not json"],
        &["list"],
        &["completions", "no-such-shell"],
    ] {
        let ended = place.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{arguments:?}: {}", ended.stderr);
        assert!(!ended.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn every_shell_gets_completions() {
    let place = Place::default();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = place.run(&["completions", shell]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{shell}");
        assert!(ended.stdout.contains("elowen-host") && ended.stdout.contains("no-load"), "{shell}");
    }
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    let place = Place::default();
    let dir = place.c_hello().parent().unwrap().to_str().unwrap().to_owned();
    let listed = |forced: bool| {
        let mut command = place.command(&["list", &dir]);
        command.env_remove("NO_COLOR");
        if forced {
            command.env("CLICOLOR_FORCE", "1");
        }
        ended(command).stdout
    };
    assert!(!listed(false).contains('\u{1b}'));
    assert!(listed(true).contains('\u{1b}'));
    assert!(!place.run(&["list", &dir]).stdout.contains('\u{1b}'));
}
