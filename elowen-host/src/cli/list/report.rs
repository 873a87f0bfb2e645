//! What `list` has found, as text for people and as JSON for programs.

use std::path::PathBuf;

use crate::cli::marks::Marks;
use crate::cli::output::{BAD, DIM, NAME, WARN};
use crate::error::LoadError;
use crate::manifest::{FILE_NAME, Manifest};
use crate::printable;
use serde_json::{Value, json};

/// Columns grow with what is in them up to this many characters.
const COLUMN: usize = 32;
/// Descriptions are cut to this many.
const DESCRIPTION: usize = 100;

/// What was found.
pub(super) struct Report {
    pub(super) dir: PathBuf,
    /// Whether the plugins were loaded, or only their files read.
    pub(super) loaded: bool,
    pub(super) rows: Vec<Row>,
    pub(super) failures: Vec<LoadError>,
}

/// A plugin that is listed.
pub(super) struct Row {
    pub(super) manifest: Manifest,
    pub(super) folder: PathBuf,
    pub(super) tools: Vec<ToolRow>,
    /// What is odd about it.
    pub(super) warnings: Vec<String>,
}

#[derive(Default)]
pub(super) struct ToolRow {
    pub(super) name: String,
    /// Label and description; not known before it is loaded.
    pub(super) text: Option<(String, String)>,
    /// The plugin that has a tool of this name already.
    pub(super) taken_by: Option<&'static str>,
    /// Whom it is for, if not for this caller.
    pub(super) not_offered: Option<String>,
    /// What manifests say about it.
    pub(super) marks: Marks,
}

impl Report {
    pub(super) fn as_json(&self) -> Value {
        let tool = |tool: &ToolRow| {
            let mut entry = json!({"name": tool.name});
            if let Some((label, description)) = &tool.text {
                entry["label"] = json!(label);
                entry["description"] = json!(description);
                entry["offered"] = json!(tool.taken_by.is_none() && tool.not_offered.is_none());
                tool.marks.describe(&mut entry);
            }
            if let Some(owner) = tool.taken_by {
                entry["ignoredFor"] = json!(owner);
            }
            entry
        };
        let plugin = |row: &Row| {
            json!({
                "name": row.manifest.name,
                "version": row.manifest.version,
                "description": row.manifest.description,
                "folder": row.folder.to_string_lossy(),
                "loaded": self.loaded,
                "tools": row.tools.iter().map(tool).collect::<Vec<_>>(),
                "warnings": row.warnings,
            })
        };
        let failure = |error: &LoadError| {
            json!({
                "plugin": error.plugin,
                "file": error.file.to_string_lossy(),
                "loaded": false,
                "error": error.to_string(),
            })
        };
        json!({
            "plugins": self.rows.iter().map(plugin).collect::<Vec<_>>(),
            "failures": self.failures.iter().map(failure).collect::<Vec<_>>(),
        })
    }

    pub(super) fn as_text(&self) -> String {
        let Report { dir, loaded, rows, failures } = self;
        let mut text = String::new();
        let mut line = |line: String| {
            text.push_str(line.trim_end());
            text.push('\n');
        };
        for row in rows {
            let Manifest { name, version, description, .. } = &row.manifest;
            let (name, version) = (printable::line(name), printable::line(version));
            let note = if *loaded { "" } else { " (declared, not loaded)" };
            line(format!("{NAME}{name}{NAME:#} {version}{DIM}{note}{DIM:#}  {}", first_line(description)));
            let width = |column: fn(&ToolRow) -> String| {
                row.tools.iter().map(|tool| column(tool).chars().count()).max().unwrap_or(0).min(COLUMN)
            };
            let (names, labels) = (width(ToolRow::name), width(ToolRow::label));
            for tool in &row.tools {
                let (name, label) = (tool.name(), tool.label());
                let description = tool.text.as_ref().map_or("", |(_, description)| description);
                let mut shown = format!("  {name}");
                if !label.is_empty() {
                    let gap = names.saturating_sub(name.chars().count());
                    shown.push_str(&format!("{:gap$}  {DIM}{label}{DIM:#}", ""));
                }
                if !description.is_empty() {
                    let gap = labels.saturating_sub(label.chars().count());
                    shown.push_str(&format!("{:gap$}  {}", "", first_line(description)));
                }
                let marks = tool.marks.line();
                if !marks.is_empty() {
                    shown.push_str(&format!("  {DIM}[{marks}]{DIM:#}"));
                }
                if let Some(owner) = tool.taken_by {
                    shown.push_str(&format!("  {BAD}ignored{BAD:#}: `{owner}` has a tool of that name"));
                }
                if let Some(why) = &tool.not_offered {
                    shown.push_str(&format!("  {WARN}not offered{WARN:#}: {}", printable::line(why)));
                }
                line(shown);
            }
            if row.tools.is_empty() {
                line(format!("  {DIM}no tools{DIM:#}"));
            }
            for warning in &row.warnings {
                line(format!("  {WARN}warning{WARN:#}: {}", printable::line(warning)));
            }
        }
        for error in failures {
            line(format!("{BAD}failed{BAD:#}: {}", printable::indented(&error.to_string(), "  ")));
        }
        if rows.is_empty() && failures.is_empty() {
            line(format!("no plugins in {dir:?}: none of its folders has an {FILE_NAME}"));
            if dir.join("Cargo.toml").exists() {
                line(format!("It is a crate's folder: `elowen-host inspect {}` builds it", dir.display()));
            }
        }
        text
    }
}

impl ToolRow {
    /// In full, since it is what is called.
    fn name(&self) -> String {
        printable::line(&self.name).into_owned()
    }

    fn label(&self) -> String {
        self.text.as_ref().map(|(label, _)| printable::cut(label, COLUMN)).unwrap_or_default()
    }
}

fn first_line(text: &str) -> String {
    printable::cut(text.trim_start().lines().next().unwrap_or_default(), DESCRIPTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_name_is_whole_and_does_not_push_the_other_rows_out() {
        let manifest = r#"{"name":"p","version":"1","apiVersion":"1","description":"","entry":"p"}"#;
        let tool = |name: &str, label: &str| ToolRow {
            name: name.to_owned(),
            text: Some((label.to_owned(), "Does it.".to_owned())),
            ..ToolRow::default()
        };
        let (wide, label) = ("W".repeat(200), "l".repeat(200));
        let report = Report {
            dir: "/p".into(),
            loaded: true,
            rows: vec![Row {
                manifest: Manifest::parse(manifest).unwrap(),
                folder: "/p/p".into(),
                tools: vec![tool(&wide, &label), tool("Short", "Short")],
                warnings: Vec::new(),
            }],
            failures: Vec::new(),
        };
        let text = anstream::adapter::strip_str(&report.as_text()).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "p 1");
        assert_eq!(lines[1], format!("  {wide}  {}…  Does it.", "l".repeat(COLUMN - 1)));
        assert_eq!(lines[2], format!("  {:COLUMN$}  {:COLUMN$}  Does it.", "Short", "Short"));
    }
}
