//! Helpers that the tests of this package share.

pub mod build;
pub mod cc;
pub mod cli;
pub mod echo;
pub mod table;
pub mod valgrind;

/// The examples in the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The examples of the authors' page, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../docs/plugins.md")]
struct Plugins;

/// The examples of the embedders' page, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
struct Embedding;
