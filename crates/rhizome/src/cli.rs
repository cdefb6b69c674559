//! Commands and their arguments.

mod bench;
mod check;
mod copy;
mod generate;
mod load;
mod logging;
mod serve;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rhizome::settings;

/// A property graph database that speaks HugeGraph's REST API.
#[derive(Parser)]
#[command(name = "rhizome", version, propagate_version = true, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server.
    Serve(serve::ServeArguments),
    /// Load CSV and JSON files into a running server, or directly into a data folder.
    Load(load::LoadArguments),
    /// Show what is stored, verify its indexes and repair them.
    Check(check::CheckArguments),
    /// Copy graphs from one store to another, for example from this machine to a cluster.
    Copy(copy::CopyArguments),
    /// Generate graphs for testing.
    Generate(generate::GenerateArguments),
    /// Benchmark a Rhizome or Apache HugeGraph server.
    Bench(bench_cli::BenchArguments),
    /// Print all settings with their defaults, as a template for a settings file.
    Config,
}

/// Runs the command line; if a command fails, its error goes to standard error with all causes.
pub(crate) fn run() -> ExitCode {
    let outcome = match Arguments::parse_from(bench_cli::spelled_out(std::env::args_os())).command {
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Load(arguments) => load::load(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Copy(arguments) => copy::copy(&arguments),
        Command::Generate(arguments) => generate::generate(&arguments),
        Command::Bench(arguments) => bench::bench(arguments),
        Command::Config => print(settings::DEFAULTS),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let red = console::style("error:").red().bold().for_stderr();
            drop(writeln!(std::io::stderr(), "{red} {}", whole_text(&error)));
            ExitCode::FAILURE
        }
    }
}

/// The error and its causes in one line. Many errors include their cause in their own text; it is not repeated.
fn whole_text(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Writes to standard output; a closed pipe (`rhizome config | head`) is not an error.
fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let plain = anyhow::anyhow!("no such file").context("reading the mapping");
        assert_eq!(whole_text(&plain), "reading the mapping: no such file");
        let named = anyhow::anyhow!("no such file").context("cannot read m.json: no such file");
        assert_eq!(whole_text(&named), "cannot read m.json: no such file");
    }
}
