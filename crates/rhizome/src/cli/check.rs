//! `rhizome check`: is what is stored whole? Opens the data folder itself, so no server may be using it.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use graph_store::{Budget, IndexFault, IndexReport, Store};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rhizome::engine;
use rhizome::settings::Settings;

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(super) struct CheckArguments {
    /// Compare every index entry with its element, and every element with its index entries.
    #[arg(long, required = true)]
    indexes: bool,
    /// Put right what differs. Two elements that share the values of a unique index are only named.
    #[arg(long)]
    repair: bool,
    /// Only this graph; all graphs where it is left out.
    #[arg(long, value_name = "NAME")]
    graph: Option<String>,
    /// Folder of the data [default: rhizome-data].
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
    if !settings.storage.data_dir.is_dir() {
        bail!("there is no data folder {folder}; name it with --data");
    }
    let engine = engine::open(&settings.storage)?;
    let mut options = settings.store_options()?;
    // Nothing but what the check finds is to be written.
    options.purge.interval = None;
    let store = Store::open(engine, options).with_context(|| format!("opening the data in {folder}"))?;
    let names = match &arguments.graph {
        Some(name) => vec![name.clone()],
        None => store.graph_names(),
    };
    let mut left = 0;
    for name in names {
        let report = check_graph(&store, &name, arguments.repair)?;
        super::print(&shown(&name, &report))?;
        left += report.total() - report.repaired;
    }
    if left > 0 {
        let hint = if arguments.repair { "change one of each two elements" } else { "run it again with --repair" };
        bail!("{left} index entries are wrong; {hint}");
    }
    Ok(())
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
    let report = graph.check_indexes(repair, &Budget::unlimited(), &mut progress);
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
