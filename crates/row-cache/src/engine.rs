//! An engine that other processes may write to, with a row cache for as long as none of them does.
//!
//! What is in the cache can be read where waiting for a network is forbidden ([`kv::without_waiting`]).

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kv::{
    Capabilities, Checkpoint, Commit, Cursor, Engine, Entry, GoOn, Key, Keys, KvError, Operation, Partitions, Read,
    RowRange, Run, SortedRows, SortedWriter, Statistic, TableId, TableSpec, WriteBatch, WriteLog, check_may_wait,
};

use crate::cache::{Looked, RowCache, Ticket, Write};

/// Says in which period this process knows of all writes, `None` while it does not. A later period has a larger
/// number; what was read in one is not valid in the next.
pub type AloneSince = Box<dyn Fn() -> Option<u64> + Send + Sync>;

/// An engine with a cache of rows of its `reread` tables, used while no other process writes. All writes of this
/// process to these tables must go through it.
///
/// A write that failed may still take effect later: the rows that share its sets are not cached until
/// [`Self::end_doubts`] was called twice.
pub struct RowCacheEngine {
    inner: Arc<dyn Engine>,
    tables: &'static [TableSpec],
    cache: Arc<RowCache>,
    alone_since: AloneSince,
    /// The period in which the cached rows were read.
    period: AtomicU64,
    has_snapshots: bool,
    is_remote: bool,
}

impl RowCacheEngine {
    /// A cache of `bytes` before an engine with these tables.
    #[must_use]
    pub fn new(inner: Arc<dyn Engine>, tables: &'static [TableSpec], bytes: usize, alone_since: AloneSince) -> Self {
        Self {
            cache: Arc::new(RowCache::new(bytes, tables.len())),
            has_snapshots: inner.capabilities().snapshot_reads,
            is_remote: inner.capabilities().remote,
            period: AtomicU64::new(0),
            inner,
            tables,
            alone_since,
        }
    }

    /// Writes that had failed when this was called last are not expected to take effect any more.
    pub fn end_doubts(&self) {
        self.cache.end_doubts();
    }

    /// The engine, for a call that waits for its network.
    fn waiting(&self) -> Result<&dyn Engine, KvError> {
        if self.is_remote {
            check_may_wait()?;
        }
        Ok(&*self.inner)
    }

    fn is_reread(&self, table: TableId) -> bool {
        self.tables.get(table.index()).is_some_and(|table| table.reread)
    }

    /// The cache, if it may be used for a table now.
    fn rows(&self, table: TableId) -> Option<&RowCache> {
        (self.is_reread(table) && self.is_alone()).then_some(&*self.cache)
    }

    /// Whether this process knows of all writes. Forgets what was read in an earlier period.
    fn is_alone(&self) -> bool {
        let Some(period) = (self.alone_since)() else { return false };
        if self.period.load(Ordering::Acquire) < period {
            // Before the period is noted: who finds it noted finds no older rows.
            drop(self.cache.write_any(self.reread().collect()));
            self.period.fetch_max(period, Ordering::AcqRel);
        }
        true
    }

    fn reread(&self) -> impl Iterator<Item = TableId> {
        (0..=u8::MAX).map(TableId).take(self.tables.len()).filter(|table| self.is_reread(*table))
    }

    /// Carries out a write of any keys of some tables.
    fn write_any<T>(
        &self,
        tables: Vec<TableId>,
        write: impl FnOnce(&dyn Engine) -> Result<T, KvError>,
    ) -> Result<T, KvError> {
        let inner = self.waiting()?;
        ended(self.cache.write_any(tables), write(inner))
    }

    fn register(&self, batch: &mut WriteBatch) {
        let is_alone = self.is_alone();
        let operations = batch.iter().filter(|operation| self.is_reread(operation.table()));
        let rows = operations.map(|operation| match operation {
            Operation::Put { table, key, value } => (table, key.as_bytes(), Some(value).filter(|_| is_alone)),
            Operation::Delete { table, key } => (table, key.as_bytes(), None),
        });
        let mut rows = rows.peekable();
        if rows.peek().is_some() {
            let write = Unended(Some(self.cache.write_through(rows)));
            batch.when_settled(Box::new(move |is_written| write.end(is_written)));
        }
    }
}

/// Ends a write whose outcome is known.
fn ended<T>(write: Write<&RowCache>, outcome: Result<T, KvError>) -> Result<T, KvError> {
    match outcome {
        Ok(_) => drop(write),
        Err(_) => write.doubt(),
    }
    outcome
}

/// A write that ends only if its outcome is known.
struct Unended(Option<Write<Arc<RowCache>>>);

impl Unended {
    fn end(mut self, is_written: bool) {
        match self.0.take() {
            Some(write) if is_written => write.keep(),
            write => drop(write),
        }
    }
}

impl Drop for Unended {
    fn drop(&mut self) {
        if let Some(write) = self.0.take() {
            write.doubt();
        }
    }
}

/// Keys of which some are cached.
#[derive(Default)]
struct Split {
    /// The cached values, one after another, and the positions of their keys.
    bytes: Vec<u8>,
    cached: Vec<(usize, Range<usize>)>,
    /// The other keys, with their positions and the permission to cache them.
    wanted: Keys,
    missed: Vec<(usize, Option<Ticket>)>,
}

impl Split {
    fn of(rows: &RowCache, table: TableId, keys: &Keys) -> Self {
        let mut split = Self::default();
        for (at, key) in keys.iter().enumerate() {
            let start = split.bytes.len();
            match rows.get(table, key.as_bytes(), &mut |value| split.bytes.extend_from_slice(value)) {
                Looked::Found => split.cached.push((at, start..split.bytes.len())),
                Looked::Missed(ticket) => split.miss(at, key, Some(ticket)),
                Looked::Passed => split.miss(at, key, None),
            }
        }
        split
    }

    fn miss(&mut self, at: usize, key: Key<'_>, ticket: Option<Ticket>) {
        self.wanted.push(|bytes| bytes.extend_from_slice(key.partition()), |bytes| bytes.extend_from_slice(key.row()));
        self.missed.push((at, ticket));
    }

    /// Hands on the cached values before a position, from the `from`th on; says where to continue.
    fn cached_before(&self, end: usize, from: usize, found: &mut dyn FnMut(usize, Option<&[u8]>)) -> usize {
        let rest = self.cached.get(from..).unwrap_or_default();
        let before = rest.iter().take_while(|(at, _)| *at < end);
        from + before.map(|(at, range)| found(*at, self.bytes.get(range.clone()))).count()
    }
}

impl Read for RowCacheEngine {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        let Some(rows) = self.rows(table) else { return self.waiting()?.get(table, key, found) };
        let ticket = match rows.get(table, key.as_bytes(), found) {
            Looked::Found => return Ok(true),
            Looked::Missed(ticket) => ticket,
            Looked::Passed => return self.waiting()?.get(table, key, found),
        };
        self.waiting()?.get(table, key, &mut |value| {
            rows.keep(ticket, table, key.as_bytes(), value);
            found(value);
        })
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        let Some(rows) = self.rows(table) else { return self.waiting()?.multi_get(table, keys, found) };
        let split = Split::of(rows, table, keys);
        let mut handed_on = 0;
        if !split.missed.is_empty() {
            let mut wanted = split.wanted.iter();
            self.waiting()?.multi_get(table, &split.wanted, &mut |index, value| {
                let Some((at, ticket)) = split.missed.get(index) else { return };
                handed_on = split.cached_before(*at, handed_on, found);
                if let (Some(key), Some(ticket), Some(value)) = (wanted.next(), ticket, value) {
                    rows.keep(*ticket, table, key.as_bytes(), value);
                }
                found(*at, value);
            })?;
        }
        split.cached_before(keys.len(), handed_on, found);
        Ok(())
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.waiting()?.scan(table, range)
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.waiting()?.scan_partitions(table, prefix, after)
    }

    fn scan_once<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.waiting()?.scan_once(table, prefix, after)
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        self.waiting()?.scan_each(partitions, visit)
    }
}

impl Engine for RowCacheEngine {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn submit(&self, mut batch: WriteBatch) -> Commit {
        self.register(&mut batch);
        self.inner.submit(batch)
    }

    fn commit(&self, mut batch: WriteBatch) -> Result<(), KvError> {
        let inner = match self.waiting() {
            Ok(inner) => inner,
            Err(error) => {
                batch.take_guards().refuse();
                return Err(error);
            }
        };
        self.register(&mut batch);
        inner.commit(batch)
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        let inner = self.waiting()?;
        let keys = self.is_reread(table).then_some((table, key.as_bytes()));
        let write = self.cache.write(keys.into_iter());
        ended(write, inner.compare_and_swap(table, key, expected, new))
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        if self.has_snapshots { self.waiting()?.snapshot() } else { Ok(Box::new(self)) }
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.write_any(vec![table], |inner| inner.delete_prefix(table, prefix))
    }

    fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.waiting()?.compact(table, prefix)
    }

    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
        self.waiting()?.split(table, prefix, target_bytes)
    }

    fn sorted_writer<'a>(&'a self, table: TableId) -> Result<Box<dyn SortedWriter + 'a>, KvError> {
        self.inner.sorted_writer(table)
    }

    fn ingest(&self, rows: Vec<SortedRows>) -> Result<(), KvError> {
        self.write_any(self.reread().collect(), |inner| inner.ingest(rows))
    }

    fn writes_completed_late(&self) -> u64 {
        self.inner.writes_completed_late()
    }

    fn write_clock(&self) -> u64 {
        self.inner.write_clock()
    }

    fn follow_clock(&self, moment: u64) {
        self.inner.follow_clock(moment);
    }

    /// Without the cache: for what other processes write.
    fn priority_lane(&self) -> Option<Arc<dyn Engine>> {
        self.inner.priority_lane()
    }

    fn sync(&self) -> Result<(), KvError> {
        self.waiting()?.sync()
    }

    fn check_writable(&self) -> Result<(), KvError> {
        self.inner.check_writable()
    }

    fn checkpoint(&self) -> Result<Checkpoint, KvError> {
        self.inner.checkpoint()
    }

    fn log(&self) -> Option<&dyn WriteLog> {
        self.inner.log()
    }

    fn statistics(&self) -> Vec<Statistic> {
        let mut all = self.inner.statistics();
        all.extend(self.cache.figures().statistics());
        all
    }

    fn memory(&self) -> Vec<Statistic> {
        let mut all = self.inner.memory();
        all.push(self.cache.figures().memory("Single rows read lately, within the engine's row_cache setting"));
        all
    }
}
