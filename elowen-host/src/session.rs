//! One conversation's door to its tools: what its model is offered, and what becomes of a call.
//!
//! Every call that a model asks for comes through [`Session::call`] (A17). Whatever goes wrong comes out as an
//! [`Answer`]: text that the model can act on, or a flagged failure. What the model is offered is composed once, when
//! the session begins ([`compose`]); what of it a turn sees, and what a call may do, is asked anew each time.

pub mod active;
pub mod cap;
pub mod compose;
pub mod defer;
pub mod offered;
mod options;
mod running;
pub mod status;
pub mod tool_search;
pub mod turn;

pub use options::SessionOptions;
pub use running::SessionCall;

use crate::answer::Answer;
use crate::arguments::{self, Prepared};
use crate::gates::{AfterHooks, DenyList, Gates, PlanUse, Target};
use crate::plugin::Tool;
use crate::policy;
use crate::registry::{Registry, metadata::Metadata};
use crate::scope;
use active::{Activated, Past};
use compose::{Composition, Parts};
use offered::Offered;
use running::{Pending, Work};
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use turn::Turn;

/// The tools of one conversation. Copies are the same session.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use elowen_host::{Host, Trust, scope::Scope, session::Session};
///
/// // SAFETY: the folder is ours, and so is every plugin in it.
/// let host = Host::builder(unsafe { Trust::native_code() }).build()?;
/// let session = Session::new(&host.load_dir("plugins".as_ref())?.registry, Scope::command_line());
/// let answer = pollster::block_on(session.call("MyTool", r#"{"value":"hello"}"#));
/// assert!(!answer.is_error);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session(Arc<Shared>);

struct Shared {
    tools: Vec<Tool>,
    callable: HashMap<&'static str, Callable>,
    composition: Composition,
    activated: Mutex<Activated>,
    turn: Arc<policy::Turn>,
    gates: Gates,
    after: AfterHooks,
    status_field: bool,
    /// Whether it can load deferred tools at all, so that ToolSearch means something in it.
    grows: bool,
}

/// What a call of one tool needs to know.
struct Callable {
    tool: Tool,
    target: Target<'static>,
    /// What its arguments are checked against: any object for an external tool (A11).
    schema: Value,
}

impl Session {
    /// Selects and composes what the session is offered. A [`Scope`](scope::Scope) alone makes one without status
    /// field, deferral, policy and hooks.
    pub fn new(registry: &Registry, options: impl Into<SessionOptions>) -> Self {
        let options = options.into();
        let selected = scope::select(registry, &options.grants, &options.scope);
        let metadata = registry.metadata();
        let offered = |tool: &Tool| {
            let (registration, plugin, merged) = (tool.registration(), tool.plugin(), tool.merged());
            let (read_only, plan_safe) = (metadata.is_read_only(&merged), metadata.is_plan_safe(&merged));
            Offered::new(registration, plugin.name(), read_only, plan_safe)
        };
        let deferred = selected.iter().filter(|tool| metadata.is_deferred(&tool.merged()));
        let defer_loading: HashSet<String> = deferred.map(|tool| tool.name().to_owned()).collect();
        let composition = compose::compose(Parts {
            core: Vec::new(),
            plugins: selected.iter().map(offered).collect(),
            defer_loading: &defer_loading,
            deferral: &options.deferral.clone().unwrap_or_default(),
            grows: options.deferral.is_some(),
            status_field: options.status_field,
        });
        // A name that the session has for something else is not the plugin's here.
        let own = |tool: &Tool| composition.tool(tool.name()).is_some_and(|offered| offered.plugin.is_some());
        let tools: Vec<Tool> = selected.into_iter().filter(own).collect();
        let callable = |tool: &Tool| {
            let schema = checked_schema(*tool, composition.tool(tool.name()), options.status_field);
            (tool.name(), Callable { tool: *tool, target: target(*tool, metadata), schema })
        };
        let granted = || DenyList::with_grants(Arc::new(options.grants.clone()));
        Session(Arc::new(Shared {
            callable: tools.iter().map(callable).collect(),
            tools,
            activated: Mutex::default(),
            turn: Arc::new(options.turn()),
            composition,
            gates: options.gates.unwrap_or_else(|| Gates::unattended(granted())),
            after: options.after,
            status_field: options.status_field,
            grows: options.deferral.is_some(),
        }))
    }

    /// The plugins' tools that were selected for it, in order, as they were registered (A23).
    pub fn tools(&self) -> &[Tool] {
        &self.0.tools
    }

    /// The selected tool of that name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.0.callable.get(name).map(|callable| callable.tool)
    }

    /// What the model is offered now, in order: what the mode and the policy show of it, deferred tools only once they
    /// are activated.
    pub fn offered(&self) -> Vec<&Offered> {
        let activated = self.0.activated().clone();
        self.0.composition.visible(self.0.view(), &activated)
    }

    /// All that was composed, with what was decided about each tool.
    pub fn composition(&self) -> &Composition {
        &self.0.composition
    }

    /// Who it acts for and what it may do. Modes change here.
    pub fn turn(&self) -> &policy::Turn {
        &self.0.turn
    }

    /// The block of the prompt that names the tools which have to be asked for, if there are any.
    pub fn deferred_block(&self) -> Option<String> {
        tool_search::block(&self.0.composition, self.0.view())
    }

    /// The deferred tools that were activated, oldest first.
    pub fn activated(&self) -> Vec<String> {
        self.0.activated().names().to_vec()
    }

    /// Activates what an earlier life of the session had activated.
    pub fn restore<'a>(&self, history: impl IntoIterator<Item = Past<'a>>) {
        let before = Activated::from_history(history, &self.0.composition);
        self.0.activated().extend(before.names().iter().map(String::as_str));
    }

    /// Prepares a call with a JSON object of arguments. It starts when it is first polled.
    ///
    /// A name that is not active is unknown. An internal tool's arguments are checked and coerced first (A11, A12); an
    /// external tool's author checks them, so here they only have to be an object. Then status keys are taken out (A7),
    /// and the gates are asked; a refusal is an answer.
    pub fn call<'a>(&self, tool: &str, arguments: impl Into<Cow<'a, str>>) -> SessionCall<'a> {
        let shared = &self.0;
        let arguments = arguments.into();
        if tool == tool_search::NAME && shared.grows {
            let target = Target::core(tool_search::NAME, PlanUse::Control);
            return SessionCall::new(Pending::new(shared.clone(), target, Work::Search(arguments)));
        }
        let Some(callable) = shared.active(tool) else {
            let text = format!("Tool {tool} not found");
            return SessionCall::answered(Answer { is_error: true, ..Answer::text(text) });
        };
        let arguments = match arguments::prepare(callable.tool.name(), &callable.schema, &arguments) {
            Ok(Prepared::Unchanged) => arguments,
            Ok(Prepared::Coerced(coerced)) => Cow::Owned(coerced),
            Err(rejection) => {
                return SessionCall::answered(Answer {
                    details: json!({"ok": false, "error": {"kind": INVALID_ARGUMENTS}}),
                    ..Answer::text(rejection.text)
                });
            }
        };
        let arguments =
            if shared.status_field { without_status(callable.tool, arguments) } else { arguments };
        let call = callable.tool.call(arguments).of_turn(shared.turn.clone());
        SessionCall::new(Pending::new(shared.clone(), callable.target, Work::Tool(Box::new(call))))
    }
}

impl Shared {
    /// What the turn narrows now.
    fn view(&self) -> Turn<'_> {
        Turn::now(&self.turn)
    }

    fn activated(&self) -> MutexGuard<'_, Activated> {
        self.activated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tool of that name, unless it has to be asked for first.
    fn active(&self, name: &str) -> Option<&Callable> {
        let callable = self.callable.get(name)?;
        let active = !self.composition.is_deferred(name) || self.activated().contains(name);
        active.then_some(callable)
    }

    /// Runs ToolSearch.
    fn search(&self, arguments: &str) -> Answer {
        tool_search::run(&self.composition, arguments, self.view(), &mut self.activated())
    }
}

/// The tool as the gates see it.
fn target(tool: Tool, metadata: &Metadata) -> Target<'static> {
    let registration = tool.registration();
    let plan_safe = metadata.is_plan_safe(&tool.merged());
    Target {
        plan: if plan_safe { PlanUse::ReadOnly } else { PlanUse::Refused },
        owner_user_id: registration.owner_user_id,
        project_id: registration.project_id,
        platform: registration.platform.as_deref(),
        user_grantable: metadata.is_user_grantable(tool.plugin().name()),
        ..Target::of_plugin(tool.name(), tool.plugin().name())
    }
}

/// What a tool's arguments are checked against: what it was offered with, and with a status field its older name too,
/// which would else count as a misspelling of the new one.
fn checked_schema(tool: Tool, offered: Option<&Offered>, status_field: bool) -> Value {
    let registration = tool.registration();
    if registration.external {
        return json!({"type": "object"});
    }
    let mut schema =
        offered.map_or_else(|| registration.parameters().clone(), |tool| tool.parameters.clone());
    if status_field {
        status::accept_legacy(&mut schema);
    }
    schema
}

/// The arguments without status keys (A7).
fn without_status(tool: Tool, arguments: Cow<'_, str>) -> Cow<'_, str> {
    let registration = tool.registration();
    let stripped = match status::strip(&arguments, registration.parameters(), registration.external) {
        Cow::Owned(stripped) => Some(stripped),
        Cow::Borrowed(_) => None,
    };
    stripped.map_or(arguments, Cow::Owned)
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shared { tools, turn, gates, .. } = &*self.0;
        f.debug_struct("Session").field("tools", tools).field("turn", turn).field("gates", gates).finish()
    }
}

/// `details.error.kind` of an answer to arguments that were not accepted.
pub const INVALID_ARGUMENTS: &str = "invalid_arguments";

impl Answer {
    /// Whether it says that the arguments were not accepted, so that the tool was not run.
    pub fn is_rejection(&self) -> bool {
        self.details.pointer("/error/kind").and_then(Value::as_str) == Some(INVALID_ARGUMENTS)
    }
}
