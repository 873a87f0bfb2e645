//! However a plugin was built, the host loads it: profiles, toolchains, editions, dependency versions.
//!
//! Where the nightly toolchain is missing, the rows that need it say so.

use elowen_host::LoadFailure;
use elowen_host::blob::BlobError;
use elowen_host::package::{self, BuildOptions, Built, Profile};
use elowen_host::scope::Scope;
use elowen_host::session::Session;
use elowen_host::trust::TrustPolicy;
use elowen_tests::build::{host, packaged};
use elowen_tests::cli::repository;
use elowen_tests::table::{self, Test, case};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Building from nothing takes its time.
const PATIENCE: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let mut cases = vec![
        case("debug", "hello, dev profile", || hello("debug", &BuildOptions::default())),
        case("release", "hello, release profile", || hello("release", &release(&[]))),
        case("small", "hello, release with fat LTO, opt-level z, one codegen unit, stripped", || {
            let small = ["lto=\"fat\"", "opt-level=\"z\"", "codegen-units=1", "strip=true"];
            hello("small", &release(&small))
        }),
        case("abort", "hello, panics abort the process", || {
            let abort = BuildOptions {
                cargo_args: vec!["--config".into(), "profile.dev.panic=\"abort\"".into()],
                ..BuildOptions::default()
            };
            let (_, folder) = folder_of("examples/hello", &in_target("abort", abort));
            let (_state, builder) = host();
            let refused =
                builder.build().expect("a host").load(&folder).expect_err("a panic would end this host");
            let is_abort = matches!(refused.cause, LoadFailure::Blob(BlobError::PanicAbort { .. }));
            assert!(is_abort, "{refused}");
            let (_state, builder) = host();
            let admitting = builder.policy(TrustPolicy { allow_abort: true, ..TrustPolicy::default() });
            let registry = admitting.build().expect("a host").load_alone(&folder).expect("it was asked for");
            let answer =
                call(&Session::new(&registry, Scope::command_line()), "MyTool", r#"{"value":"hello"}"#);
            assert_eq!(answer, "hello");
            format!("refused: {}; {answer} where it is admitted", refused.cause)
        }),
        case("edition-2021", "a crate of edition 2021", || {
            let fixture = "tests/fixtures/edition2021";
            let answer = answer_of(fixture, &BuildOptions::default(), "Add", r#"{"gen":2,"other":3}"#);
            assert_eq!(answer, "5");
            answer
        }),
        case(
            "elsewhere",
            "a crate with a lockfile of its own, on another tokio minor version, without a manifest",
            || {
                let options = in_target("elsewhere", BuildOptions::default());
                let (built, folder) = folder_of("tests/fixtures/elsewhere", &options);
                // It has no manifest: the library says what the plugin is called.
                assert_eq!(folder.file_name(), Some("over-there".as_ref()));
                let session = load(&folder);
                let properties =
                    &session.tool("Elsewhere").expect("the tool").registration().parameters()["properties"];
                let order: Vec<&String> = properties.as_object().expect("properties").keys().collect();
                assert_eq!(order, ["zulu", "alpha"], "the order of the fields");
                let answer = call(&session, "Elsewhere", r#"{"zulu":"z"}"#);
                assert_eq!(answer, "z None 0");
                format!("{answer} ({} {})", built.name, built.version)
            },
        ),
    ];
    cases.extend(nightly_cases());
    table::main_within(PATIENCE, cases)
}

/// Plugins by nightly in this host, and this plugin in a host by nightly.
fn nightly_cases() -> Vec<Test> {
    let version = package::cargo_command(Path::new("."), Some("nightly")).arg("--version").output();
    let Some(version) = version.ok().filter(|output| output.status.success()) else {
        return vec![case("nightly", "plugins and hosts by the nightly toolchain", || {
            "NOT TESTED: the nightly toolchain is not installed (rustup toolchain install nightly)".to_owned()
        })];
    };
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let nightly = BuildOptions { toolchain: Some("nightly".to_owned()), ..BuildOptions::default() };
    let shuffled = BuildOptions {
        cargo_args: vec!["--config".into(), "build.rustflags=[\"-Zrandomize-layout\"]".into()],
        ..nightly.clone()
    };
    let for_host = nightly.clone();
    vec![
        case("nightly-plugin", "hello by nightly in this host", move || {
            format!("{}, by {version}", hello("nightly", &nightly))
        }),
        case(
            "nightly-shuffled",
            "misbehaves by nightly with randomised layouts: a panic and an answer",
            move || {
                let options = in_target("nightly-shuffled", shuffled);
                let (_, folder) = folder_of("tests/fixtures/misbehaves", &options);
                let session = load(&folder);
                let panicked = call(&session, "Panics", r#"{"how":"string"}"#);
                assert!(panicked.contains("a text about string"), "{panicked}");
                call(&session, "Probe", "{}")
            },
        ),
        case("nightly-host", "hello by this toolchain in a host by nightly", move || {
            let (_, folder) = folder_of("examples/hello", &BuildOptions::default());
            let target = in_target("nightly-host", for_host).target_dir.expect("set just now");
            let mut build = package::cargo_command(&repository(), Some("nightly"));
            build.args(["build", "--quiet", "-p", "elowen-host", "--target-dir"]).arg(&target);
            assert!(build.status().expect("cargo runs").success(), "the host did not build");
            let host = target.join("debug").join(format!("elowen-host{}", std::env::consts::EXE_SUFFIX));
            let output =
                Command::new(host).arg("call").arg(folder).args(["MyTool", r#"{"value":"hello"}"#]).output();
            let output = output.expect("the host runs");
            assert_eq!(String::from_utf8_lossy(&output.stdout), "hello\n", "{output:?}");
            "hello".to_owned()
        }),
    ]
}

fn release(overrides: &[&str]) -> BuildOptions {
    let overrides =
        overrides.iter().flat_map(|setting| ["--config".into(), format!("profile.release.{setting}").into()]);
    BuildOptions { profile: Profile::Release, cargo_args: overrides.collect(), ..BuildOptions::default() }
}

/// The same in a target folder of its own, so that builds that differ do not undo each other.
fn in_target(name: &str, options: BuildOptions) -> BuildOptions {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("builds").join(name);
    BuildOptions { target_dir: Some(target), quiet: true, ..options }
}

fn folder_of(crate_dir: &str, options: &BuildOptions) -> (Built, PathBuf) {
    packaged(crate_dir, &BuildOptions { quiet: true, ..options.clone() })
}

fn load(folder: &Path) -> Session {
    let (_state, host) = host();
    let registry = host.build().expect("a host").load_alone(folder).unwrap_or_else(|error| panic!("{error}"));
    Session::new(&registry, Scope::command_line())
}

fn call(session: &Session, tool: &str, arguments: &str) -> String {
    pollster::block_on(session.call(tool, arguments).timeout(Duration::from_secs(20))).to_text()
}

fn answer_of(crate_dir: &str, options: &BuildOptions, tool: &str, arguments: &str) -> String {
    call(&load(&folder_of(crate_dir, options).1), tool, arguments)
}

fn hello(name: &str, options: &BuildOptions) -> String {
    let options = if name == "debug" { options.clone() } else { in_target(name, options.clone()) };
    let (built, folder) = folder_of("examples/hello", &options);
    let answer = call(&load(&folder), "MyTool", r#"{"value":"hello"}"#);
    assert_eq!(answer, "hello");
    let size = std::fs::metadata(&built.library).expect("the library").len();
    format!("{answer} ({} KB)", size / 1000)
}
