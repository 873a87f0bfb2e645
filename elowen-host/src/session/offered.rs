//! What one session's model is offered under one name: the copy of a tool that composition works on.
//!
//! Made from a [`Registration`] or by an embedder for a core tool. The registration itself is never changed
//! (A23): caps and the status field touch this copy only. What of it a provider is sent is
//! [`Offered::definition`].

use crate::registry::Registration;
use serde::Serialize;
use serde_json::{Value, json};

/// One tool as a session composes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// The name the model calls.
    pub name: String,
    /// For the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
    /// Its schema was authored elsewhere, and its author checks the arguments. Never told by the name (X1).
    pub external: bool,
    /// The plugin that owns it, or none for a core tool.
    pub plugin: Option<String>,
    /// It only reads; grants nothing.
    pub read_only: bool,
    /// Plan mode may use it: `planSafe` of the owning plugin, or for a core tool anything but
    /// [`PlanUse::Refused`](super::compose::PlanUse::Refused).
    pub plan_safe: bool,
}

/// What a provider is sent of a tool, and what the cap of external tools counts.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Definition<'a> {
    /// The name the model calls.
    pub name: &'a str,
    /// For the model.
    pub description: &'a str,
    /// The JSON Schema of its arguments.
    pub parameters: &'a Value,
}

impl Offered {
    /// A copy of what `plugin` registered.
    pub fn new(registration: &Registration, plugin: &str, read_only: bool, plan_safe: bool) -> Self {
        Offered {
            name: registration.name.clone(),
            description: registration.description().to_owned(),
            parameters: registration.parameters().clone(),
            external: registration.external,
            plugin: Some(plugin.to_owned()),
            read_only,
            plan_safe,
        }
    }

    /// The part that goes to a provider. Origin, owner and classification are the host's and stay out of it.
    pub fn definition(&self) -> Definition<'_> {
        Definition { name: &self.name, description: &self.description, parameters: &self.parameters }
    }

    /// Whether its schema has `"type": "object"` at the root.
    pub fn has_object_root(&self) -> bool {
        self.parameters.get("type") == Some(&json!("object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_sent_three_keys_and_nothing_of_the_hosts() {
        let registration = Registration {
            name: "Look".into(),
            definition: json!({"label": "L", "description": "d", "parameters": {"type": "object"}})
                .as_object()
                .unwrap()
                .clone(),
            owner_user_id: Some(4),
            project_id: None,
            platform: Some("web".into()),
            external: true,
            number: 0,
            run: 0,
        };
        let offered = Offered::new(&registration, "p", true, true);
        assert!(offered.external && offered.has_object_root());
        assert_eq!(
            serde_json::to_string(&offered.definition()).unwrap(),
            r#"{"name":"Look","description":"d","parameters":{"type":"object"}}"#
        );
    }
}
