//! `rhizome bench compare`: runs the same scenarios on two servers in turn and reports the ratio with its spread.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use client_arguments::LoginArguments;
use load_test::compare::{self, CompareOptions};
use load_test::report::Report;
use load_test::result::{RunResult, Target};
use load_test::{DataOptions, DriverOptions, LoadTest, LoadTestError, Scenario, ScenarioOptions, output};

use crate::arguments::{DriverName, TargetArguments};
use crate::progress::Screen;
use crate::run::{begun, clean_up, signals};
use crate::values::duration;

/// Folders of the two servers' results below `--out`.
const SIDES: [&str; 2] = ["first", "second"];

/// Arguments of `rhizome bench compare`.
#[derive(Args)]
#[command(after_help = "Example:\n  \
    rhizome bench compare http://127.0.0.1:8080 http://127.0.0.1:8081 --scenario single-vertex,vertex-by-id \
    --out results")]
pub(crate) struct CompareArguments {
    /// URL of the first server: its figures are divided by the second's.
    #[arg(value_name = "URL_A")]
    first: String,
    /// URL of the second server.
    #[arg(value_name = "URL_B")]
    second: String,
    /// What to run: built-in scenarios or files that end in .toml.
    #[arg(
        long,
        value_name = "NAME[,NAME]",
        value_delimiter = ',',
        default_value = "single-vertex,single-edge,batch-vertex,batch-edge,vertex-by-id,edge-by-id"
    )]
    scenario: Vec<String>,
    /// Numbers of users to try; each server is measured with its best.
    #[arg(long, value_name = "N[,N]", value_delimiter = ',', default_value = "4,16,64,256")]
    concurrency: Vec<u32>,
    /// Number of rounds; each measures both servers, one after the other.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// How load is generated.
    #[arg(long, value_name = "NAME", value_enum, default_value_t = DriverName::Closed)]
    driver: DriverName,
    /// Requests per second of the open driver.
    #[arg(long, value_name = "N", default_value_t = DriverOptions::default().rate_per_s)]
    rate: f64,
    /// Duration of each measurement in a round.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    duration: Duration,
    /// Duration of each measurement in the search for the best number of users.
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = duration)]
    probe: Duration,
    /// Target ratio of throughputs for a scenario, reported next to the measured one; may be repeated.
    #[arg(long, value_name = "SCENARIO=RATIO", value_parser = goal)]
    goal: Vec<(String, f64)>,
    /// Longest time to wait before each measurement for both servers, if local, to become idle.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    settle: Duration,
    /// Duration of the warm-up before each measurement.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    warm_up: Duration,
    /// Timeout of a request, from sending it to the last byte of its answer.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    request_timeout: Duration,
    /// Threads that generate load; if there are as many as processors, each is pinned to one.
    #[arg(long, value_name = "N", default_value_t = load_test::client_threads())]
    client_threads: usize,
    /// Elements in one request of batch-vertex and batch-edge [default: 200 and 500].
    #[arg(long, value_name = "N")]
    batch: Option<u32>,
    /// Vertices to create beforehand on each server.
    #[arg(long, value_name = "N", default_value_t = DataOptions::default().vertices)]
    vertices: u64,
    /// Edges to create beforehand on each server.
    #[arg(long, value_name = "N", default_value_t = DataOptions::default().edges)]
    edges: u64,
    /// Name of the graph, on both servers.
    #[arg(long, value_name = "NAME", default_value = "hugegraph")]
    graph: String,
    /// Name of the graph space, on both servers.
    #[arg(long, value_name = "NAME", default_value = "DEFAULT")]
    graphspace: String,
    #[command(flatten)]
    login: LoginArguments,
    /// Add a note about the servers to the report, such as their durability and settings; may be repeated.
    #[arg(long, value_name = "TEXT")]
    note: Vec<String>,
    /// Keep the test data on the servers.
    #[arg(long)]
    keep_data: bool,
    /// Write both runs, their ratios, summary.md and report.html to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn compare(arguments: &CompareArguments) -> anyhow::Result<()> {
    let options = ScenarioOptions { batch: arguments.batch, read_percent: None };
    let mut scenarios = Vec::new();
    for name in &arguments.scenario {
        scenarios.extend(Scenario::find(name, &options)?);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")?;
    let begun = begun();
    let mut runs = [begun.clone(), begun];
    let mut ratios = Vec::new();
    let outcome = runtime.block_on(measure(arguments, &scenarios, &mut runs, &mut ratios));
    if ratios.is_empty() {
        outcome?;
        bail!("interrupted before there was a result");
    }
    let report = Report { runs: &runs, page: None, ratios: &ratios };
    let labels = report.labels();
    crate::terminal::print(&format!(
        "{}\n\n{}\n",
        compare::grid(&ratios).to_terminal(),
        compare::explanation(&labels)
    ))?;
    if let Some(folder) = &arguments.out {
        let [first, second] = SIDES.map(|side| folder.join(side));
        output::write_comparison(folder, [&first, &second], &report)?;
    }
    outcome.context("the results so far are kept; what ended the comparison")
}

async fn measure(
    arguments: &CompareArguments,
    scenarios: &[Scenario],
    runs: &mut [RunResult; 2],
    ratios: &mut Vec<compare::ScenarioRatio>,
) -> anyhow::Result<()> {
    let signals = signals()?;
    let cancel = &signals.end;
    let connecting = async {
        anyhow::Ok([connect(arguments, &arguments.first).await?, connect(arguments, &arguments.second).await?])
    };
    let mut tests = match signals.unless_ended(connecting).await {
        Some(connected) => connected?,
        None => return Ok(()),
    };
    let urls = [&arguments.first, &arguments.second];
    let mut jtls = [None, None];
    if let Some(folder) = &arguments.out {
        for ((jtl, url), side) in jtls.iter_mut().zip(urls).zip(SIDES) {
            *jtl = Some(output::begin(&folder.join(side), url)?);
        }
    }
    let [first, second] = jtls;
    let mut screens = [Screen::new(first)?, Screen::new(second)?];
    let mut compared = compare::Compared::default();
    let options = options(arguments);
    let outcome = compare::measure(&mut tests, &mut screens, scenarios, &options, cancel, &mut compared).await;
    let written = screens.into_iter().map(Screen::finish).fold(Ok(()), io::Result::and);
    for ((run, test), scenarios) in runs.iter_mut().zip(&tests).zip(compared.scenarios) {
        run.target = Target { notes: arguments.note.clone(), ..test.target() };
        run.scenarios = scenarios;
        run.interrupted = cancel.is_cancelled();
    }
    *ratios = compared.ratios;
    if !arguments.keep_data {
        for test in &mut tests {
            clean_up(test, &signals.hurry).await;
        }
    }
    match outcome {
        Ok(()) | Err(LoadTestError::Interrupted) => written.context("writing the samples"),
        Err(error) => Err(error.into()),
    }
}

async fn connect(arguments: &CompareArguments, url: &str) -> anyhow::Result<LoadTest> {
    let target = TargetArguments {
        url: None,
        graph: arguments.graph.clone(),
        graphspace: arguments.graphspace.clone(),
        login: arguments.login.clone(),
        server_pid: None,
        note: Vec::new(),
    };
    let data = DataOptions { vertices: arguments.vertices, edges: arguments.edges, ..DataOptions::default() };
    LoadTest::connect(target.client_options(url), data).await.with_context(|| format!("connecting to {url}"))
}

fn options(arguments: &CompareArguments) -> CompareOptions {
    CompareOptions {
        concurrency: arguments.concurrency.clone(),
        rounds: arguments.rounds,
        driver: DriverOptions {
            kind: arguments.driver.into(),
            rate_per_s: arguments.rate,
            duration: arguments.duration,
            warm_up: arguments.warm_up,
            request_timeout: arguments.request_timeout,
            client_threads: arguments.client_threads,
            ..DriverOptions::default()
        },
        probe: arguments.probe,
        goals: arguments.goal.iter().cloned().collect(),
        settle: arguments.settle,
    }
}

/// Reads `SCENARIO=RATIO`.
fn goal(text: &str) -> Result<(String, f64), String> {
    let parsed = text.split_once('=').and_then(|(name, ratio)| Some((name.to_owned(), ratio.parse::<f64>().ok()?)));
    parsed
        .filter(|(_, ratio)| *ratio > 0.0)
        .ok_or_else(|| "expected a scenario and a ratio, such as vertex-by-id=5".to_owned())
}
