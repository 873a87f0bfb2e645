//! One loaded plugin: its table, its tools, what it may ask, and how it behaves.
//!
//! Its state lives as long as the process, like the image behind it, so whatever the plugin's threads do and
//! whenever they do it, there is something to answer them.

use crate::host::Services;
use crate::library::Table;
use crate::log::{Level, Record};
use crate::mode::Earned;
use crate::operation;
use crate::query::{Question, Reply};
use crate::registry::{Registration, Staging};
use elowen_sdk::abi::{self, Status};
use serde_json::{Value, json};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

/// Calls of one plugin that may be stuck before it is called no more (decision D11).
const MAX_ABANDONED: u32 = 16;

/// A plugin. Copies name the same one.
#[derive(Clone, Copy)]
pub struct Plugin(pub(crate) &'static Loaded);

impl Plugin {
    /// Its name, equal to its folder's.
    pub fn name(&self) -> &'static str {
        &self.0.name
    }

    /// Its manifest's version.
    pub fn version(&self) -> &'static str {
        &self.0.version
    }

    /// The folder it was loaded from.
    pub fn folder(&self) -> &'static Path {
        &self.0.folder
    }

    /// Its tools, in the order of registration.
    pub fn tools(&self) -> impl Iterator<Item = Tool> + use<> {
        self.0.tools().iter().map(Tool)
    }

    /// The first of its tools with that name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.tools().find(|tool| tool.name() == name)
    }

    /// How many of its calls were given up and have not ended.
    pub fn abandoned_calls(&self) -> u32 {
        self.0.abandoned.load(Ordering::Relaxed)
    }

    /// How often it has broken the rules of the border.
    pub fn breaches(&self) -> u32 {
        self.0.breaches.load(Ordering::Relaxed)
    }

    /// Shuts it down within about `timeout`: calls under way are cancelled and fail as closed, later ones too.
    /// The library stays mapped.
    ///
    /// # Errors
    /// If something of it is still running; it is left behind.
    pub fn shutdown(&self, timeout: Duration) -> Result<(), ShutdownError> {
        self.0.shutdown(timeout)
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plugin({}@{})", self.0.name, self.0.version)
    }
}

/// A tool of a loaded plugin. Copies name the same one.
#[derive(Clone, Copy)]
pub struct Tool(pub(crate) &'static ToolRecord);

impl Tool {
    /// The name the model calls.
    pub fn name(&self) -> &'static str {
        &self.0.registration.name
    }

    /// What was registered: definition and scopes.
    pub fn registration(&self) -> &'static Registration {
        &self.0.registration
    }

    /// The plugin that owns it.
    pub fn plugin(&self) -> Plugin {
        Plugin(self.0.plugin)
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tool({} of {})", self.name(), self.0.plugin.name)
    }
}

pub(crate) struct ToolRecord {
    pub(crate) plugin: &'static Loaded,
    pub(crate) registration: Registration,
    pub(crate) earned: Earned,
}

/// A tool as a plugin offers it.
pub(crate) struct Offer<'a> {
    pub(crate) number: u64,
    pub(crate) run: u32,
    pub(crate) definition: &'a str,
    pub(crate) options: &'a str,
}

/// Why a shutdown was not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShutdownError {
    /// It was shut down before.
    Already,
    /// A thread is still inside one of its functions; it was left running.
    Stuck,
    /// It did not finish in time, or said so.
    Timeout,
    /// It answered this status.
    Status(i32),
}

impl fmt::Display for ShutdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShutdownError::Already => f.write_str("it was shut down before"),
            ShutdownError::Stuck => f.write_str("a thread is still running its code and was left behind"),
            ShutdownError::Timeout => f.write_str("it did not finish in time and was left behind"),
            ShutdownError::Status(status) => write!(f, "it answered status {status}"),
        }
    }
}

impl std::error::Error for ShutdownError {}

pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) folder: PathBuf,
    services: Services,
    config: Value,
    table: OnceLock<Table>,
    staging: Mutex<Staging>,
    tools: OnceLock<Vec<ToolRecord>>,
    closed: AtomicBool,
    /// Threads inside one of the table's functions.
    inside: AtomicU32,
    abandoned: AtomicU32,
    breaches: AtomicU32,
    inline_forbidden: AtomicBool,
}

impl Loaded {
    pub(crate) fn new(identity: Identity, services: Services, staging: Staging) -> &'static Self {
        Box::leak(Box::new(Loaded {
            name: identity.name,
            version: identity.version,
            folder: identity.folder,
            config: identity.config,
            services,
            table: OnceLock::new(),
            staging: Mutex::new(staging),
            tools: OnceLock::new(),
            closed: AtomicBool::new(false),
            inside: AtomicU32::new(0),
            abandoned: AtomicU32::new(0),
            breaches: AtomicU32::new(0),
            inline_forbidden: AtomicBool::new(false),
        }))
    }

    pub(crate) fn set_table(&'static self, table: Table) {
        let _ = self.table.set(table);
    }

    /// Ends the registration: what was accepted becomes the plugin's tools.
    pub(crate) fn finish_registration(&'static self) {
        let accepted =
            std::mem::take(&mut *self.staging.lock().unwrap_or_else(PoisonError::into_inner)).into_accepted();
        let record = |registration| ToolRecord { plugin: self, registration, earned: Earned::default() };
        let _ = self.tools.set(accepted.into_iter().map(record).collect());
    }

    pub(crate) fn tools(&'static self) -> &'static [ToolRecord] {
        self.tools.get().map_or(&[], Vec::as_slice)
    }

    /// The table, for as long as the guard lives; `None` once the plugin is being shut down.
    pub(crate) fn enter(&'static self) -> Option<Inside> {
        // Counted before looking: `shutdown` sets the flag before it looks at the count.
        self.inside.fetch_add(1, Ordering::SeqCst);
        let inside = Inside(self);
        let open = !self.closed.load(Ordering::SeqCst) && self.table.get().is_some();
        open.then_some(inside)
    }

    /// The table even while the plugin is being shut down: to give back what was taken from it.
    pub(crate) fn enter_closed(&'static self) -> Inside {
        self.inside.fetch_add(1, Ordering::SeqCst);
        Inside(self)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    pub(crate) fn is_busy(&self) -> Option<u32> {
        let abandoned = self.abandoned.load(Ordering::Relaxed);
        (abandoned >= MAX_ABANDONED).then_some(abandoned)
    }

    pub(crate) fn may_inline(&self) -> bool {
        self.services.inline && !self.inline_forbidden.load(Ordering::Relaxed)
    }

    /// A call blocked the thread it was lent beyond its deadline: no more lending.
    pub(crate) fn forbid_inline(&self) {
        self.inline_forbidden.store(true, Ordering::Relaxed);
    }

    pub(crate) fn abandoned_began(&self) {
        self.abandoned.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn abandoned_ended(&self) {
        self.abandoned.fetch_sub(1, Ordering::Relaxed);
    }

    /// Notes that the plugin broke a rule. The host carries on.
    pub(crate) fn breach(&self, operation: u64, what: &str) {
        let before = self.breaches.fetch_add(1, Ordering::Relaxed);
        // A plugin in a loop must not fill the log.
        if before < 100 {
            self.warn(&format!("broke the rules of the plugin ABI: {what} (operation {operation:#x})"));
        }
    }

    pub(crate) fn log_enabled(&self, level: u32) -> bool {
        !self.is_closed() && self.services.log.enabled(Level::from_abi(level))
    }

    pub(crate) fn log(&self, level: u32, _operation: u64, target: &str, message: &str, fields: &str) {
        if self.log_enabled(level) {
            let level = Level::from_abi(level);
            self.services.log.log(&Record { level, plugin: &self.name, target, message, fields });
        }
    }

    pub(crate) fn warn(&self, message: &str) {
        self.services.log.log(&Record {
            level: Level::Warn,
            plugin: &self.name,
            target: "",
            message,
            fields: "",
        });
    }

    /// A tool is offered. Only a registration that is under way may do that.
    pub(crate) fn offer(&'static self, operation: u64, offer: &Offer<'_>) -> Status {
        let registering = operation::with(operation, |o| {
            std::ptr::eq(o.plugin, self) && o.registration && !o.completed && !o.cancelled
        });
        if registering != Some(true) {
            self.warn("register_tool refused: tools are registered while `register` runs, and it is over");
            return abi::ERR_CLOSED;
        }
        let accepted = self.staging.lock().unwrap_or_else(PoisonError::into_inner).offer(offer);
        match accepted {
            Ok(warnings) => {
                warnings.iter().for_each(|warning| self.warn(warning));
                abi::OK
            }
            Err(refusal) => {
                self.warn(&refusal);
                abi::ERR_REFUSED
            }
        }
    }

    /// A question: the host's own answers first, then the embedder's.
    pub(crate) fn ask(&'static self, operation: u64, name: &str, request: &str, reply: Reply) {
        let over = operation != 0
            && operation::with(operation, |o| std::ptr::eq(o.plugin, self) && !o.completed && !o.cancelled)
                != Some(true);
        if self.is_closed() || over {
            return; // Dropping the reply answers "closed".
        }
        let request = match request {
            "" => Value::Null,
            text => match serde_json::from_str(text) {
                Ok(request) => request,
                Err(error) => return reply.invalid(&format!("the request is not JSON: {error}")),
            },
        };
        match name {
            "config" => reply.answer(&self.config),
            "pluginDir" => answer_path(reply, &self.folder),
            "dataDir" => match self.services.data_dir(&self.name) {
                Ok(dir) => answer_path(reply, &dir),
                Err(error) => reply.refuse(error),
            },
            _ => {
                self.services.questions.ask(Question { plugin: &self.name, operation, name, request }, reply)
            }
        }
    }

    fn shutdown(&'static self, timeout: Duration) -> Result<(), ShutdownError> {
        let deadline = Instant::now() + timeout;
        if self.closed.swap(true, Ordering::SeqCst) {
            return Err(ShutdownError::Already);
        }
        let Some(table) = self.table.get() else { return Ok(()) };
        self.close_operations(table, deadline);
        self.wait_until_outside(deadline)?;
        // Handles of calls that were just being started when the first look was taken. Whoever else has taken one
        // is inside until it is released.
        self.close_operations(table, deadline);
        self.wait_until_outside(deadline)?;
        // On a thread of its own: the plugin may not come back, and may not be on a thread of an async runtime.
        let left = deadline.saturating_duration_since(Instant::now());
        let (done, ended) = std::sync::mpsc::channel();
        let ending = std::thread::Builder::new().name("elowen-shutdown".to_owned()).spawn(move || {
            let _ = done.send(table.shutdown(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)));
        });
        if ending.is_err() {
            return Err(ShutdownError::Timeout);
        }
        // A little longer than the plugin was given, so that its own word arrives.
        match ended.recv_timeout(left + Duration::from_millis(250)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(abi::ERR_TIMEOUT)) | Err(_) => Err(ShutdownError::Timeout),
            Ok(Err(status)) => Err(ShutdownError::Status(status)),
        }
    }

    fn wait_until_outside(&self, deadline: Instant) -> Result<(), ShutdownError> {
        while self.inside.load(Ordering::SeqCst) != 0 {
            if Instant::now() >= deadline {
                return Err(ShutdownError::Stuck);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Cancels what is under way, waits for it for half the time, and releases every handle.
    fn close_operations(&'static self, table: &Table, deadline: Instant) {
        let half = Instant::now() + deadline.saturating_duration_since(Instant::now()) / 2;
        let mut handles = Vec::new();
        for number in operation::of_plugin(self) {
            let taken = operation::with(number, |operation| {
                operation.closed = true;
                operation.cancelled = true;
                (operation.handle.take(), operation.waker.take())
            });
            if let Some((handle, waker)) = taken {
                if let Some(handle) = handle {
                    table.cancel(&handle);
                    handles.push((number, handle));
                }
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        }
        let running = |number: u64| operation::with(number, |o| !o.completed) == Some(true);
        while handles.iter().any(|(number, _)| running(*number)) && Instant::now() < half {
            std::thread::sleep(Duration::from_millis(1));
        }
        handles.into_iter().for_each(|(_, handle)| table.release(handle));
    }
}

/// What a plugin is, before it is entered.
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) folder: PathBuf,
    pub(crate) config: Value,
}

/// The right to call the table; see [`Loaded::enter`].
pub(crate) struct Inside(&'static Loaded);

impl Inside {
    pub(crate) fn table(&self) -> Option<&'static Table> {
        self.0.table.get()
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

fn answer_path(reply: Reply, path: &Path) {
    match path.to_str() {
        Some(path) => reply.answer(&json!({"path": path})),
        None => reply.refuse(format!("the path {} is not UTF-8", path.display())),
    }
}
