//! `rhizome analyze`: an algorithm over a whole graph of a store, without a server. It opens the store itself: either a
//! data folder that no server is using, or a shared store, which servers can keep using.

mod progress;
mod result;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use graph_analysis::{Analysis, Estimate, Found, JobState, OWN_PREFIX, algorithms, estimate, find, run_observed};
use graph_host::{HostedGraph, Store};
use rhizome::engine;
use rhizome::settings::{EngineName, Settings};
use serde_json::{Map, Value as Json};

use progress::Bar;

/// Rows of a table unless more are asked for: what fits on a screen.
const TABLE_ROWS: usize = 20;

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: the figures, and the first rows.
    Table,
    /// All rows, with a line of names before them.
    Csv,
    /// One object with the figures and all rows.
    Json,
}

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(super) struct AnalyzeArguments {
    /// The algorithm, such as pagerank, wcc or louvain; --list shows all. Names of HugeGraph's jobs are known too, with
    /// its answers as JSON.
    #[arg(value_name = "NAME", required_unless_present = "list")]
    name: Option<String>,
    /// List the algorithms with their parameters.
    #[arg(long, exclusive = true)]
    list: bool,
    /// A parameter of the algorithm, the value as JSON or as a text; may be repeated. Vertices are told by their ids:
    /// --set source=1:marko.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    parameters: Vec<String>,
    /// Only vertices of this label; may be repeated [default: all].
    #[arg(long, value_name = "LABEL")]
    vertex_label: Vec<String>,
    /// Only edges of this label; may be repeated [default: all].
    #[arg(long, value_name = "LABEL")]
    edge_label: Vec<String>,
    /// Property of edges that is their weight [default: 1 each].
    #[arg(long, value_name = "PROPERTY")]
    weight: Option<String>,
    /// Only the N rows with the greatest values.
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    top: Option<usize>,
    /// Only the first N rows [default: 20 in a table, else all].
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// How the result is written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    format: Format,
    /// File to write the result to [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write the value of each vertex to this property, which is made where it is missing.
    #[arg(long, value_name = "PROPERTY")]
    write_property: Option<String>,
    /// Only count, and say how much memory a run needs.
    #[arg(long)]
    estimate: bool,
    /// Graph to analyze [default: the default graph of the settings].
    #[arg(long, value_name = "NAME")]
    graph: Option<String>,
    /// Data folder [default: rhizome-data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Settings file (TOML), as for `rhizome serve`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Memory that the copy of the graph and the run may take [default: analysis.memory_bytes_max, 2 GiB].
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
    /// Threads [default: one per processor core].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

pub(super) fn analyze(arguments: &AnalyzeArguments) -> anyhow::Result<()> {
    let Some(name) = &arguments.name else { return super::terminal::print(&result::list(algorithms())) };
    let analysis = arguments.analysis(name)?;
    let data = arguments.data.as_ref().map(|path| ("storage.data_dir", path.display().to_string()));
    let settings = Settings::load(arguments.config.as_deref(), data.as_slice())?;
    super::logging::start(&settings.log)?;
    let folder = settings.storage.data_dir.display();
    if settings.storage.engine == EngineName::Rocksdb && !settings.storage.data_dir.is_dir() {
        bail!("there is no data folder {folder}; name it with --data");
    }
    let engine = engine::open(&settings.storage).with_context(|| match settings.storage.engine {
        EngineName::Rocksdb => format!(
            "an analysis without a server needs the data folder for itself; a running server does the same with POST \
             .../jobs/algorithm/{name}"
        ),
        _ => "opening the store".to_owned(),
    })?;
    let mut options = settings.store_options()?;
    // Nothing else may be written.
    options.purge.interval = None;
    let store = Store::open(engine, options).context("opening the store")?;
    let graph = store.graph(arguments.graph.as_deref().unwrap_or_else(|| store.default_graph()))?;
    let memory = arguments.memory.unwrap_or(settings.analysis.memory_bytes_max);
    let state = JobState::new(memory.0, arguments.threads.unwrap_or(settings.analysis.threads));
    let bar = Bar::new()?;
    bar.begin("counting", 0);
    let needed = estimate(&graph, &analysis, &state, &bar)?;
    if arguments.estimate {
        bar.clear();
        return super::terminal::print(&format!("{}\n", told(&needed)));
    }
    bar.say(&told(&needed));
    if !needed.fits() {
        bail!(
            "{name} over this graph needs {} of memory, and {} are allowed; raise --memory, or choose fewer labels \
             with --vertex-label and --edge-label",
            size(needed.projection_bytes + needed.run_bytes),
            size(needed.free_bytes)
        );
    }
    bar.begin("reading", bar.rows_read());
    let run = Analyzing { arguments, graph: &graph, state: &state, bar: &bar };
    if algorithms().any(|algorithm| algorithm.name == name) { run.own(&analysis) } else { run.by_answer(&analysis) }?;
    if arguments.write_property.is_some() {
        store.engine().sync().context("writing the last changes to disk")?;
    }
    Ok(())
}

fn size(bytes: u64) -> String {
    ByteSize(bytes).display().iec().to_string()
}

/// What a run needs, in a line.
fn told(needed: &Estimate) -> String {
    format!(
        "{} vertices and {} edges; the copy of the graph needs {} of memory, the run {} more; {} are allowed",
        needed.vertices,
        needed.edges,
        size(needed.projection_bytes),
        size(needed.run_bytes),
        size(needed.free_bytes)
    )
}

/// A run that has begun.
struct Analyzing<'a> {
    arguments: &'a AnalyzeArguments,
    graph: &'a HostedGraph,
    state: &'a JobState,
    bar: &'a Bar,
}

impl Analyzing<'_> {
    /// An algorithm of ours: a table.
    fn own(&self, analysis: &Analysis) -> anyhow::Result<()> {
        let found = find(self.graph, analysis, self.state, self.bar)?;
        let (vertices, edges) = found.size();
        self.bar.clear();
        self.write(&found)?;
        self.bar.say(&format!(
            "{vertices} vertices and {edges} edges, read in {} ms, computed in {} ms",
            found.load_ms, found.compute_ms
        ));
        if let Some(property) = &self.arguments.write_property {
            self.bar.begin("writing", 0);
            let written = graph_analysis::write_found(self.graph, found, property, self.bar)?;
            self.bar.say(&format!("wrote '{property}' of {written} vertices"));
        }
        Ok(())
    }

    fn write(&self, found: &Found) -> anyhow::Result<()> {
        let rows = match (self.arguments.top, self.arguments.limit, self.arguments.format) {
            (Some(top), ..) => found.greatest(top),
            (None, Some(limit), _) => (0..found.len().min(limit)).collect(),
            (None, None, Format::Table) => (0..found.len().min(TABLE_ROWS)).collect(),
            _ => (0..found.len()).collect(),
        };
        self.to_output(|out| match self.arguments.format {
            Format::Table => result::table(out, found, &rows),
            Format::Csv => result::csv(out, found, &rows),
            Format::Json => result::json(out, found, &rows),
        })
    }

    /// An algorithm by HugeGraph's name: its answer.
    fn by_answer(&self, analysis: &Analysis) -> anyhow::Result<()> {
        if self.arguments.format == Format::Csv {
            bail!("'{}' is a name of HugeGraph's, which has an answer but no rows: use --format json", analysis.name);
        }
        let answer = run_observed(self.graph, analysis, self.state, self.bar)?;
        self.bar.clear();
        self.to_output(|out| Ok(writeln!(out, "{answer:#}")?))
    }

    /// Writes to the file that was asked for, else to standard output. A pipe that is closed is no error.
    fn to_output(&self, write: impl FnOnce(&mut dyn std::io::Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let Some(path) = &self.arguments.out else {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let written = write(&mut out).and_then(|()| Ok(out.flush()?));
            return match written {
                Err(error) if is_closed_pipe(&error) => Ok(()),
                other => other,
            };
        };
        let file = File::create(path).with_context(|| format!("making the file {}", path.display()))?;
        let mut out = BufWriter::new(file);
        let written = write(&mut out).and_then(|()| Ok(out.flush()?));
        written.with_context(|| format!("writing the file {}", path.display()))
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(std::io::ErrorKind::BrokenPipe)
}

impl AnalyzeArguments {
    /// The request, as a client would send it.
    fn analysis(&self, name: &str) -> anyhow::Result<Analysis> {
        let mut parameters = Map::new();
        for parameter in &self.parameters {
            let (key, value) = parameter
                .split_once('=')
                .with_context(|| format!("--set {parameter}: expected NAME=VALUE, such as --set damping=0.9"))?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Json::from(value));
            parameters.insert(key.to_owned(), value);
        }
        for (key, values) in [("vertex_labels", &self.vertex_label), ("edge_labels", &self.edge_label)] {
            if !values.is_empty() {
                parameters.insert(key.to_owned(), values.iter().map(String::as_str).collect());
            }
        }
        if let Some(weight) = &self.weight {
            parameters.insert("weight".to_owned(), Json::from(weight.as_str()));
        }
        for (key, flag) in [
            ("projection", "nothing is kept when the command ends"),
            ("estimate", "use --estimate"),
            ("write_property", "use --write-property"),
            ("top", "use --top"),
        ] {
            if parameters.contains_key(key) {
                bail!("--set {key}: {flag}");
            }
        }
        let is_own = algorithms().any(|algorithm| algorithm.name == name);
        let asked = if is_own { format!("{OWN_PREFIX}{name}") } else { name.to_owned() };
        let analysis = Analysis::new(&asked, parameters);
        let unknown = || "`rhizome analyze --list` shows all algorithms";
        let analysis = if is_own { analysis? } else { analysis.with_context(unknown)? };
        if !analysis.is_run() {
            bail!("'{name}' keeps copies of graphs in the memory of a server; here the graph is read for each run");
        }
        Ok(analysis)
    }
}
