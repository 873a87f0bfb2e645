//! What a plugin asks of its host: to take a tool, and to answer a question.

use super::Loaded;
use crate::log::Level;
use crate::operation;
use crate::query::{Question, Reply};
use elowen_sdk::abi::{self, Status};
use serde_json::{Value, json};
use std::{path::Path, sync::PoisonError};

/// A tool as a plugin offers it.
pub(crate) struct Offer<'a> {
    pub(crate) number: u64,
    pub(crate) run: u32,
    pub(crate) definition: &'a str,
    pub(crate) options: &'a str,
}

impl Loaded {
    /// A tool is offered. Only a registration that is under way may do that.
    pub(crate) fn offer(&'static self, operation: u64, offer: &Offer<'_>) -> Status {
        let registering = operation::with(operation, |o| {
            std::ptr::eq(o.plugin, self) && o.registration && !o.completed && !o.cancelled
        });
        if registering != Some(true) {
            self.warn("register_tool refused: tools are registered while `register` runs, and it is over");
            return abi::ERR_CLOSED;
        }
        let accepted = self.staging.lock().unwrap_or_else(PoisonError::into_inner).offer(offer);
        match accepted {
            Ok(warnings) => {
                warnings.iter().for_each(|warning| self.warn(warning));
                abi::OK
            }
            Err(refusal) => {
                self.warn(&refusal);
                abi::ERR_REFUSED
            }
        }
    }

    /// A question: the host's own answers first, then the embedder's.
    pub(crate) fn ask(&'static self, operation: u64, name: &str, request: &str, reply: Reply) {
        let over = operation != 0
            && operation::with(operation, |o| std::ptr::eq(o.plugin, self) && !o.completed && !o.cancelled)
                != Some(true);
        if self.is_gone() || over {
            return; // Dropping the reply answers "closed".
        }
        let request = match request {
            "" => Value::Null,
            text => match serde_json::from_str(text) {
                Ok(request) => request,
                Err(error) => return reply.invalid(&format!("the request is not JSON: {error}")),
            },
        };
        match name {
            "config" => reply.answer(&self.config),
            "pluginDir" => answer_path(reply, &self.folder),
            "dataDir" => match self.services.data_dir(self.name()) {
                Ok(dir) => answer_path(reply, &dir),
                Err(error) => {
                    let reason = error.to_string();
                    let setting = self.services.state_setting;
                    self.services.host_log(
                        Level::Error,
                        "",
                        &format!(
                            "plugin {:?} gets no data folder: {reason}. That is the fault of the host's state folder: \
                             mend it, or let {setting} name one that this user can write to",
                            self.name()
                        ),
                    );
                    // Before the answer, which may end the registration at once.
                    let _ = self.no_data_dir.set(reason.clone());
                    reply.refuse(format!("the host's state folder is at fault, not the plugin: {reason}"));
                }
            },
            _ => match live_answer(operation, name) {
                Some(answer) => reply.answer(&answer),
                None => {
                    let question = Question { plugin: self.name(), operation, name, request };
                    self.services.questions.ask(question, reply);
                }
            },
        }
    }
}

/// Who a session's call acts for and what it may do, at this moment. Only such a call is told; `register` is not, and
/// nobody once the call is over (A19).
fn live_answer(operation: u64, name: &str) -> Option<Value> {
    if !matches!(name, "identity" | "access" | "accountUserId") {
        return None;
    }
    // The authority is an embedder's, so it is asked outside of `with`.
    let turn = operation::with(operation, |o| o.turn.clone()).flatten()?;
    Some(match name {
        "identity" => json!(turn.current_identity()),
        "access" => turn.access().to_json(),
        _ => json!(turn.ceiling().account()),
    })
}

fn answer_path(reply: Reply, path: &Path) {
    match path.to_str() {
        Some(path) => reply.answer(&json!({"path": path})),
        None => reply.refuse(format!("the path {} is not UTF-8", path.display())),
    }
}
