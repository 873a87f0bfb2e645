//! Helpers that the tests of this package share.

pub mod cc;
pub mod echo;
pub mod fixture;
pub mod valgrind;
