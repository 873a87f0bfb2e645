//! The handles of a loaded plugin and its tools, which an embedder holds and copies.
//!
//! What they name lives as long as the process ([`Loaded`]), so a handle never dangles.

mod loaded;
mod requests;
mod shutdown;

pub(crate) use loaded::{Identity, Loaded, ToolRecord};
pub(crate) use requests::Offer;
pub use shutdown::ShutdownError;

use crate::manifest::Manifest;
use crate::registry::Registration;
use crate::registry::metadata::Merged;
use std::{fmt, path::Path, sync::atomic::Ordering};

/// A plugin. Copies name the same one.
#[derive(Clone, Copy)]
pub struct Plugin(pub(crate) &'static Loaded);

impl Plugin {
    /// Its name, equal to its folder's.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Its manifest's version.
    pub fn version(&self) -> &'static str {
        &self.0.manifest.version
    }

    /// What it says about itself, and about its tools.
    pub fn manifest(&self) -> &'static Manifest {
        &self.0.manifest
    }

    /// The folder it was loaded from.
    pub fn folder(&self) -> &'static Path {
        &self.0.folder
    }

    /// Its tools, in the order of registration.
    pub fn tools(&self) -> impl Iterator<Item = Tool> + use<> {
        self.0.tools().iter().map(Tool)
    }

    /// The first of its tools with that name.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.tools().find(|tool| tool.name() == name)
    }

    /// What was refused or looked wrong while it registered, such as a second tool of one name: the log has it too.
    pub fn registration_warnings(&self) -> Vec<String> {
        self.0.remarks()
    }

    /// How many of its calls were given up and have not ended.
    pub fn abandoned_calls(&self) -> u32 {
        self.0.abandoned.load(Ordering::Relaxed)
    }

    /// How often it has broken the rules of the border.
    pub fn breaches(&self) -> u32 {
        self.0.breaches.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plugin({}@{})", self.name(), self.version())
    }
}

/// A tool of a loaded plugin. Copies name the same one.
#[derive(Clone, Copy)]
pub struct Tool(pub(crate) &'static ToolRecord);

impl Tool {
    /// The name the model calls.
    pub fn name(&self) -> &'static str {
        &self.0.registration.name
    }

    /// What was registered: definition and scopes.
    pub fn registration(&self) -> &'static Registration {
        &self.0.registration
    }

    /// The same as plain data, as the rules of the [`registry`](crate::registry) take it.
    pub fn merged(&self) -> Merged<'static> {
        Merged { plugin: self.plugin().name(), registration: self.registration() }
    }

    /// The plugin that owns it.
    pub fn plugin(&self) -> Plugin {
        Plugin(self.0.plugin)
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tool({} of {})", self.name(), self.0.plugin.name())
    }
}
