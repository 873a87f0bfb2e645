//! What one turn of a session may use: its mode, and its allow and deny lists.
//!
//! This narrows what a model is shown. Refusing a call that comes all the same is the gates' work, which asks
//! the same two questions again with the live answers.

use super::offered::Offered;
use crate::policy::{self, covers};

/// The restrictions of one turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn<'a> {
    /// Plan mode, which may not change anything.
    pub plan: bool,
    /// If given, the only plugin tools to be used: names, or prefixes that end in `*`. Core tools are not
    /// narrowed.
    pub allow: Option<&'a [String]>,
    /// Tools that may not be used, of the core too: the policy's and the account's. They win over `allow`.
    pub deny: &'a [String],
}

impl<'a> Turn<'a> {
    /// What the session's turn narrows at this moment.
    pub fn now(turn: &'a policy::Turn) -> Self {
        let lists = turn.ceiling().tool_policy();
        Turn {
            plan: turn.is_planning(),
            allow: lists.and_then(|lists| lists.allow.as_deref()),
            deny: lists.and_then(|lists| lists.deny.as_deref()).unwrap_or_default(),
        }
    }
}

impl Turn<'_> {
    /// Whether the lists let a tool be used, whatever the mode.
    pub fn permits(&self, tool: &Offered) -> bool {
        let listed = |entries: &[String]| entries.iter().any(|entry| covers(entry, &tool.name));
        (tool.plugin.is_none() || self.allow.is_none_or(listed)) && !listed(self.deny)
    }

    /// Whether the mode lets a tool be used: plan mode only what is safe in it (A6).
    pub fn mode_permits(&self, tool: &Offered) -> bool {
        !self.plan || tool.plan_safe
    }

    /// Both.
    pub fn shows(&self, tool: &Offered) -> bool {
        self.mode_permits(tool) && self.permits(tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn tool(name: &str, plugin: bool) -> Offered {
        Offered {
            name: name.into(),
            description: String::new(),
            parameters: Value::Null,
            external: false,
            plugin: plugin.then(|| "p".to_owned()),
            read_only: false,
            plan_safe: false,
        }
    }

    #[test]
    fn deny_wins_and_an_allow_list_never_narrows_the_core() {
        let (allow, deny) = (["mcp__gh__*".to_owned()], ["mcp__gh__b".to_owned(), "Share*".to_owned()]);
        let turn = Turn { plan: false, allow: Some(&allow), deny: &deny };
        for (name, plugin, permitted) in [
            ("mcp__gh__a", true, true),
            ("mcp__gh__b", true, false),
            ("mcp__slack__a", true, false),
            ("Memory", false, true),
            ("ShareImage", false, false),
        ] {
            assert_eq!(turn.permits(&tool(name, plugin)), permitted, "{name}");
        }
        assert!(!Turn { allow: Some(&[]), ..Turn::default() }.permits(&tool("A", true)));
        assert!(Turn::default().permits(&tool("A", true)));
    }

    #[test]
    fn a6_plan_mode_shows_only_what_is_safe_in_it() {
        let turn = Turn { plan: true, ..Turn::default() };
        assert!(!turn.shows(&tool("W", true)));
        assert!(turn.shows(&Offered { plan_safe: true, ..tool("R", true) }));
    }
}
