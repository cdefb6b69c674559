//! `rhizome bench property`: the property store on an engine, without a server, compared with rust_graph_lib's page.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};
use graph_gen::{Content, ScaleFactor, SnbOptions};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use load_test::figures;
use property_bench::result::{FORMAT_VERSION, Mode, PropertyResult};
use property_bench::{BenchError, BenchOptions, GraphOptions, OperationOptions, Watcher, report};

use crate::property_place::EnginePlace;
use crate::run::{begun, signals};
use crate::storage::{ReadStorage, Storage};

/// Scale factor of `--quick`: 1.8 million records.
const QUICK_SCALE_FACTOR: &str = "0.1";
/// Stored nodes, edges and warm calls of `--quick`.
const QUICK_OPERATIONS: OperationOptions = OperationOptions { stored: 200_000, calls: 5_000 };
/// Memory that sorted ingest may take, in bytes: a few runs at scale factor 1, a few dozen at 10.
const SORT_MEMORY_BYTES: usize = 512 << 20;

/// Arguments of `rhizome bench property`.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    rhizome bench property --quick\n  \
    rhizome bench property --engine rocksdb --scale-factor 1 --out report\n  \
    rhizome bench property --part graph --scale-factor 10 --ids-only --batch-size none --out report\n  \
    rhizome bench property --engine memory --part operations")]
pub(crate) struct PropertyArguments {
    /// Storage engine: rocksdb, memory, tikv or cassandra, if built into this program.
    #[arg(long, value_name = "NAME", default_value = "rocksdb")]
    engine: String,
    /// Take about two minutes: fewer records and calls, a graph of scale factor 0.1.
    #[arg(long)]
    quick: bool,
    /// What to measure.
    #[arg(long, value_name = "PART[,PART]", value_delimiter = ',', default_value = "operations,graph")]
    part: Vec<Part>,
    /// Size of the graph as an LDBC scale factor: 0.1 (1.8 million records), 1 (20 million), 10 (205 million) or 60
    /// (1.4 billion) [default: 1, quick: 0.1].
    #[arg(long, value_name = "SF")]
    scale_factor: Option<ScaleFactor>,
    /// Number of persons in the graph, instead of a scale factor.
    #[arg(long, value_name = "N", conflicts_with = "scale_factor")]
    persons: Option<u64>,
    /// Load labels only, without properties.
    #[arg(long)]
    ids_only: bool,
    /// Records per batch; each size is a separate load. "none" loads by sorted ingest only.
    #[arg(long, value_name = "N[,N]", value_delimiter = ',', default_value = "100,500,1000,10000")]
    batch_size: Vec<String>,
    /// Skip the load by sorted ingest.
    #[arg(long)]
    no_ingest: bool,
    /// What an acknowledged write survives: wal (a process crash) or fsync (a power failure) [default: wal].
    #[arg(long, value_name = "MODE")]
    durability: Option<String>,
    /// Where to create the temporary data folder, which is deleted at the end.
    #[arg(long, value_name = "DIR")]
    data_in: Option<PathBuf>,
    /// Settings file (TOML), as for `rhizome serve`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Any other setting, as section.key=value; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Add a note to the report; may be repeated.
    #[arg(long, value_name = "TEXT")]
    note: Vec<String>,
    /// Write property.json, summary.md and report.html to this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Insert, put, extend, get and batch get, cold and warm.
    Operations,
    /// Load a whole graph.
    Graph,
}

pub(crate) fn property(arguments: &PropertyArguments, read_storage: ReadStorage) -> anyhow::Result<()> {
    let options = options(arguments)?;
    let storage = storage(arguments, read_storage)?;
    let mut result = begun_result(arguments, &storage);
    let mut place = EnginePlace::new(storage, arguments.data_in.as_deref())?;
    let mut screen = Screen::new()?;
    // The measurement has this thread for itself; another one waits for signals.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("starting the runtime")?;
    let signals = {
        let _inside = runtime.enter();
        signals()?
    };
    let outcome = property_bench::run(&options, &mut place, &mut screen, &signals.end, &mut result);
    screen.bar.finish_and_clear();
    drop(place);
    result.interrupted = outcome.is_err();
    if result.operations.is_empty() && result.loads.is_empty() {
        outcome?;
        bail!("nothing was measured");
    }
    crate::terminal::print(&report::report(&result).to_terminal())?;
    if let Some(folder) = &arguments.out {
        report::write(folder, &result)?;
    }
    match outcome {
        Ok(()) | Err(BenchError::Interrupted) => Ok(()),
        Err(error) => Err(anyhow!(error).context("the results so far are kept; what ended the run")),
    }
}

fn options(arguments: &PropertyArguments) -> anyhow::Result<BenchOptions> {
    let operations = if arguments.quick { QUICK_OPERATIONS } else { OperationOptions::default() };
    let has = |part| arguments.part.contains(&part);
    let graph = if has(Part::Graph) { Some(graph_options(arguments)?) } else { None };
    Ok(BenchOptions { operations: has(Part::Operations).then_some(operations), graph })
}

fn graph_options(arguments: &PropertyArguments) -> anyhow::Result<GraphOptions> {
    let mut modes = Vec::new();
    for size in arguments.batch_size.iter().filter(|size| *size != "none") {
        match size.parse() {
            Ok(records) if records > 0 => modes.push(Mode::Batches(records)),
            _ => bail!("--batch-size {size}: expected a number of records, or \"none\""),
        }
    }
    if !arguments.no_ingest {
        modes.push(Mode::SortedIngest);
    }
    if modes.is_empty() {
        bail!("there is nothing to load: --batch-size none and --no-ingest leave no way");
    }
    let (persons, scale_factor) = match (arguments.persons, arguments.scale_factor) {
        (Some(persons), _) => (persons, String::new()),
        (None, factor) => {
            let usual = if arguments.quick { QUICK_SCALE_FACTOR } else { "1" };
            let factor = factor.map_or_else(|| usual.parse::<ScaleFactor>(), Ok)?;
            (factor.persons, factor.to_string())
        }
    };
    let content = if arguments.ids_only { Content::IdsOnly } else { Content::Everything };
    let network = SnbOptions::new(persons, SEED).with_content(content);
    network.validate()?;
    Ok(GraphOptions { network, scale_factor, modes, sort_memory_bytes: SORT_MEMORY_BYTES })
}

/// Seed of the generator, as that of `rhizome generate`.
const SEED: u64 = 42;

fn storage(arguments: &PropertyArguments, read_storage: ReadStorage) -> anyhow::Result<Storage> {
    let mut flags = vec![("storage.engine", arguments.engine.clone())];
    if let Some(durability) = &arguments.durability {
        flags.push(("storage.durability", durability.clone()));
    }
    for setting in &arguments.set {
        let (key, value) =
            setting.split_once('=').with_context(|| format!("--set {setting}: expected section.key=value"))?;
        flags.push((key, value.to_owned()));
    }
    read_storage(arguments.config.as_deref(), &flags)
}

fn begun_result(arguments: &PropertyArguments, storage: &Storage) -> PropertyResult {
    let run = begun();
    let settings = storage.engine_settings.clone().unwrap_or_else(|| arguments.set.clone());
    PropertyResult {
        format_version: FORMAT_VERSION,
        tool_version: run.tool_version,
        started_at: run.started_at,
        command_line: run.command_line,
        machine: run.machine,
        engine: arguments.engine.clone(),
        durability: storage.durability_promise.clone(),
        settings,
        notes: arguments.note.clone(),
        ..PropertyResult::default()
    }
}

/// A progress bar on standard error.
struct Screen {
    bar: ProgressBar,
}

impl Screen {
    fn new() -> anyhow::Result<Self> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{prefix:<44} {bar:24} {msg}  {elapsed}")?);
        Ok(Self { bar })
    }
}

impl Watcher for Screen {
    fn progress(&mut self, what: &str, done: u64, total: u64) {
        if self.bar.prefix() != what {
            self.bar.set_prefix(what.to_owned());
            self.bar.reset_elapsed();
        }
        self.bar.set_length(total.max(1));
        self.bar.set_position(done);
        self.bar.set_message(match (done, total) {
            (0, 0) => String::new(),
            (done, 0) => figures::count(done),
            (done, total) => format!("{} of {}", figures::count(done), figures::count(total)),
        });
    }
}
