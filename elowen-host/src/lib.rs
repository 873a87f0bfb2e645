//! Loads native plugins and runs their tools.
//!
//! The way of a plugin, each step taking what the one before it made:
//!
//! 1. [`discover`] finds folders, [`manifest`] reads what they say. No code has run.
//! 2. [`trust`] checks the library's file and reads it once; [`blob`] reads the metadata in it; [`cache`] keeps a
//!    private copy of exactly those bytes.
//! 3. The library is mapped and entered, its function table checked; `register` runs ([`Host::load`]).
//! 4. [`registry`] checks each tool it offers, merges it with the others', and reads what the manifest says of it.
//! 5. [`scope`] selects, and a [`session`] composes what its model is offered; [`Session::call`](session::Session::call)
//!    checks the [`arguments`], asks the [`gates`], and calls.
//! 6. [`Tool::call`] is the raw call beneath it, as a future that resolves to a [`RawAnswer`] or a [`Failure`].
//!
//! What a session may do is in [`policy`]; [`gates`] ask it before a call, [`path_guard`] before a file is opened.
//! [`output`] says what people see of a result, [`diagnostics`] why a provider's cache did not hold.
//!
//! [`package`] makes a plugin's folder of an author's crate; [`cli`] is the command line over all of it.
//!
//! A native plugin has all rights of this process; see [`Trust`].

mod answer;
pub mod arguments;
pub mod blob;
pub mod cache;
mod call;
mod cancel;
pub mod cli;
pub mod diagnostics;
pub mod discover;
pub mod error;
mod folder;
pub mod gates;
mod host;
mod library;
pub mod log;
pub mod manifest;
mod mode;
mod operation;
pub mod os;
pub mod output;
pub mod package;
pub mod path_guard;
mod plugin;
pub mod policy;
mod printable;
pub mod query;
pub mod registry;
pub mod scope;
pub mod session;
mod timer;
pub mod trust;

pub use answer::{Answer, Content, Failure, FailureKind, RawAnswer};
pub use call::{Call, Update};
pub use cancel::CancelToken;
pub use error::{LoadError, LoadFailure};
pub use host::{Host, HostBuilder, HostError, LoadReport, inspect};
pub use library::Trust;
pub use plugin::{Plugin, ShutdownError, Tool};
pub use registry::grants::Grants;
