//! The options of `#[tool(..)]`.

use proc_macro2::TokenStream;
use syn::{Expr, Ident, LitStr, Path};

use crate::errors::Errors;
use crate::options::Options;

const KNOWN: &[&str] =
    &["name", "label", "description", "external", "platform", "inline", "spawn", "blocking", "crate"];

/// What the author wrote between the parentheses.
pub(crate) struct Args {
    pub(crate) name: Option<LitStr>,
    pub(crate) label: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) external: bool,
    pub(crate) platform: Option<LitStr>,
    pub(crate) run: Run,
    pub(crate) sdk: Path,
}

/// On whose thread the tool runs.
pub(crate) enum Run {
    /// The host decides.
    Auto,
    /// The host may always lend its own.
    Inline,
    /// Never on the host's.
    Spawn,
    /// Never on the host's, because the plain function blocks; with the key, for errors.
    Blocking(Ident),
}

/// Reads the options and reports those that are unknown, duplicate, of the wrong kind or exclude each other.
pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Args {
    let mut options = Options::parse("tool", KNOWN, tokens, errors);
    Args {
        name: options.text("name", errors),
        label: options.text("label", errors),
        description: options.expr("description", errors),
        external: options.flag("external", errors).is_some(),
        platform: options.text("platform", errors),
        run: run(&mut options, errors),
        sdk: options.sdk(errors),
    }
}

fn run(options: &mut Options, errors: &mut Errors) -> Run {
    let inline = options.flag("inline", errors).map(|key| (key, Run::Inline));
    let spawn = options.flag("spawn", errors).map(|key| (key, Run::Spawn));
    let blocking = options.flag("blocking", errors).map(|key| (key.clone(), Run::Blocking(key)));
    let mut modes = [inline, spawn, blocking].into_iter().flatten();
    let Some((first, run)) = modes.next() else { return Run::Auto };
    for (other, _) in modes {
        errors.at(&other, format!("`{first}` and `{other}` exclude each other: keep one"));
    }
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn read(tokens: TokenStream) -> (Args, Vec<String>) {
        let mut errors = Errors::default();
        let args = parse(tokens, &mut errors);
        (args, errors.messages())
    }

    #[test]
    fn nothing_written_means_the_host_decides() {
        let (args, errors) = read(quote!());
        assert!(errors.is_empty() && args.name.is_none() && !args.external && matches!(args.run, Run::Auto));
    }

    #[test]
    fn every_option_is_read() {
        let (args, errors) = read(quote!(
            name = "N",
            label = "L",
            description = concat!("D"),
            external,
            platform = "web",
            blocking,
            crate = sdk
        ));
        assert!(errors.is_empty(), "{errors:?}");
        assert!(args.external && args.description.is_some() && matches!(args.run, Run::Blocking(_)));
        assert_eq!(args.platform.map(|platform| platform.value()), Some("web".into()));
    }

    #[test]
    fn two_run_modes_exclude_each_other() {
        let (_, errors) = read(quote!(spawn, inline));
        assert_eq!(errors, ["`inline` and `spawn` exclude each other: keep one"]);
    }
}
