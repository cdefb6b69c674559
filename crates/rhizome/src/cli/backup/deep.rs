//! `rhizome backup verify --deep`: a backup is restored for a while and read.

use std::path::Path;

use anyhow::{Context as _, bail};
use backup::{Manifest, Repository};
use graph_access::Budget;
use graph_host::Store;
use graph_maintenance::check_indexes;
use key_codec::tables;
use kv::{Engine, TableId};
use rhizome::engine;
use rhizome::settings::{EngineName, Settings};

use super::progress::{bar, show};

/// Restores a backup into a folder of its own, reads every row of every table with its checksum, and verifies every
/// index of every graph. The folder is removed afterwards.
pub(super) fn verify(
    repository: &Repository,
    manifest: &Manifest,
    settings: &Settings,
    scratch: Option<&Path>,
) -> anyhow::Result<()> {
    let parent = scratch.map_or_else(std::env::temp_dir, Path::to_path_buf);
    let folder = Scratch(parent.join(format!("rhizome-verify-{}", std::process::id())));
    let bar = bar("restoring")?;
    let restored = repository.restore(manifest, &folder.0, &|at| show(&bar, at));
    bar.finish_and_clear();
    restored?;
    let mut settings = settings.clone();
    settings.storage.engine = EngineName::Rocksdb;
    settings.storage.data_dir.clone_from(&folder.0);
    let engine = engine::open(&settings.storage).context("opening the restored store")?;
    let rows = count_rows(&*engine)?;
    let mut options = settings.store_options()?;
    options.purge.interval = None;
    let store = Store::open(engine, options).context("opening the restored store")?;
    let mut text = format!("backup {} was restored and read: {rows} rows\n", manifest.id);
    let mut wrong = 0;
    for name in store.graph_names() {
        let graph = store.graph(&name)?;
        let report = check_indexes(&graph, false, &Budget::unlimited(), &mut |_| ())?;
        wrong += report.total();
        text.push_str(&format!(
            "  graph {name}: {} elements and {} index entries, {} wrong\n",
            report.elements,
            report.entries,
            report.total()
        ));
    }
    super::super::terminal::print(&text)?;
    let lost: Vec<&String> = manifest.graphs.iter().filter(|name| store.graph(name).is_err()).collect();
    if !lost.is_empty() {
        bail!("graphs {lost:?} are named by the backup, but not in it");
    }
    if wrong > 0 {
        bail!(
            "{wrong} index entries in the backup are wrong; 'rhizome check --indexes --repair' mends a restored store"
        );
    }
    Ok(())
}

fn count_rows(engine: &dyn Engine) -> anyhow::Result<u64> {
    let mut rows = 0;
    for (at, table) in (0_u8..).zip(tables::TABLES) {
        let mut cursor = engine.scan_partitions(TableId(at), &[], None)?;
        while cursor.next().with_context(|| format!("reading table {}", table.name))?.is_some() {
            rows += 1;
        }
    }
    Ok(rows)
}

/// A folder that is removed when it is dropped.
struct Scratch(std::path::PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, path = %self.0.display(), "the restored store remains");
        }
    }
}
