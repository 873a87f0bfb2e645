//! Which plugin has which tool name: the first that registered it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The plugins' names by those of their tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners(HashMap<String, String>);

impl Owners {
    /// Gives the name to the plugin, which may have it already.
    ///
    /// # Errors
    ///
    /// The warning for the log, if another plugin has it.
    pub fn claim(&mut self, tool: &str, plugin: &str) -> Result<(), String> {
        match self.0.entry(tool.to_owned()) {
            Entry::Occupied(owner) if owner.get() != plugin => Err(format!(
                "tool \"{tool}\" from \"{plugin}\" ignored — already registered by \"{}\"",
                owner.get()
            )),
            Entry::Occupied(_) => Ok(()),
            Entry::Vacant(free) => {
                free.insert(plugin.to_owned());
                Ok(())
            }
        }
    }

    /// The plugin that has the name.
    pub fn of(&self, tool: &str) -> Option<&str> {
        self.0.get(tool).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r8_the_first_plugin_keeps_a_name_and_the_later_one_is_warned_about() {
        let mut owners = Owners::default();
        assert_eq!(owners.claim("Dup", "a"), Ok(()));
        assert_eq!(owners.claim("Dup", "a"), Ok(()));
        let warning = "tool \"Dup\" from \"b\" ignored — already registered by \"a\"";
        assert_eq!(owners.claim("Dup", "b").unwrap_err(), warning);
        assert_eq!((owners.of("Dup"), owners.of("dup")), (Some("a"), None));
    }
}
