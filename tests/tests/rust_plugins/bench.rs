//! A host with plugins of this repository, a log that is kept, and the few things that every case does with them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use elowen_host::log::{Level, Log, Record};
use elowen_host::{Answer, Call, Failure, Host, HostBuilder, Plugin, Tool, Trust};
use elowen_tests::build;
use serde_json::Value;
use tempfile::TempDir;

/// For what must happen but has no set time.
const PATIENCE: Duration = Duration::from_secs(20);

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) level: Level,
    pub(crate) plugin: String,
    pub(crate) target: String,
    pub(crate) message: String,
    pub(crate) fields: String,
}

/// Keeps lines up to a level.
#[derive(Clone)]
pub(crate) struct Lines {
    kept: Arc<Mutex<Vec<Line>>>,
    up_to: Level,
}

impl Lines {
    pub(crate) fn up_to(level: Level) -> Self {
        Lines { kept: Arc::default(), up_to: level }
    }

    pub(crate) fn all(&self) -> Vec<Line> {
        self.kept.lock().unwrap().clone()
    }

    /// The first line whose message contains `part`, once there is one.
    pub(crate) fn wait_for(&self, part: &str) -> Line {
        let found = || self.all().into_iter().find(|line| line.message.contains(part));
        eventually(&format!("a line with {part:?} in {:?}", self.all()), || found().is_some());
        found().expect("it was there")
    }

    /// Gives the memory of the lines back.
    pub(crate) fn forget(&self) {
        *self.kept.lock().unwrap() = Vec::new();
    }

    pub(crate) fn has(&self, part: &str) -> bool {
        self.count(part) > 0
    }

    /// How many lines contain `part`.
    pub(crate) fn count(&self, part: &str) -> usize {
        self.all().iter().filter(|line| line.message.contains(part)).count()
    }
}

impl Log for Lines {
    fn enabled(&self, level: Level) -> bool {
        level <= self.up_to
    }

    fn log(&self, record: &Record<'_>) {
        self.kept.lock().unwrap().push(Line {
            level: record.level,
            plugin: record.plugin.to_owned(),
            target: record.target.to_owned(),
            message: record.message.to_owned(),
            fields: record.fields.to_owned(),
        });
    }
}

/// Waits until something is so.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Polls a call once: it is started, and not waited for.
pub(crate) fn start(call: &mut Call<'_>) -> bool {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    std::pin::Pin::new(call).poll(&mut context).is_pending()
}

/// The variable that names a library which another process has built already.
pub(crate) fn variable(package: &str) -> String {
    format!("ELOWEN_TEST_LIBRARY_{package}")
}

/// The library of a package of this workspace.
pub(crate) fn library(package: &str) -> PathBuf {
    let built = std::env::var_os(variable(package)).map(PathBuf::from);
    let parent = if matches!(package, "hello" | "progress") { "examples" } else { "tests/fixtures" };
    built.unwrap_or_else(|| build::library(&format!("{parent}/{package}")))
}

/// A host, its plugins, and a good neighbour among them. Dropping it shuts them down.
pub(crate) struct Bench {
    pub(crate) host: Host,
    pub(crate) log: Lines,
    plugins: Vec<Plugin>,
    dir: TempDir,
}

impl Bench {
    /// A host without plugins; everything it writes is below `folder()`.
    pub(crate) fn empty(log: Lines, settings: impl FnOnce(HostBuilder) -> HostBuilder) -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
        // SAFETY: all plugins that are loaded here are this repository's own, through the SDK.
        let trust = unsafe { Trust::native_code() };
        let builder = Host::builder(trust).state_dir(dir.path().join("state")).log(log.clone());
        let host = settings(builder).build().expect("the host opens");
        Bench { host, log, plugins: Vec::new(), dir }
    }

    /// A host with `misbehaves` and `hello`.
    pub(crate) fn with(settings: impl FnOnce(HostBuilder) -> HostBuilder) -> Self {
        let mut bench = Bench::empty(Lines::up_to(Level::Info), settings);
        bench.load("misbehaves");
        bench.load("hello");
        bench
    }

    pub(crate) fn new() -> Self {
        Bench::with(|builder| builder)
    }

    /// Where plugin folders lie.
    pub(crate) fn plugins_dir(&self) -> PathBuf {
        self.dir.path().join("plugins")
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Loads the package's library as the plugin of that name.
    pub(crate) fn load(&mut self, package: &str) -> Plugin {
        self.load_as(package, package)
    }

    pub(crate) fn load_as(&mut self, package: &str, name: &str) -> Plugin {
        let folder = build::folder(&self.plugins_dir(), name, &library(package));
        let plugin = self.host.load(&folder).unwrap_or_else(|error| panic!("{error}"));
        self.plugins.push(plugin);
        plugin
    }

    pub(crate) fn plugin(&self, name: &str) -> Plugin {
        *self.plugins.iter().find(|plugin| plugin.name() == name).expect("it was loaded")
    }

    /// The misbehaving plugin.
    pub(crate) fn misbehaves(&self) -> Plugin {
        self.plugin("misbehaves")
    }

    /// A tool of the misbehaving plugin.
    pub(crate) fn tool(&self, name: &str) -> Tool {
        self.misbehaves().tool(name).unwrap_or_else(|| panic!("no tool {name}"))
    }

    /// Calls a tool of the misbehaving plugin.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Result<Answer, Failure> {
        call(self.tool(tool), arguments)
    }

    /// The text of its answer.
    pub(crate) fn text(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).expect("it answers").to_text()
    }

    /// The misbehaving plugin goes on answering, and its neighbour as well.
    pub(crate) fn all_is_well(&self) {
        assert_eq!(self.text("Probe", serde_json::json!({})), "ok");
        self.the_neighbour_answers();
        assert_eq!(self.misbehaves().breaches(), 0, "{:?}", self.log.all());
    }

    pub(crate) fn the_neighbour_answers(&self) {
        let tool = self.plugin("hello").tool("MyTool").expect("it has a tool");
        assert_eq!(call(tool, serde_json::json!({"value": "hello"})).unwrap().to_text(), "hello");
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        for plugin in &self.plugins {
            // Whether anything is stuck is for the cases to say.
            let _ = plugin.shutdown(Duration::from_secs(1));
        }
    }
}

/// Calls a tool and waits for its answer.
pub(crate) fn call(tool: Tool, arguments: Value) -> Result<Answer, Failure> {
    pollster::block_on(tool.call(arguments.to_string()))?.parse()
}
