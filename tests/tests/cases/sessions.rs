//! A case's sessions: for whom, where and under which authority each is opened, in the order in which they stand.

use crate::findings::{Findings, shown};
use crate::{calls, offered};
use elowen_host::Grants;
use elowen_host::policy::{
    AccessSource, AgentType, Ceiling, Identity, Live, Mode, Origin, Reach, derive_child,
};
use elowen_host::registry::Registry;
use elowen_host::scope::Scope;
use elowen_host::session::{Session, SessionOptions, defer::Deferral};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// A session that was opened.
pub(crate) struct Opened {
    pub(crate) session: Session,
    pub(crate) authority: Authority,
    /// The mode of its calls that name none.
    pub(crate) mode: Option<Mode>,
    /// Provider namespaces and the tools in them.
    pub(crate) namespaces: Map<String, Value>,
}

/// The authority over accounts, which changes its mind between calls.
#[derive(Clone)]
pub(crate) struct Authority(Arc<Mutex<Option<Live>>>);

impl Authority {
    pub(crate) fn says(&self, live: Option<Live>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = live;
    }
}

impl AccessSource for Authority {
    fn live(&self, _: Option<u64>) -> Option<Live> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(crate) fn compare(case: &Value, expected: &Value, registry: &Registry, findings: &mut Findings) {
    let mut opened: Vec<(String, Opened)> = Vec::new();
    for session in case["sessions"].as_array().into_iter().flatten() {
        match open(session, registry, &opened) {
            Ok(next) => opened.push(next),
            Err(what) => return findings.fail(format!("not understood: session {}: {what}", shown(session))),
        }
    }
    let nothing = Value::Object(Map::new());
    for (id, expected) in findings.fields("sessions", expected.get("sessions").unwrap_or(&nothing)) {
        match find(&opened, id) {
            Some(session) => offered::compare(id, expected, session, registry, findings),
            None => findings.fail(format!("not understood: there is no session {id}")),
        }
    }
    calls::compare(case, expected, &opened, registry, findings);
}

pub(crate) fn find<'o>(opened: &'o [(String, Opened)], id: &str) -> Option<&'o Opened> {
    opened.iter().find(|(held, _)| held == id).map(|(_, opened)| opened)
}

/// What a case says about a session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    id: String,
    user_id: Option<i64>,
    user: Option<User>,
    project_id: Option<u64>,
    platform: Option<String>,
    mode: Option<String>,
    #[serde(default)]
    policy: Value,
    captured: Option<Value>,
    delegated: Option<String>,
    delegated_from: Option<String>,
    #[serde(default)]
    hosted_namespaces: Map<String, Value>,
    kind: Option<String>,
    #[serde(default)]
    deferral: Map<String, Value>,
    overrides: Option<Value>,
    turn: Option<Turn>,
    /// Whether the answer holds the block, or the schemas; here it always does.
    #[serde(rename = "wantBlock")]
    _want_block: Option<bool>,
    #[serde(rename = "wantSchemas")]
    _want_schemas: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct User {
    is_admin: bool,
    granted_plugins: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Turn {
    identity: Value,
    #[serde(default)]
    all_projects: bool,
}

fn open(
    session: &Value,
    registry: &Registry,
    before: &[(String, Opened)],
) -> Result<(String, Opened), String> {
    let input: Input = serde_json::from_value(session.clone()).map_err(|error| error.to_string())?;
    let identity = input.turn.as_ref().map(|turn| identity(&turn.identity)).transpose()?;
    let admin = input.user.as_ref().is_some_and(|user| user.is_admin);
    let everything = admin || input.turn.as_ref().is_some_and(|turn| turn.all_projects);
    let usual = Live {
        reach: if everything { Reach::All } else { Reach::projects(input.project_id) },
        owner: identity.as_ref().is_some_and(|identity| identity.owner),
    };
    let live = match &input.captured {
        Some(captured) => live(captured)?,
        None => Some(usual),
    };
    let authority = Authority(Arc::new(Mutex::new(live)));
    // No account has a negative number, so such a session is nobody's.
    let account = input.user_id.and_then(|id| u64::try_from(id).ok());
    let scope = Scope { account, project: input.project_id, platform: input.platform.clone() };
    let granted = input.user.as_ref().map(|user| user.granted_plugins.clone()).unwrap_or_default();
    let mode = input.mode.as_deref().map(mode).transpose()?;
    let policy = serde_json::from_value(input.policy.clone()).map_err(|error| error.to_string())?;
    let options = SessionOptions {
        grants: Grants::of_account(admin, granted),
        source: Arc::new(authority.clone()),
        ceiling: ceiling(&input, before)?,
        identity,
        mode,
        policy,
        status_field: true,
        deferral: deferral(&input)?,
        ..scope.into()
    };
    let session = Session::new(registry, options);
    Ok((input.id, Opened { session, authority, mode, namespaces: input.hosted_namespaces }))
}

/// Every session can load deferred tools but a worker's, which has no tools besides the plugins'.
fn deferral(input: &Input) -> Result<Option<Deferral>, String> {
    let mut settings = input.deferral.clone();
    settings.extend(input.overrides.clone().map(|overrides| ("overrides".to_owned(), overrides)));
    let settings = serde_json::from_value(Value::Object(settings)).map_err(|error| error.to_string())?;
    match input.kind.as_deref() {
        None | Some("chat" | "trusted-channel" | "foreign-channel") => Ok(Some(settings)),
        Some("task-worker") => Ok(None),
        Some(kind) => Err(format!("the kind {kind}")),
    }
}

/// A delegated session's, from the first session or the one that it names.
fn ceiling(input: &Input, before: &[(String, Opened)]) -> Result<Option<Ceiling>, String> {
    let read_only = match input.delegated.as_deref() {
        None => None,
        Some("requested") => Some(Origin::Requested),
        Some("imposed") => Some(Origin::Imposed),
        Some(other) => return Err(format!("delegated is {other}")),
    };
    if read_only.is_none() && input.delegated_from.is_none() {
        return Ok(None);
    }
    let parent = match &input.delegated_from {
        Some(id) => find(before, id),
        None => before.first().map(|(_, opened)| opened),
    };
    let parent = parent.ok_or("nobody delegates it")?;
    let everything = vec!["*".to_owned()];
    let agent = AgentType {
        name: input.id.clone(),
        tools: None,
        read_only_tools: everything,
        read_only,
        restrictions: Vec::new(),
    };
    derive_child(&parent.session.turn().access(), &agent).map(Some).map_err(|error| error.to_string())
}

/// What the live authority answers; null means that the account is gone.
pub(crate) fn live(value: &Value) -> Result<Option<Live>, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
    #[derive(Default)]
    struct Answer {
        admin: bool,
        owner: bool,
        project_ids: Vec<u64>,
    }
    let answer: Option<Answer> = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    Ok(answer.map(|Answer { admin, owner, project_ids }| Live {
        reach: if admin { Reach::All } else { Reach::projects(project_ids) },
        owner,
    }))
}

pub(crate) fn mode(name: &str) -> Result<Mode, String> {
    match name {
        "build" => Ok(Mode::Build),
        "plan" => Ok(Mode::Plan),
        "workflow" => Ok(Mode::Workflow),
        other => Err(format!("the mode {other}")),
    }
}

fn identity(value: &Value) -> Result<Identity, String> {
    use elowen_host::policy::Conversation;
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Captured {
        platform: String,
        user_id: String,
        elowen_user_id: Option<u64>,
        elowen_username: Option<String>,
        admin: bool,
        owner: bool,
        conversation: String,
    }
    let captured: Captured = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    Ok(Identity {
        platform: captured.platform,
        user_id: captured.user_id,
        elowen_user_id: captured.elowen_user_id,
        elowen_username: captured.elowen_username,
        admin: captured.admin,
        owner: captured.owner,
        conversation: match captured.conversation.as_str() {
            "own" => Conversation::Own,
            "direct" => Conversation::Direct,
            "shared" => Conversation::Shared,
            "delegated" => Conversation::Delegated,
            other => return Err(format!("the conversation {other}")),
        },
    })
}
