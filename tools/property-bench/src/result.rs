//! What was measured: `property.json`.

use load_test::result::Machine;
use serde::{Deserialize, Serialize};

/// Version of the form of `property.json`.
pub const FORMAT_VERSION: u32 = 1;

/// Name of the file.
pub const FILE_NAME: &str = "property.json";

/// A run of the benchmark.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PropertyResult {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// Version of the program.
    pub tool_version: String,
    /// When it began.
    pub started_at: String,
    /// The command.
    pub command_line: String,
    /// Where it ran.
    pub machine: Machine,
    /// The engine.
    pub engine: String,
    /// What an acknowledged write survives.
    pub durability: String,
    /// Settings of the engine that matter, `name = value`.
    pub settings: Vec<String>,
    /// What else a reader must know.
    pub notes: Vec<String>,
    /// Records of nodes, and as many of edges, in the store while single operations were measured.
    pub stored_records: u64,
    /// Single operations.
    pub operations: Vec<OperationRow>,
    /// The graph that was loaded.
    pub graph: Option<GraphFigures>,
    /// Loads of it.
    pub loads: Vec<LoadRow>,
    /// The run was ended early.
    pub interrupted: bool,
}

/// What was measured of single operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// `insert_raw`: reads the old record, writes the new one. The page's "insert raw".
    InsertRaw,
    /// `extend_raw` with one record: writes without reading.
    PutRaw,
    /// `extend_raw` with 100 records. The page's "extend one raw".
    ExtendRaw,
    /// `get_all`.
    GetAll,
    /// `batch_get` of 1000 keys.
    BatchGet,
}

impl Operation {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InsertRaw => "insert raw (reads the old record)",
            Self::PutRaw => "put raw (does not)",
            Self::ExtendRaw => "extend one raw (of 100 in a batch)",
            Self::GetAll => "get all",
            Self::BatchGet => "batch get, one key (of 1000)",
        }
    }
}

/// Nodes or edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nodes.
    Nodes,
    /// Edges.
    Edges,
}

impl Kind {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Edges => "edges",
        }
    }
}

/// What the engine had in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Just opened; where data files are on this machine, not in the system's cache either.
    Cold,
    /// What is read was read before.
    Warm,
}

impl State {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
        }
    }
}

/// Times of one operation, in microseconds for a record or key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationRow {
    /// What was done.
    pub operation: Operation,
    /// With what.
    pub kind: Kind,
    /// Cold or warm.
    pub state: State,
    /// Calls that were measured.
    pub calls: u64,
    /// Records or keys of one call.
    pub records_per_call: u64,
    /// Times.
    #[serde(flatten)]
    pub times: Times,
}

/// Figures of a distribution of times, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Arithmetic mean.
    pub mean_us: f64,
    /// Half took no longer.
    pub p50_us: f64,
    /// 99 of 100 took no longer.
    pub p99_us: f64,
    /// The longest.
    pub max_us: f64,
}

/// The graph that was loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphFigures {
    /// LDBC's scale factor it is sized after, or empty.
    pub scale_factor: String,
    /// Persons of the generator.
    pub persons: u64,
    /// Seed of the generator.
    pub seed: u64,
    /// Without properties.
    pub ids_only: bool,
    /// Nodes made.
    pub nodes: u64,
    /// Edges made. Edges of several labels between the same two nodes are one record, the last.
    pub edges: u64,
    /// Records that are stored in the end.
    pub records_stored: u64,
    /// Bytes of all keys and encoded records.
    pub bytes: u64,
}

/// How a graph was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// In batches of this many records.
    Batches(usize),
    /// Sorted outside of the engine, then ingested.
    SortedIngest,
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Batches(records) => write!(f, "batches of {records}"),
            Self::SortedIngest => f.write_str("sorted ingest"),
        }
    }
}

/// A load of the whole graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadRow {
    /// How.
    pub mode: Mode,
    /// Records given to the store.
    pub records: u64,
    /// From the start of the generator until everything was acknowledged, in seconds.
    pub total_s: f64,
    /// Time spent generating and encoding rows, in parallel with the store's work, in seconds.
    pub generate_s: f64,
    /// Time in calls of the store, in seconds.
    pub store_s: f64,
    /// Records a second of the total time.
    pub records_per_s: f64,
    /// Speed of each tenth of the records, in records a second; of sorted ingest with both passes over them.
    pub tenths_per_s: Vec<f64>,
    /// Bytes of the data folder after the load.
    pub disk_bytes: Option<u64>,
    /// Highest resident memory of this process during the load.
    pub rss_peak_bytes: Option<u64>,
}

impl LoadRow {
    /// Speed of the last tenth in percent of the speed of the first.
    #[must_use]
    pub fn last_tenth_percent(&self) -> Option<f64> {
        let (first, last) = (self.tenths_per_s.first()?, self.tenths_per_s.last()?);
        (*first > 0.0).then_some(last * 100.0 / first)
    }
}
