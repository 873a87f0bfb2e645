//! Checks what one plugin registers, in the platform's order: declared, options, object root, duplicate (A26).

use super::soundness;
use crate::manifest::Manifest;
use crate::plugin::Offer;
use crate::policy::covers;
use serde_json::{Map, Value};

/// One accepted registration: the definition as it came, and where it applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Registration {
    /// The name the model calls.
    pub name: String,
    /// The whole definition: `name`, `label`, `description`, `parameters`, and whatever else the plugin sent.
    pub definition: Map<String, Value>,
    /// The one account whose sessions are offered it.
    pub owner_user_id: Option<u64>,
    /// The one project whose sessions are offered it.
    pub project_id: Option<u64>,
    /// The one platform whose conversations are offered it.
    pub platform: Option<String>,
    /// Its schema was authored elsewhere, and its author checks the arguments.
    pub external: bool,
    /// The plugin's own number for it.
    pub(crate) number: u64,
    /// Where it runs; see `abi::Tool::run`.
    pub(crate) run: u32,
}

impl Registration {
    /// For people; the name where the plugin gave none.
    pub fn label(&self) -> &str {
        self.text("label").unwrap_or(&self.name)
    }

    /// For the model.
    pub fn description(&self) -> &str {
        self.text("description").unwrap_or_default()
    }

    /// The JSON Schema of its arguments, as registered.
    pub fn parameters(&self) -> &Value {
        self.definition.get("parameters").unwrap_or(&Value::Null)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.definition.get(key)?.as_str()
    }
}

/// What one plugin has registered so far.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    /// `provides.tools` of the manifest; absent means any name.
    declared: Option<Vec<String>>,
    accepted: Vec<Registration>,
}

impl Staging {
    pub(crate) fn new(manifest: &Manifest) -> Self {
        Staging { declared: manifest.provides_tools().map(<[String]>::to_vec), accepted: Vec::new() }
    }

    pub(crate) fn into_accepted(self) -> Vec<Registration> {
        self.accepted
    }

    /// Takes a tool, with warnings, or says why not.
    pub(crate) fn offer(&mut self, offer: &Offer<'_>) -> Result<Vec<String>, String> {
        let definition: Map<String, Value> = serde_json::from_str(offer.definition)
            .map_err(|error| format!("a tool was refused: its definition is not a JSON object ({error})"))?;
        let name = match definition.get("name").and_then(Value::as_str) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => return Err("a tool was refused: its definition has no name".to_owned()),
        };
        let refused = |why: &str| format!("registerTool('{name}') refused: {why}");
        if self.declared.as_ref().is_some_and(|declared| !declared.iter().any(|entry| covers(entry, &name))) {
            return Err(refused("not declared in manifest provides.tools"));
        }
        let (options, mut warnings) = Options::read(offer.options, &name).map_err(|why| refused(&why))?;
        let parameters = definition.get("parameters");
        let object = parameters.and_then(|p| p.get("type")).and_then(Value::as_str) == Some("object");
        if !options.external && !object {
            return Err(refused("parameters must be a JSON Schema with root type \"object\""));
        }
        let registration = Registration {
            name: name.clone(),
            definition,
            owner_user_id: options.owner_user_id,
            project_id: options.project_id,
            platform: options.platform,
            external: options.external,
            number: offer.number,
            run: offer.run,
        };
        let scope = |r: &Registration| (r.owner_user_id, r.project_id, r.platform.clone());
        if self.accepted.iter().any(|other| other.name == name && scope(other) == scope(&registration)) {
            return Err(refused("already registered"));
        }
        if !registration.external {
            let broken = soundness::problems(registration.parameters());
            warnings.extend(broken.into_iter().map(|what| format!("registerTool('{name}'): {what}")));
        }
        self.accepted.push(registration);
        Ok(warnings)
    }
}

struct Options {
    owner_user_id: Option<u64>,
    project_id: Option<u64>,
    platform: Option<String>,
    external: bool,
}

impl Options {
    /// Reads `PluginToolRegistrationOptions`; they are validated, not trusted (A2).
    fn read(json: &str, tool: &str) -> Result<(Self, Vec<String>), String> {
        let mut options = Options { owner_user_id: None, project_id: None, platform: None, external: false };
        let mut warnings = Vec::new();
        if json.is_empty() {
            return Ok((options, warnings));
        }
        let fields: Map<String, Value> =
            serde_json::from_str(json).map_err(|_| "options must be a JSON object".to_owned())?;
        for (key, value) in fields {
            let integer = || match &value {
                Value::Null => Ok(None),
                other => other.as_u64().map(Some).ok_or(format!("{key} must be a non-negative integer")),
            };
            match key.as_str() {
                "ownerUserId" => options.owner_user_id = integer()?,
                "projectId" => options.project_id = integer()?,
                "platform" => {
                    options.platform = match value {
                        Value::Null => None,
                        Value::String(platform) if !platform.is_empty() => Some(platform),
                        _ => return Err("platform must be a non-empty string".to_owned()),
                    }
                }
                "external" => options.external = value.as_bool().ok_or("external must be a boolean")?,
                _ => warnings.push(format!("registerTool('{tool}'): unknown option `{key}` ignored")),
            }
        }
        Ok((options, warnings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staging(provides: &str) -> Staging {
        let manifest = format!(
            r#"{{"name":"p","version":"1","apiVersion":"1","description":"","entry":"p","provides":{provides}}}"#
        );
        Staging::new(&Manifest::parse(&manifest).unwrap())
    }

    fn offer(staging: &mut Staging, name: &str, options: &str) -> Result<Vec<String>, String> {
        let definition = format!(r#"{{"name":"{name}","parameters":{{"type":"object","properties":{{}}}}}}"#);
        staging.offer(&Offer { number: 0, run: 0, definition: &definition, options })
    }

    #[test]
    fn an_undeclared_tool_is_refused() {
        let mut staging = staging(r#"{"tools":["A","b*"]}"#);
        assert_eq!(offer(&mut staging, "A", ""), Ok(vec![]));
        assert_eq!(offer(&mut staging, "bx", ""), Ok(vec![]));
        let refusal = "registerTool('C') refused: not declared in manifest provides.tools";
        assert_eq!(offer(&mut staging, "C", "").unwrap_err(), refusal);
    }

    #[test]
    fn an_empty_list_refuses_everything_and_an_absent_one_nothing() {
        assert!(offer(&mut staging(r#"{"tools":[]}"#), "A", "").is_err());
        assert!(offer(&mut staging("{}"), "A", "").is_ok());
    }

    #[test]
    fn options_are_validated_and_the_first_wrong_one_refuses() {
        let refused = |options: &str| offer(&mut staging("{}"), "A", options).unwrap_err();
        assert_eq!(refused(r#"{"external":null}"#), "registerTool('A') refused: external must be a boolean");
        let id = "registerTool('A') refused: ownerUserId must be a non-negative integer";
        assert_eq!(refused(r#"{"ownerUserId":-1}"#), id);
        assert_eq!(refused(r#"{"ownerUserId":1.5}"#), id);
        assert_eq!(
            refused(r#"{"platform":""}"#),
            "registerTool('A') refused: platform must be a non-empty string"
        );
        let unknown = offer(&mut staging("{}"), "A", r#"{"later":1,"projectId":null}"#).unwrap();
        assert_eq!(unknown, ["registerTool('A'): unknown option `later` ignored"]);
    }

    #[test]
    fn an_internal_tool_needs_an_object_root_and_an_external_one_does_not() {
        let mut staging = staging("{}");
        let definition = r#"{"name":"A","parameters":{"anyOf":[]}}"#;
        let refusal = "registerTool('A') refused: parameters must be a JSON Schema with root type \"object\"";
        let internal = staging.offer(&Offer { number: 0, run: 0, definition, options: "{}" });
        assert_eq!(internal.unwrap_err(), refusal);
        let external =
            staging.offer(&Offer { number: 0, run: 0, definition, options: r#"{"external":true}"# });
        assert!(external.is_ok());
    }

    #[test]
    fn a_broken_schema_is_taken_with_a_warning_unless_its_author_is_elsewhere() {
        let definition = r#"{"name":"A","parameters":{"type":"object","required":"x"}}"#;
        let offered = |options| staging("{}").offer(&Offer { number: 0, run: 0, definition, options });
        assert_eq!(offered("").unwrap(), ["registerTool('A'): parameters/required is not a list of names"]);
        assert_eq!(offered(r#"{"external":true}"#).unwrap(), [""; 0]);
    }

    #[test]
    fn the_same_name_needs_another_scope() {
        let mut staging = staging("{}");
        assert!(offer(&mut staging, "A", "").is_ok());
        assert!(offer(&mut staging, "A", r#"{"ownerUserId":7}"#).is_ok());
        let duplicate = offer(&mut staging, "A", r#"{"platform":null}"#);
        assert_eq!(duplicate.unwrap_err(), "registerTool('A') refused: already registered");
    }
}
