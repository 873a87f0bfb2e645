//! Waits for a plugin's hook, but not for ever, and without a runtime of any kind.

use crate::log::{Level, Log, Record};
use crate::timer;
use std::{future::poll_fn, pin::pin, task::Poll, time::Duration};

/// What a hook says within its time. Its failure, or its taking too long, is a warning and nothing said.
pub(super) async fn watched<T>(
    name: &str,
    budget: Duration,
    hook: impl Future<Output = Result<T, String>>,
    plugin: &str,
    log: &dyn Log,
) -> Option<T> {
    let mut hook = pin!(hook);
    let mut sleep = pin!(timer::sleep_until(timer::after(budget)));
    let said = poll_fn(|cx| match hook.as_mut().poll(cx) {
        Poll::Ready(said) => Poll::Ready(Some(said)),
        Poll::Pending => sleep.as_mut().poll(cx).map(|()| None),
    });
    let problem = match said.await {
        Some(Ok(said)) => return Some(said),
        Some(Err(message)) => format!("hook \"{name}\" threw (skipped): {message}"),
        None => format!("hook \"{name}\" timed out after {}ms (skipped)", budget.as_millis()),
    };
    log.log(&Record { level: Level::Warn, plugin, target: "", message: &problem, fields: "" });
    None
}
