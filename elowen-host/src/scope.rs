//! Which tools a session gets to see: a pure function of the registered tools and of who, where and through what.
//!
//! The account's [`Grants`] come first, then the scope. Scope selects and never authorises. It fails closed: a restriction that the session has no value for excludes.

use crate::plugin::Tool;
use crate::registry::grants::{self, Grants};
use crate::registry::{Registration, Registry};
use std::fmt;

/// Who a session acts for, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The account, or nobody known.
    pub account: Option<u64>,
    /// The project, or none.
    pub project: Option<u64>,
    /// The platform the conversation comes from, or none.
    pub platform: Option<String>,
}

impl Scope {
    /// The command line's, without configuration (A24): account 1 in project 1.
    pub fn command_line() -> Self {
        Scope { account: Some(1), project: Some(1), platform: None }
    }

    /// Whether a registration applies here: each restriction it has must be met.
    pub fn covers(&self, registration: &Registration) -> bool {
        let met = |wanted: Option<u64>, here: Option<u64>| wanted.is_none() || wanted == here;
        met(registration.owner_user_id, self.account)
            && met(registration.project_id, self.project)
            && (registration.platform.is_none() || registration.platform == self.platform)
    }

    /// What a registration asks for that is not so here, as `account 7`, `project 3`, `platform "web"`; empty if it
    /// [applies](Self::covers).
    pub fn lacks(&self, registration: &Registration) -> Vec<String> {
        let number = |what: &str, wanted: Option<u64>, here: Option<u64>| {
            wanted.filter(|_| wanted != here).map(|wanted| format!("{what} {wanted}"))
        };
        let platform = registration.platform.as_ref().filter(|_| registration.platform != self.platform);
        let account = number("account", registration.owner_user_id, self.account);
        let project = number("project", registration.project_id, self.project);
        let platform = platform.map(|platform| format!("platform {platform:?}"));
        [account, project, platform].into_iter().flatten().collect()
    }
}

/// Who and where, for people: `account 1, project 1, no platform`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |what: &str, number: Option<u64>| match number {
            Some(number) => format!("{what} {number}"),
            None => format!("no {what}"),
        };
        let platform = self.platform.as_ref().map(|platform| format!("platform {platform:?}"));
        let platform = platform.unwrap_or_else(|| "no platform".to_owned());
        write!(f, "{}, {}, {platform}", number("account", self.account), number("project", self.project))
    }
}

/// The tools that a session in `scope` is offered, in order of registration, one of each name (A13). Those of
/// plugins that need a grant are for whoever holds it.
pub fn select(registry: &Registry, grants: &Grants, scope: &Scope) -> Vec<Tool> {
    let tools: Vec<_> = registry.tools().iter().map(Tool::merged).collect();
    let positions = grants::tools_for(&tools, registry.metadata(), grants, scope);
    positions.into_iter().filter_map(|position| registry.tools().get(position).copied()).collect()
}

/// Positions of the chosen registrations. The narrowest of a name is taken, in the place of the first.
pub(crate) fn chosen(registrations: &[&Registration], scope: &Scope) -> Vec<usize> {
    let mut chosen: Vec<(usize, &Registration)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (index, &registration) in registrations.iter().enumerate() {
        if !scope.covers(registration) {
            continue;
        }
        let place = *places.entry(registration.name.as_str()).or_insert(chosen.len());
        match chosen.get_mut(place) {
            Some(held) if narrowness(registration) > narrowness(held.1) => *held = (index, registration),
            Some(_) => {}
            None => chosen.push((index, registration)),
        }
    }
    chosen.into_iter().map(|(index, _)| index).collect()
}

/// Personal beats project beats platform beats instance-wide.
fn narrowness(registration: &Registration) -> (bool, bool, bool) {
    (registration.owner_user_id.is_some(), registration.project_id.is_some(), registration.platform.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn tool(name: &str, owner: Option<u64>, project: Option<u64>, platform: Option<&str>) -> Registration {
        Registration {
            name: name.to_owned(),
            definition: Map::new(),
            owner_user_id: owner,
            project_id: project,
            platform: platform.map(str::to_owned),
            external: false,
            number: 0,
            run: 0,
        }
    }

    fn chosen_in(registrations: &[Registration], scope: &Scope) -> Vec<usize> {
        chosen(&registrations.iter().collect::<Vec<_>>(), scope)
    }

    #[test]
    fn every_restriction_must_be_met_and_a_missing_value_meets_none() {
        let tools = [
            tool("anywhere", None, None, None),
            tool("mine", Some(1), None, None),
            tool("theirs", Some(2), None, None),
            tool("here", None, Some(3), None),
            tool("web", None, None, Some("web")),
            tool("all", Some(1), Some(3), Some("web")),
        ];
        assert_eq!(chosen_in(&tools, &Scope::default()), [0]);
        let scope = Scope { account: Some(1), project: Some(3), platform: Some("web".into()) };
        assert_eq!(chosen_in(&tools, &scope), [0, 1, 3, 4, 5]);
        assert_eq!(chosen_in(&tools, &Scope { platform: None, ..scope }), [0, 1, 3]);
    }

    #[test]
    fn what_is_lacking_is_named_and_nothing_is_where_it_applies() {
        let scope = Scope { account: Some(1), project: None, platform: Some("web".into()) };
        assert_eq!(scope.to_string(), "account 1, no project, platform \"web\"");
        let all = tool("all", Some(7), Some(3), Some("chat"));
        assert_eq!(scope.lacks(&all), ["account 7", "project 3", "platform \"chat\""]);
        for registration in [all, tool("mine", Some(1), None, Some("web")), tool("here", None, Some(3), None)]
        {
            assert_eq!(scope.lacks(&registration).is_empty(), scope.covers(&registration));
        }
    }

    #[test]
    fn the_narrowest_of_a_name_is_taken_in_the_place_of_the_first() {
        let tools = [
            tool("a", None, None, None),
            tool("b", None, None, None),
            tool("a", None, None, Some("web")),
            tool("a", None, Some(3), None),
            tool("a", Some(1), None, None),
        ];
        let scope = Scope { account: Some(1), project: Some(3), platform: Some("web".into()) };
        assert_eq!(chosen_in(&tools, &scope), [4, 1]);
        assert_eq!(chosen_in(&tools, &Scope { account: Some(9), ..scope.clone() }), [3, 1]);
        assert_eq!(chosen_in(&tools, &Scope { account: None, project: None, ..scope }), [2, 1]);
    }
}
