//! Moving a graph from one store to another, whatever their engines: copied row by row, read again, compared, and only
//! then put in place.
//!
//! Copied are schema, elements, index entries and variables; not tasks, and not the snapshot. All are read at one
//! moment where the engine they come from has snapshots. Rows are written many in a batch, each a group of its own,
//! since nobody reads them before all are there.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use graph_schema::{Catalogue, Status};
use key_codec::key::{self, MetaKind};
use key_codec::{GraphNumber, setting_value, tables};
use kv::{Engine, Key, Read, TableId, WriteBatch};

use super::Store;
use super::graphs::{GraphConf, check_name, put_conf, put_graph, put_version, read_graph_conf};
use crate::hosted::HostedGraph;
use crate::jobs::records::NEXT_TASK;
use crate::limits::COPY_BATCH_BYTES;
use crate::lists::{put_dropped, read_graphs};
use crate::ranges::{prefix_of, tables};
use graph_access::Budget;
use graph_store::graph_version::delete_version;
use graph_store::stored_catalogue::read_catalogue;
use graph_store::stored_settings::{advance_setting, delete_number, read_setting};
use graph_store::{COUNTS_RECORD, IDS_RESERVED, StoreError, limits};

/// What a table of a graph holds: enough to say whether two are the same, in whatever order their rows come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSum {
    /// How many rows.
    pub rows: u64,
    /// Bytes of keys, without the number of the graph, and values.
    pub bytes: u64,
    /// The sum of the hashes of all rows.
    pub checksum: u64,
}

impl TableSum {
    fn add(&mut self, rest_of_key: &[u8], value: &[u8]) {
        self.rows += 1;
        self.bytes += (rest_of_key.len() + value.len()) as u64;
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one((rest_of_key, value));
        self.checksum = self.checksum.wrapping_add(hash);
    }
}

/// What was copied, by the names of the tables, and found again in the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Tables that hold something.
    pub tables: Vec<(&'static str, TableSum)>,
}

impl Copied {
    /// Rows of all tables.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|(_, sum)| sum.rows).sum()
    }

    /// How many vertices and edges.
    #[must_use]
    pub fn elements(&self) -> (u64, u64) {
        let of = |table: TableId| {
            let name = tables::TABLES.get(table.index()).map_or("", |table| table.name);
            self.tables.iter().find(|(of, _)| *of == name).map_or(0, |(_, sum)| sum.rows)
        };
        (of(tables::VERTEX), of(tables::EDGE_OUT))
    }
}

/// How far a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyProgress {
    /// The table at work.
    pub table: &'static str,
    /// Whether it is being compared, after it was written.
    pub comparing: bool,
    /// Rows of this table so far.
    pub rows: u64,
}

/// What graphs are copied from: a store as it was at one moment, whatever is written to it meanwhile. Where its engine
/// has no snapshots ([`kv::Capabilities::snapshot_reads`]) nothing may be written.
pub struct CopySource<'a>(Box<dyn Read + 'a>);

impl CopySource<'_> {
    /// Names of the graphs, sorted.
    ///
    /// # Errors
    /// Those of storage.
    pub fn graph_names(&self) -> Result<Vec<String>, StoreError> {
        let mut names: Vec<String> = read_graphs(&*self.0)?.into_iter().map(|(name, _)| name).collect();
        names.sort();
        Ok(names)
    }

    fn graph(&self, name: &str) -> Result<CopiedGraph<'_>, StoreError> {
        let graphs = read_graphs(&*self.0)?;
        let found = graphs.into_iter().find(|(of, _)| of == name);
        let (_, number) = found.ok_or_else(|| StoreError::GraphNotFound { name: name.to_owned() })?;
        check_at_rest(name, &read_catalogue(&*self.0, number)?)?;
        Ok(CopiedGraph { rows: &*self.0, number })
    }
}

/// One graph of them.
struct CopiedGraph<'a> {
    rows: &'a dyn Read,
    number: GraphNumber,
}

impl Store {
    /// This store as it is now, to copy graphs from it.
    ///
    /// # Errors
    /// Those of storage.
    pub fn copy_source(&self) -> Result<CopySource<'_>, StoreError> {
        Ok(CopySource(self.engine().snapshot()?))
    }

    /// Copies a graph of another store into this one, under the same name. Refused where there is such a graph that has
    /// a schema, unless `replace` says so: then it is replaced once the copy is complete. What differs in the end is an
    /// error, and leaves the target as it was.
    pub fn copy_graph_from(
        &self,
        source: &CopySource<'_>,
        name: &str,
        replace: bool,
        budget: &Budget,
        progress: &mut dyn FnMut(CopyProgress),
    ) -> Result<Copied, StoreError> {
        self.copy_graph_as(source, name, name, replace, budget, progress)
    }

    /// As [`Self::copy_graph_from`], under another name, which must be one that a new graph may have.
    pub fn copy_graph_as(
        &self,
        source: &CopySource<'_>,
        graph: &str,
        name: &str,
        replace: bool,
        budget: &Budget,
        progress: &mut dyn FnMut(CopyProgress),
    ) -> Result<Copied, StoreError> {
        check_name(name)?;
        let _one = self.copying.try_lock().ok_or(StoreError::Busy { what: "another copy" })?;
        let from = source.graph(graph)?;
        self.check_free(name, replace)?;
        self.reserve_ids_of(source)?;
        let copy = self.begin_copy()?;
        let outcome = self.copy_and_compare(&from, copy, budget, progress).and_then(|copied| {
            self.install(&read_graph_conf(&*source.0, graph)?, name, copy, replace).map(|()| copied)
        });
        match outcome {
            Ok(copied) => self.end_copy(copy, Ok(())).map(|()| copied),
            Err(error) => self.end_copy(copy, Err(error)).map(|()| Copied::default()),
        }
    }

    fn check_free(&self, name: &str, replace: bool) -> Result<(), StoreError> {
        match self.graph(name) {
            Ok(graph) if !replace && !graph.catalogue().elements().is_empty() => {
                Err(StoreError::GraphExists { name: name.to_owned() })
            }
            Ok(_) => Ok(()),
            Err(_) if self.graph_names().len() >= self.host.options.graphs_max => {
                Err(StoreError::TooManyGraphs { limit: self.host.options.graphs_max })
            }
            Err(_) => Ok(()),
        }
    }

    /// Sees to it that no new vertex gets an automatic id that one of the other store's has.
    fn reserve_ids_of(&self, source: &CopySource<'_>) -> Result<(), StoreError> {
        let Some(stored) = read_setting(&*source.0, GraphNumber::STORE, IDS_RESERVED)? else { return Ok(()) };
        let [reserved] = setting_value::read_numbers(&stored)?;
        let next = |before: Option<u64>| Ok(before.unwrap_or_default().max(reserved));
        advance_setting(self.engine(), GraphNumber::STORE, IDS_RESERVED, next).map(drop)
    }

    fn copy_and_compare(
        &self,
        from: &CopiedGraph<'_>,
        copy: GraphNumber,
        budget: &Budget,
        progress: &mut dyn FnMut(CopyProgress),
    ) -> Result<Copied, StoreError> {
        let mut copied = Copied::default();
        for (table, spec) in tables().zip(tables::TABLES).filter(|(table, _)| *table != tables::TASK) {
            let mut tell = |comparing, rows| progress(CopyProgress { table: spec.name, comparing, rows });
            let written = write_table(from, self.engine(), table, copy, budget, &mut |rows| tell(false, rows))?;
            let mut sum = TableSum::default();
            each_row(self.engine(), table, copy, budget, &mut |rest, _, value| {
                sum.add(rest, value);
                if sum.rows.is_multiple_of(u64::from(limits::ROWS_PER_CHECK)) {
                    tell(true, sum.rows);
                }
                Ok(())
            })?;
            if sum != written {
                return Err(StoreError::CopyDiffers { table: spec.name, written: written.rows, found: sum.rows });
            }
            if sum.rows > 0 {
                copied.tables.push((spec.name, sum));
            }
        }
        Ok(copied)
    }

    /// Gives a name to what was copied.
    fn install(&self, conf: &GraphConf, name: &str, copy: GraphNumber, replace: bool) -> Result<(), StoreError> {
        let admin = self.admin.lock();
        let changing = self.begin_change()?;
        self.check_free(name, replace)?;
        let old = self.graph(name).ok();
        let fresh = std::sync::Arc::new(HostedGraph::open(&self.host, name.to_owned(), copy)?);
        let mut batch = WriteBatch::new();
        put_graph(&mut batch, name, copy);
        put_conf(&mut batch, name, conf);
        delete_number(&mut batch, MetaKind::Unfinished, copy);
        if let Some(old) = &old {
            put_dropped(&mut batch, old.number());
            if changing.is_some() {
                delete_version(&mut batch, old.number());
            }
            fresh.replace(old);
            old.close();
        }
        put_version(&mut batch, &fresh, changing.as_deref());
        let outcome = self.host.check_fresh().and_then(|()| Ok(self.engine().commit(batch)?));
        if outcome.is_err() && !self.is_stored(name, copy) {
            if let Some(old) = &old {
                old.reopen();
            }
            return outcome;
        }
        self.graphs.write().insert(name.to_owned(), fresh);
        drop(changing);
        drop(admin);
        self.wait_for_others();
        Ok(())
    }
}

/// A graph whose schema a task is changing has rows that mean nothing without the task.
fn check_at_rest(graph: &str, catalogue: &Catalogue) -> Result<(), StoreError> {
    let moving = |status| matches!(status, Status::Creating | Status::Rebuilding | Status::Deleting);
    match catalogue.elements().iter().find(|element| moving(element.status())) {
        Some(element) => Err(StoreError::SchemaInMotion { graph: graph.to_owned(), name: element.name().to_owned() }),
        None => Ok(()),
    }
}

/// Whether a row goes with its graph: not what says who runs tasks and how they are numbered, which is not written as
/// other rows are, nor counts, which engines that are shared do not have.
fn is_copied(table: TableId, graph: GraphNumber, key: Key<'_>) -> bool {
    let is_of = |kind| {
        let mut partition = Vec::new();
        key::meta_partition(&mut partition, graph, kind);
        key.partition() == partition
    };
    let stays = || key::read_meta_row_name(key.row()).is_ok_and(|name| [NEXT_TASK, COUNTS_RECORD].contains(&&*name));
    table != tables::META || !(is_of(MetaKind::TaskOwner) || (is_of(MetaKind::Setting) && stays()))
}

/// What receives rows: the key without the graph's number, the length of its partition, the value.
type VisitRow<'a> = dyn FnMut(&[u8], usize, &[u8]) -> Result<(), StoreError> + 'a;

/// Gives the rows of a graph in a table to `visit`.
fn each_row(
    from: &dyn Read,
    table: TableId,
    graph: GraphNumber,
    budget: &Budget,
    visit: &mut VisitRow<'_>,
) -> Result<(), StoreError> {
    let prefix = prefix_of(graph);
    let mut cursor = from.scan_once(table, &prefix, None)?;
    let mut rows = 0u32;
    while let Some(entry) = cursor.next()? {
        rows = rows.wrapping_add(1);
        if rows.is_multiple_of(limits::ROWS_PER_CHECK) {
            budget.check()?;
        }
        let Some(rest) = entry.key.as_bytes().get(prefix.len()..) else { continue };
        if is_copied(table, graph, entry.key) {
            visit(rest, entry.key.partition().len() - prefix.len(), entry.value)?;
        }
    }
    Ok(())
}

fn write_table(
    from: &CopiedGraph<'_>,
    to: &dyn Engine,
    table: TableId,
    copy: GraphNumber,
    budget: &Budget,
    tell: &mut dyn FnMut(u64),
) -> Result<TableSum, StoreError> {
    let mut sum = TableSum::default();
    let prefix = prefix_of(copy);
    let mut batch = WriteBatch::new();
    let mut key = Vec::new();
    each_row(from.rows, table, from.number, budget, &mut |rest, partition_len, value| {
        sum.add(rest, value);
        key.clear();
        key.extend_from_slice(&prefix);
        key.extend_from_slice(rest);
        batch.put_key(table, Key::new(&key, prefix.len() + partition_len), value);
        batch.end_group();
        if batch.bytes() >= COPY_BATCH_BYTES {
            to.commit(std::mem::take(&mut batch))?;
            tell(sum.rows);
        }
        Ok(())
    })?;
    to.commit(batch)?;
    tell(sum.rows);
    Ok(sum)
}
