//! An engine whose next writes, or reads, wait until they are let go: under way, without threads or clocks. It
//! counts its calls, each of which would be a round of an engine over a network, and can raise a flag while a scan is
//! at work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use kv::{
    Capabilities, Commit, CommitSender, Cursor, Engine, Entry, GoOn, Key, Keys, KvError, Partitions, Read, RowRange,
    Run, Statistic, TableId, WriteBatch,
};

/// Around another engine.
pub(crate) struct ParkedEngine {
    inner: Arc<dyn Engine>,
    state: Mutex<State>,
    reads: AtomicUsize,
    writes: AtomicUsize,
    rows: AtomicUsize,
    flag: Mutex<Option<(usize, Arc<AtomicBool>)>>,
    /// Held while reads are to wait.
    reading: Mutex<()>,
}

/// Calls of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounds {
    /// Of single keys, lists of keys, and scans.
    pub(crate) reads: usize,
    pub(crate) writes: usize,
}

#[derive(Default)]
struct State {
    to_park: usize,
    parked: Vec<(WriteBatch, CommitSender)>,
}

impl ParkedEngine {
    pub(crate) fn new(inner: Arc<impl Engine + 'static>) -> Self {
        let none = || AtomicUsize::new(0);
        let (reads, writes, rows) = (none(), none(), none());
        let (state, flag, reading) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { inner, state, reads, writes, rows, flag, reading }
    }

    /// The next `count` writes wait for [`Self::release`].
    pub(crate) fn park(&self, count: usize) {
        self.state.lock().unwrap().to_park = count;
    }

    /// Reads that begin from now on wait until this is dropped.
    pub(crate) fn hold_reads(&self) -> impl Drop + '_ {
        self.reading.lock().unwrap()
    }

    /// The calls since the last time this was asked.
    pub(crate) fn rounds(&self) -> Rounds {
        let take = |count: &AtomicUsize| count.swap(0, Ordering::Relaxed);
        Rounds { reads: take(&self.reads), writes: take(&self.writes) }
    }

    /// Raises a flag as soon as scans have given this many more rows.
    pub(crate) fn raise_after(&self, rows: usize, flag: &Arc<AtomicBool>) {
        self.rows.store(0, Ordering::Relaxed);
        *self.flag.lock().unwrap() = Some((rows, Arc::clone(flag)));
    }

    /// Rows that scans of a partition have given since [`Self::raise_after`].
    pub(crate) fn rows(&self) -> usize {
        self.rows.load(Ordering::Relaxed)
    }

    fn count_row(&self) {
        let rows = self.rows.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some((at, flag)) = &*self.flag.lock().unwrap()
            && *at == rows
        {
            flag.store(true, Ordering::Relaxed);
        }
    }

    fn read(&self) -> &dyn Engine {
        drop(self.reading.lock());
        self.reads.fetch_add(1, Ordering::Relaxed);
        &*self.inner
    }

    /// How many writes wait.
    pub(crate) fn parked(&self) -> usize {
        self.state.lock().unwrap().parked.len()
    }

    /// Does the writes that wait, in their order.
    pub(crate) fn release(&self) {
        let parked = std::mem::take(&mut self.state.lock().unwrap().parked);
        for (batch, sender) in parked {
            sender.send(self.inner.commit(batch));
        }
    }
}

/// The rows of a scan, counted.
struct CountedRows<'a> {
    engine: &'a ParkedEngine,
    rows: Box<dyn Cursor + 'a>,
}

impl Cursor for CountedRows<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        let row = self.rows.next()?;
        row.is_some().then(|| self.engine.count_row());
        Ok(row)
    }
}

impl Read for ParkedEngine {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        self.read().get(table, key, found)
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        self.read().multi_get(table, keys, found)
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        Ok(Box::new(CountedRows { engine: self, rows: self.read().scan(table, range)? }))
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        self.read().scan_each(partitions, &mut |at, entry| {
            self.count_row();
            visit(at, entry)
        })
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        self.read().scan_partitions(table, prefix, after)
    }
}

impl Engine for ParkedEngine {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn submit(&self, batch: WriteBatch) -> Commit {
        self.writes.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state.lock().unwrap();
        if state.to_park == 0 {
            drop(state);
            return self.inner.submit(batch);
        }
        state.to_park -= 1;
        let (sender, commit) = Commit::pending();
        state.parked.push((batch, sender));
        commit
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.inner.compare_and_swap(table, key, expected, new)
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        self.read().snapshot()
    }

    /// Neither writes nor reads on it wait.
    fn priority_lane(&self) -> Option<Arc<dyn Engine>> {
        Some(Arc::clone(&self.inner))
    }

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.inner.delete_prefix(table, prefix)
    }

    fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.inner.compact(table, prefix)
    }

    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
        self.inner.split(table, prefix, target_bytes)
    }

    fn sync(&self) -> Result<(), KvError> {
        self.inner.sync()
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.inner.statistics()
    }

    fn memory(&self) -> Vec<Statistic> {
        self.inner.memory()
    }
}
