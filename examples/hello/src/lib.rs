//! One tool that returns its text.
#![forbid(unsafe_code)]
