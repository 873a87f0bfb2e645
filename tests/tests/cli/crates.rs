//! What happens to a path on the command line before anything is loaded: crates are built, Makefiles made.

use elowen_tests::cc;
use elowen_tests::cli::{Ended, Place, ended};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A crate without dependencies, in a target folder of the test's own.
fn crate_folder(place: &Place, manifest: &str, source: &str) -> PathBuf {
    let text = format!(
        "[package]\nname = \"mine\"\nversion = \"0.3.0\"\nedition = \"2021\"\n{manifest}\n[workspace]\n"
    );
    place.write("mine/Cargo.toml", &text);
    place.write("mine/src/lib.rs", source);
    place.path().join("mine")
}

fn call(place: &Place, plugin: &Path, environment: &[(&str, &str)]) -> Ended {
    let mut command = place.command(&["call", plugin.to_str().unwrap(), "T"]);
    command.env("CARGO_TARGET_DIR", place.path().join("target")).envs(environment.iter().copied());
    ended(command)
}

fn refused(ended: &Ended, text: &str) {
    assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{ended:?}");
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
}

const CDYLIB: &str = "[lib]\ncrate-type = [\"cdylib\"]";

#[test]
fn a_path_that_is_no_plugin_says_what_was_looked_for() {
    let place = Place::default();
    fs::create_dir(place.path().join("empty")).unwrap();
    let looked_for =
        "looked there for elowen-plugin.json (a plugin's folder) and Cargo.toml (a crate to build)";
    refused(&call(&place, &place.path().join("empty"), &[]), looked_for);
}

#[test]
fn a_crate_without_a_cdylib_is_told_the_lines_to_add() {
    let place = Place::default();
    let ended = call(&place, &crate_folder(&place, "", ""), &[]);
    refused(&ended, "[lib]\n    crate-type = [\"cdylib\"]");
}

#[test]
fn a_crate_that_does_not_compile_shows_the_compilers_words() {
    let place = Place::default();
    let ended = call(&place, &crate_folder(&place, CDYLIB, "fn broken() -> Missing {}"), &[]);
    refused(&ended, "cannot find type `Missing`");
    refused(&ended, "package `mine` did not build");
}

#[test]
fn a_broken_cargo_manifest_shows_cargos_words() {
    let place = Place::default();
    let ended = call(&place, &crate_folder(&place, "nonsense", ""), &[]);
    refused(&ended, "cargo could not read");
}

#[test]
fn a_workspace_asks_for_one_of_its_packages() {
    let place = Place::default();
    place.write("ws/Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"3\"\n");
    for name in ["one", "two"] {
        place.write(
            &format!("ws/{name}/Cargo.toml"),
            &format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n"),
        );
        place.write(&format!("ws/{name}/src/lib.rs"), "");
    }
    refused(&call(&place, &place.path().join("ws"), &[]), "is a workspace of several packages (one, two)");
}

#[test]
fn a_workspace_of_one_package_says_where_that_lies() {
    let place = Place::default();
    place.write("ws/Cargo.toml", "[workspace]\nmembers = [\"one\"]\nresolver = \"3\"\n");
    place.write("ws/one/Cargo.toml", "[package]\nname = \"one\"\nversion = \"0.1.0\"\n");
    place.write("ws/one/src/lib.rs", "");
    let ended = call(&place, &place.path().join("ws"), &[]);
    refused(&ended, "is a workspace, and its package `one` lies elsewhere: name \"");
    refused(&ended, "/ws/one\"");
}

#[test]
fn a_toolchain_that_is_not_there_is_not_the_manifests_fault() {
    let place = Place::default();
    let folder = crate_folder(&place, CDYLIB, "");
    let mut command = place.command(&["call", folder.to_str().unwrap(), "T", "--toolchain", "no-such-thing"]);
    command.env("CARGO_TARGET_DIR", place.path().join("target"));
    let ended = ended(command);
    refused(&ended, "error: cargo could not be run with toolchain `no-such-thing`; see what was said above");
    assert!(!ended.stderr.contains("could not read"), "{}", ended.stderr);
}

#[test]
fn what_stops_cargo_before_compiling_is_not_called_a_compilers_message() {
    let place = Place::default();
    let folder = crate_folder(&place, CDYLIB, "");
    let mut command = place.command(&["call", folder.to_str().unwrap(), "T", "--profile", "swift"]);
    command.env("CARGO_TARGET_DIR", place.path().join("target"));
    let profile = ended(command);
    refused(&profile, "cargo did not get as far as compiling package `mine`");
    refused(&profile, "`[profile.swift]` belongs into the Cargo.toml of the workspace");
    let manifest = format!("{CDYLIB}\n[dependencies]\ngone = {{ path = \"../gone\" }}");
    let dependency = call(&place, &crate_folder(&place, &manifest, ""), &[]);
    refused(&dependency, "mine/Cargo.toml\", or what it depends on; see what it said above");
    assert!(!dependency.stderr.contains("[profile."), "{}", dependency.stderr);
}

#[test]
fn a_broken_plugin_manifest_is_refused_before_anything_is_built() {
    let place = Place::default();
    let folder = crate_folder(&place, CDYLIB, "compile_error!(\"it was built\");");
    let valid = r#""version": "1", "apiVersion": "1", "description": "", "entry": "mine""#;
    for (name, text) in [("mine", "{"), ("a/b", &format!("{{\"name\": \"a/b\", {valid}}}"))] {
        place.write("mine/elowen-plugin.json", text);
        let ended = call(&place, &folder, &[]);
        refused(&ended, "elowen-plugin.json");
        assert!(!ended.stderr.contains("it was built"), "{name}: {}", ended.stderr);
    }
}

#[test]
fn options_for_building_are_refused_where_nothing_is_built() {
    let place = Place::default();
    let plugin = place.c_hello();
    let plugin = plugin.to_str().unwrap();
    for options in [&["--release"][..], &["--profile", "x"], &["--toolchain", "x"]] {
        for command in [&["call", plugin, "CHello"][..], &["inspect", plugin]] {
            let ended = place.run(&[command, options].concat());
            assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
            let text = format!("error: {} has no effect: ", options[0]);
            assert!(ended.stderr.starts_with(&text), "{}", ended.stderr);
        }
    }
}

#[test]
fn a_library_that_is_no_plugin_is_packaged_and_then_refused() {
    let place = Place::default();
    let ended = call(&place, &crate_folder(&place, CDYLIB, ""), &[]);
    refused(&ended, "Packaged mine 0.3.0 into ");
    refused(&ended, "error: plugin `mine` (");
    let folder = place.path().join("target/elowen/mine");
    assert!(folder.join("elowen-plugin.json").is_file() && folder.join(cc::library_name("mine")).is_file());
}

#[test]
fn the_environment_of_a_cargo_around_us_does_not_reach_the_build() {
    let place = Place::default();
    let source = "const _: () = assert!(option_env!(\"CARGO_BIN_NAME\").is_none());";
    let folder = crate_folder(&place, CDYLIB, source);
    let around = [
        ("CARGO", "/no/cargo"),
        ("RUSTC", "/no/rustc"),
        ("RUSTUP_TOOLCHAIN", "no-such-toolchain"),
        ("CARGO_BIN_NAME", "elowen-host"),
        ("CARGO_MANIFEST_DIR", "/no/folder"),
    ];
    refused(&call(&place, &folder, &around), "Packaged mine 0.3.0 into ");
}

#[test]
fn without_cargo_a_crate_is_refused_and_says_so() {
    let place = Place::default();
    let ended = call(&place, &crate_folder(&place, CDYLIB, ""), &[("PATH", "/no/folder")]);
    refused(&ended, "building a crate needs `cargo`, which is not in PATH");
}

#[test]
fn a_plugin_with_a_makefile_is_made_when_its_library_is_missing_or_outdated() {
    let place = Place::default();
    let folder = place.c_hello();
    let library = folder.join(cc::library_name("c_hello"));
    let call = || {
        let mut command = place.command(&["call", folder.to_str().unwrap(), "CHello", "--arg", "value=made"]);
        command.env("ELOWEN_INCLUDE", cc::include_dir());
        let ended = ended(command);
        assert_eq!((ended.code, ended.stdout.as_str()), (0, "made\n"), "{}", ended.stderr);
        ended.stderr.contains("c_hello.c")
    };
    fs::remove_file(&library).unwrap();
    assert!(call(), "the missing library was made");
    assert!(!call(), "nothing was made for a library that is up to date");
    let later = SystemTime::now() + Duration::from_secs(5);
    fs::File::options().append(true).open(folder.join("c_hello.c")).unwrap().set_modified(later).unwrap();
    assert!(call(), "the outdated library was made anew");
}

#[test]
fn a_makefile_that_fails_is_exit_code_3() {
    let place = Place::default();
    let folder = place.c_hello();
    fs::remove_file(folder.join(cc::library_name("c_hello"))).unwrap();
    fs::write(folder.join("Makefile"), "all:\n\t@echo no luck; exit 7\n").unwrap();
    let ended = place.run(&["call", folder.to_str().unwrap(), "CHello"]);
    refused(&ended, "no luck");
    refused(&ended, "did not build the plugin");
}
