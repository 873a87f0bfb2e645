//! The attribute macros of `elowen-sdk`.
