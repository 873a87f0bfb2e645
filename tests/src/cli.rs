//! Runs the real `elowen-host` binary, and lays out what it is pointed at.
//!
//! The binary is built through Cargo once a process, because another package's binary has no variable to find it
//! by. All functions here serve tests: they panic when something cannot be built or started.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use elowen_host::package::cargo_command;
use tempfile::TempDir;

use crate::cc;

/// The root of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the repository").to_path_buf()
}

/// The binary, built.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let mut cargo = cargo_command(&repository(), None);
        cargo.args(["build", "--package=elowen-host", "--bin=elowen-host"]);
        cargo.arg("--message-format=json-render-diagnostics");
        let output = cargo.stderr(Stdio::inherit()).output().expect("cargo can be started");
        assert!(output.status.success(), "elowen-host builds");
        let messages = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<serde_json::Value>();
        let executable =
            messages.filter_map(|message| message.ok()?["executable"].as_str().map(PathBuf::from));
        executable.last().expect("cargo names the binary")
    })
}

/// How the command ended and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; -1 if a signal ended it.
    pub code: i32,
    /// The answer.
    pub stdout: String,
    /// Everything else.
    pub stderr: String,
}

/// A folder for one test, with a state folder of its own in it.
#[derive(Debug)]
pub struct Place(TempDir);

impl Default for Place {
    fn default() -> Self {
        Place(tempfile::tempdir().expect("there is a temporary folder"))
    }
}

impl Place {
    /// The folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The command with these arguments, to be run at the root of the repository, without colours.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(repository()).stdin(Stdio::null());
        command.env("ELOWEN_STATE_DIR", self.path().join("state")).env("NO_COLOR", "1");
        // Wrapping at the width of whatever terminal runs the tests would be no help in comparing texts.
        command.env("COLUMNS", "200");
        command
    }

    /// Runs the command to its end.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ended {
        ended(self.command(arguments))
    }

    /// Writes `text` to the file of that name below this folder, whose folders are made.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("folders can be made");
        fs::write(&path, text).expect("files can be written");
        path
    }

    /// `examples/c-hello`, copied and built.
    pub fn c_hello(&self) -> PathBuf {
        cc::c_hello_folder(&self.path().join("plugins"))
    }

    /// `fixtures/c/misbehave.c` with these cases, as the plugin of that name.
    pub fn misbehaving(&self, name: &str, defines: &[&str]) -> PathBuf {
        cc::plugin_folder(&self.path().join("plugins"), name, defines)
    }

    /// The Rust plugin `fixtures/misbehaves`, which does what `--config` and its tools' arguments say.
    pub fn misbehaves(&self) -> PathBuf {
        let library = crate::build::library("tests/fixtures/misbehaves");
        crate::build::folder(&self.path().join("plugins"), "misbehaves", &library)
    }

    /// `fixtures/c/loud.c`.
    pub fn loud(&self) -> PathBuf {
        let folder = self.misbehaving("loud", &[]);
        let library = folder.join(cc::library_name("misbehave"));
        cc::compile(&cc::fixture("loud.c"), &library, &["PLUGIN=\"loud\""]);
        folder
    }
}

/// Runs a command to its end.
pub fn ended(mut command: Command) -> Ended {
    let output = command.output().expect("the command can be started");
    Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs a command to its end, with `text` on its stdin.
pub fn ended_with_stdin(mut command: Command, text: &[u8]) -> Ended {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    // One that does not read it closes the pipe, which is its right.
    let _ = child.stdin.take().expect("stdin is a pipe").write_all(text);
    let output = child.wait_with_output().expect("the command ends");
    Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A command that is running.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    read: String,
}

impl Running {
    /// Starts a command.
    pub fn start(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be started");
        let stderr = BufReader::new(child.stderr.take().expect("stderr is a pipe"));
        Running { child, stderr, read: String::new() }
    }

    /// Waits until it has written a line with `text` to stderr.
    pub fn wait_for(&mut self, text: &str) {
        loop {
            let begin = self.read.len();
            let read = self.stderr.read_line(&mut self.read).expect("stderr can be read");
            assert!(read > 0, "{text:?} was never written, but:\n{}", self.read);
            if self.read[begin..].contains(text) {
                return;
            }
        }
    }

    /// Closes our end of its stdout.
    pub fn close_stdout(&mut self) {
        drop(self.child.stdout.take());
    }

    /// Waits until it has written something to stdout, and returns that.
    pub fn first_output(&mut self) -> String {
        let mut buffer = [0; 4096];
        let read = self.child.stdout.as_mut().expect("stdout is a pipe").read(&mut buffer);
        String::from_utf8_lossy(&buffer[..read.expect("stdout can be read")]).into_owned()
    }

    /// Sends what ctrl-C sends.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        let status = Command::new("kill").arg("-INT").arg(self.child.id().to_string()).status();
        assert!(status.expect("`kill` can be started").success());
    }

    /// Waits for its end.
    pub fn ended(mut self) -> Ended {
        let mut stdout = self.child.stdout.take();
        let reader = thread::spawn(move || {
            let mut text = String::new();
            if let Some(stdout) = &mut stdout {
                stdout.read_to_string(&mut text).expect("stdout is UTF-8");
            }
            text
        });
        self.stderr.read_to_string(&mut self.read).expect("stderr is UTF-8");
        let status = self.child.wait().expect("the command ends");
        let stdout = reader.join().expect("stdout was read");
        Ended { code: status.code().unwrap_or(-1), stdout, stderr: self.read }
    }
}
