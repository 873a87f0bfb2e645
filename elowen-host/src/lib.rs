//! Loads and runs native plugins.

pub mod blob;
pub mod cache;
pub mod discover;
pub mod error;
pub mod manifest;
pub mod os;
pub mod trust;
