//! The commands of `rhizome bench`: load tests of a server, and measurements of the property store.
//!
//! This crate has their arguments, progress bars and reports. The load generator is in `load-test`, the measurements of
//! the property store are in `property-bench`. The binary mounts [`BenchArguments`] and passes [`bench()`] a function
//! that reads its settings, so nothing here depends on settings or engines. Start reading at [`bench()`].

mod arguments;
mod compare;
mod progress;
mod property;
mod property_place;
mod publish;
mod report;
mod run;
mod server;
mod steady;
mod storage;
mod study;
mod terminal;
mod values;

use std::ffi::OsString;

use clap::{Args, Subcommand};

pub use storage::{OpenEngine, ReadStorage, Storage};

/// Arguments of `rhizome bench`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct BenchArguments {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Subcommand)]
enum BenchCommand {
    /// Run scenarios against a given server, or one started for the run.
    Run(Box<arguments::RunArguments>),
    /// Run the scenarios of one of HugeGraph's published benchmark pages and compare the results with the published
    /// rows.
    Publish(Box<publish::PublishArguments>),
    /// Run the same scenarios against two servers in turn and report the ratio with its spread.
    Compare(Box<compare::CompareArguments>),
    /// Benchmark the property store on an engine and compare it with a published comparison of TiKV and RocksDB.
    Property(Box<property::PropertyArguments>),
    /// Observe a server under long load and under overload.
    Steady(steady::SteadyArguments),
    /// Combine the results of several runs in one page.
    Report(report::ReportArguments),
}

/// Runs one of the commands. `read_storage` reads the settings of the program that mounts them.
///
/// # Errors
///
/// Messages for the user: wrong arguments, a server that cannot be started or reached, files that cannot be written.
pub fn bench(arguments: BenchArguments, read_storage: ReadStorage) -> anyhow::Result<()> {
    match arguments.command {
        BenchCommand::Run(arguments) => run::run(&arguments, read_storage),
        BenchCommand::Publish(arguments) => publish::publish(&arguments, read_storage),
        BenchCommand::Compare(arguments) => compare::compare(&arguments),
        BenchCommand::Property(arguments) => property::property(&arguments, read_storage),
        BenchCommand::Steady(arguments) => steady::steady(&arguments, read_storage),
        BenchCommand::Report(arguments) => report::report(&arguments),
    }
}

/// Rewrites the command line `rhizome bench --publish PAGE` to `rhizome bench publish PAGE`.
#[must_use]
pub fn spelled_out(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    if words.get(1).is_some_and(|word| word == "bench")
        && let Some(word) = words.get_mut(2)
    {
        if word == "--publish" {
            *word = "publish".into();
        } else if let Some(page) = word.to_str().and_then(|word| word.strip_prefix("--publish=")).map(OsString::from) {
            *word = "publish".into();
            words.insert(3, page);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn publish_may_be_written_as_an_option() {
        let spelled = |words: &str| {
            let words = spelled_out(words.split(' ').map(OsString::from));
            words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(spelled("rhizome bench --publish a --quick"), "rhizome bench publish a --quick");
        assert_eq!(spelled("rhizome bench --publish=a --quick"), "rhizome bench publish a --quick");
        assert_eq!(spelled("rhizome bench run --publish a"), "rhizome bench run --publish a");
        assert_eq!(spelled("rhizome serve --publish"), "rhizome serve --publish");
    }
}
