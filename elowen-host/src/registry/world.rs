//! For tests: plugins described in JSON, staged and merged by the real rules, without any library.

use serde_json::{Map, Value, json};

use super::metadata::{Merged, Metadata};
use super::{Owners, Registration, Staging};
use crate::manifest::Manifest;
use crate::plugin::Offer;

/// What is there after loading.
#[derive(Debug, Default)]
pub(crate) struct World {
    tools: Vec<(String, Registration)>,
    pub(crate) owners: Owners,
    pub(crate) metadata: Metadata,
    /// As the log has them.
    pub(crate) warnings: Vec<String>,
}

impl World {
    /// Loads plugins in order: `{"<plugin>": {"<manifest key>": ..., "register": ["Name", ["Name", {options}, "description"]]}}`.
    pub(crate) fn load(plugins: Value) -> Self {
        let mut world = World::default();
        for (name, keys) in plugins.as_object().unwrap() {
            world.load_one(name, keys.as_object().unwrap());
        }
        world
    }

    fn load_one(&mut self, plugin: &str, keys: &Map<String, Value>) {
        let mut manifest =
            json!({"name": plugin, "version": "1", "apiVersion": "1", "description": "", "entry": plugin});
        for (key, value) in keys.iter().filter(|(key, _)| *key != "register") {
            manifest[key] = value.clone();
        }
        let manifest = Manifest::parse(&manifest.to_string()).unwrap();
        let mut said = manifest.warnings.clone();
        let mut staging = Staging::new(&manifest);
        for tool in keys.get("register").and_then(Value::as_array).into_iter().flatten() {
            let (definition, options) = registration(tool);
            let offer = Offer { number: 0, run: 0, definition: &definition, options: &options };
            match staging.offer(&offer) {
                Ok(warnings) => said.extend(warnings),
                Err(refusal) => said.push(refusal),
            }
        }
        let before = self.tools.len();
        for registration in staging.into_accepted() {
            match self.owners.claim(&registration.name, plugin) {
                Ok(()) => self.tools.push((plugin.to_owned(), registration)),
                Err(warning) => said.push(warning),
            }
        }
        let accepted = self.tools.iter().skip(before).map(|(_, registration)| registration.name.as_str());
        said.extend(self.metadata.declare(plugin, manifest.declared(), accepted));
        self.warnings.extend(said.into_iter().map(|warning| format!("[plugin:{plugin}] {warning}")));
    }

    /// The accepted tools, in order.
    pub(crate) fn tools(&self) -> Vec<Merged<'_>> {
        self.tools.iter().map(|(plugin, registration)| Merged { plugin, registration }).collect()
    }

    /// `plugin/name` of each accepted tool.
    pub(crate) fn owned(&self) -> Vec<String> {
        self.tools.iter().map(|(plugin, tool)| format!("{plugin}/{}", tool.name)).collect()
    }

    /// The names of the accepted tools for which this holds.
    pub(crate) fn names_where(&self, holds: impl Fn(&Merged<'_>) -> bool) -> Vec<&str> {
        let tools = self.tools().into_iter().filter(|tool| holds(tool));
        tools.map(|tool| tool.registration.name.as_str()).collect()
    }
}

/// Definition and options of `"Name"` or `["Name", {options}, "description"]`.
fn registration(tool: &Value) -> (String, String) {
    let name = tool.as_str().unwrap_or_else(|| tool[0].as_str().unwrap());
    let description = tool.get(2).cloned().unwrap_or_else(|| json!(format!("{name} description")));
    let definition = json!({
        "name": name,
        "description": description,
        "parameters": {"type": "object", "required": ["value"], "properties": {"value": {"type": "string"}}},
    });
    (definition.to_string(), tool.get(1).map(Value::to_string).unwrap_or_default())
}
