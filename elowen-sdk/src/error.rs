//! How a tool fails, and which failures are the model's business.
//!
//! Three kinds: a *text* the model can act on (a bad argument, a missing file), a *transport* failure (the
//! world behind the tool) and a *fault* (the tool itself). Only the last two are flagged as errors by the host.
//! The `?` operator sorts an error by what it is.

use crate::Output;
use std::{error::Error, fmt, io};

/// A failed tool call. Made by `?`, or by one of the constructors.
///
/// It does not implement [`std::error::Error`], so that any error can be converted into it.
///
/// ```
/// use elowen_sdk::prelude::*;
///
/// fn read(path: &str) -> ToolResult<String> {
///     Ok(std::fs::read_to_string(path)?) // a missing file: a text that the model can act on
/// }
/// assert!(read("/nowhere").unwrap_err().is_text());
/// ```
pub struct ToolError(pub(crate) Repr);

pub(crate) enum Repr {
    Text(Output),
    Transport(String),
    Fault(String),
    Cancelled,
}

/// What kind of failure a [`ToolError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The model can act on it. Not flagged.
    Text,
    /// Network, DNS, socket, a dead remote. Flagged.
    Transport,
    /// The tool's own failure. Flagged.
    Fault,
    /// The call was cancelled. Flagged.
    Cancelled,
}

impl ToolError {
    /// An answer that tells the model what to do differently.
    pub fn text(text: impl Into<String>) -> Self {
        ToolError(Repr::Text(Output::text(text)))
    }

    /// A failure of the world behind the tool, which calling differently does not mend.
    pub fn transport(error: impl fmt::Display) -> Self {
        ToolError(Repr::Transport(error.to_string()))
    }

    /// A failure of the tool itself.
    pub fn fault(error: impl fmt::Display) -> Self {
        ToolError(Repr::Fault(error.to_string()))
    }

    /// The call was cancelled.
    pub fn cancelled() -> Self {
        ToolError(Repr::Cancelled)
    }

    /// Sorts any error as `?` does.
    pub fn classify(error: &(dyn Error + 'static)) -> Self {
        match kind_of(error) {
            ToolErrorKind::Text => ToolError::text(chain_text(error)),
            ToolErrorKind::Transport => ToolError(Repr::Transport(chain_text(error))),
            _ => ToolError(Repr::Fault(chain_text(error))),
        }
    }

    /// Its kind.
    pub fn kind(&self) -> ToolErrorKind {
        match self.0 {
            Repr::Text(_) => ToolErrorKind::Text,
            Repr::Transport(_) => ToolErrorKind::Transport,
            Repr::Fault(_) => ToolErrorKind::Fault,
            Repr::Cancelled => ToolErrorKind::Cancelled,
        }
    }

    /// Whether the model can act on it.
    pub fn is_text(&self) -> bool {
        self.kind() == ToolErrorKind::Text
    }

    /// Turns anything but a transport failure or a cancellation into this answer: a catch-all that does not
    /// hide what the model cannot mend.
    #[must_use]
    pub fn or_text(self, text: impl Into<String>) -> Self {
        match self.0 {
            Repr::Transport(_) | Repr::Cancelled => self,
            Repr::Text(_) | Repr::Fault(_) => ToolError::text(text),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Text(output) => match output.content().first() {
                Some(crate::Content::Text(text)) => f.write_str(text),
                _ => Ok(()),
            },
            Repr::Transport(message) | Repr::Fault(message) => f.write_str(message),
            Repr::Cancelled => f.write_str("Operation aborted"),
        }
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolError({:?}: {self})", self.kind())
    }
}

/// Errors that `?` turns into a [`ToolError`]: every type that implements [`std::error::Error`].
#[diagnostic::on_unimplemented(
    message = "`?` cannot tell what kind of failure `{Self}` is",
    label = "this is no `std::error::Error`: write `.tool_err()?` if it is an `anyhow::Error` or a `Box<dyn Error>`, `.map_err(ToolError::text)?` if it is a text that the model can act on, else `.map_err(ToolError::fault)?`"
)]
pub trait Classify {
    /// Sorts the error.
    fn classify(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: Error + 'static> Classify for E {
    fn classify(self) -> ToolError {
        ToolError::classify(&self)
    }
}

impl<E: Classify> From<E> for ToolError {
    fn from(error: E) -> Self {
        error.classify()
    }
}

/// Ways to say, at the call that failed, what kind of failure it is.
pub trait ResultExt<T>: Sized {
    /// Sorts an error that `?` alone does not take, such as `anyhow::Error` or `Box<dyn Error + Send + Sync>`.
    ///
    /// # Errors
    /// The sorted error.
    fn tool_err(self) -> ToolResult<T>;

    /// Says that this is a transport failure, whatever the error looks like.
    ///
    /// # Errors
    /// The error, marked.
    fn transport(self) -> ToolResult<T>;

    /// Answers this text instead, except for transport failures, which pass through.
    ///
    /// # Errors
    /// The text, or the transport failure.
    fn or_text(self, text: impl Into<String>) -> ToolResult<T>;
}

use crate::ToolResult;

impl<T, E: Into<Box<dyn Error + Send + Sync>>> ResultExt<T> for Result<T, E> {
    fn tool_err(self) -> ToolResult<T> {
        self.map_err(|e| ToolError::classify(&*e.into()))
    }

    fn transport(self) -> ToolResult<T> {
        self.map_err(|e| ToolError(Repr::Transport(chain_text(&*e.into()))))
    }

    fn or_text(self, text: impl Into<String>) -> ToolResult<T> {
        self.map_err(|e| ToolError::classify(&*e.into()).or_text(text))
    }
}

/// An error marked as a transport failure; see [`mark_transport_failure`].
#[derive(Debug)]
pub struct TransportFailure(Box<dyn Error + Send + Sync>);

impl fmt::Display for TransportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for TransportFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// Tags an error as a transport failure, so that `?` and every catch-all keep it one.
pub fn mark_transport_failure(error: impl Into<Box<dyn Error + Send + Sync>>) -> TransportFailure {
    TransportFailure(error.into())
}

/// Whether an error is a transport failure: marked, or of a kind that always is one (network, timeout).
pub fn is_transport_failure(error: &(dyn Error + 'static)) -> bool {
    kind_of(error) == ToolErrorKind::Transport
}

/// Rule A16: the first classified or marked error in the chain decides; an unknown one is a fault.
fn kind_of(error: &(dyn Error + 'static)) -> ToolErrorKind {
    let mut next = Some(error);
    // A chain may be a cycle in a hostile or broken error type.
    for _ in 0..64 {
        let Some(error) = next else { break };
        if let Some(kind) = own_kind(error) {
            return kind;
        }
        next = error.source();
    }
    ToolErrorKind::Fault
}

fn own_kind(error: &(dyn Error + 'static)) -> Option<ToolErrorKind> {
    if error.is::<TransportFailure>() || error.is::<tokio::time::error::Elapsed>() {
        return Some(ToolErrorKind::Transport);
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        // An io error may carry a marked one.
        return match error.get_ref().map(|inner| kind_of(inner)) {
            Some(kind) if kind != ToolErrorKind::Fault => Some(kind),
            _ => io_kind(error.kind()),
        };
    }
    if let Some(error) = error.downcast_ref::<serde_json::Error>() {
        return match error.io_error_kind() {
            Some(kind) => io_kind(kind),
            None => Some(ToolErrorKind::Text),
        };
    }
    let text = error.is::<std::str::Utf8Error>()
        || error.is::<std::string::FromUtf8Error>()
        || error.is::<std::string::FromUtf16Error>()
        || error.is::<std::num::ParseIntError>()
        || error.is::<std::num::ParseFloatError>()
        || error.is::<std::num::TryFromIntError>()
        || error.is::<std::str::ParseBoolError>()
        || error.is::<std::char::ParseCharError>()
        || error.is::<std::net::AddrParseError>();
    text.then_some(ToolErrorKind::Text)
}

fn io_kind(kind: io::ErrorKind) -> Option<ToolErrorKind> {
    use io::ErrorKind as K;
    match kind {
        K::NotFound
        | K::PermissionDenied
        | K::AlreadyExists
        | K::InvalidInput
        | K::InvalidData
        | K::NotADirectory
        | K::IsADirectory => Some(ToolErrorKind::Text),
        K::ConnectionRefused
        | K::ConnectionReset
        | K::ConnectionAborted
        | K::HostUnreachable
        | K::NetworkUnreachable
        | K::NetworkDown
        | K::NotConnected
        | K::AddrInUse
        | K::AddrNotAvailable
        | K::BrokenPipe
        | K::TimedOut => Some(ToolErrorKind::Transport),
        _ => None,
    }
}

/// The error and its sources, each cause once.
fn chain_text(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    for _ in 0..16 {
        let Some(cause) = next else { break };
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests;
