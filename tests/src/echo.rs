//! The same small tool several ways, for comparison: it reads `{"value": text}` and answers with that text.
//!
//! [`work`] is what any of them has to do at least. All give the same bytes.

use elowen_host::Tool;
use serde::{Deserialize, Serialize};
use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

#[derive(Deserialize)]
struct Arguments {
    value: String,
}

#[derive(Serialize)]
struct Answer {
    content: [Content; 1],
    details: Details,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Content {
    Text { text: String },
}

#[derive(Serialize)]
struct Details {}

/// Arguments whose text has `bytes` bytes, none of which JSON escapes.
pub fn arguments(bytes: usize) -> String {
    format!(r#"{{"value":"{}"}}"#, "x".repeat(bytes))
}

/// The work itself: JSON read into a typed value, and a typed result written as JSON.
///
/// # Panics
/// When `arguments` are not what [`arguments`] makes.
pub fn work(arguments: &[u8]) -> Vec<u8> {
    let Arguments { value } = serde_json::from_slice(arguments).expect("the arguments are ours");
    let answer = Answer { content: [Content::Text { text: value }], details: Details {} };
    serde_json::to_vec(&answer).expect("the answer can be written")
}

/// An async tool as Rust programs have them in process.
#[async_trait::async_trait]
pub trait InProcess: Send + Sync {
    /// Runs it.
    async fn call(&self, arguments: &[u8]) -> Vec<u8>;
}

struct Working;

#[async_trait::async_trait]
impl InProcess for Working {
    async fn call(&self, arguments: &[u8]) -> Vec<u8> {
        work(arguments)
    }
}

/// [`work`] behind an object of an async trait.
pub fn in_process() -> Box<dyn InProcess> {
    Box::new(Working)
}

/// Calls an async trait's tool, which is ready at its first poll.
///
/// # Panics
/// When it is not.
pub fn call_in_process(tool: &dyn InProcess, arguments: &[u8]) -> Vec<u8> {
    ready(tool.call(arguments).as_mut())
}

/// Calls a plugin's tool, raw, and hands its answer's JSON to `look`.
///
/// # Panics
/// When it is not over at its first poll, or fails.
pub fn call_raw<T>(tool: Tool, arguments: &str, look: impl FnOnce(&str) -> T) -> T {
    let call = std::pin::pin!(tool.call(arguments));
    look(ready(call).expect("the call succeeds").as_str())
}

fn ready<F: Future + ?Sized>(future: Pin<&mut F>) -> F::Output {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the call is not over at its first poll"),
    }
}
