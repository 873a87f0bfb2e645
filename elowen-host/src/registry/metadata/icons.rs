//! What is shown for which tool: the first plugin that gives a key an icon is heard.

use std::collections::HashMap;

/// Icons by the names of tools, or by prefixes of names before a `*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Icons {
    by_key: HashMap<String, String>,
    /// The keys that end in `*`, in the order they came.
    families: Vec<String>,
}

impl Icons {
    /// Adds a plugin's icons; blank ones and taken keys are left out.
    pub(super) fn add(&mut self, icons: &[(String, String)]) {
        for (key, icon) in icons {
            if icon.trim().is_empty() || self.by_key.contains_key(key) {
                continue;
            }
            self.by_key.insert(key.clone(), icon.clone());
            if key.ends_with('*') {
                self.families.push(key.clone());
            }
        }
    }

    /// The icon under the tool's own name, else under the first prefix of it that came.
    pub fn get(&self, tool: &str) -> Option<&str> {
        let family = || self.families.iter().find(|family| super::covers(family, tool));
        let icon = self.by_key.get(tool).or_else(|| self.by_key.get(family()?))?;
        Some(icon)
    }

    /// All of them by key.
    pub fn by_key(&self) -> &HashMap<String, String> {
        &self.by_key
    }
}
