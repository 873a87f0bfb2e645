//! What a session is made with: for whom, under which authority, past which gates, and how its tools are presented.

use super::defer::Deferral;
use crate::gates::{AfterHooks, Gates};
use crate::policy::permission::Boundary;
use crate::policy::{AccessSource, Captured, Ceiling, Identity, Live, Mode, Reach, ToolPolicy, Turn};
use crate::registry::grants::Grants;
use crate::scope::Scope;
use std::{fmt, path::PathBuf, sync::Arc};

/// What a session is made with. From a [`Scope`] comes one that presents tools as they were registered, for an account
/// that reaches the scope's project and nothing else and was granted no plugin, past the standard gates without policy,
/// rules and hooks.
pub struct SessionOptions {
    /// Who, where and through what: selects the tools.
    pub scope: Scope,
    /// The plugins its account was granted: selects, too.
    pub grants: Grants,
    /// The authority that is asked at each call, and once when the session begins.
    pub source: Arc<dyn AccessSource>,
    /// What the session may do at most. `None`: what `source` says when it begins, under `policy` and `permissions`. A
    /// delegated session brings its own ([`derive_child`](crate::policy::derive_child)).
    pub ceiling: Option<Ceiling>,
    /// Who the turn acts for, as plugins are told; `None` if nobody is known.
    pub identity: Option<Identity>,
    /// The mode it begins in.
    pub mode: Option<Mode>,
    /// The file that planning may write, as an absolute path.
    pub plan_file: Option<PathBuf>,
    /// The tools it is allowed and denied. Not looked at where there is a `ceiling`.
    pub policy: Option<ToolPolicy>,
    /// The user's permission rules. Not looked at where there is a `ceiling`.
    pub permissions: Option<Boundary>,
    /// What a call has to pass. `None`: the standard gates, which hold calls to `grants`, with nobody to be asked and
    /// without hooks.
    pub gates: Option<Gates>,
    /// What looks at results.
    pub after: AfterHooks,
    /// Whether calls may say what they are doing.
    pub status_field: bool,
    /// When schemas are given to the model; `None`: all from the start, and no ToolSearch.
    pub deferral: Option<Deferral>,
}

impl From<Scope> for SessionOptions {
    fn from(scope: Scope) -> Self {
        SessionOptions {
            source: Arc::new(Live::projects(scope.project)),
            scope,
            grants: Grants::default(),
            ceiling: None,
            identity: None,
            mode: None,
            plan_file: None,
            policy: None,
            permissions: None,
            gates: None,
            after: AfterHooks::none(),
            status_field: false,
            deferral: None,
        }
    }
}

impl SessionOptions {
    /// The turn that all calls belong to. The ceiling is captured here.
    pub(super) fn turn(&self) -> Turn {
        let mut turn = Turn::new(self.scope.clone(), self.captured(), self.source.clone());
        if let Some(identity) = &self.identity {
            turn = turn.identity(identity.clone());
        }
        if let Some(path) = &self.plan_file {
            turn = turn.plan_file(path);
        }
        turn.admit(self.mode);
        turn
    }

    fn captured(&self) -> Ceiling {
        if let Some(ceiling) = &self.ceiling {
            return ceiling.clone();
        }
        let identity = self.identity.as_ref();
        // An account that is unknown now has nothing, and will have nothing.
        let live = self.source.live(self.scope.account);
        Ceiling::capture(Captured {
            live: live.unwrap_or(Live { reach: Reach::nothing(), owner: false }),
            account: identity.map_or(self.scope.account, Identity::contributing_account),
            principal: identity.and_then(Identity::principal),
            tool_policy: self.policy.clone(),
            permissions: self.permissions.clone(),
        })
    }
}

impl fmt::Debug for SessionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionOptions")
            .field("scope", &self.scope)
            .field("identity", &self.identity)
            .field("mode", &self.mode)
            .field("policy", &self.policy)
            .field("gates", &self.gates)
            .field("status_field", &self.status_field)
            .field("deferral", &self.deferral)
            .finish_non_exhaustive()
    }
}
