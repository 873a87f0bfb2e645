//! Loads and runs native plugins.
pub mod arguments;
