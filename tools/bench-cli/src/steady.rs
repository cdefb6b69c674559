//! `rhizome bench steady`: how a server behaves under long load and under overload. Each part starts its own server,
//! applies one kind of load and compares the findings with expected values.

mod bench;
mod beside;
mod findings;
mod graphs;
mod load;
mod metrics;
mod overload;
mod paced;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use load_test::machine;

use self::bench::Bench;
use self::findings::Findings;
use crate::arguments::OwnServerArguments;
use crate::progress::Screen;
use crate::run::{own_settings, signals};
use crate::storage::ReadStorage;
use crate::values::duration;

/// The parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// 14,000 users, each reading a vertex once a second.
    PacedReads,
    /// 11,500 users, each inserting a vertex once a second.
    PacedInserts,
    /// A long load of edges: does it stay as fast as at the start, and memory within the budget?
    Load,
    /// 100 small graphs in one server: memory and startup time.
    Graphs,
    /// Four times as many requests as the server can handle.
    Overload,
    /// Reads of single vertices during scans and traversals.
    Beside,
}

/// Arguments of `rhizome bench steady`.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    rhizome bench steady --quick\n  \
    rhizome bench steady paced-reads paced-inserts --duration 5m --out steadiness.md")]
pub(crate) struct SteadyArguments {
    /// What to run, in this order [default: all].
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Run a short version: 20 s per measurement, a load of 2,000,000 edges.
    #[arg(long)]
    quick: bool,
    /// Duration of each measurement under paced load [default: 5m, with --quick 20s].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    duration: Option<Duration>,
    /// Number of edges in the long load [default: 20000000, with --quick 2000000].
    #[arg(long, value_name = "N")]
    edges: Option<u64>,
    #[command(flatten)]
    own_server: OwnServerArguments,
    /// Also write the output to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn steady(arguments: &SteadyArguments, read_storage: ReadStorage) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")?;
    let all = Part::value_variants();
    let parts = if arguments.parts.is_empty() { all } else { &arguments.parts };
    let mut text = heading(arguments);
    crate::terminal::print(&text)?;
    let outcome = runtime.block_on(async {
        let signals = signals()?;
        let mut bench = Bench {
            read_storage,
            settings: own_settings(&arguments.own_server),
            duration: arguments.duration.unwrap_or(Duration::from_secs(if arguments.quick { 20 } else { 300 })),
            is_quick: arguments.quick,
            edges: arguments.edges.unwrap_or(if arguments.quick { 2_000_000 } else { 20_000_000 }),
            cancel: &signals.end,
            screen: Screen::new(None)?,
        };
        for part in parts {
            if signals.end.is_cancelled() {
                bail!("interrupted");
            }
            let findings = run(*part, &mut bench).await.with_context(|| format!("part {}", name(*part)))?;
            let section = findings.section(&name(*part));
            bench.screen.print_above(&section)?;
            text.push_str(&section);
        }
        bench.screen.finish().context("removing the progress bar")
    });
    if let Some(path) = &arguments.out {
        std::fs::write(path, &text).with_context(|| format!("writing {}", path.display()))?;
    }
    outcome
}

async fn run(part: Part, bench: &mut Bench<'_>) -> anyhow::Result<Findings> {
    match part {
        Part::PacedReads => paced::run(bench, "vertex-by-id", paced::READERS).await,
        Part::PacedInserts => paced::run(bench, "single-vertex", paced::WRITERS).await,
        Part::Load => load::run(bench).await,
        Part::Graphs => graphs::run(bench).await,
        Part::Overload => overload::run(bench).await,
        Part::Beside => beside::run(bench).await,
    }
}

fn name(part: Part) -> String {
    part.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn heading(arguments: &SteadyArguments) -> String {
    let machine = machine();
    let memory_gib = machine.memory_bytes >> 30;
    let settings = if arguments.own_server.set.is_empty() {
        "the defaults".to_owned()
    } else {
        arguments.own_server.set.join(", ")
    };
    format!(
        "{}, {} processors, {memory_gib} GiB, {}; server and load generator on the same processors; \
         settings: {settings}; {}\n\n",
        machine.cpu_model,
        machine.cores,
        machine.os,
        jiff::Timestamp::now().strftime("%Y-%m-%d"),
    )
}
