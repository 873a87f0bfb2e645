//! One turn of a conversation: where its identity and access are read from, at the moment they are needed.

use super::{Access, AccessSource, Ceiling, Identity, Live, effective, effective_identity};
use crate::scope::Scope;
use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

/// What the person wants of a turn in their own chat. Other turns have no mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// Work.
    Build = 1,
    /// Look and plan, change nothing.
    Plan,
    /// Work through a prepared sequence.
    Workflow,
}

/// One turn: who, where, and what it may do. Nothing is read before it is asked for.
pub struct Turn {
    scope: Scope,
    ceiling: Ceiling,
    identity: Option<Identity>,
    source: Arc<dyn AccessSource>,
    plan_file: Option<PathBuf>,
    mode: AtomicU8,
}

impl Turn {
    /// A turn without a mode, an identity and a plan file.
    pub fn new(scope: Scope, ceiling: Ceiling, source: Arc<dyn AccessSource>) -> Self {
        Turn { scope, ceiling, identity: None, source, plan_file: None, mode: AtomicU8::new(0) }
    }

    /// Who the turn acts for, as captured.
    #[must_use]
    pub fn identity(mut self, identity: Identity) -> Self {
        self.identity = Some(identity);
        self
    }

    /// The file that planning may write, as an absolute path.
    #[must_use]
    pub fn plan_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.plan_file = Some(path.into());
        self
    }

    /// The turn begins in that mode.
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        self.admit(Some(mode));
        self
    }

    /// Changes the mode, for everything that is read from now on.
    pub fn admit(&self, mode: Option<Mode>) {
        self.mode.store(mode.map_or(0, |mode| mode as u8), Ordering::Release);
    }

    /// The mode.
    pub fn current_mode(&self) -> Option<Mode> {
        [Mode::Build, Mode::Plan, Mode::Workflow]
            .into_iter()
            .find(|mode| *mode as u8 == self.mode.load(Ordering::Acquire))
    }

    /// Whether the turn is planning.
    pub fn is_planning(&self) -> bool {
        self.current_mode() == Some(Mode::Plan)
    }

    /// What the live authority says now.
    pub fn live(&self) -> Option<Live> {
        self.source.live(self.scope.account)
    }

    /// What the turn may do now.
    pub fn access(&self) -> Access {
        effective(&self.ceiling, self.live().as_ref(), self.current_mode())
    }

    /// Who the turn acts for, less what was revoked; `None` where nobody is known.
    pub fn current_identity(&self) -> Option<Identity> {
        self.identity.as_ref().map(|captured| effective_identity(captured, self.live().as_ref()))
    }

    /// Where the session runs.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// What the session started with.
    pub fn ceiling(&self) -> &Ceiling {
        &self.ceiling
    }

    /// The file that planning may write.
    pub fn plan(&self) -> Option<&std::path::Path> {
        self.plan_file.as_deref()
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("scope", &self.scope)
            .field("mode", &self.current_mode())
            .finish_non_exhaustive()
    }
}
