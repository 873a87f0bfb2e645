//! `completions`: the script that makes a shell complete this command.

use std::io::Write as _;

use super::{Exit, Outcome, Stop};

/// Print a script that completes this command in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  elowen-host completions bash > ~/.local/share/bash-completion/completions/elowen-host
  elowen-host completions fish > ~/.config/fish/completions/elowen-host.fish")]
pub(super) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(super) fn run(&self, mut command: clap::Command) -> Outcome {
        let name = command.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        match std::io::stdout().write_all(&script) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Stop::new(Exit::Failed, "output", format!("stdout cannot be written: {error}")))
            }
            _ => Ok(Exit::Ok),
        }
    }
}
