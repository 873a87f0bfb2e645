//! Helpers that the tests of this package share.

pub mod build;
pub mod cc;
pub mod table;
