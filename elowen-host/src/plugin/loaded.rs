//! One loaded plugin: its table, its tools, who is inside it, and how it behaves.
//!
//! Its state lives as long as the process, like the image behind it, so whatever the plugin's threads do and
//! whenever they do it, there is something to answer them.

use crate::error::LoadFailure;
use crate::host::Services;
use crate::library::Table;
use crate::log::{Level, Record};
use crate::manifest::Manifest;
use crate::mode::Earned;
use crate::registry::{Registration, Staging};
use serde_json::Value;
use std::{
    path::PathBuf,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

/// Calls of one plugin that may be stuck before it is called no more (decision D11).
const MAX_ABANDONED: u32 = 16;
/// Remarks on one registration that are kept.
const MAX_REMARKS: usize = 100;

pub(crate) struct Loaded {
    pub(crate) manifest: Manifest,
    pub(crate) folder: PathBuf,
    pub(super) services: Services,
    pub(super) config: Value,
    pub(super) table: OnceLock<Table>,
    pub(super) staging: Mutex<Staging>,
    tools: OnceLock<Vec<ToolRecord>>,
    /// It is called no more.
    pub(super) closed: AtomicBool,
    /// Its shutdown is over: nothing it says is heard any more.
    pub(super) gone: AtomicBool,
    /// Threads inside one of the table's functions.
    pub(super) inside: AtomicU32,
    pub(super) abandoned: AtomicU32,
    pub(super) breaches: AtomicU32,
    inline_forbidden: AtomicBool,
    /// What was refused or looked wrong while it registered.
    remarks: Mutex<Vec<String>>,
    /// Why it was refused a data folder.
    pub(super) no_data_dir: OnceLock<String>,
}

impl Loaded {
    pub(crate) fn new(identity: Identity, services: Services, staging: Staging) -> &'static Self {
        Box::leak(Box::new(Loaded {
            manifest: identity.manifest,
            folder: identity.folder,
            config: identity.config,
            services,
            table: OnceLock::new(),
            staging: Mutex::new(staging),
            tools: OnceLock::new(),
            closed: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            inside: AtomicU32::new(0),
            abandoned: AtomicU32::new(0),
            breaches: AtomicU32::new(0),
            inline_forbidden: AtomicBool::new(false),
            remarks: Mutex::default(),
            no_data_dir: OnceLock::new(),
        }))
    }

    pub(crate) fn name(&self) -> &str {
        &self.manifest.name
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

    /// Its shutdown is over. While that is under way its hooks may log and ask.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::SeqCst)
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
        !self.is_gone() && self.services.log.enabled(Level::from_abi(level))
    }

    pub(crate) fn log(&self, level: u32, _operation: u64, target: &str, message: &str, fields: &str) {
        if self.log_enabled(level) {
            let level = Level::from_abi(level);
            self.services.log.log(&Record { level, plugin: self.name(), target, message, fields });
        }
    }

    pub(crate) fn step(&self, message: impl FnOnce() -> String) {
        self.services.step(self.name(), message);
    }

    /// What was refused or looked wrong while it registered.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts a failed registration down to the host's state folder, if that is what the plugin stumbled over.
    pub(crate) fn blame(&self, failure: LoadFailure) -> LoadFailure {
        match (failure, self.no_data_dir.get()) {
            (
                LoadFailure::Register { message } | LoadFailure::RegisterPanic { message, .. },
                Some(reason),
            ) => {
                LoadFailure::DataDir { reason: reason.clone(), message, setting: self.services.state_setting }
            }
            (failure, _) => failure,
        }
    }

    pub(crate) fn warn(&self, message: &str) {
        if self.tools.get().is_none() {
            let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
            // A plugin in a loop must not fill the memory.
            if remarks.len() < MAX_REMARKS {
                remarks.push(message.to_owned());
            }
        }
        self.services.log.log(&Record {
            level: Level::Warn,
            plugin: self.name(),
            target: "",
            message,
            fields: "",
        });
    }
}

pub(crate) struct ToolRecord {
    pub(crate) plugin: &'static Loaded,
    pub(crate) registration: Registration,
    pub(crate) earned: Earned,
}

/// What a plugin is, before it is entered.
pub(crate) struct Identity {
    pub(crate) manifest: Manifest,
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
