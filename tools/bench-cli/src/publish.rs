//! `rhizome bench publish`: the scenarios of one of HugeGraph's published pages, their tables next to the published
//! rows.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use load_test::publish::{self, Effort};
use load_test::published::Page;
use load_test::report::Report;
use load_test::result::RunResult;
use load_test::{Cancel, DataOptions, DriverOptions, LoadTest, output};

use crate::arguments::{OwnServerArguments, TargetArguments};
use crate::progress::Screen;
use crate::run::{begun, clean_up, complete, own_settings, signals, with_own_settings};
use crate::server::OwnServer;
use crate::storage::ReadStorage;
use crate::values::duration;

/// Vertices and edges prepared with `--quick`: preparing is part of its time.
const QUICK_VERTICES: u64 = 20_000;
const QUICK_EDGES: u64 = 40_000;

/// Arguments of `rhizome bench publish`.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    rhizome bench publish hugegraph-0.5.6-rocksdb --quick\n  \
    rhizome bench publish hugegraph-0.4.4-rocksdb --url http://10.0.0.5:8080 --duration 5m --out results\n\n\
    Markdown goes to standard output, ready to paste.")]
pub(crate) struct PublishArguments {
    /// The page: hugegraph-0.2-cassandra, hugegraph-0.4.4-rocksdb, hugegraph-0.5.6-rocksdb or
    /// hugegraph-0.5.6-cassandra.
    #[arg(value_name = "PAGE")]
    page: String,
    /// Take about two minutes (or TIME) for the whole page: up to four rows per scenario around the page's number of
    /// users, instead of a search.
    #[arg(
        long,
        value_name = "TIME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "2m",
        value_parser = duration
    )]
    quick: Option<Duration>,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    own_server: OwnServerArguments,
    /// Duration of the measured part of each row; the published pages used 5 minutes.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration, conflicts_with = "quick")]
    duration: Duration,
    /// Duration of the warm-up before the measured part of each row.
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration, conflicts_with = "quick")]
    warm_up: Duration,
    /// Maximum number of users in the search.
    #[arg(long, value_name = "N", default_value_t = 20_000, conflicts_with = "quick")]
    to: u32,
    /// Timeout of a request, from sending it to the last byte of its answer.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    request_timeout: Duration,
    /// Threads that generate load; if there are as many as processors, each is pinned to one.
    #[arg(long, value_name = "N", default_value_t = load_test::client_threads())]
    client_threads: usize,
    /// Vertices to create beforehand for edges and reads by id [default: 100000, quick: 20000].
    #[arg(long, value_name = "N")]
    vertices: Option<u64>,
    /// Edges to create beforehand for reads by id [default: 200000, quick: 40000].
    #[arg(long, value_name = "N")]
    edges: Option<u64>,
    /// Keep the test data on the server.
    #[arg(long)]
    keep_data: bool,
    /// Write results.json, samples.jtl, summary.md and report.html to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn publish(arguments: &PublishArguments, read_storage: ReadStorage) -> anyhow::Result<()> {
    let page = Page::named(&arguments.page)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")?;
    let mut result = begun();
    let outcome = runtime.block_on(measure(arguments, page, read_storage, &mut result));
    let outcome = complete(outcome, &result)?;
    let report = Report { runs: std::slice::from_ref(&result), page: Some(page), ratios: &[] };
    crate::terminal::print(&report.markdown()?)?;
    if let Some(folder) = &arguments.out {
        output::write(folder, &report)?;
    }
    outcome
}

async fn measure(
    arguments: &PublishArguments,
    page: &Page,
    read_storage: ReadStorage,
    result: &mut RunResult,
) -> anyhow::Result<()> {
    let signals = signals()?;
    let cancel = &signals.end;
    let settings = own_settings(&arguments.own_server).for_users(publish::users_max(page, effort(arguments)));
    let server = match arguments.target.url {
        Some(_) => None,
        None => match signals.unless_ended(OwnServer::start(&settings)).await {
            Some(started) => Some(started?),
            None => return Ok(()),
        },
    };
    let url = match (&arguments.target.url, &server) {
        (Some(url), _) => url.as_str(),
        (None, Some(server)) => server.url(),
        (None, None) => bail!("no server to test"),
    };
    let connecting = LoadTest::connect(arguments.target.client_options(url), data_options(arguments));
    let mut test = match signals.unless_ended(connecting).await {
        Some(connected) => connected?,
        None => return Ok(()),
    };
    result.target = with_own_settings(test.target(), &settings, server.is_some(), read_storage)?;
    result.target.notes.clone_from(&arguments.target.note);
    let jtl = arguments.out.as_deref().map(|folder| output::begin(folder, url)).transpose()?;
    let mut screen = Screen::new(jtl)?;
    let pid = arguments.target.server_pid.or(server.as_ref().map(OwnServer::pid));
    let outcome = scenarios(arguments, page, pid, &mut test, &mut screen, cancel, result).await;
    result.interrupted = cancel.is_cancelled();
    let written = screen.finish().context("writing the samples");
    if server.is_none() && !arguments.keep_data {
        clean_up(&mut test, &signals.hurry).await;
    }
    outcome.and(written)
}

async fn scenarios(
    arguments: &PublishArguments,
    page: &Page,
    server_pid: Option<u32>,
    test: &mut LoadTest,
    screen: &mut Screen,
    cancel: &Cancel,
    result: &mut RunResult,
) -> anyhow::Result<()> {
    let driver = DriverOptions {
        duration: arguments.duration,
        warm_up: arguments.warm_up,
        request_timeout: arguments.request_timeout,
        client_threads: arguments.client_threads,
        server_pid,
        ..DriverOptions::default()
    };
    // Complete scenarios are kept even when a later one fails.
    let finished = &mut |scenario: &_| result.scenarios.push(Clone::clone(scenario));
    match publish::run(test, page, &driver, effort(arguments), screen, cancel, finished).await {
        Ok(_) | Err(load_test::LoadTestError::Interrupted) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn effort(arguments: &PublishArguments) -> Effort {
    arguments.quick.map_or(Effort::Search { to: arguments.to }, |total| Effort::Quick { total })
}

fn data_options(arguments: &PublishArguments) -> DataOptions {
    let usual = DataOptions::default();
    let (vertices, edges) =
        if arguments.quick.is_some() { (QUICK_VERTICES, QUICK_EDGES) } else { (usual.vertices, usual.edges) };
    DataOptions { vertices: arguments.vertices.unwrap_or(vertices), edges: arguments.edges.unwrap_or(edges), ..usual }
}
