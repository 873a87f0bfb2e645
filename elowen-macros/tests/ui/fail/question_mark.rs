//! Boxed errors need `.tool_err()` and texts a kind, and the compiler says so.

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

/// Looks up.
#[tool]
async fn texts() -> ToolResult {
    let name = Err::<String, &str>("no name")?;
    let note = Err::<String, String>("no note".into())?;
    let good = Err::<String, &str>("no name").map_err(ToolError::text)?;
    Ok(name.into())
}

/// Looks up.
#[tool]
async fn text_returned() -> Result<String, String> {
    Err("no note".into())
}

fn main() {}
