//! Why a manifest cannot be used, whose fault that is, and what to write instead.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::{API_VERSION, FILE_NAME, MAX_LEN, SHARED_API};
use crate::error::Fault;
use crate::folder;

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error("{FILE_NAME} cannot be read: {source}")]
    Read {
        /// The manifest.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is a directory, a FIFO, a device ...
    #[error("{FILE_NAME} is not a regular file")]
    NotRegular {
        /// The manifest.
        path: PathBuf,
    },
    /// Larger than [`MAX_LEN`].
    #[error("{FILE_NAME} has more than {MAX_LEN} bytes")]
    TooLarge {
        /// The manifest.
        path: PathBuf,
    },
    /// Not UTF-8.
    #[error("{FILE_NAME} is not UTF-8: byte {offset} is wrong")]
    NotUtf8 {
        /// The manifest.
        path: PathBuf,
        /// Number of good bytes before it.
        offset: usize,
    },
    /// Not JSON.
    #[error("{FILE_NAME} is not JSON: line {line}, column {column}: {message}")]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// Required fields are missing.
    #[error("invalid plugin manifest: / must have required properties {}", fields.join(", "))]
    Missing {
        /// Their names.
        fields: Vec<&'static str>,
    },
    /// A field, or the whole, is of the wrong kind.
    #[error("invalid plugin manifest: {at} {message}")]
    Shape {
        /// JSON pointer to the value; `/` is the whole.
        at: String,
        /// What it must be.
        message: String,
    },
    /// Written for another plugin API.
    #[error("unsupported plugin apiVersion {found:?} (need {API_VERSION:?})")]
    ApiVersion {
        /// The version it has.
        found: String,
    },
    /// Written for another shared plugin API.
    #[error(
        "{name:?} needs elowen-plugin-shared API {needs}, but this daemon ships {SHARED_API} — update {} so the two match",
        if *needs > SHARED_API { "Elowen" } else { name }
    )]
    SharedApi {
        /// The manifest's `name`.
        name: String,
        /// Its `requiresSharedApi`.
        needs: u64,
    },
    /// The folder is called otherwise.
    #[error("manifest name {name:?} != folder {folder:?}")]
    Name {
        /// The manifest's `name`.
        name: String,
        /// The folder's name.
        folder: OsString,
    },
    /// `entry` leads out of the folder.
    #[error("entry {entry:?} escapes plugin dir")]
    Escapes {
        /// The manifest's `entry`.
        entry: String,
    },
    /// There is no such library.
    #[error("entry {entry:?} names no file in {folder:?}; looked for {looked_for}")]
    NoLibrary {
        /// The manifest's `entry`.
        entry: String,
        /// The plugin's folder.
        folder: PathBuf,
        /// The names that were tried, for people.
        looked_for: String,
    },
}

impl ManifestError {
    /// Who can mend it.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Read { .. } | Self::NotRegular { .. } | Self::Name { .. } | Self::NoLibrary { .. } => {
                Fault::Installation
            }
            _ => Fault::Plugin,
        }
    }

    /// What to do, as a sentence without its full stop.
    pub fn remedy(&self) -> Cow<'static, str> {
        match self {
            Self::Read { .. } => "Make the manifest readable for this host".into(),
            Self::NotRegular { .. } => "Put the manifest itself there".into(),
            Self::TooLarge { .. } => "Shorten the manifest".into(),
            Self::NotUtf8 { .. } => "Save the manifest as UTF-8".into(),
            Self::Json { .. } => format!("Correct {FILE_NAME}").into(),
            Self::Missing { fields } => missing_remedy(fields).into(),
            Self::Shape { at, .. } if at == "/" => {
                format!("Put one JSON object into {FILE_NAME}, such as {EXAMPLE}").into()
            }
            Self::Shape { at, message } => shape_remedy(at, message).into(),
            Self::ApiVersion { .. } => {
                format!("Use a release of the plugin for apiVersion {API_VERSION:?}, or another host").into()
            }
            Self::SharedApi { .. } => "Install releases of both that name the same number".into(),
            Self::Name { name, .. } if !folder::is_name(name) => {
                format!("Correct \"name\" in {FILE_NAME}: it must be the folder's name, and no folder can be called {name:?}").into()
            }
            Self::Name { name, .. } => format!("Rename the folder to {name:?}").into(),
            Self::Escapes { .. } => "Let `entry` name a file in the plugin's own folder".into(),
            Self::NoLibrary { .. } => {
                "Build the plugin and copy its library there, or correct `entry`".into()
            }
        }
    }
}

/// A whole manifest, for people who have none yet.
const EXAMPLE: &str = r#"{"name": "my-plugin", "version": "1.0.0", "apiVersion": "1", "description": "", "entry": "my_plugin"}"#;

/// What to add, in the author's words.
fn missing_remedy(fields: &[&str]) -> String {
    let about = |field: &&str| match *field {
        "name" => "\"name\" (the plugin's, equal to its folder's)".to_owned(),
        "version" => "\"version\" (the plugin's own, such as \"1.0.0\")".to_owned(),
        "apiVersion" => format!("\"apiVersion\": {API_VERSION:?}"),
        "description" => "\"description\" (what the plugin is for; may be \"\")".to_owned(),
        "entry" => "\"entry\" (the library's file name, with or without prefix and suffix)".to_owned(),
        other => format!("{other:?}"),
    };
    format!("Add to {FILE_NAME}: {}", fields.iter().map(about).collect::<Vec<_>>().join(", "))
}

/// What to write instead, told by what the shape's check missed.
fn shape_remedy(at: &str, message: &str) -> String {
    let field = at.trim_start_matches('/');
    let kind = match message {
        "must be string" => "a text in double quotes",
        "must be boolean" => "true or false, without quotes",
        "must be number" => "a number, without quotes",
        "must be integer" => "a whole number, without quotes",
        "must be array" => "a list: [\"one\", \"two\"]",
        "must be object" => "an object: {\"key\": ...}",
        _ => return format!("Correct {field:?} in {FILE_NAME}: it {message}"),
    };
    format!("Give {field:?} in {FILE_NAME} {kind}")
}
