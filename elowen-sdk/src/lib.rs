//! Write plugins for the Elowen AI agent platform in Rust.
#![cfg_attr(not(feature = "plugin"), no_std)]

pub mod abi;
#[cfg(feature = "plugin")]
pub mod schema;
