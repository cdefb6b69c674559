//! Snapshots: one for each graph, kept in the same store, made and resumed by copying.
//!
//! A snapshot is a copy of everything a graph has, under a number of its own that no name stands for. Making one takes
//! a view of the engine between two writes and copies from it while writing goes on; resuming one copies it back under
//! another new number and gives that number to the name in one batch. Both cost as much as writing the graph once, and
//! memory for one batch. Other graphs are not touched, and a snapshot does not depend on the graph it was made of:
//! clearing the graph leaves it, dropping the graph removes it.
//!
//! While a copy is being made its number is in the list of unfinished ones, so a process that dies leaves nothing
//! behind: the next start removes it. What was complete before stays as it was.

use key_codec::key::{self, MetaKind};
use key_codec::{GraphNumber, setting_value, tables};
use kv::{Engine, Key, Read, WriteBatch};

use super::Store;
use super::graphs::{put_graph, put_version};
use crate::hosted::HostedGraph;
use crate::limits;
use crate::lists::{graph_number, put_dropped, put_owned_number, read_numbers};
use crate::ranges::{prefix_of, tables};
use graph_access::Budget;
use graph_store::graph_version::delete_version;
use graph_store::now_ms;
use graph_store::stored_settings::{delete_number, number_up_to, read_named};
use graph_store::{Graph, StoreError};

/// The snapshot of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) number: GraphNumber,
    created_ms: u64,
}

impl Store {
    /// Makes the snapshot of a graph; it replaces the one before as soon as it is complete. Writing goes on meanwhile.
    pub fn create_snapshot(&self, name: &str, budget: &Budget) -> Result<(), StoreError> {
        let _one = self.copying.try_lock().ok_or(StoreError::Busy { what: "another snapshot" })?;
        if !self.engine().capabilities().snapshot_reads {
            return Err(StoreError::NoSnapshotReads);
        }
        let graph = self.graph(name)?;
        let copy = self.begin_copy()?;
        let outcome = self.copy_now(&graph, copy, budget).and_then(|()| self.keep_snapshot(&graph, copy));
        self.end_copy(copy, outcome)
    }

    fn copy_now(&self, graph: &Graph, to: GraphNumber, budget: &Budget) -> Result<(), StoreError> {
        let view = {
            // Some writes take several batches; between these locks there is none at work.
            let _no_schema_change = graph.lock_schema()?;
            let _no_write = graph.pause_writes()?;
            self.engine().snapshot()?
        };
        copy(&*view, self.engine(), graph.number(), to, budget)
    }

    fn keep_snapshot(&self, graph: &Graph, copy: GraphNumber) -> Result<(), StoreError> {
        let _admin = self.admin.lock();
        let _changing = self.begin_change()?;
        let name = graph.name();
        // Cleared meanwhile is no matter; but what was dropped is not to come back in a new graph of its name.
        if !self.graph(name)?.continues(graph) {
            return Err(StoreError::GraphCleared { name: name.to_owned() });
        }
        let mut batch = WriteBatch::new();
        if let Some(before) = self.snapshot_of(name)? {
            put_dropped(&mut batch, before.number);
        }
        let created_ms = now_ms().unsigned_abs();
        batch.put(
            tables::META,
            |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Snapshot),
            |b| key::meta_row_name(b, name),
            |v| setting_value::put_numbers(v, &[u64::from(copy.0), created_ms]),
        );
        delete_number(&mut batch, MetaKind::Unfinished, copy);
        Ok(self.engine().commit(batch)?)
    }

    /// Replaces the content of a graph by its snapshot, which stays. Until that is complete the graph is as it was;
    /// then requests at work on it are turned away.
    pub fn resume_snapshot(&self, name: &str, budget: &Budget) -> Result<(), StoreError> {
        let _one = self.copying.try_lock().ok_or(StoreError::Busy { what: "another snapshot" })?;
        self.graph(name)?;
        let no_snapshot = || StoreError::NoSnapshot { graph: name.to_owned() };
        let snapshot = self.snapshot_of(name)?.ok_or_else(no_snapshot)?;
        let copy_number = self.begin_copy()?;
        let outcome = copy(self.engine(), self.engine(), snapshot.number, copy_number, budget)
            .and_then(|()| self.put_in_place(name, snapshot, copy_number));
        self.end_copy(copy_number, outcome)
    }

    fn put_in_place(&self, name: &str, snapshot: Stored, copy: GraphNumber) -> Result<(), StoreError> {
        let admin = self.admin.lock();
        let changing = self.begin_change()?;
        let old = self.graph(name)?;
        if self.snapshot_of(name)? != Some(snapshot) {
            // Dropped and made again meanwhile, so the copy may lack what was removed.
            return Err(StoreError::GraphCleared { name: name.to_owned() });
        }
        let fresh = std::sync::Arc::new(HostedGraph::open(&self.host, name.to_owned(), copy)?);
        let mut batch = WriteBatch::new();
        put_graph(&mut batch, name, copy);
        put_dropped(&mut batch, old.number());
        delete_number(&mut batch, MetaKind::Unfinished, copy);
        fresh.replace(&old);
        if changing.is_some() {
            delete_version(&mut batch, old.number());
        }
        put_version(&mut batch, &fresh, changing.as_deref());
        old.close();
        let outcome = self.host.check_fresh().and_then(|()| Ok(self.engine().commit(batch)?));
        if outcome.is_err() && !self.is_stored(name, copy) {
            old.reopen();
            return outcome;
        }
        self.graphs.write().insert(name.to_owned(), std::sync::Arc::clone(&fresh));
        drop(changing);
        drop(admin);
        self.wait_for_others();
        fresh.jobs().resume()
    }

    /// When the snapshot of a graph was made, in milliseconds since 1970 UTC; `None` where it has none.
    pub fn snapshot_created_ms(&self, name: &str) -> Result<Option<u64>, StoreError> {
        self.graph(name)?;
        Ok(self.snapshot_of(name)?.map(|snapshot| snapshot.created_ms))
    }

    pub(super) fn snapshot_of(&self, name: &str) -> Result<Option<Stored>, StoreError> {
        let Some(bytes) = read_named(self.engine(), MetaKind::Snapshot, name)? else { return Ok(None) };
        let [number, created_ms] = setting_value::read_numbers::<2>(&bytes)?;
        Ok(Some(Stored {
            number: graph_number([number])?,
            created_ms: number_up_to(i64::MAX.unsigned_abs(), [created_ms])?,
        }))
    }

    /// A new number for a copy, noted as unfinished.
    pub(super) fn begin_copy(&self) -> Result<GraphNumber, StoreError> {
        let mut batch = WriteBatch::new();
        let number = self.take_number()?;
        put_owned_number(&mut batch, MetaKind::Unfinished, number, self.host.server());
        self.engine().commit(batch)?;
        Ok(number)
    }

    /// Has a copy that came to nothing removed, where its last batch was not stored after all.
    pub(super) fn end_copy(&self, copy: GraphNumber, outcome: Result<(), StoreError>) -> Result<(), StoreError> {
        let unfinished =
            outcome.is_err() && read_numbers(self.engine(), MetaKind::Unfinished).is_ok_and(|all| all.contains(&copy));
        if unfinished {
            let mut batch = WriteBatch::new();
            delete_number(&mut batch, MetaKind::Unfinished, copy);
            put_dropped(&mut batch, copy);
            if let Err(error) = self.engine().commit(batch) {
                tracing::warn!(%error, "an unfinished copy of a graph stays until the next start");
            }
        }
        self.remover.wake();
        outcome
    }
}

/// Copies everything under one number to another, in batches.
fn copy(
    from: &dyn Read,
    to: &dyn Engine,
    source: GraphNumber,
    target: GraphNumber,
    budget: &Budget,
) -> Result<(), StoreError> {
    let (old, new) = (prefix_of(source), prefix_of(target));
    let mut key = Vec::new();
    for table in tables() {
        let mut batch = WriteBatch::new();
        let mut cursor = from.scan_partitions(table, &old, None)?;
        while let Some(entry) = cursor.next()? {
            let (Some(rest), partition) = (entry.key.as_bytes().get(old.len()..), entry.key.partition().len()) else {
                continue;
            };
            key.clear();
            key.extend_from_slice(&new);
            key.extend_from_slice(rest);
            batch.put_key(table, Key::new(&key, partition + new.len() - old.len()), entry.value);
            if batch.bytes() >= limits::COPY_BATCH_BYTES {
                budget.check()?;
                to.commit(std::mem::take(&mut batch))?;
            }
        }
        budget.check()?;
        to.commit(batch)?;
    }
    Ok(())
}
