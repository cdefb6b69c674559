//! `rhizome check`: what is stored, and is it consistent? Opens the store itself: either a data folder that no server
//! is using, or a shared store, which servers can keep using.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use graph_access::Budget;
use graph_host::Store;
use graph_maintenance::{IndexFault, IndexReport, check_indexes};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rhizome::engine;
use rhizome::settings::{EngineName, Settings};

#[derive(Args)]
pub(super) struct CheckArguments {
    /// Verify every index entry against its element, and every element against its index entries. Without this flag,
    /// only list what is stored.
    #[arg(long)]
    indexes: bool,
    /// Fix mismatches. Two elements with the same values under a unique index are only reported.
    #[arg(long, requires = "indexes")]
    repair: bool,
    /// Check only this graph [default: all graphs].
    #[arg(long, value_name = "NAME")]
    graph: Option<String>,
    /// Data folder [default: rhizome-data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Settings file (TOML), as for `rhizome serve`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(super) fn check(arguments: &CheckArguments) -> anyhow::Result<()> {
    let data = arguments.data.as_ref().map(|path| ("storage.data_dir", path.display().to_string()));
    let settings = Settings::load(arguments.config.as_deref(), data.as_slice())?;
    super::logging::start(&settings.log)?;
    let folder = settings.storage.data_dir.display();
    if settings.storage.engine == EngineName::Rocksdb && !settings.storage.data_dir.is_dir() {
        bail!("there is no data folder {folder}; name it with --data");
    }
    let engine = engine::open(&settings.storage)?;
    let mut options = settings.store_options()?;
    // The check must not write anything else.
    options.purge.interval = None;
    let place = match settings.storage.engine {
        EngineName::Rocksdb => format!("the data in {folder}"),
        _ => format!("the store of engine \"{}\"", engine.name()),
    };
    let store = Store::open(engine, options).with_context(|| format!("opening {place}"))?;
    let names = match &arguments.graph {
        Some(name) => vec![name.clone()],
        None => store.graph_names(),
    };
    if !arguments.indexes {
        return super::terminal::print(&found(&store, &names)?);
    }
    let mut left = 0;
    for name in names {
        let report = check_graph(&store, &name, arguments.repair)?;
        super::terminal::print(&shown(&name, &report))?;
        left += report.total() - report.repaired;
    }
    if left > 0 {
        let hint = if arguments.repair { "change one element of each pair" } else { "run it again with --repair" };
        bail!("{left} index entries are wrong; {hint}");
    }
    Ok(())
}

/// What is stored, one item per line.
fn found(store: &Store, names: &[String]) -> anyhow::Result<String> {
    let engine = store.engine();
    let capabilities = engine.capabilities();
    let shared = if capabilities.shared { "several servers can share it" } else { "one server at a time" };
    let mut text = format!("engine {}: {shared}; format version {}\n", engine.name(), key_codec::FORMAT_VERSION);
    for statistic in engine.statistics().iter().filter(|statistic| statistic.name.contains("nodes")) {
        text.push_str(&format!("  {}: {} ({})\n", statistic.name, statistic.value, statistic.help));
    }
    // This process counts as one of them.
    let others = store.servers()?.len().saturating_sub(1);
    if capabilities.shared {
        text.push_str(&format!("other servers running, or gone without a shutdown in the last hour: {others}\n"));
    }
    for name in names {
        let catalogue = store.graph(name)?.catalogue();
        let (vertices, edges) = (catalogue.vertex_labels().count(), catalogue.edge_labels().count());
        let indexes = catalogue.index_labels().count();
        text.push_str(&format!(
            "graph {name}: {vertices} vertex labels, {edges} edge labels, {indexes} index labels\n"
        ));
    }
    Ok(text)
}

fn check_graph(store: &Store, name: &str, repair: bool) -> anyhow::Result<IndexReport> {
    let graph = store.graph(name)?;
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{spinner} {prefix}: {msg}")?);
    bar.set_prefix(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut progress = |report: &IndexReport| {
        bar.set_message(format!("{} entries, {} elements, {} wrong", report.entries, report.elements, report.total()));
    };
    let report = check_indexes(&graph, repair, &Budget::unlimited(), &mut progress);
    bar.finish_and_clear();
    Ok(report?)
}

/// The report as lines.
fn shown(graph: &str, report: &IndexReport) -> String {
    let counts: Vec<String> = IndexFault::ALL
        .into_iter()
        .filter(|fault| report.count(*fault) > 0)
        .map(|fault| format!("{} {}", report.count(fault), fault.name()))
        .collect();
    let verdict = match (report.total(), report.repaired) {
        (0, _) => "all right".to_owned(),
        (_, 0) => counts.join(", "),
        (_, repaired) => format!("{}; repaired {repaired}", counts.join(", ")),
    };
    let mut text = format!(
        "graph {graph}: {} index entries and {} elements checked: {verdict}\n",
        report.entries, report.elements
    );
    for example in &report.examples {
        text.push_str(&format!("  {example}\n"));
    }
    let named = u64::try_from(report.examples.len()).unwrap_or(u64::MAX);
    if report.total() > named {
        text.push_str(&format!("  and {} more\n", report.total() - named));
    }
    text
}
