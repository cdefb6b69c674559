//! Where `rhizome bench property` stores: a temporary folder, or a database over a network that was empty before.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use kv::{Engine, KvError, TableId, WriteBatch};
use property_bench::{OpenError, Place};
use property_store::TABLES;
use tempfile::TempDir;

use crate::storage::Storage;

/// Keys deleted in one batch while a database over a network is emptied.
const CLEAR_BATCH: usize = 1000;

/// The store under test and what is needed to open it again.
pub(crate) struct EnginePlace {
    storage: Storage,
    parent: TempDir,
    /// Folder of the current store; it exists only if the engine has made it.
    folder: PathBuf,
    stores: u32,
    /// Whether this run may delete what is stored over a network.
    ours: bool,
    remote: bool,
}

impl EnginePlace {
    pub(crate) fn new(storage: Storage, data_in: Option<&Path>) -> anyhow::Result<Self> {
        let builder = || {
            let mut builder = tempfile::Builder::new();
            builder.prefix("rhizome-bench");
            builder
        };
        let parent = match data_in {
            Some(folder) => builder().tempdir_in(folder),
            None => builder().tempdir(),
        };
        let parent = parent.context("making a temporary folder for the data")?;
        let folder = parent.path().join("store-0");
        Ok(Self { storage, parent, folder, stores: 0, ours: false, remote: false })
    }

    fn open(&self) -> Result<Arc<dyn Engine>, KvError> {
        (self.storage.open)(&self.folder, TABLES)
    }
}

impl Place for EnginePlace {
    fn fresh(&mut self) -> Result<Arc<dyn Engine>, OpenError> {
        if self.stores > 0 && !self.remote {
            // The folder is missing with an engine in memory.
            drop(fs::remove_dir_all(&self.folder));
        }
        self.stores += 1;
        self.folder = self.parent.path().join(format!("store-{}", self.stores));
        let engine = self.open()?;
        self.remote = engine.capabilities().remote;
        if self.remote {
            if !self.ours && !is_empty(&*engine)? {
                return Err("the database already holds a property store, which this would delete; name another \
                            place for its tables in the settings of the engine (--set)"
                    .into());
            }
            self.ours = true;
            clear(&*engine)?;
        }
        Ok(engine)
    }

    fn reopen(&mut self) -> Result<Arc<dyn Engine>, OpenError> {
        Ok(self.open()?)
    }

    fn folder(&self) -> Option<&Path> {
        (!self.remote && self.folder.is_dir()).then_some(&*self.folder)
    }

    fn scratch(&self) -> &Path {
        self.parent.path()
    }
}

impl Drop for EnginePlace {
    /// A database over a network is left as empty as it was.
    fn drop(&mut self) {
        if self.remote && self.ours {
            let cleared = self.open().and_then(|engine| clear(&*engine));
            if let Err(error) = cleared {
                crate::terminal::warn(&anyhow::Error::new(error).context("records of the measurement are left"));
            }
        }
    }
}

/// Every table of the property store, by its position.
fn tables() -> impl Iterator<Item = TableId> {
    (0..TABLES.len()).filter_map(|at| u8::try_from(at).ok()).map(TableId)
}

fn is_empty(engine: &dyn Engine) -> Result<bool, KvError> {
    for table in tables() {
        if engine.scan_partitions(table, &[], None)?.next()?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Deletes everything. Prefixes are cheap where partitions have an order; elsewhere each would cost a scan of the whole
/// table.
fn clear(engine: &dyn Engine) -> Result<(), KvError> {
    for table in tables() {
        if engine.capabilities().ordered_partitions {
            for first in 0..=u8::MAX {
                engine.delete_prefix(table, &[first])?;
            }
            continue;
        }
        let mut rows = engine.scan_partitions(table, &[], None)?;
        let mut batch = WriteBatch::new();
        while let Some(entry) = rows.next()? {
            batch.delete_key(table, entry.key);
            if batch.len() == CLEAR_BATCH {
                engine.commit(std::mem::take(&mut batch))?;
            }
        }
        engine.commit(batch)?;
    }
    Ok(())
}
