//! `rhizome completions` and `rhizome man`: what a package installs besides the program, from the same definition of
//! the command line as `--help`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::Shell;

use super::terminal;

#[derive(Args)]
pub(super) struct CompletionsArguments {
    /// The shell they are for.
    shell: Shell,
}

#[derive(Args)]
pub(super) struct ManArguments {
    /// Folder for the pages: rhizome.1, rhizome-serve.1 and so on.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn completions(mut command: Command, arguments: &CompletionsArguments) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "rhizome", &mut text);
    terminal::print(&String::from_utf8(text).context("completions are text")?)
}

pub(super) fn man(command: Command, arguments: &ManArguments) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("creating the folder {}", folder.display()))?;
    clap_mangen::generate_to(command, folder).with_context(|| format!("writing pages to {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, ValueEnum as _};

    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn every_shell_gets_completions() {
        for shell in Shell::value_variants() {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "rhizome", &mut text);
            assert!(String::from_utf8(text).unwrap().contains("completions"), "{shell}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
