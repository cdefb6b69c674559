//! `rhizome copy`: copies graphs between stores, for example from files on this machine to a cluster, and back.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use graph_access::Budget;
use graph_host::{Copied, CopyProgress, CopySource, Store};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rhizome::engine;
use rhizome::settings::{EngineName, Settings};

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(super) struct CopyArguments {
    /// Source: a settings file (TOML) as for `rhizome serve`, or a data folder of the engine "rocksdb".
    #[arg(long, value_name = "FILE|DIR")]
    from: PathBuf,
    /// Target: likewise; a data folder is created if it does not exist.
    #[arg(long, value_name = "FILE|DIR")]
    to: PathBuf,
    /// Copy only this graph; may be repeated [default: all graphs].
    #[arg(long, value_name = "NAME")]
    graph: Vec<String>,
    /// Replace non-empty graphs of the same name in the target.
    #[arg(long)]
    replace: bool,
}

pub(super) fn copy(arguments: &CopyArguments) -> anyhow::Result<()> {
    let (from, to) = (settings(&arguments.from)?, settings(&arguments.to)?);
    super::logging::start(&from.log)?;
    let data = &from.storage.data_dir;
    if from.storage.engine == EngineName::Rocksdb && !data.is_dir() {
        bail!("there is no data folder {}: nothing to copy from", data.display());
    }
    if from.storage.engine == EngineName::Rocksdb
        && to.storage.engine == EngineName::Rocksdb
        && *data == to.storage.data_dir
    {
        bail!("source and target are the same data folder {}", data.display());
    }
    let source = open(&from).with_context(|| format!("opening {}", arguments.from.display()))?;
    let target = open(&to).with_context(|| format!("opening {}", arguments.to.display()))?;
    let source = source.copy_source()?;
    let names = if arguments.graph.is_empty() { source.graph_names()? } else { arguments.graph.clone() };
    for name in names {
        let copied =
            copy_graph(&source, &target, &name, arguments.replace).with_context(|| format!("copying graph {name}"))?;
        let (vertices, edges) = copied.elements();
        super::terminal::print(&format!(
            "graph {name}: {vertices} vertices and {edges} edges copied, {} rows of {} tables verified
",
            copied.rows(),
            copied.tables.len()
        ))?;
    }
    target.engine().sync().context("writing the last changes to disk")
}

fn settings(path: &Path) -> anyhow::Result<Settings> {
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(Settings::load(Some(path), &[])?);
    }
    let flags = [("storage.engine", "rocksdb".to_owned()), ("storage.data_dir", path.display().to_string())];
    Ok(Settings::load(None, &flags)?)
}

fn open(settings: &Settings) -> anyhow::Result<Store> {
    let mut options = settings.store_options()?;
    // Nothing but the copy may be written.
    options.purge.interval = None;
    Ok(Store::open(engine::open(&settings.storage)?, options)?)
}

fn copy_graph(source: &CopySource<'_>, target: &Store, name: &str, replace: bool) -> anyhow::Result<Copied> {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{spinner} {prefix}: {msg}")?);
    bar.set_prefix(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut progress = |at: CopyProgress| {
        let work = if at.comparing { "comparing" } else { "copying" };
        bar.set_message(format!("{work} table {}, {} rows", at.table, at.rows));
    };
    let copied = target.copy_graph_from(source, name, replace, &Budget::unlimited(), &mut progress);
    bar.finish_and_clear();
    Ok(copied?)
}
