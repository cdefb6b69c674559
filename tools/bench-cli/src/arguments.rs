//! Arguments of `rhizome bench run`, in groups that other bench commands can use too.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use api_client::ClientOptions;
use clap::{Args, ValueEnum};
use client_arguments::LoginArguments;
use load_test::limits::STRESS_ROWS_MAX;
use load_test::result::DriverKind;
use load_test::{
    DataOptions, DriverOptions, IdDistribution, Load, Loads, Raise, Scenario, ScenarioOptions, StressOptions,
};

use crate::values::{Axis, LatencyBound, duration};

/// Number of users unless given.
const CONCURRENCY_DEFAULT: u32 = 100;

/// Arguments of `rhizome bench run`.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    rhizome bench run --scenario batch-vertex --concurrency 4,16\n  \
    rhizome bench run --url http://10.0.0.5:8080 --scenario vertex-by-id --driver closed --concurrency 64 \
    --duration 1m\n  \
    rhizome bench run --scenario single-edge --stress --from 1000 --step 1000 --out results\n  \
    rhizome bench run --scenario mixed --driver open --rate 5000 --concurrency 128\n  \
    rhizome bench run --scenario batch-edge --driver closed --concurrency 8 --study cpu=1,2 memory=256M,1G")]
pub(crate) struct RunArguments {
    /// What to run, in this order: names of built-in scenarios (schema, single-vertex, single-edge, batch-vertex,
    /// batch-edge, batch-edge-unchecked, vertex-by-id, edge-by-id, mixed) or files that end in .toml.
    #[arg(long, value_name = "NAME[,NAME]", required = true, value_delimiter = ',')]
    pub(crate) scenario: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    #[command(flatten)]
    pub(crate) own_server: OwnServerArguments,
    #[command(flatten)]
    pub(crate) data: DataArguments,
    #[command(flatten)]
    pub(crate) driver: DriverArguments,
    #[command(flatten)]
    pub(crate) stress: StressArguments,
    /// Start a server with each of these settings and compare: cpu=1,2 (number of processors), memory=512M,2G (memory
    /// budget), data=DIR,DIR (data folders, for instance on different disks). Several axes give all combinations.
    #[arg(long, value_name = "AXIS=POINT,POINT", num_args = 1.., conflicts_with = "url", help_heading = "Own server")]
    pub(crate) study: Vec<Axis>,
    /// Write the results to this folder: results.json, samples.jtl, summary.md and report.html.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// The server under test.
#[derive(Args)]
#[command(next_help_heading = "Server under test")]
pub(crate) struct TargetArguments {
    /// URL of the server [default: one is started for the run, with its data in a temporary folder].
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Name of the graph.
    #[arg(long, value_name = "NAME", default_value = "hugegraph")]
    pub(crate) graph: String,
    /// Name of the graph space.
    #[arg(long, value_name = "NAME", default_value = "DEFAULT")]
    pub(crate) graphspace: String,
    #[command(flatten)]
    pub(crate) login: LoginArguments,
    /// Process id of the server, to report its CPU time and memory [default: found by its port, if it is local].
    #[arg(long, value_name = "PID")]
    pub(crate) server_pid: Option<u32>,
    /// Add a note about the server to the report, such as its durability and settings; may be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Vec<String>,
}

impl TargetArguments {
    /// Options of a client for the server at a URL.
    pub(crate) fn client_options(&self, url: &str) -> ClientOptions {
        self.login.with(ClientOptions {
            url: url.to_owned(),
            graph: self.graph.clone(),
            graphspace: self.graphspace.clone(),
            ..ClientOptions::default()
        })
    }
}

/// The server that is started if no URL is given.
#[derive(Args)]
#[command(next_help_heading = "Own server")]
// The group, not its arguments: `bench steady` takes them without a URL to be in conflict with.
#[group(conflicts_with = "url")]
pub(crate) struct OwnServerArguments {
    /// Storage engine: rocksdb, memory, cassandra or tikv [default: rocksdb].
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// What an acknowledged write survives: wal (a process crash) or fsync (a power failure) [default: wal].
    #[arg(long, value_name = "MODE")]
    pub(crate) durability: Option<String>,
    /// Where to create its temporary data folder [default: the system's folder for temporary files].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_in: Option<PathBuf>,
    /// Any other setting of this server, as section.key=value; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

/// The test data.
#[derive(Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataArguments {
    /// Vertices to create beforehand, if a scenario needs any.
    #[arg(long, value_name = "N", default_value_t = DataOptions::default().vertices)]
    pub(crate) vertices: u64,
    /// Edges to create beforehand, if a scenario needs any.
    #[arg(long, value_name = "N", default_value_t = DataOptions::default().edges)]
    pub(crate) edges: u64,
    /// Distribution of the requested ids: uniform, zipfian (some far more often than others) or zipfian:EXPONENT.
    #[arg(long, value_name = "HOW", default_value_t = IdDistribution::Uniform)]
    pub(crate) ids: IdDistribution,
    /// Elements in one request of batch-vertex and batch-edge [default: 200 and 500].
    #[arg(long, value_name = "N")]
    pub(crate) batch: Option<u32>,
    /// Percentage of reads in the scenario mixed [default: 80].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) read_percent: Option<u32>,
    /// Whether batch-edge asks the server to check that both ends exist, which is what servers do by default.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub(crate) check_vertex: bool,
    /// Keep the test data on the server.
    #[arg(long)]
    pub(crate) keep_data: bool,
}

impl DataArguments {
    /// The same for the library.
    pub(crate) fn data_options(&self) -> DataOptions {
        DataOptions { vertices: self.vertices, edges: self.edges, ids: self.ids, check_vertex: self.check_vertex }
    }

    /// Reads the scenarios of these names.
    pub(crate) fn scenarios(&self, names: &[String]) -> anyhow::Result<Vec<Scenario>> {
        let options = ScenarioOptions { batch: self.batch, read_percent: self.read_percent };
        let mut scenarios = Vec::new();
        for name in names {
            scenarios.extend(Scenario::find(name, &options)?);
        }
        Ok(scenarios)
    }
}

/// The drivers by their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriverName {
    /// Each user sends one request per pacing interval; a late user does not catch up. Used by the published pages.
    Paced,
    /// Each user sends its next request as soon as the last one is answered.
    Closed,
    /// Requests start at a constant rate; latency is measured from the intended start.
    Open,
}

impl From<DriverName> for DriverKind {
    fn from(name: DriverName) -> Self {
        match name {
            DriverName::Paced => Self::Paced,
            DriverName::Closed => Self::Closed,
            DriverName::Open => Self::Open,
        }
    }
}

/// How load is generated.
#[derive(Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct DriverArguments {
    /// How load is generated.
    #[arg(long, value_name = "NAME", value_enum, default_value_t = DriverName::Paced)]
    pub(crate) driver: DriverName,
    /// Number of users, each with a connection; one row of results per number. With the open driver: maximum number of
    /// concurrent requests [default: 100].
    #[arg(long, value_name = "N[,N]", value_delimiter = ',')]
    pub(crate) concurrency: Vec<u32>,
    /// Requests per second of the open driver; one row of results per number.
    #[arg(long, value_name = "N[,N]", value_delimiter = ',')]
    pub(crate) rate: Vec<f64>,
    /// Interval between two requests of a paced user.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub(crate) pacing: Duration,
    /// Duration of the measured part of each row.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) duration: Duration,
    /// End a row early after this many requests, including the warm-up.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) requests: Option<u64>,
    /// Duration of the warm-up before the measured part.
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    pub(crate) warm_up: Duration,
    /// Duration of the ramp-up before the warm-up, in which users start (open driver: the rate rises).
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    pub(crate) ramp_up: Duration,
    /// Open a new connection for each request.
    #[arg(long)]
    pub(crate) no_keep_alive: bool,
    /// Timeout for opening a connection.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) connect_timeout: Duration,
    /// Timeout of a request, from sending it to the last byte of its answer.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) request_timeout: Duration,
    /// Threads that generate load; if there are as many as processors, each is pinned to one.
    #[arg(long, value_name = "N", default_value_t = load_test::client_threads())]
    pub(crate) client_threads: usize,
    /// Requests of the open driver that may wait for a free connection; further ones count as overflow errors.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) queue_max: u64,
}

impl DriverArguments {
    /// The same for the library.
    pub(crate) fn driver_options(&self, server_pid: Option<u32>) -> DriverOptions {
        DriverOptions {
            kind: self.driver.into(),
            pacing: self.pacing,
            queue_max: self.queue_max,
            duration: self.duration,
            requests_max: self.requests,
            warm_up: self.warm_up,
            ramp_up: self.ramp_up,
            keep_alive: !self.no_keep_alive,
            connect_timeout: self.connect_timeout,
            request_timeout: self.request_timeout,
            client_threads: self.client_threads,
            server_pid,
            ..DriverOptions::default()
        }
    }

    /// The requested rows: one per concurrency, and with the open driver per rate.
    fn loads(&self) -> anyhow::Result<Vec<Load>> {
        if self.driver != DriverName::Open {
            if !self.rate.is_empty() {
                bail!(
                    "--rate belongs to --driver open; the other drivers' rate follows from --concurrency and --pacing"
                );
            }
            return Ok(self.users().into_iter().map(Load::users).collect());
        }
        if self.rate.is_empty() {
            bail!("--driver open needs --rate, in requests a second");
        }
        let combine =
            |concurrency: u32| self.rate.iter().map(move |rate| Load { concurrency, rate_per_s: Some(*rate) });
        Ok(self.users().into_iter().flat_map(combine).collect())
    }

    fn users(&self) -> Vec<u32> {
        if self.concurrency.is_empty() { vec![CONCURRENCY_DEFAULT] } else { self.concurrency.clone() }
    }
}

/// The search for the peak.
#[derive(Args)]
#[command(next_help_heading = "Search for the peak")]
pub(crate) struct StressArguments {
    /// Raise the concurrency (open driver: the rate) until errors appear, and mark the last row before them.
    #[arg(long)]
    pub(crate) stress: bool,
    /// Start value of the search.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "stress")]
    pub(crate) from: u32,
    /// Increment of the search.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "stress")]
    pub(crate) step: u32,
    /// Double the value instead until errors appear, then bisect down to this difference.
    #[arg(long, value_name = "N", requires = "stress", conflicts_with = "step")]
    pub(crate) bisect: Option<u32>,
    /// End value of the search.
    #[arg(long, value_name = "N", default_value_t = 20_000, requires = "stress")]
    pub(crate) to: u32,
    /// Acceptable percentage of errors.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, requires = "stress")]
    pub(crate) max_errors: f64,
    /// Acceptable latency: mean, p50, p90, p95, p99 or p99.9, such as p99=500ms.
    #[arg(long, value_name = "FIGURE=TIME", requires = "stress")]
    pub(crate) max_latency: Option<LatencyBound>,
}

impl StressArguments {
    /// The rows to measure: those of a search, or those of the driver's own lists.
    pub(crate) fn loads(&self, driver: &DriverArguments) -> anyhow::Result<Loads> {
        if !self.stress {
            return Ok(Loads::List(driver.loads()?));
        }
        if !driver.rate.is_empty() {
            bail!(
                "--stress chooses the rates itself; set its range with --from, --step (or --bisect) and --to \
                 instead of --rate"
            );
        }
        match (driver.driver, driver.concurrency.as_slice()) {
            (_, []) | (DriverName::Open, [_]) => {}
            (DriverName::Open, _) => bail!("--stress with the open driver takes one --concurrency: its connections"),
            _ => bail!(
                "--stress chooses the number of users itself; set its range with --from, --step (or --bisect) and --to \
                 instead of --concurrency"
            ),
        }
        let rows = self.to.saturating_sub(self.from) / self.step.max(1);
        if self.bisect.is_none() && rows as usize > STRESS_ROWS_MAX {
            bail!(
                "from {} to {} by {} are {rows} rows; {STRESS_ROWS_MAX} are possible: use a larger --step",
                self.from,
                self.to,
                self.step
            );
        }
        let options = StressOptions {
            from: self.from,
            to: self.to,
            raise: self.bisect.map_or(Raise::Step(self.step), Raise::Bisect),
            error_percent_max: self.max_errors,
            latency_max: self
                .max_latency
                .map(|bound| (bound.figure, u64::try_from(bound.most.as_micros()).unwrap_or(u64::MAX))),
        };
        Ok(Loads::Stress { options, concurrency: driver.concurrency.first().copied().unwrap_or(CONCURRENCY_DEFAULT) })
    }
}
