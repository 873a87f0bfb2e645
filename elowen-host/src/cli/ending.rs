//! Shutting plugins down at a command's end, and telling why that takes a moment.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::output;
use crate::plugin::{Plugin, ShutdownError};

/// How long a plugin may take.
const SHUTDOWN: Duration = Duration::from_secs(2);
/// How long that is worth no word.
const PATIENCE: Duration = Duration::from_millis(300);

/// Shuts the plugins down, all at once. `called` is the tool that was called, if one was.
pub(super) fn shut_down(plugins: &[Plugin], called: Option<&str>) {
    thread::scope(|scope| {
        let (running, all_ended) = mpsc::channel::<()>();
        let ending: Vec<_> = plugins
            .iter()
            .map(|plugin| {
                let running = running.clone();
                (plugin, scope.spawn(move || (plugin.shutdown(SHUTDOWN), drop(running)).0))
            })
            .collect();
        drop(running);
        if all_ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let slow = ending.iter().filter(|(_, thread)| !thread.is_finished());
            let names: Vec<String> = slow.map(|(plugin, _)| format!("`{}`", plugin.name())).collect();
            output::note(&format!("Waiting for {} to shut down, {SHUTDOWN:?} at most", names.join(", ")));
        }
        for (plugin, thread) in ending {
            if let Ok(Err(error)) = thread.join() {
                output::warning(&left_behind(*plugin, error, called));
            }
        }
    });
}

fn left_behind(plugin: Plugin, error: ShutdownError, called: Option<&str>) -> String {
    let call = match called {
        Some(tool) if plugin.abandoned_calls() > 0 => {
            format!("; the call of its tool `{tool}`, which was given up, has not ended")
        }
        _ => String::new(),
    };
    format!("plugin `{}` was not shut down: {error}{call}", plugin.name())
}
