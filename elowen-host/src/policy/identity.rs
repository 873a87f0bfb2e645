//! Who a turn acts for, as captured when it began, less what was taken away since.

use super::Live;
use serde::Serialize;

/// What kind of conversation a turn belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Conversation {
    /// The account's own chat.
    Own,
    /// A direct message on a platform.
    Direct,
    /// A room with others.
    Shared,
    /// A session that another delegated.
    Delegated,
}

/// Who a turn acts for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// The platform the turn came through.
    pub platform: String,
    /// The platform's name for the person.
    pub user_id: String,
    /// The account, where the person has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elowen_user_id: Option<u64>,
    /// The account's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elowen_username: Option<String>,
    /// An administrator.
    pub admin: bool,
    /// The owner of this instance.
    pub owner: bool,
    /// The kind of conversation.
    pub conversation: Conversation,
}

impl Identity {
    /// Who acts, as text that tells persons apart: `elowen:<account>`, else `<platform>:<user>`, else nobody.
    pub fn principal(&self) -> Option<String> {
        /// The largest number that every reader of JSON holds exactly.
        const SAFE: u64 = (1 << 53) - 1;
        if let Some(id) = self.elowen_user_id.filter(|id| *id <= SAFE) {
            return Some(format!("elowen:{id}"));
        }
        let (platform, user) = (self.platform.trim(), self.user_id.trim());
        (!platform.is_empty() && !user.is_empty()).then(|| format!("{platform}:{user}"))
    }

    /// The account whose personal contributions the conversation gets; rooms and unknown people get nobody's.
    pub fn contributing_account(&self) -> Option<u64> {
        match self.conversation {
            Conversation::Own | Conversation::Direct => self.elowen_user_id,
            Conversation::Shared | Conversation::Delegated => None,
        }
    }
}

/// The captured identity without the privileges that are gone. Nobody is ever promoted.
pub fn effective_identity(captured: &Identity, live: Option<&Live>) -> Identity {
    Identity {
        admin: captured.admin && live.is_some_and(|live| live.reach == super::Reach::All),
        owner: captured.owner && live.is_some_and(|live| live.owner),
        ..captured.clone()
    }
}
