//! Boxed errors need `.tool_err()`, and the compiler says so.

use elowen_sdk::prelude::*;

type Boxed = Box<dyn std::error::Error + Send + Sync>;

fn boxed() -> Result<String, Boxed> {
    Ok(String::new())
}

/// Reads.
#[tool]
async fn unsorted() -> ToolResult {
    Ok(boxed()?.into())
}

/// Reads.
#[tool]
async fn sorted() -> ToolResult {
    Ok(boxed().tool_err()?.into())
}

/// Returns it as it is.
#[tool]
async fn returned() -> Result<String, Boxed> {
    boxed()
}

fn main() {}
