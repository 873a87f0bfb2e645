//! Questions that plugins ask their host by name, and the answers.

use crate::library::Asker;
use elowen_sdk::abi;
use serde_json::{Value, json};
use std::fmt;

/// A question.
#[derive(Debug)]
pub struct Question<'a> {
    /// The plugin that asks.
    pub plugin: &'a str,
    /// The call it asks for, as the host numbers it; 0 outside any call.
    pub operation: u64,
    /// What it asks.
    pub name: &'a str,
    /// Its request; `null` where it sent none.
    pub request: Value,
}

/// Answers the questions that the host itself does not: an embedder's door for whatever its plugins may ask.
/// `config`, `dataDir` and `pluginDir` are answered before it is asked.
pub trait Questions: Send + Sync {
    /// Answers now, or keeps `reply` and answers from any thread. A reply that is dropped answers "closed".
    fn ask(&self, question: Question<'_>, reply: Reply);
}

/// Answers no further questions.
#[derive(Clone, Copy, Debug)]
pub struct NoQuestions;

impl Questions for NoQuestions {
    fn ask(&self, question: Question<'_>, reply: Reply) {
        reply.unknown(question.name);
    }
}

/// The way back to who asked; used once.
pub struct Reply(Option<Asker>);

impl Reply {
    pub(crate) fn new(asker: Asker) -> Self {
        Reply(Some(asker))
    }

    /// The answer.
    pub fn answer(self, answer: &Value) {
        self.end(abi::OK, answer);
    }

    /// The host will not say, and why.
    pub fn refuse(self, why: impl fmt::Display) {
        self.end(abi::ERR_REFUSED, &json!({"message": why.to_string()}));
    }

    /// There is no such question.
    pub fn unknown(self, name: &str) {
        self.end(abi::ERR_UNKNOWN, &json!({"message": name}));
    }

    /// The question itself is broken.
    pub fn invalid(self, why: &str) {
        self.end(abi::ERR_INVALID, &json!({"message": why}));
    }

    fn end(mut self, status: abi::Status, body: &Value) {
        if let Some(asker) = self.0.take() {
            asker.answer(status, body.to_string().into_bytes());
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(asker) = self.0.take() {
            asker.answer(abi::ERR_CLOSED, Vec::new());
        }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}
