//! `rhizome bench`: load tests.

mod arguments;
mod progress;
mod run;
mod server;
mod study;
mod values;

use clap::{Args, Subcommand};

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(super) struct BenchArguments {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Subcommand)]
enum BenchCommand {
    /// Run scenarios against a server, or against one that is started for it.
    Run(Box<arguments::RunArguments>),
}

pub(super) fn bench(arguments: BenchArguments) -> anyhow::Result<()> {
    match arguments.command {
        BenchCommand::Run(arguments) => run::run(&arguments),
    }
}
