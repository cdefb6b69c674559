//! `rhizome bench`: load tests.

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
mod study;
mod values;

use std::ffi::OsString;

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
    /// Run the scenarios of one of HugeGraph's published benchmark pages and print the tables beside the published rows.
    Publish(Box<publish::PublishArguments>),
    /// Run the same scenarios against two servers in turn, and tell the ratio with its spread.
    Compare(Box<compare::CompareArguments>),
    /// Measure the property store on an engine, beside the page that compared TiKV with RocksDB.
    Property(Box<property::PropertyArguments>),
    /// See how a server behaves that is loaded for long, or with more than it can do.
    Steady(steady::SteadyArguments),
    /// Make one page from the results of several runs.
    Report(report::ReportArguments),
}

pub(super) fn bench(arguments: BenchArguments) -> anyhow::Result<()> {
    match arguments.command {
        BenchCommand::Run(arguments) => run::run(&arguments),
        BenchCommand::Publish(arguments) => publish::publish(&arguments),
        BenchCommand::Compare(arguments) => compare::compare(&arguments),
        BenchCommand::Property(arguments) => property::property(&arguments),
        BenchCommand::Steady(arguments) => steady::steady(&arguments),
        BenchCommand::Report(arguments) => report::report(&arguments),
    }
}

/// `rhizome bench --publish PAGE` is accepted for `rhizome bench publish PAGE`.
pub(super) fn spelled_out(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
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
