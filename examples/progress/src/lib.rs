//! A tool that waits, tells how far it is, and stops when asked to.
#![forbid(unsafe_code)]

use elowen_sdk::prelude::*;
use std::time::Duration;

/// What the model supplies, as a struct: defaults, limits and documentation become the tool's schema.
#[tool_type]
struct CountDown {
    /// Where to begin.
    #[schemars(range(min = 1, max = 1000))]
    from: u32,
    /// Milliseconds between two numbers (default 1000).
    #[serde(default = "a_second")]
    #[schemars(range(max = 60_000))]
    interval: u64,
}

fn a_second() -> u64 {
    1000
}

/// Counts down to zero, one number at a time.
#[tool]
async fn count_down(Params(p): Params<CountDown>, cancel: &Cancel, updates: &Updates) -> ToolResult {
    for left in (1..=p.from).rev() {
        updates.text(format!("{left} ..."));
        // Waits, unless the call is cancelled meanwhile: then `?` ends it.
        cancel.guard(tokio::time::sleep(Duration::from_millis(p.interval))).await?;
    }
    text("Lift-off!")
}

#[plugin(tools(count_down))]
fn register(_ctx: &PluginContext) {}
