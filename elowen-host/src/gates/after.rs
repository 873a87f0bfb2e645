//! Hooks of plugins that look at a result before the model gets it. They run at the same time and are waited for;
//! what they have to say becomes notes beside the result.

use super::budget::watched;
use super::hooks::{HookCall, Hooked};
use crate::answer::Answer;
use crate::log::{Log, Silent};
use async_trait::async_trait;
use serde_json::Value;
use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

const NAME: &str = "tools.call.after";
/// For each hook.
const BUDGET: Duration = Duration::from_millis(12_000);

/// Looks at results.
#[async_trait]
pub trait AfterHook: Send + Sync {
    /// Notes for who reads along, often none. `Err` says what went wrong, and changes nothing. It has twelve
    /// seconds. It must not block the thread it is polled on.
    async fn after(&self, call: HookCall<'_>, result: &Answer) -> Result<Vec<String>, String>;
}

/// Shows results to hooks. Only for tools that ran and did not fail: neither refusals nor failures are shown.
pub struct AfterHooks {
    hooks: Vec<Hooked<dyn AfterHook>>,
    log: Arc<dyn Log>,
    budget: Duration,
}

impl AfterHooks {
    /// Their notes come in that order.
    pub fn new(hooks: Vec<Hooked<dyn AfterHook>>, log: Arc<dyn Log>) -> Self {
        AfterHooks { hooks, log, budget: BUDGET }
    }

    /// None at all.
    pub fn none() -> Self {
        AfterHooks::new(Vec::new(), Arc::new(Silent))
    }

    /// Another budget for each hook than twelve seconds.
    #[must_use]
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Shows a result to all hooks and adds what they say to its `details.notes`.
    pub async fn run(&self, call: HookCall<'_>, answer: &mut Answer) {
        if self.hooks.is_empty() || answer.is_error {
            return;
        }
        let result: &Answer = answer;
        let running = self.hooks.iter().map(|hooked| {
            let said = hooked.hook.after(call, result);
            watched(NAME, self.budget, said, &hooked.plugin, &*self.log)
        });
        let notes: Vec<String> = all(running).await.into_iter().flatten().flatten().collect();
        add_notes(&mut answer.details, notes);
    }
}

impl fmt::Debug for AfterHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plugins: Vec<&str> = self.hooks.iter().map(|hooked| hooked.plugin.as_str()).collect();
        f.debug_struct("AfterHooks").field("plugins", &plugins).finish_non_exhaustive()
    }
}

/// Adds to `notes`. Details that are no object are kept as `value` of one.
fn add_notes(details: &mut Value, notes: Vec<String>) {
    if notes.is_empty() {
        return;
    }
    if !details.is_object() {
        *details = serde_json::json!({ "value": details.take() });
    }
    let Some(details) = details.as_object_mut() else { return };
    let held = details.entry("notes").or_insert_with(|| Value::Array(Vec::new()));
    if !held.is_array() {
        *held = Value::Array(Vec::new());
    }
    if let Value::Array(held) = held {
        held.extend(notes.into_iter().map(Value::String));
    }
}

/// Runs futures at the same time; their results come in their order.
async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    enum State<F: Future> {
        Running(Pin<Box<F>>),
        Ended(Option<F::Output>),
    }
    let mut states: Vec<State<F>> = futures.map(|future| State::Running(Box::pin(future))).collect();
    let mut poll = |cx: &mut Context<'_>| {
        let mut pending = false;
        for state in &mut states {
            if let State::Running(future) = state {
                match future.as_mut().poll(cx) {
                    Poll::Ready(output) => *state = State::Ended(Some(output)),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending {
            return Poll::Pending;
        }
        let outputs = states.iter_mut().filter_map(|state| match state {
            State::Ended(output) => output.take(),
            State::Running(_) => None,
        });
        Poll::Ready(outputs.collect())
    };
    poll_fn(move |cx| poll(cx)).await
}
