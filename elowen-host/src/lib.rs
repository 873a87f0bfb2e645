//! Loads and runs native plugins.

pub mod error;
pub mod os;
