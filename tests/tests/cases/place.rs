//! Lays a case's plugins out on the disk and loads them, by the host's own door for directories.

use elowen_host::LoadReport;
use elowen_host::discover::{Found, discover};
use elowen_host::log::{Level, Log, Record};
use elowen_tests::build;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tempfile::TempDir;

/// The directories in the order of loading, by the `root` that a plugin names; the first is where it lies unless it
/// names one.
const ROOTS: [&str; 2] = ["bundled", "user"];
/// What the platform's manifests call the script. Here the library stands in its place.
const SCRIPT: &str = "index.mjs";
/// What the other cases' manifests call it, which is the library's name without what the system adds.
const LIBRARY: &str = "index";

/// The plugins of one case, loaded.
pub(crate) struct Place {
    dir: TempDir,
    pub(crate) report: LoadReport,
    /// Level and text of each line.
    pub(crate) log: Vec<(Level, String)>,
}

impl Place {
    /// Lays out and loads. What is not understood of a case is its error.
    pub(crate) fn load(case: &Value) -> Result<Self, String> {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(|error| error.to_string())?;
        let plugins = case["plugins"].as_array().ok_or("the plugins are no list")?;
        let mut folders = BTreeSet::new();
        for plugin in plugins {
            folders.insert(lay_out(dir.path(), plugin)?);
        }
        let enabled: Vec<String> = match case.get("enabled") {
            None | Some(Value::Null) => folders.into_iter().collect(),
            Some(names) => serde_json::from_value(names.clone()).map_err(|error| error.to_string())?,
        };
        let lines = Lines::default();
        // Its folder is not needed: the state lies in this place.
        let (_state, builder) = build::host();
        let host = builder.state_dir(dir.path().join("state")).log(lines.clone()).build();
        let host = host.map_err(|error| error.to_string())?;
        let roots = ROOTS.map(|root| dir.path().join(root));
        let report = host.load_dirs(&roots, Some(&enabled)).map_err(|error| error.to_string())?;
        let log = std::mem::take(&mut *lines.0.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Place { dir, report, log })
    }

    /// The plugins that can be found, each name once, as the platform lists them.
    pub(crate) fn discovered(&self) -> Result<Value, String> {
        let mut seen = BTreeSet::new();
        let mut list = Vec::new();
        for root in ROOTS {
            let found = discover(&self.dir.path().join(root)).map_err(|error| error.to_string())?;
            for Found { name, manifest, .. } in found {
                if let Ok(manifest) = manifest
                    && seen.insert(name)
                {
                    list.push(json!({"name": manifest.name, "version": manifest.version, "source": root}));
                }
            }
        }
        Ok(Value::Array(list))
    }
}

/// Keeps lines up to `info`, as the platform writes them.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<(Level, String)>>>);

impl Log for Lines {
    fn enabled(&self, level: Level) -> bool {
        level <= Level::Info
    }

    fn log(&self, record: &Record<'_>) {
        let line = record.to_string();
        // One library stands for all these plugins, so that it is called otherwise says nothing.
        if !line.contains("the library says that it is plugin") {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((record.level, line));
        }
    }
}

/// Writes one plugin's folder. The answer is its name.
fn lay_out(dir: &Path, plugin: &Value) -> Result<String, String> {
    for key in plugin.as_object().ok_or("a plugin is no object")?.keys() {
        if !matches!(key.as_str(), "folder" | "manifest" | "register" | "entrySource" | "root") {
            return Err(format!("{key} of a plugin"));
        }
    }
    for step in plugin["register"].as_array().into_iter().flatten() {
        understand(step)?;
    }
    let name = plugin["folder"].as_str().ok_or("a plugin has no folder")?;
    let root = match plugin.get("root") {
        None => ROOTS[0],
        Some(root) => root.as_str().filter(|root| ROOTS.contains(root)).ok_or("the root of a plugin")?,
    };
    let folder = dir.join(root).join(name);
    write(&folder, plugin).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(name.to_owned())
}

/// The script passes over what it does not know; a case that means something by it must not.
fn understand(step: &Value) -> Result<(), String> {
    let keys = |value: &Value, known: &[&str]| {
        let mut keys = value.as_object().into_iter().flat_map(|keys| keys.keys());
        keys.find(|key| !known.contains(&key.as_str())).map_or(Ok(()), |key| Err(format!("{key} of {step}")))
    };
    keys(step, &["op", "tool", "options", "message", "text"])?;
    match step["op"].as_str() {
        // A prompt, or what is to be done for a removed account, is no part of this project (A14).
        Some("throw" | "promptFragment" | "userRemoved") => return Ok(()),
        Some("tool") => {}
        _ => return Err(format!("the operation {step}")),
    }
    // How the platform's run wraps a schema makes no difference to it here.
    keys(&step["tool"], &["name", "label", "description", "parameters", "behavior", "schemaStyle"])?;
    match step["tool"].get("behavior").map(|behavior| behavior["kind"].as_str()) {
        None | Some(Some("echo" | "text" | "throw" | "transport" | "panic" | "access" | "identity")) => {
            Ok(())
        }
        Some(_) => Err(format!("the behavior {step}")),
    }
}

fn write(folder: &Path, plugin: &Value) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let manifest = match &plugin["manifest"] {
        Value::String(text) => text.clone(),
        manifest => manifest.to_string(),
    };
    fs::write(folder.join("elowen-plugin.json"), manifest)?;
    let steps = plugin.get("register").cloned().unwrap_or_else(|| json!([]));
    let registers = steps.as_array().is_some_and(|steps| !steps.is_empty());
    fs::write(folder.join("script.json"), steps.to_string())?;
    if let Some(source) = plugin["entrySource"].as_str() {
        return fs::write(folder.join(SCRIPT), source);
    }
    let library = build::library("tests/fixtures/scripted");
    let mut files =
        BTreeSet::from([folder.join(SCRIPT), folder.join(format!("{DLL_PREFIX}{LIBRARY}{DLL_SUFFIX}"))]);
    // Whoever registers something has an entry that is there, whatever it is called. Who does not may lack it.
    let entry = plugin["manifest"]["entry"].as_str().filter(|entry| registers && *entry != LIBRARY);
    files.extend(entry.and_then(|entry| inside(folder, entry)));
    for file in files {
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&library, file)?;
    }
    Ok(())
}

/// Where an entry leads, unless it leads out.
fn inside(root: &Path, entry: &str) -> Option<PathBuf> {
    let mut file = root.to_path_buf();
    for component in Path::new(entry).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                file.pop();
            }
            Component::Normal(name) => file.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (file.starts_with(root) && file != root).then_some(file)
}
