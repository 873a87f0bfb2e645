//! Loads and runs native plugins.
