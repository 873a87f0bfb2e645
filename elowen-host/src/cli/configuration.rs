//! `--config`: what a plugin's own configuration is to be, as JSON or in a file.

use std::fs;
use std::path::Path;

use super::{Stop, arguments};
use serde_json::Value;

/// The plugin's configuration.
#[derive(Debug, clap::Args)]
pub(super) struct Configuration {
    /// The plugin's own configuration: a JSON object, or a file that holds one
    #[arg(long, value_name = "FILE|JSON", help_heading = "Loading")]
    config: Option<String>,
}

impl Configuration {
    /// The object, if one was given. What begins with `{` is JSON; anything else names a file.
    pub(super) fn read(&self) -> Result<Option<Value>, Stop> {
        let Some(given) = &self.config else { return Ok(None) };
        let (text, whose) = if given.trim_start().starts_with('{') {
            (given.clone(), "the configuration is".to_owned())
        } else {
            let path = std::path::absolute(Path::new(given)).unwrap_or_else(|_| given.into());
            let read = fs::read_to_string(&path);
            let text = read.map_err(|error| {
                Stop::usage(format!(
                    "--config names {path:?}, which cannot be read: {error}. (JSON begins with `{{`.)"
                ))
            })?;
            (text, format!("the configuration in {path:?} is"))
        };
        let text = text.trim_start_matches('\u{feff}').to_owned();
        let text = arguments::checked(text, &whose).map_err(Stop::usage)?;
        match serde_json::from_str(&text) {
            Ok(value @ Value::Object(_)) => Ok(Some(value)),
            Ok(_) => Err(Stop::usage(format!("{whose} not a JSON object: write it between {{ and }}"))),
            Err(error) => Err(Stop::usage(format!("{whose} not to be used: {error}"))),
        }
    }
}
