//! For whom the command line acts: which of the tools that are restricted to an account, a project or a platform it
//! is offered.

use crate::plugin::Tool;
use crate::policy::{Conversation, Identity, Live, Reach};
use crate::registry::Registry;
use crate::registry::grants::Grants;
use crate::scope::Scope;
use crate::session::SessionOptions;
use std::sync::Arc;

/// Who calls.
#[derive(Debug, clap::Args)]
pub(super) struct Caller {
    /// Act as this account [default: 1]
    #[arg(long, value_name = "N", help_heading = "Acting for")]
    account: Option<u64>,
    /// Act in this project [default: 1]
    #[arg(long, value_name = "N", help_heading = "Acting for")]
    project: Option<u64>,
    /// Act on this platform [default: none]
    #[arg(long, value_name = "NAME", help_heading = "Acting for")]
    platform: Option<String>,
}

impl Caller {
    /// What sessions of this caller are offered.
    pub(super) fn scope(&self) -> Scope {
        let Scope { account, project, platform } = Scope::command_line();
        Scope {
            account: self.account.or(account),
            project: self.project.or(project),
            platform: self.platform.clone().or(platform),
        }
    }

    /// Sessions of this caller: nobody's administrator, in that project alone, granted every plugin. Account 1 owns
    /// this installation (A24).
    pub(super) fn session(&self) -> SessionOptions {
        let scope = self.scope();
        let owner = scope.account == Scope::command_line().account;
        let identity = Identity {
            platform: scope.platform.clone().unwrap_or_else(|| "cli".to_owned()),
            user_id: scope.account.map(|account| account.to_string()).unwrap_or_default(),
            elowen_user_id: scope.account,
            elowen_username: None,
            admin: false,
            owner,
            conversation: Conversation::Own,
        };
        SessionOptions {
            source: Arc::new(Live { reach: Reach::projects(scope.project), owner }),
            identity: Some(identity),
            // Whoever may run a plugin's code here needs nobody's leave.
            grants: Grants::All,
            ..scope.into()
        }
    }
}

/// Whom a tool is for, if not for this caller.
pub(super) fn not_offered(scope: &Scope, tool: Tool) -> Option<String> {
    let lacks = scope.lacks(tool.registration());
    (!lacks.is_empty()).then(|| format!("it is for {}, this is {scope}", lacks.join(", ")))
}

/// The message about a tool that is there for others only, and the options with which it is offered.
pub(super) fn unoffered(registry: &Registry, plugin: &str, name: &str, scope: &Scope) -> Option<String> {
    let lacks = registry
        .tools()
        .iter()
        .filter(|tool| tool.name() == name)
        .map(|tool| scope.lacks(tool.registration()));
    let lacks: Vec<Vec<String>> = lacks.filter(|lacks| !lacks.is_empty()).collect();
    let whom: Vec<String> = lacks.iter().map(|lacks| lacks.join(", ")).collect();
    let options = lacks.first()?.iter().map(|lack| format!("--{lack}")).collect::<Vec<_>>().join(" ");
    Some(format!(
        "tool `{name}` of plugin `{plugin}` is registered for {}; this call is by {scope}. Give {options} to call it",
        whom.join(" or for ")
    ))
}
