//! Commands and their arguments.

mod analyze;
mod archive;
mod audit;
mod auth;
mod backup;
mod batch_warnings;
mod bench;
mod cert;
mod check;
mod copy;
mod generate;
mod health;
mod limits;
mod load;
mod logging;
mod manual;
mod migrate;
mod serve;
mod terminal;
mod tls;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
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
    /// Ask a server whether it is ready for requests.
    Health(health::HealthArguments),
    /// Load CSV and JSON files into a running server, or directly into a data folder.
    Load(load::LoadArguments),
    /// Migrate a graph from a HugeGraph server.
    Migrate(migrate::MigrateArguments),
    /// Show what is stored, verify its indexes and repair them.
    Check(check::CheckArguments),
    /// Run an algorithm over a whole graph of a store that no server is using.
    Analyze(analyze::AnalyzeArguments),
    /// Back up a store, and restore it.
    Backup(backup::BackupArguments),
    /// Copy graphs from one store to another, for example from this machine to a cluster.
    Copy(copy::CopyArguments),
    /// Generate graphs for testing.
    Generate(generate::GenerateArguments),
    /// Benchmark a Rhizome or Apache HugeGraph server.
    Bench(bench_cli::BenchArguments),
    /// Look after the users of a store that no server is using.
    Auth(auth::AuthArguments),
    /// Make certificates for TLS.
    Cert(cert::CertArguments),
    /// Check the record of events that a server has written.
    Audit(audit::AuditArguments),
    /// Print all settings with their defaults, as a template for a settings file.
    Config,
    /// Print completions of this command line for a shell.
    Completions(manual::CompletionsArguments),
    /// Write the manual pages of all commands to a folder.
    Man(manual::ManArguments),
}

/// Runs the command line; if a command fails, its error goes to standard error with all causes.
pub(crate) fn run() -> ExitCode {
    let outcome = match Arguments::parse_from(bench_cli::spelled_out(std::env::args_os())).command {
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Health(arguments) => health::health(&arguments),
        Command::Load(arguments) => load::load(&arguments),
        Command::Migrate(arguments) => migrate::migrate(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Analyze(arguments) => analyze::analyze(&arguments),
        Command::Backup(arguments) => backup::backup(&arguments),
        Command::Copy(arguments) => copy::copy(&arguments),
        Command::Generate(arguments) => generate::generate(&arguments),
        Command::Bench(arguments) => bench::bench(arguments),
        Command::Auth(arguments) => auth::auth(&arguments),
        Command::Cert(arguments) => cert::cert(&arguments),
        Command::Audit(arguments) => audit::audit(&arguments),
        Command::Config => terminal::print(settings::DEFAULTS),
        Command::Completions(arguments) => manual::completions(Arguments::command(), &arguments),
        Command::Man(arguments) => manual::man(Arguments::command(), &arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let red = console::style("error:").red().bold().for_stderr();
            drop(writeln!(std::io::stderr(), "{red} {}", terminal::whole_text(&error)));
            ExitCode::FAILURE
        }
    }
}
