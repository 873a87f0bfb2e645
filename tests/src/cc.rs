//! Runs the C compiler: for programs that check the header, and for the plugins under `fixtures/c`.
//!
//! Takes `$CC` and `$CXX` if they are set, else `cc` and `c++`. Every warning is an error. All functions here
//! serve tests: they panic, with the compiler's output, when something cannot be built.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What every C source must compile with, besides what it is compiled to.
const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"];

/// A language the header can be used from, with the standard it promises to work in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C99.
    C,
    /// C++17.
    Cpp,
}

/// This package's folder.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder that holds `elowen_plugin.h`.
pub fn include_dir() -> PathBuf {
    here().join("../elowen-sdk/include")
}

/// The file `name` below `fixtures/c`.
pub fn fixture(name: &str) -> PathBuf {
    here().join("fixtures/c").join(name)
}

/// The file name the platform gives a library called `stem`.
pub fn library_name(stem: &str) -> String {
    format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}")
}

/// Compiles the C file `source` to the shared library `out`. A define is `NAME` or `NAME=value`.
///
/// # Panics
/// When the compiler cannot be run or says anything at all.
pub fn compile(source: &Path, out: &Path, defines: &[&str]) {
    let mut command = compiler(Language::C);
    command.args(["-fPIC", "-shared", "-fvisibility=hidden", "-pthread"]);
    if cfg!(target_os = "macos") {
        // As ELF linkers do by default: a missing symbol is the loader's business.
        command.args(["-undefined", "dynamic_lookup"]);
    }
    command.args(defines.iter().map(|define| format!("-D{define}")));
    run(command.arg(source).arg("-o").arg(out));
}

/// Compiles `source` to the program `out`, with further compiler arguments.
///
/// # Panics
/// When the compiler cannot be run or says anything at all.
pub fn compile_program(language: Language, source: &Path, out: &Path, arguments: &[&str]) {
    run(compiler(language).args(arguments).arg(source).arg("-o").arg(out));
}

/// Lays out the plugin folder `dir/name`: a manifest, and `fixtures/c/misbehave.c` compiled with `defines`.
/// An existing folder of that name is replaced.
///
/// # Panics
/// When the folder cannot be written or the library not compiled.
pub fn plugin_folder(dir: &Path, name: &str, defines: &[&str]) -> PathBuf {
    let folder = dir.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old plugin folder can be removed");
    }
    fs::create_dir_all(&folder).expect("the plugin folder can be created");
    let manifest = serde_json::json!({
        "name": name,
        "version": "1.0.0",
        "apiVersion": "1",
        "description": "Breaks one rule of the ABI",
        "entry": "misbehave",
    });
    fs::write(folder.join("elowen-plugin.json"), manifest.to_string()).expect("the manifest can be written");

    let plugin = format!("PLUGIN=\"{name}\"");
    let mut all = vec![plugin.as_str()];
    all.extend(defines);
    compile(&fixture("misbehave.c"), &folder.join(library_name("misbehave")), &all);
    folder
}

/// Copies `examples/c-hello` to `dir/c-hello` and runs its own Makefile there, so that nothing is built in the
/// source tree.
///
/// # Panics
/// When it cannot be copied, or `make` fails or the compiler warns.
pub fn c_hello_folder(dir: &Path) -> PathBuf {
    let folder = dir.join("c-hello");
    fs::create_dir_all(&folder).expect("the plugin folder can be created");
    for file in ["elowen-plugin.json", "c_hello.c", "json.h", "Makefile"] {
        fs::copy(here().join("../examples/c-hello").join(file), folder.join(file))
            .expect("the example is complete");
    }
    let include = format!("ELOWEN_INCLUDE={}", include_dir().display());
    run(Command::new("make").arg("--silent").arg("--always-make").arg(include).current_dir(&folder));
    folder
}

/// A case of `misbehave.c`, as its table of cases has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What to define, such as `CASE_NEVER` or `CASE_NULL_SLOT=3`.
    pub define: String,
    /// What the plugin then does.
    pub does: String,
}

/// All cases of `misbehave.c`, read from the table at its top; one with values (`CASE_X=1|2`) once for each.
///
/// # Panics
/// When the file cannot be read.
pub fn cases() -> Vec<Case> {
    let text = fs::read_to_string(fixture("misbehave.c")).expect("misbehave.c can be read");
    let table = text.lines().take_while(|line| !line.trim_end().ends_with("*/"));
    let rows = table.filter_map(|line| line.strip_prefix(" *   CASE_")?.split_once(' '));
    rows.flat_map(|(name, does)| {
        let (name, values) = name.split_once('=').map_or((name, ""), |(name, values)| (name, values));
        values.split('|').map(move |value| {
            let value = if value.is_empty() { String::new() } else { format!("={value}") };
            Case { define: format!("CASE_{name}{value}"), does: does.trim().to_owned() }
        })
    })
    .collect()
}

fn compiler(language: Language) -> Command {
    let (variable, default, standard) = match language {
        Language::C => ("CC", "cc", "-std=c99"),
        Language::Cpp => ("CXX", "c++", "-std=c++17"),
    };
    let program = std::env::var_os(variable).filter(|value| !value.is_empty());
    let mut command = Command::new(program.unwrap_or_else(|| OsString::from(default)));
    command.arg(standard).args(STRICT).arg("-I").arg(include_dir());
    command
}

fn run(command: &mut Command) {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => panic!("{} cannot be run: {error}", command.get_program().display()),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?} ended with {}:\n{said}", output.status);
}
