//! What came of a call: the tool's result, or why there is none.

use crate::library::{ForeignBuf, ForeignText};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{error::Error, fmt};

/// One piece of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Content {
    /// Text for the model.
    Text {
        /// The text.
        text: String,
    },
    /// An image for the model.
    Image {
        /// Standard base64.
        data: String,
        /// Such as `image/png`.
        #[serde(rename = "mimeType")]
        mime_type: String,
    },
}

/// A tool's result, as the platform shows it to the model and keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// For the model.
    pub content: Vec<Content>,
    /// For the host only; `{}` where the tool gave none.
    #[serde(default = "empty")]
    pub details: Value,
    /// The tool asks the agent to stop after this round.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub terminate: bool,
    /// A failure that the model cannot fix by calling differently.
    #[serde(default, rename = "isError")]
    pub is_error: bool,
    /// What kind of failure, where it is one of a call; for the host, and not part of what is kept.
    #[serde(skip)]
    pub failure: Option<FailureKind>,
}

fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}

impl Answer {
    /// An answer of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Answer {
            content: vec![Content::Text { text: text.into() }],
            details: empty(),
            terminate: false,
            is_error: false,
            failure: None,
        }
    }

    /// The texts, a line each.
    pub fn to_text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
            Content::Text { text } => Some(text.as_str()),
            Content::Image { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// A failure becomes a flagged answer with its text, as the platform turns a throw into one.
impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Answer { is_error: true, failure: Some(failure.kind), ..Answer::text(failure.to_string()) }
    }
}

/// Why a call has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The world behind the tool failed: network, DNS, a dead remote.
    Transport,
    /// The tool failed.
    Fault,
    /// The tool panicked. The plugin goes on answering.
    Panic,
    /// The call was cancelled.
    Cancelled,
    /// The call took longer than its deadline.
    Deadline,
    /// Too many calls of this plugin are stuck; it was not started.
    Busy,
    /// The plugin broke the rules of the border.
    Protocol,
    /// The plugin is shut down.
    Closed,
}

/// One word, as programs read it: `transport`, `fault`, `panic` ...
impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureKind::Transport => "transport",
            FailureKind::Fault => "fault",
            FailureKind::Panic => "panic",
            FailureKind::Cancelled => "cancelled",
            FailureKind::Deadline => "deadline",
            FailureKind::Busy => "busy",
            FailureKind::Protocol => "protocol",
            FailureKind::Closed => "closed",
        })
    }
}

/// A call without a result; every one is flagged as an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// The plugin's name.
    pub plugin: &'static str,
    /// What happened, in the plugin's words where it has said something.
    pub message: String,
    /// Where a panic began, as `file:line:column`.
    pub location: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { plugin, message, .. } = self;
        match self.kind {
            FailureKind::Transport | FailureKind::Fault => f.write_str(message),
            FailureKind::Cancelled => f.write_str("Operation aborted"),
            FailureKind::Panic => {
                write!(f, "plugin `{plugin}` panicked: {message}")?;
                match &self.location {
                    Some(location) => write!(f, " (at {location}). This is a bug in the plugin."),
                    None => f.write_str(". This is a bug in the plugin."),
                }
            }
            FailureKind::Deadline => write!(f, "the call was not finished {message} and was given up"),
            FailureKind::Busy => write!(f, "plugin `{plugin}` is busy: {message}"),
            FailureKind::Protocol => {
                write!(
                    f,
                    "plugin `{plugin}` broke the rules of the plugin ABI: {message}. This is a bug in the plugin."
                )
            }
            FailureKind::Closed => write!(f, "plugin `{plugin}` is shut down"),
        }
    }
}

/// The sentence and the kind: this is what a `main` that returns it shows.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} ({})", self.kind)
    }
}

impl Error for Failure {}

/// A tool's result as it came: JSON text in the plugin's memory, checked to be UTF-8 and nothing more.
#[derive(Debug)]
pub struct RawAnswer {
    body: ForeignText,
    plugin: &'static str,
}

impl RawAnswer {
    pub(crate) fn new(body: ForeignBuf, plugin: &'static str) -> Result<Self, Failure> {
        match ForeignText::new(body) {
            Ok(body) => Ok(RawAnswer { body, plugin }),
            Err(fault) => Err(Failure {
                kind: FailureKind::Protocol,
                plugin,
                message: format!("the result {fault}"),
                location: None,
            }),
        }
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        self.body.as_str()
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`FailureKind::Protocol`] if it is not a result.
    pub fn parse(&self) -> Result<Answer, Failure> {
        let text = self.as_str();
        // A derived reader would take the fields from an array too, in order.
        let read = match text.trim_start().starts_with('[') {
            true => Err("it is not a JSON object".to_owned()),
            false => serde_json::from_str::<Answer>(text).map_err(|error| error.to_string()),
        };
        match read {
            // The flag is the host's to set: a tool fails by failing.
            Ok(answer) => Ok(Answer { is_error: false, details: object(answer.details), ..answer }),
            Err(error) => Err(Failure {
                kind: FailureKind::Protocol,
                plugin: self.plugin,
                message: format!("the result is not a tool's result ({error})"),
                location: None,
            }),
        }
    }
}

fn object(details: Value) -> Value {
    if details.is_null() { empty() } else { details }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_returns_a_failure_shows_its_sentence_and_kind() {
        let failure = Failure {
            kind: FailureKind::Panic,
            plugin: "todo",
            message: "boom".to_owned(),
            location: Some("src/lib.rs:7:5".to_owned()),
        };
        let sentence = "plugin `todo` panicked: boom (at src/lib.rs:7:5). This is a bug in the plugin.";
        assert_eq!(format!("{failure:?}"), format!("{sentence} (panic)"));
    }
}
