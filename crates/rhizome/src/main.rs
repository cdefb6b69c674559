//! The `rhizome` program: one file for each command in `cli/`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
