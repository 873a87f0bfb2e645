//! The host: what plugins share, and the way from a folder to a loaded plugin.

use crate::blob::{self, Blob};
use crate::cache::PrivateCopies;
use crate::discover;
use crate::error::{LoadError, LoadFailure};
use crate::library::{self, Expected, Handle, Trust};
use crate::log::{Level, Log, Record, Stderr};
use crate::manifest::Manifest;
use crate::operation::{self, Ending};
use crate::os;
use crate::plugin::{Identity, Loaded, Plugin};
use crate::query::{NoQuestions, Questions};
use crate::registry::{Registry, Staging};
use crate::trust::{self, TrustPolicy};
use elowen_sdk::abi;
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    task::{Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

/// The ABI majors this host speaks.
const ABI: std::ops::RangeInclusive<u16> = abi::MAJOR..=abi::MAJOR;
/// What a plugin that failed to register gets to give its resources back.
const FAREWELL: Duration = Duration::from_secs(1);

/// What every plugin of a host is served with.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) log: Arc<dyn Log>,
    pub(crate) questions: Arc<dyn Questions>,
    /// Whether plugins may run on the threads that poll their calls.
    pub(crate) inline: bool,
    data_root: PathBuf,
}

impl Services {
    /// A line about a plugin, in the host's words.
    pub(crate) fn host_log(&self, level: Level, plugin: &str, message: &str) {
        if self.log.enabled(level) {
            self.log.log(&Record { level, plugin, target: "", message, fields: "" });
        }
    }

    /// The plugin's data folder, made if need be.
    pub(crate) fn data_dir(&self, plugin: &str) -> io::Result<PathBuf> {
        let dir = self.data_root.join(plugin);
        fs::create_dir_all(&dir).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", dir.display())))?;
        Ok(dir)
    }
}

/// Settings of a [`Host`].
pub struct HostBuilder {
    trust: Trust,
    state_dir: Option<PathBuf>,
    policy: TrustPolicy,
    log: Arc<dyn Log>,
    questions: Arc<dyn Questions>,
    inline: bool,
    register_timeout: Duration,
    config: HashMap<String, Value>,
}

impl HostBuilder {
    /// Where state is kept; else [`os::state_dir`] says.
    pub fn state_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.state_dir = Some(dir.into());
        self
    }

    /// Which files may be loaded.
    pub fn policy(mut self, policy: TrustPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Where log lines go; else warnings and errors go to standard error.
    pub fn log(mut self, log: impl Log + 'static) -> Self {
        self.log = Arc::new(log);
        self
    }

    /// Answers what plugins ask and the host does not know.
    pub fn questions(mut self, questions: impl Questions + 'static) -> Self {
        self.questions = Arc::new(questions);
        self
    }

    /// Never lends a thread to a plugin: for embedders that cannot lose one to a call that blocks.
    pub fn never_inline(mut self) -> Self {
        self.inline = false;
        self
    }

    /// How long a plugin's `register` may take; 30 seconds unless set.
    pub fn register_timeout(mut self, timeout: Duration) -> Self {
        self.register_timeout = timeout;
        self
    }

    /// A plugin's own configuration; `{}` unless set.
    pub fn config(mut self, plugin: impl Into<String>, config: Value) -> Self {
        self.config.insert(plugin.into(), config);
        self
    }

    /// Opens the host.
    ///
    /// # Errors
    /// If there is no place for its state.
    pub fn build(self) -> Result<Host, HostError> {
        let state = match self.state_dir {
            Some(dir) => std::path::absolute(dir).map_err(|_| HostError::NoStateDir(os::NoStateDir))?,
            None => os::state_dir().map_err(HostError::NoStateDir)?,
        };
        let copies = PrivateCopies::open(&state).map_err(|source| HostError::Cache { source })?;
        let services = Services {
            log: self.log,
            questions: self.questions,
            inline: self.inline,
            data_root: state.join("data"),
        };
        if let Err(error) = copies.prune(crate::cache::KEEP) {
            services.host_log(Level::Warn, "", &format!("old private copies were not removed: {error}"));
        }
        Ok(Host {
            trust: self.trust,
            policy: self.policy,
            copies,
            services,
            register_timeout: self.register_timeout,
            config: self.config,
        })
    }
}

impl fmt::Debug for HostBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostBuilder")
    }
}

/// A host could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Nothing says where state may be kept.
    #[error(transparent)]
    NoStateDir(os::NoStateDir),
    /// The private copies have no place.
    #[error("the host has no place for private copies: {source}. {}", source.remedy())]
    Cache {
        /// Why not.
        source: crate::cache::CacheError,
    },
}

/// Loads plugins.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use elowen_host::{Host, Trust};
///
/// // SAFETY: the folder is ours, and so is every plugin in it.
/// let host = Host::builder(unsafe { Trust::native_code() }).build()?;
/// let plugin = host.load("plugins/hello".as_ref())?;
/// let tool = plugin.tool("MyTool").ok_or("no such tool")?;
/// let answer = pollster::block_on(tool.call(r#"{"value":"hello"}"#))?.parse()?;
/// assert_eq!(answer.to_text(), "hello");
/// # Ok(())
/// # }
/// ```
pub struct Host {
    trust: Trust,
    policy: TrustPolicy,
    copies: PrivateCopies,
    services: Services,
    register_timeout: Duration,
    config: HashMap<String, Value>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// What came of loading a directory.
#[derive(Debug, Default)]
pub struct LoadReport {
    /// The tools of the plugins that were loaded.
    pub registry: Registry,
    /// The plugins that were not.
    pub failures: Vec<LoadError>,
}

impl Host {
    /// Begins with the decision to run native code.
    pub fn builder(trust: Trust) -> HostBuilder {
        HostBuilder {
            trust,
            state_dir: None,
            policy: TrustPolicy::default(),
            log: Arc::new(Stderr(Level::Warn)),
            questions: Arc::new(NoQuestions),
            inline: true,
            register_timeout: Duration::from_secs(30),
            config: HashMap::new(),
        }
    }

    /// Loads every plugin folder of a directory, in the order of their names. One that fails is reported and
    /// skipped.
    ///
    /// # Errors
    /// If the directory cannot be listed.
    pub fn load_dir(&self, dir: &Path) -> Result<LoadReport, discover::DiscoverError> {
        let mut report = LoadReport::default();
        for found in discover::discover(dir)? {
            let loaded = match found.manifest {
                Ok(manifest) => self.load_manifest(&found.folder, &manifest),
                Err(error) => Err(LoadError {
                    plugin: found.name.clone(),
                    file: found.folder.join(crate::manifest::FILE_NAME),
                    cause: error.into(),
                }),
            };
            match loaded {
                Ok(plugin) => {
                    let line = format!("plugin loaded: {}@{}", plugin.name(), plugin.version());
                    self.services.host_log(Level::Info, "", &line);
                    report.registry.merge(plugin, &self.services);
                }
                Err(error) => {
                    let line = format!("plugin skipped: {}: {error}", found.name);
                    self.services.host_log(Level::Error, "", &line);
                    report.failures.push(error);
                }
            }
        }
        Ok(report)
    }

    /// Loads one plugin folder. Blocks until its `register` has finished.
    ///
    /// # Errors
    /// With the step that failed, whose fault it is and what to do.
    pub fn load(&self, folder: &Path) -> Result<Plugin, LoadError> {
        match Manifest::read(folder) {
            Ok(manifest) => self.load_manifest(folder, &manifest),
            Err(error) => Err(LoadError {
                plugin: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
                file: folder.join(crate::manifest::FILE_NAME),
                cause: error.into(),
            }),
        }
    }

    /// A registry of one plugin.
    ///
    /// # Errors
    /// As [`Host::load`].
    pub fn load_alone(&self, folder: &Path) -> Result<Registry, LoadError> {
        let mut registry = Registry::default();
        registry.merge(self.load(folder)?, &self.services);
        Ok(registry)
    }

    /// Adds a plugin to a registry, in this host's words about what is left out.
    pub(crate) fn merge(&self, registry: &mut Registry, plugin: Plugin) {
        registry.merge(plugin, &self.services);
    }

    /// Where this host keeps its private copies.
    pub(crate) fn copies(&self) -> &PrivateCopies {
        &self.copies
    }

    fn load_manifest(&self, folder: &Path, manifest: &Manifest) -> Result<Plugin, LoadError> {
        let mut file = folder.join(&manifest.entry);
        self.try_load(folder, manifest, &mut file).map_err(|cause| LoadError {
            plugin: manifest.name.clone(),
            file,
            cause,
        })
    }

    fn try_load(
        &self,
        folder: &Path,
        manifest: &Manifest,
        file: &mut PathBuf,
    ) -> Result<Plugin, LoadFailure> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        *file = manifest.library_path(&folder)?;
        let (verified, blob) = inspect(file, &folder, &self.policy)?;
        for warning in &verified.warnings {
            self.services.host_log(Level::Warn, &manifest.name, warning);
        }
        blob.check_panic(self.policy.allow_abort)?;
        let abi_major = blob.negotiate(ABI)?;
        let copy = self.copies.store(&verified)?;
        let identity = Identity {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            config: self.config.get(&manifest.name).cloned().unwrap_or_else(|| Map::new().into()),
            folder,
        };
        let plugin = Loaded::new(identity, self.services.clone(), Staging::new(manifest));
        let sha256 = verified.sha256;
        drop(verified);
        match self.register(plugin, copy, sha256, blob, abi_major) {
            Ok(()) => Ok(Plugin(plugin)),
            Err(failure) => {
                // What it has built up by now is its own to give back; how that goes changes nothing here.
                let _ = Plugin(plugin).shutdown(FAREWELL);
                Err(failure)
            }
        }
    }

    /// Maps, enters and registers, on a thread that can be left behind.
    fn register(
        &self,
        plugin: &'static Loaded,
        copy: PathBuf,
        sha256: [u8; 32],
        blob: Blob,
        abi_major: u16,
    ) -> Result<(), LoadFailure> {
        let deadline = Instant::now() + self.register_timeout;
        let timeout = || LoadFailure::RegisterTimeout { limit: self.register_timeout };
        let (trust, number) = (self.trust, operation::open(plugin, true));
        let (done, entered) = mpsc::channel();
        let thread = thread::Builder::new().name("elowen-load".to_owned()).spawn(move || {
            let expected = Expected { sha256, blob: &blob.bytes, abi_major };
            let started = library::enter(trust, &copy, &expected, plugin).map(|table| {
                plugin.set_table(table);
                start_registration(plugin, number);
            });
            let _ = done.send(started);
        });
        if let Err(error) = thread {
            operation::close(number);
            return Err(LoadFailure::Map { message: format!("no thread to load it on: {error}") });
        }
        let started = match entered.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(started) => started,
            Err(_) => Err(timeout()),
        };
        let ended = started.and_then(|()| wait(number, deadline).ok_or_else(timeout));
        let handle = operation::with(number, |o| o.handle.take()).flatten();
        if let (Some(handle), Some(table)) = (handle, plugin.enter_closed().table()) {
            if ended.is_err() {
                table.cancel(&handle);
            }
            table.release(handle);
        }
        let ending = match ended {
            Ok(ending) => ending,
            Err(failure) => {
                plugin.abandoned_began();
                if !operation::abandon(number) {
                    plugin.abandoned_ended();
                }
                return Err(failure);
            }
        };
        operation::close(number);
        registered(&ending)?;
        plugin.finish_registration();
        Ok(())
    }
}

/// Reads and checks a library file without running it.
///
/// # Errors
/// What is wrong with it.
pub fn inspect(
    file: &Path,
    root: &Path,
    policy: &TrustPolicy,
) -> Result<(trust::VerifiedFile, Blob), LoadFailure> {
    let verified = trust::verify(file, root, policy)?;
    let blob = blob::read(&verified.bytes)?;
    Ok((verified, blob))
}

fn start_registration(plugin: &'static Loaded, number: u64) {
    let inside = plugin.enter_closed();
    let Some(table) = inside.table() else { return };
    let mut handle: Option<Handle> = table.register(number);
    let _ = operation::with(number, |o| o.handle = handle.take());
    if let Some(handle) = handle {
        table.release(handle);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread for an operation's end.
fn wait(number: u64, deadline: Instant) -> Option<Ending> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        let ending = operation::with(number, |o| {
            o.waker = Some(waker.clone());
            o.ending.take()
        });
        match ending? {
            Some(ending) => return Some(ending),
            None => thread::park_timeout(deadline.checked_duration_since(Instant::now())?),
        }
    }
}

fn registered(ending: &Ending) -> Result<(), LoadFailure> {
    if ending.kind == abi::DONE {
        return Ok(());
    }
    let body: Option<Value> = ending.body.bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
    let field = |name| body.as_ref().and_then(|body| body.get(name)?.as_str().map(str::to_owned));
    let message = field("message").unwrap_or_else(|| "it failed without a message".to_owned());
    Err(match ending.kind {
        abi::PANIC => LoadFailure::RegisterPanic { message, location: field("location") },
        _ => LoadFailure::Register { message },
    })
}
