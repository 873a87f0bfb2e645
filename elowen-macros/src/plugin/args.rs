//! The options of `#[plugin(..)]`. They are all there is to model: the function is only called.

use proc_macro2::TokenStream;
use syn::{LitStr, Path};

use crate::errors::Errors;
use crate::options::Options;

/// What the author wrote between the parentheses.
pub(crate) struct Args {
    /// The functions under `#[tool]`, in the author's order.
    pub(crate) tools: Vec<Path>,
    pub(crate) name: Option<LitStr>,
    pub(crate) sdk: Path,
}

/// Reads the options and reports those that are unknown, duplicate or of the wrong kind.
pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Args {
    let mut options = Options::parse("plugin", &["tools", "name", "crate"], tokens, errors);
    Args {
        tools: options.paths("tools", errors),
        name: options.text("name", errors),
        sdk: options.sdk(errors),
    }
}
