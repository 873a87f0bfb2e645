//! A host with a log that is kept, a good neighbour, and a folder to put misbehaving plugins into; and the words
//! in which the tests say what they expect.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use elowen_host::log::{Level, Log, Record};
use elowen_host::{Answer, Failure, FailureKind, Host, HostBuilder, LoadError, Plugin, ShutdownError, Trust};
use elowen_tests::cc;

/// What a plugin gets for registering.
pub(crate) const REGISTER: Duration = Duration::from_millis(400);
/// What a call gets that should not need it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// What a shutdown gets.
pub(crate) const SHUTDOWN: Duration = Duration::from_millis(300);
/// How much longer than that it may take: what the host adds for the plugin's last word, and a slow machine.
const GRACE: Duration = Duration::from_millis(700);

static ROOT: OnceLock<PathBuf> = OnceLock::new();

/// Names the folder for everything that is written; before the first [`Bench`].
pub(crate) fn set_root(root: &Path) {
    ROOT.set(root.to_owned()).expect("the folder is named once");
}

fn root() -> &'static Path {
    ROOT.get().expect("the folder has been named")
}

/// A new empty folder.
pub(crate) fn new_folder() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let folder = root().join(NEXT.fetch_add(1, Ordering::Relaxed).to_string());
    std::fs::create_dir(&folder).expect("a folder can be made");
    folder
}

/// The good neighbour's folder, built once.
pub(crate) fn c_hello() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| cc::c_hello_folder(root()))
}

/// The library in the folder of a plugin made from `misbehave.c`.
pub(crate) fn library(folder: &Path) -> PathBuf {
    folder.join(cc::library_name("misbehave"))
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) level: Level,
    pub(crate) plugin: String,
    pub(crate) message: String,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<Line>>>);

impl Log for Lines {
    fn enabled(&self, _level: Level) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let (plugin, message) = (record.plugin.to_owned(), record.message.to_owned());
        self.0.lock().unwrap().push(Line { level: record.level, plugin, message });
    }
}

/// What a `Probe` tells besides its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Details {
    /// The last status the host answered it.
    pub(crate) seen: i64,
    /// Bodies handed over until now; as many were freed, which is checked.
    pub(crate) given: i64,
    /// What a thread of an earlier instance was answered after its shutdown, plus 100; or 0.
    pub(crate) late: i64,
}

/// See the module.
pub(crate) struct Bench {
    pub(crate) host: Host,
    pub(crate) neighbour: Plugin,
    lines: Lines,
    came: Vec<String>,
    shut_down: bool,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(|builder| builder)
    }

    pub(crate) fn with(more: impl FnOnce(HostBuilder) -> HostBuilder) -> Self {
        let lines = Lines::default();
        // SAFETY: all plugins are compiled from this repository. That some break the ABI's rules is the point; none
        // breaks one that the host has no means to notice, such as a pointer to nowhere.
        let trust = unsafe { Trust::native_code() };
        let builder = Host::builder(trust).state_dir(root().join("state")).log(lines.clone());
        let host = more(builder.register_timeout(REGISTER)).build().unwrap();
        let neighbour = host.load(c_hello()).unwrap();
        Bench { host, neighbour, lines, came: Vec::new(), shut_down: false }
    }

    /// Compiles a plugin of that name and loads it.
    pub(crate) fn load(&mut self, name: &str, define: &str) -> Result<Plugin, LoadError> {
        let folder = cc::plugin_folder(&new_folder(), name, &[define]);
        let loaded = self.host.load(&folder);
        if let Err(error) = &loaded {
            let text = error.cause.to_string().replace(&root().display().to_string(), "..");
            self.came(format!("refused: {text}"));
        }
        loaded
    }

    /// Notes for the table what came out.
    pub(crate) fn came(&mut self, what: impl Into<String>) {
        let what = what.into();
        if self.came.last() != Some(&what) {
            self.came.push(what);
        }
    }

    /// Everything that was noted.
    pub(crate) fn summary(self) -> String {
        self.came.join("; ")
    }

    /// Calls `Probe`.
    pub(crate) fn probe(&mut self, plugin: &Plugin, timeout: Duration) -> Result<Answer, Failure> {
        let tool = plugin.tool("Probe").expect("the plugin has the tool Probe");
        let answer = pollster::block_on(tool.call("{}").timeout(timeout)).and_then(|answer| answer.parse());
        self.came(match &answer {
            Ok(answer) if answer.to_text().len() > 80 => format!("answers {} bytes", answer.to_text().len()),
            Ok(answer) => match answer.details["seen"].as_i64() {
                None | Some(0) => format!("answers {:?}", answer.to_text()),
                Some(status) => format!("answers {:?}, was answered {status}", answer.to_text()),
            },
            Err(failure) if failure.kind == FailureKind::Protocol => format!("Protocol: {}", failure.message),
            Err(failure) => format!("{:?}: {failure}", failure.kind),
        });
        answer
    }

    /// `Probe` answers ok, and every body given before was freed.
    pub(crate) fn ok(&mut self, plugin: &Plugin) -> Details {
        let answer = self.probe(plugin, PATIENCE).unwrap();
        assert_eq!(answer.to_text(), "ok");
        details(&answer)
    }

    /// `Probe` fails, in these words.
    pub(crate) fn fails(&mut self, plugin: &Plugin, kind: FailureKind, text: &str) {
        let failure = self.probe(plugin, PATIENCE).unwrap_err();
        assert_eq!((failure.kind, failure.to_string().as_str()), (kind, text));
    }

    /// `Probe` fails because the plugin broke the rules, by what the message says.
    pub(crate) fn fails_by_its_own_fault(&mut self, plugin: &Plugin, message: &str) {
        let name = plugin.name();
        let text = format!(
            "plugin `{name}` broke the rules of the plugin ABI: {message}. This is a bug in the plugin."
        );
        self.fails(plugin, FailureKind::Protocol, &text);
    }

    /// `Probe` does not answer, and is given up after 100 ms.
    pub(crate) fn is_given_up(&mut self, plugin: &Plugin) {
        let failure = self.probe(plugin, Duration::from_millis(100)).unwrap_err();
        assert_eq!(failure.to_string(), "the call was not finished within 100ms and was given up");
        assert_eq!(failure.kind, FailureKind::Deadline);
    }

    /// The plugin is found to have broken this rule and no other, so many times.
    pub(crate) fn broke(&mut self, plugin: &Plugin, times: u32, what: &str) {
        eventually(|| plugin.breaches() >= times);
        let warning = format!("broke the rules of the plugin ABI: {what} (");
        for line in self.warnings_of(plugin) {
            assert!(line.starts_with(&warning), "unexpected: {line}");
        }
        assert_eq!(plugin.breaches(), times);
        // Only the first hundred are written down.
        assert_eq!(self.warnings_of(plugin).len(), times.min(100) as usize);
        self.came(if times == 1 { format!("breach: {what}") } else { format!("{times} breaches: {what}") });
    }

    /// The plugin has this warning in the log and no other, and has broken no rule.
    pub(crate) fn warned(&mut self, plugin: &Plugin, beginning: &str) {
        eventually(|| !self.warnings_of(plugin).is_empty());
        let warnings = self.warnings_of(plugin);
        assert!(warnings.len() == 1 && warnings[0].starts_with(beginning), "unexpected: {warnings:?}");
        assert_eq!(plugin.breaches(), 0);
        self.came(format!("warning: {}", warnings[0]));
    }

    /// The plugin has kept to the rules, and nobody complains about it.
    pub(crate) fn is_quiet(&self, plugin: &Plugin) {
        assert_eq!((plugin.breaches(), self.warnings_of(plugin)), (0, vec![]));
    }

    /// The lines of one plugin.
    pub(crate) fn lines_of(&self, plugin: &Plugin) -> Vec<Line> {
        self.lines.0.lock().unwrap().iter().filter(|line| line.plugin == plugin.name()).cloned().collect()
    }

    fn warnings_of(&self, plugin: &Plugin) -> Vec<String> {
        let lines = self.lines_of(plugin).into_iter().filter(|line| line.level <= Level::Warn);
        // Under some umasks the compiler's output is; that is not what is tested here.
        lines.map(|line| line.message).filter(|text| !text.contains("is writable by its group")).collect()
    }

    /// Shuts the plugin down, which takes no longer than it may.
    pub(crate) fn shut_down(&mut self, plugin: &Plugin) -> Result<(), ShutdownError> {
        let begun = Instant::now();
        let ended = plugin.shutdown(SHUTDOWN);
        let took = begun.elapsed();
        assert!(took < SHUTDOWN + GRACE, "shutdown took {took:?}");
        if let Err(error) = &ended {
            self.came(format!("shutdown: {error}"));
        }
        self.shut_down = true;
        ended
    }

    /// The end of every case: the plugin can be shut down if it was not, and is closed; the neighbour has noticed
    /// nothing.
    pub(crate) fn finish(&mut self, plugin: Option<&Plugin>) {
        self.neighbour_answers();
        if let Some(plugin) = plugin {
            if !self.shut_down {
                self.shut_down(plugin).unwrap();
            }
            let name = plugin.name();
            let tool = plugin.tool("Probe").unwrap();
            let failure = pollster::block_on(tool.call("{}")).unwrap_err();
            assert_eq!(failure.to_string(), format!("plugin `{name}` is shut down"));
            assert_eq!(plugin.shutdown(SHUTDOWN), Err(ShutdownError::Already));
        }
        self.neighbour_answers();
        self.is_quiet(&self.neighbour);
        self.neighbour.shutdown(SHUTDOWN).unwrap();
    }

    /// The neighbour answers, soon, what it should.
    pub(crate) fn neighbour_answers(&self) {
        hello(&self.neighbour);
    }
}

/// This instance of c-hello answers, soon, what it should.
pub(crate) fn hello(plugin: &Plugin) {
    let tool = plugin.tool("CHello").unwrap();
    let answer = pollster::block_on(tool.call(r#"{"value":"good morning"}"#).timeout(PATIENCE)).unwrap();
    assert_eq!(answer.parse().unwrap().to_text(), "good morning");
}

/// What stands in the details of an answer of `Probe`.
pub(crate) fn details(answer: &Answer) -> Details {
    let number = |key: &str| answer.details[key].as_i64().unwrap_or_else(|| panic!("no {key}: {answer:?}"));
    assert_eq!(number("given"), number("freed"), "a body was not freed, or freed twice");
    Details { seen: number("seen"), given: number("given"), late: number("late") }
}

/// Waits, not for ever, until it is so.
pub(crate) fn eventually(mut so: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < until, "it has not come about");
        std::thread::sleep(Duration::from_millis(1));
    }
}
