//! Loading many records at once: sorted in runs on disk, merged, and handed to the engine as finished rows.
//!
//! The write path costs each record a log entry, a place in a table in memory and several merges of files later; sorted
//! records need none of that. Two tables are sorted independently; a thread sorts and writes runs while the caller
//! makes more records, and at the end each processor merges a range of the keys. Memory is bounded by
//! [`BulkOptions::memory_bytes`] however much is loaded.

mod merge;
mod sort;

use std::path::PathBuf;

use kv::TableId;

use crate::keys::sealed::Bytes as _;
use crate::limits::{BULK_BUFFERS, BULK_MEMORY_BYTES, BULK_MEMORY_BYTES_MIN};
use crate::records::check_bytes;
use crate::{Access, Check, EdgeEnds, PropertyError, PropertyStore};

use self::sort::Sorter;

/// How a bulk load uses the machine.
#[derive(Clone, Debug)]
pub struct BulkOptions {
    /// Memory for sorting and merging, in bytes. Less means more runs to merge. Values below 1 MiB count as 1 MiB.
    pub memory_bytes: usize,
    /// Threads that merge at the end.
    pub threads: usize,
    /// Folder for sorted runs: about the size of all keys and records. They are gone when the load ends, however it
    /// ends.
    pub scratch: PathBuf,
}

impl Default for BulkOptions {
    fn default() -> Self {
        Self {
            memory_bytes: BULK_MEMORY_BYTES,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            scratch: std::env::temp_dir(),
        }
    }
}

/// What a bulk load did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BulkSummary {
    /// Records given.
    pub given: u64,
    /// Records stored: of several given for one key, the last.
    pub stored: u64,
}

/// A bulk load under way. Nothing can be read before [`Self::finish`]; dropping it
/// stores nothing.
pub struct BulkLoad<'s> {
    store: &'s PropertyStore,
    sorter: Sorter,
    options: BulkOptions,
    given: u64,
}

impl<'s> BulkLoad<'s> {
    /// Begins a bulk load, on engines that take sorted rows ([`kv::Capabilities::sorted_ingest`]).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use kv::MemoryEngine;
    /// # use property_store::{BulkLoad, BulkOptions, Check, PropertyStore, StoreOptions, TABLES, record};
    /// # let store = PropertyStore::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default())?;
    /// let mut encoder = record::Encoder::default();
    /// let mut bytes = Vec::new();
    /// let mut load = BulkLoad::begin(&store, BulkOptions::default())?;
    /// for id in (0..1000).rev() {
    ///     bytes.clear();
    ///     encoder.integer("number", 7).finish_into(&mut bytes);
    ///     load.node(id, &bytes, Check::Trust)?;
    /// }
    /// let summary = load.finish(&mut |_| ())?;
    /// assert_eq!(summary.stored, 1000);
    /// assert_eq!(store.nodes().get_all(999)?.unwrap()["number"], 7);
    /// # Ok::<(), property_store::PropertyError>(())
    /// ```
    ///
    /// # Errors
    /// [`PropertyError::ReadOnly`], [`PropertyError::NoIngest`], [`PropertyError::Scratch`].
    pub fn begin(store: &'s PropertyStore, options: BulkOptions) -> Result<Self, PropertyError> {
        if store.options.access == Access::ReadOnly {
            return Err(PropertyError::ReadOnly);
        }
        if !store.engine.capabilities().sorted_ingest {
            return Err(PropertyError::NoIngest { engine: store.engine.name() });
        }
        let buffer_bytes = options.memory_bytes.max(BULK_MEMORY_BYTES_MIN) / BULK_BUFFERS;
        let sorter = Sorter::start(&options.scratch, buffer_bytes)?;
        Ok(Self { store, sorter, options, given: 0 })
    }

    /// Adds the record of a node, as bytes ([`crate::record::Encoder`]). It replaces one given before and one stored
    /// before.
    ///
    /// # Errors
    /// [`PropertyError::Record`] for checked bytes that are not a record (the load can continue without it);
    /// [`PropertyError::Scratch`].
    pub fn node(&mut self, id: u64, bytes: &[u8], check: Check) -> Result<(), PropertyError> {
        check_bytes(id, bytes, check)?;
        self.given += 1;
        self.sorter.add_node(id, bytes)
    }

    /// Adds the record of an edge, as [`Self::node`].
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn edge(&mut self, ends: EdgeEnds, bytes: &[u8], check: Check) -> Result<(), PropertyError> {
        let ends = self.store.normal(ends);
        check_bytes(ends, bytes, check)?;
        self.given += 1;
        self.sorter.add_edge(ends, bytes)
    }

    /// Merges and stores everything: on return all of it survives a power failure; after an error none of it is stored,
    /// or, if the engine failed between its tables, only the nodes. `progress` gets the number of merged records.
    ///
    /// # Errors
    /// [`PropertyError::Scratch`], [`PropertyError::Engine`].
    pub fn finish(self, progress: &mut dyn FnMut(u64)) -> Result<BulkSummary, PropertyError> {
        let Self { store, sorter, options, given } = self;
        let tables = sorter.finish()?;
        let mut sorted = Vec::new();
        let mut stored = 0;
        let places: [(TableId, usize); 2] = [(u64::TABLE, u64::KEY_BYTES), (EdgeEnds::TABLE, EdgeEnds::KEY_BYTES)];
        for ((table, key_bytes), runs) in places.into_iter().zip(&tables) {
            let job = merge::Job { engine: &*store.engine, table, key_bytes, runs };
            let rows = job.run(options.threads, options.memory_bytes, &mut |merged| progress(stored + merged))?;
            stored += rows.iter().map(|rows| rows.extent().rows).sum::<u64>();
            sorted.extend(rows);
        }
        // Nobody's read-modify-write may come between what it read and what is ingested.
        let _held: Vec<_> = store.stripes.iter().map(|stripe| stripe.write()).collect();
        store.engine.ingest(sorted)?;
        Ok(BulkSummary { given, stored })
    }
}
