//! How far a session reaches right now: its live authority, never beyond what it had when it began (A9).
//!
//! An [`Access`] has no setters. It comes out of [`effective`] alone, from a [`Ceiling`] that is captured once and
//! from what the live authority answers at that moment, so that a demotion counts at once and a later grant never.

use super::{Mode, ToolPolicy, permission::Boundary};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

/// The projects within reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every project, and everything beside them: an administrator's.
    All,
    /// These projects.
    Projects(BTreeSet<u64>),
}

impl Reach {
    /// These projects.
    pub fn projects(ids: impl IntoIterator<Item = u64>) -> Self {
        Reach::Projects(ids.into_iter().collect())
    }

    /// No project at all.
    pub const fn nothing() -> Self {
        Reach::Projects(BTreeSet::new())
    }

    /// Whether a project is within reach.
    pub fn contains(&self, project: u64) -> bool {
        match self {
            Reach::All => true,
            Reach::Projects(ids) => ids.contains(&project),
        }
    }

    /// What both reach.
    fn and(&self, other: &Reach) -> Reach {
        match (self, other) {
            (Reach::All, reach) | (reach, Reach::All) => reach.clone(),
            (Reach::Projects(one), Reach::Projects(two)) => Reach::Projects(one & two),
        }
    }
}

/// What the authority over accounts says at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// What the account reaches.
    pub reach: Reach,
    /// The account owns this instance.
    pub owner: bool,
}

impl Live {
    /// An account with these projects that is neither owner nor administrator.
    pub fn projects(ids: impl IntoIterator<Item = u64>) -> Self {
        Live { reach: Reach::projects(ids), owner: false }
    }

    /// An administrator.
    pub const fn admin() -> Self {
        Live { reach: Reach::All, owner: false }
    }

    /// The command line's without configuration (A24): the owner, no administrator, in project 1.
    pub fn command_line() -> Self {
        Live { owner: true, ..Live::projects([1]) }
    }
}

/// The live authority; an embedder brings its own. Asked before each operation, so it should answer from memory.
pub trait AccessSource: Send + Sync {
    /// What the account may do now. `None`: there is no such account (any more), which means no access at all.
    /// `account` is absent for conversations of people without an account.
    fn live(&self, account: Option<u64>) -> Option<Live>;
}

/// An authority that never changes its mind.
impl AccessSource for Live {
    fn live(&self, _: Option<u64>) -> Option<Live> {
        Some(self.clone())
    }
}

/// Which account has been granted which plugin, and has switched off which tool; live as well.
pub trait Grants: Send + Sync {
    /// Whether the account was granted a plugin that accounts must be granted.
    fn is_granted(&self, account: u64, plugin: &str) -> bool;

    /// Whether the account has switched off a tool, or somebody for it.
    fn is_disabled(&self, _account: u64, _tool: &str) -> bool {
        false
    }
}

/// Whether somebody may use a plugin. One that accounts must be granted (`userGrantable`) is only for
/// administrators and for accounts that were; nobody's account was granted nothing.
pub fn may_use(user_grantable: bool, admin: bool, granted: impl FnOnce() -> bool) -> bool {
    !user_grantable || admin || granted()
}

/// Where a delegated session's read-only restriction comes from. It never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Whoever delegated asked for it, or was restricted so itself.
    Requested,
    /// The kind of agent, or planning, demands it.
    Imposed,
}

/// What a session starts with; the input of [`Ceiling::capture`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// What the live authority says at that moment.
    pub live: Live,
    /// Whose personal contributions the session gets: the account of an own or direct conversation.
    pub account: Option<u64>,
    /// See [`Identity::principal`](super::Identity::principal).
    pub principal: Option<String>,
    /// The tools it is allowed; absent means any.
    pub tool_policy: Option<ToolPolicy>,
    /// The user's permission rules; absent means that nothing is asked.
    pub permissions: Option<Boundary>,
}

impl Captured {
    /// A session with nothing but that reach.
    pub fn new(live: Live) -> Self {
        Captured { live, account: None, principal: None, tool_policy: None, permissions: None }
    }
}

/// The most a session may ever do, captured when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ceiling {
    pub(super) reach: Reach,
    pub(super) owner: bool,
    pub(super) origin: Option<Origin>,
    pub(super) terms: Arc<Terms>,
}

/// The part of a ceiling that nothing live changes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) account: Option<u64>,
    pub(super) principal: Option<String>,
    pub(super) tool_policy: Option<ToolPolicy>,
    pub(super) permissions: Option<Boundary>,
}

impl Ceiling {
    /// The ceiling of a session that nobody delegated.
    pub fn capture(captured: Captured) -> Self {
        let Captured { live, account, principal, tool_policy, permissions } = captured;
        let terms = Arc::new(Terms { account, principal, tool_policy, permissions });
        Ceiling { reach: live.reach, owner: live.owner, origin: None, terms }
    }

    /// Whose personal contributions the session gets.
    pub fn account(&self) -> Option<u64> {
        self.terms.account
    }

    /// The tools the session is allowed; absent means any.
    pub fn tool_policy(&self) -> Option<&ToolPolicy> {
        self.terms.tool_policy.as_ref()
    }

    /// The user's permission rules.
    pub fn permissions(&self) -> Option<&Boundary> {
        self.terms.permissions.as_ref()
    }
}

/// What a session may do at this moment. Read it right before each operation, and again after waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub(super) reach: Reach,
    pub(super) owner: bool,
    pub(super) read_only: bool,
    pub(super) plan_mode: bool,
    pub(super) terms: Arc<Terms>,
}

/// What the ceiling and the live answer have in common. No live answer is no access.
///
/// Read-only holds in plan mode and for every read-only origin; an imposed origin counts as plan mode for whoever
/// delegates further, although the session itself is not planning.
pub fn effective(ceiling: &Ceiling, live: Option<&Live>, mode: Option<Mode>) -> Access {
    let planning = mode == Some(Mode::Plan);
    Access {
        reach: live.map_or(const { Reach::nothing() }, |live| ceiling.reach.and(&live.reach)),
        owner: ceiling.owner && live.is_some_and(|live| live.owner),
        read_only: planning || ceiling.origin.is_some(),
        plan_mode: planning || ceiling.origin == Some(Origin::Imposed),
        terms: ceiling.terms.clone(),
    }
}

impl Access {
    /// Everything is within reach.
    pub fn admin(&self) -> bool {
        self.reach == Reach::All
    }

    /// The account owns this instance.
    pub fn owner(&self) -> bool {
        self.owner
    }

    /// What is within reach.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// The projects within reach, ascending; empty for an administrator, who has no list.
    pub fn project_ids(&self) -> Vec<u64> {
        match &self.reach {
            Reach::All => Vec::new(),
            Reach::Projects(ids) => ids.iter().copied().collect(),
        }
    }

    /// Nothing may be changed: planning, or delegated to read.
    pub fn read_only(&self) -> bool {
        self.read_only
    }

    /// Planning, or delegated under an imposed restriction.
    pub fn plan_mode(&self) -> bool {
        self.plan_mode
    }

    /// Whose personal contributions the session gets.
    pub fn account(&self) -> Option<u64> {
        self.terms.account
    }

    /// Who acts, as text; see [`Identity::principal`](super::Identity::principal).
    pub fn principal(&self) -> Option<&str> {
        self.terms.principal.as_deref()
    }

    /// The tools that are allowed; absent means any.
    pub fn tool_policy(&self) -> Option<&ToolPolicy> {
        self.terms.tool_policy.as_ref()
    }

    /// The user's permission rules.
    pub fn permissions(&self) -> Option<&Boundary> {
        self.terms.permissions.as_ref()
    }

    /// As plugins see it. What is absent has no key, except `permissionBoundary`, which is then null.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "projectIds": self.project_ids(),
            "admin": self.admin(),
            "owner": self.owner,
            "permissionBoundary": self.permissions(),
            "contributionUserId": self.account(),
            "readOnly": self.read_only,
            "planMode": self.plan_mode,
        });
        if let Some(object) = json.as_object_mut() {
            if let Some(policy) = self.tool_policy() {
                object.insert("toolPolicy".to_owned(), json!(policy));
            }
            if let Some(principal) = self.principal() {
                object.insert("principal".to_owned(), json!(principal));
            }
        }
        json
    }
}
