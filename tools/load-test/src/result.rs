//! What a load test found, as plain data: the one model that drivers fill and every output is made from.
//!
//! Hardly any behaviour lives here. It is written as `results.json`, so names are part of a format: add fields with a
//! default, never change a meaning. Times are microseconds (`_us`) unless their name says otherwise; sizes are bytes.
//!
//! Every field says what it counts, because figures of load tests are worth nothing without that. Start at
//! [`RunResult`].

use serde::{Deserialize, Serialize};

/// One run of the tool: what was tested, where, and what came out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Version of this tool.
    pub tool_version: String,
    /// When the run began, as an RFC 3339 time in UTC.
    pub started_at: String,
    /// The command that made this run, credentials left out.
    pub command_line: String,
    /// The server under test.
    pub target: Target,
    /// The machine the tool ran on.
    pub machine: Machine,
    /// What came out, in the order in which it was run.
    pub scenarios: Vec<ScenarioResult>,
    /// The run was ended early (Ctrl-C); what is here is what was measured until then.
    #[serde(default)]
    pub interrupted: bool,
}

/// The server under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Address of the server.
    pub url: String,
    /// Name of the graph.
    pub graph: String,
    /// The product's name, as `Rhizome` or `HugeGraph`.
    pub product: String,
    /// The version it reports.
    pub version: String,
    /// What an acknowledged write survives, where it is known: `wal` or `fsync`.
    pub durability: Option<String>,
    /// The storage engine, where it is known.
    pub engine: Option<String>,
    /// The server runs on the machine of the tool and shares its processors.
    pub is_local: bool,
    /// Other settings that were chosen for this run, as `key=value`; those of a study's points are with its scenarios.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Notes about the server from the person who ran the test: durability, settings, hardware.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The machine the tool ran on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub cpu_model: String,
    /// Logical processors.
    pub cores: u32,
    /// Main memory.
    pub memory_bytes: u64,
    /// Operating system and its version.
    pub os: String,
}

/// How requests are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverKind {
    /// Each user sends one request in each pacing interval; a user that is late does not catch up.
    #[default]
    Paced,
    /// Each user sends its next request as soon as the last is answered.
    Closed,
    /// Requests start at a constant rate, whatever the server does; latency counts from the intended start.
    Open,
}

/// How the load of a scenario was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverSettings {
    /// How requests are offered.
    pub kind: DriverKind,
    /// Time between the starts of two requests of one user; only of the paced driver.
    pub pacing_ms: Option<u64>,
    /// Planned length of the measured part.
    pub duration_ms: u64,
    /// Load before the measured part, not counted.
    pub warm_up_ms: u64,
    /// Time over which the users start, before the warm-up.
    pub ramp_up_ms: u64,
    /// Connections are kept for the next request.
    pub keep_alive: bool,
    /// Time allowed for making a connection.
    pub connect_timeout_ms: u64,
    /// Time allowed for one request, from sending to the last byte of the answer.
    pub request_timeout_ms: u64,
    /// Threads of the tool that made the load.
    pub client_threads: u32,
}

/// All rows of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScenarioResult {
    /// Name of the scenario, as `batch-vertex`; with the setting of a study after it, as `batch-vertex cpu=1`.
    pub name: String,
    /// The setting of a study, as `cpu=1 memory=512M`, which `name` ends in; empty where there is no study.
    #[serde(default)]
    pub point: String,
    /// Graph elements that one request writes or reads; the mean over the requests of a mixed scenario.
    pub elements_per_request: f64,
    /// How the load was made.
    pub driver: DriverSettings,
    /// One row for each concurrency (or rate), ascending.
    pub rows: Vec<Row>,
    /// What ended the scenario before its last row, other than a person.
    #[serde(default)]
    pub failure: Option<String>,
    /// Index in `rows` of the last row before errors (or before the latency bound), where a search was made and found
    /// one.
    pub peak: Option<usize>,
    /// What ended the search, where one was made.
    #[serde(default)]
    pub bounds: Option<SearchBounds>,
    /// Mean size of a request's body.
    pub request_bytes: u64,
    /// Mean size of an answer's body, as it came over the wire.
    pub answer_bytes: u64,
    /// What was prepared, and what else a reader must know.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl ScenarioResult {
    /// The name without the setting of a study.
    #[must_use]
    pub fn plain_name(&self) -> &str {
        self.name.strip_suffix(&self.point).unwrap_or(&self.name).trim_end()
    }
}

/// Above what a row was too much in a search for the peak.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchBounds {
    /// Errors in a hundred samples.
    pub error_percent_max: f64,
    /// Latency, as `p99 of 500 ms`.
    pub latency_max: Option<String>,
    /// The highest load that the search was allowed.
    pub to: u32,
}

/// One measurement: a scenario at one concurrency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// How its requests were offered.
    #[serde(default)]
    pub driver: DriverKind,
    /// Users (connections).
    pub concurrency: u32,
    /// Requests a second that the driver meant to send; `None` for the closed driver, which sends what it can.
    pub offered_per_s: Option<f64>,
    /// From the start of the measured part to the end of its last request.
    pub duration_s: f64,
    /// Requests that began in the measured part and ended, well or not; and those the open driver gave up unsent.
    pub samples: u64,
    /// Requests still without an answer when the run was interrupted; not in `samples`.
    #[serde(default)]
    pub unfinished: u64,
    /// An interruption ended the measured part before its time.
    #[serde(default)]
    pub cut_short: bool,
    /// Times of all requests that were sent, failed ones too, as JMeter counts them.
    #[serde(flatten)]
    pub latency: Latency,
    /// What went wrong, by class; classes without errors are left out.
    pub errors: Vec<ErrorCount>,
    /// Errors of all classes in a hundred samples.
    pub error_percent: f64,
    /// Samples a second of `duration_s`.
    pub throughput_per_s: f64,
    /// KiB a second received, heads of answers included.
    pub kb_per_s: f64,
    /// KiB a second sent, heads of requests included.
    #[serde(default)]
    pub sent_kb_per_s: f64,
    /// Graph elements a second, of the requests that went well.
    pub elements_per_s: f64,
    /// Processor time of the server in this row, where it is local and may be looked at.
    pub server_cpu_s: Option<f64>,
    /// Highest resident memory of the server seen in this row.
    pub server_rss_peak_bytes: Option<u64>,
    /// Processor time of the tool itself in this row.
    pub client_cpu_s: f64,
    /// The row over time; buckets of one second, or of more in long runs.
    pub series: Vec<Second>,
    /// Width of a bucket of `series`.
    pub series_bucket_s: u32,
    /// All latencies in microseconds: an HDR histogram in the V2 deflate form, as base64 text.
    pub histogram: String,
    /// The same by request, where a scenario has several; otherwise empty.
    #[serde(default)]
    pub requests: Vec<RequestRow>,
}

/// Figures of the distribution of times, in microseconds. All are 0 if there is no sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Arithmetic mean.
    pub mean_us: f64,
    /// Shortest.
    pub min_us: u64,
    /// Longest.
    pub max_us: u64,
    /// Median.
    pub p50_us: u64,
    /// 90 of 100 are not longer.
    pub p90_us: u64,
    /// 95 of 100 are not longer.
    pub p95_us: u64,
    /// 99 of 100 are not longer.
    pub p99_us: u64,
    /// 999 of 1000 are not longer.
    pub p999_us: u64,
}

/// One request of a scenario that has several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestRow {
    /// Name of the request.
    pub label: String,
    /// How many ended.
    pub samples: u64,
    /// Times of all that were sent.
    #[serde(flatten)]
    pub latency: Latency,
    /// How many of them failed.
    pub errors: u64,
    /// Samples a second.
    pub throughput_per_s: f64,
}

/// Ways in which a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// No connection, or it broke before the answer was complete.
    Connect,
    /// No complete answer in the time allowed.
    Timeout,
    /// Another HTTP status than expected.
    Status,
    /// The expected status, but not the content that was asked for.
    WrongAnswer,
    /// Never sent: the open driver had too many requests waiting for a connection.
    Overflow,
}

/// Errors of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// The class.
    pub class: ErrorClass,
    /// How many.
    pub count: u64,
    /// Different texts of the first ones, at most [`ERROR_EXAMPLES_MAX`](crate::limits::ERROR_EXAMPLES_MAX).
    pub examples: Vec<String>,
}

/// One bucket of a row's time series: what ended in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Second {
    /// Begin of the bucket, in seconds from the start of the measured part.
    pub second: u32,
    /// Requests that ended in it, well or not.
    pub completed: u64,
    /// How many of them failed.
    pub errors: u64,
    /// Their mean time.
    pub mean_us: f64,
    /// 99 of 100 of them took no longer.
    pub p99_us: u64,
    /// The longest of them.
    pub max_us: u64,
}
