//! The settings of a host, and opening it: where its state is kept and who hears and answers its plugins.

use super::{Host, services::Services};
use crate::cache::PrivateCopies;
use crate::library::Trust;
use crate::log::{Level, Log, Stderr};
use crate::os;
use crate::query::{NoQuestions, Questions};
use crate::trust::TrustPolicy;
use serde_json::Value;
use std::{collections::HashMap, fmt, path::PathBuf, sync::Arc, time::Duration};

impl Host {
    /// Begins with the decision to run native code.
    pub fn builder(trust: Trust) -> HostBuilder {
        HostBuilder {
            trust,
            state_dir: None,
            state_setting: None,
            policy: TrustPolicy::default(),
            log: Arc::new(Stderr(Level::Warn)),
            questions: Arc::new(NoQuestions),
            inline: true,
            register_timeout: Duration::from_secs(30),
            config: HashMap::new(),
        }
    }
}

/// Settings of a [`Host`].
pub struct HostBuilder {
    trust: Trust,
    state_dir: Option<PathBuf>,
    state_setting: Option<&'static str>,
    policy: TrustPolicy,
    log: Arc<dyn Log>,
    questions: Arc<dyn Questions>,
    inline: bool,
    register_timeout: Duration,
    config: HashMap<String, Value>,
}

impl HostBuilder {
    /// Where state is kept; else [`os::state_dir`] says. May be relative to the current directory.
    pub fn state_dir(self, dir: impl Into<PathBuf>) -> Self {
        self.state_dir_by("`HostBuilder::state_dir`", dir.into())
    }

    /// The same, and what advice is to call the setting.
    pub(crate) fn state_dir_by(mut self, setting: &'static str, dir: PathBuf) -> Self {
        self.state_dir = Some(dir);
        self.state_setting = Some(setting);
        self
    }

    /// Which files may be loaded.
    pub fn policy(mut self, policy: TrustPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Where log lines go; else warnings and errors go to standard error.
    ///
    /// Either way [`Host::load_dir`] logs each plugin that it skips as an error. Who prints the
    /// [`failures`](crate::LoadReport::failures) of its report to standard error, too, has them there twice.
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
        let setting = self.state_setting.unwrap_or("ELOWEN_STATE_DIR");
        let copies = PrivateCopies::open(&state).map_err(|source| HostError::Cache { source, setting })?;
        let services = Services {
            log: self.log,
            questions: self.questions,
            inline: self.inline,
            data_root: state.join("data"),
            state_setting: setting,
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
#[derive(thiserror::Error)]
pub enum HostError {
    /// Nothing says where state may be kept.
    #[error(transparent)]
    NoStateDir(os::NoStateDir),
    /// The private copies have no place.
    #[error("the host cannot keep its state: {source}. {}", source.remedy_by(setting))]
    Cache {
        /// Why not.
        source: crate::cache::CacheError,
        /// What says where the host keeps its state: a variable, an option, a function.
        setting: &'static str,
    },
}

/// The sentence: this is what a `main` that returns it shows.
impl fmt::Debug for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
