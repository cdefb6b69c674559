//! The counts of one graph, and the batches that change them.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph_model::LabelId;
use key_codec::GraphNumber;
use kv::{Engine, KvError, Read, WriteBatch};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::record::Counted;
use crate::rows::{Failure, Row, labels_now, rows_of};
use crate::{limits, record};

/// The numbers of elements of one graph that somebody asked for.
pub struct Counts {
    graph: GraphNumber,
    /// Whether there is anything that batches can change.
    is_kept: AtomicBool,
    /// Whether there may be a record in the store.
    is_recorded: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    kept: FxHashMap<Counted, Kept>,
    /// The rows that are being written, by their hashes.
    under_way: FxHashMap<u128, UnderWay>,
    /// Rows registered since a count was last asked for.
    unasked: u64,
    /// Moves on when all counts are given up: what was begun before changes nothing after.
    generation: u64,
    is_off: bool,
}

/// A row that one batch counts and others may be writing, too.
struct UnderWay {
    /// Its label once it is written; `None`: it is removed.
    after: Option<LabelId>,
    /// Whether the batch that counts it has looked up what was there: before that, no other may put anything there.
    is_read: bool,
    /// Batches that write it.
    batches: usize,
}

#[derive(Clone, Copy)]
enum Kept {
    Known(u64),
    /// It is being counted; by how much writes have changed it since that began.
    Counting(i64),
}

impl State {
    fn give_up(&mut self) {
        self.kept.clear();
        self.unasked = 0;
        self.generation += 1;
    }

    /// How many rows may be registered without anybody asking.
    fn unasked_max(&self) -> u64 {
        let of = |kept: &Kept| match kept {
            Kept::Known(count) => *count,
            Kept::Counting(_) => 0,
        };
        let greatest = self.kept.values().map(of).max().unwrap_or_default();
        limits::UNASKED_ROWS_MIN.max(greatest / limits::UNASKED_SHARE)
    }

    fn change(&mut self, what: Counted, by: i64) {
        match self.kept.get_mut(&what) {
            Some(Kept::Known(count)) => *count = count.saturating_add_signed(by),
            Some(Kept::Counting(change)) => *change = change.saturating_add(by),
            None => {}
        }
    }
}

impl Counts {
    /// Those of a graph that is new.
    #[must_use]
    pub fn new(graph: GraphNumber) -> Arc<Self> {
        Arc::new(Self {
            graph,
            is_kept: AtomicBool::new(false),
            is_recorded: AtomicBool::new(false),
            state: Mutex::default(),
        })
    }

    /// Those of a stored graph, with what the store says.
    ///
    /// # Errors
    /// Those of storage.
    pub fn open(read: &dyn Read, graph: GraphNumber) -> Result<Arc<Self>, KvError> {
        let counts = Self::new(graph);
        if let Some(recorded) = record::read(read, graph)? {
            counts.is_recorded.store(true, Ordering::Release);
            counts.is_kept.store(!recorded.is_empty(), Ordering::Release);
            counts.state.lock().kept = recorded.into_iter().map(|(what, count)| (what, Kept::Known(count))).collect();
        }
        Ok(counts)
    }

    /// Whether any count is kept, or is about to be.
    #[must_use]
    pub fn is_any_kept(&self) -> bool {
        self.is_kept.load(Ordering::Acquire)
    }

    /// A count that is kept.
    #[must_use]
    pub fn known(&self, what: Counted) -> Option<u64> {
        let mut state = self.state.lock();
        match state.kept.get(&what).copied() {
            Some(Kept::Known(count)) => {
                state.unasked = 0;
                Some(count)
            }
            _ => None,
        }
    }

    /// Begins to keep a count, which the caller makes over a snapshot of this moment; `None` if that is not to be kept.
    /// No write may be at work: the caller has all locks.
    pub fn begin(&self, what: Counted) -> Option<Counting<'_>> {
        let mut state = self.state.lock();
        let generation = state.generation;
        if state.is_off {
            return None;
        }
        match state.kept.entry(what) {
            Entry::Occupied(_) => return None,
            Entry::Vacant(place) => place.insert(Kept::Counting(0)),
        };
        state.unasked = 0;
        self.is_kept.store(true, Ordering::Release);
        Some(Counting { counts: self, what, generation })
    }

    /// Registers what a batch writes, with the locks of its elements held; the batch must be written before they are
    /// let go. Costs nothing where nothing is kept, else one look-up for each element.
    pub fn register(self: &Arc<Self>, read: &dyn Read, batch: &mut WriteBatch) {
        if batch.is_empty() {
            return;
        }
        if self.is_kept.load(Ordering::Acquire) {
            match Registered::of(self, read, batch) {
                Ok(None) => {}
                Ok(Some(registered)) => batch.when_written(Box::new(move || registered.written())),
                Err(error) => {
                    tracing::warn!(error, "the numbers of elements are no longer kept: a written row was not read");
                    self.forget();
                }
            }
        }
        if self.is_recorded.load(Ordering::Acquire) {
            record::delete(batch, self.graph);
            let counts = Arc::clone(self);
            batch.when_written(Box::new(move || counts.is_recorded.store(false, Ordering::Release)));
        }
    }

    /// Gives up all counts: elements were removed by other means than a registered batch.
    pub fn forget(&self) {
        let mut state = self.state.lock();
        state.give_up();
        self.is_kept.store(false, Ordering::Release);
    }

    /// Keeps no counts from now on: elements will be written by other means than registered batches.
    ///
    /// # Errors
    /// Those of storage.
    pub fn turn_off(&self, engine: &dyn Engine) -> Result<(), KvError> {
        self.state.lock().is_off = true;
        self.forget();
        self.forget_record(engine)
    }

    /// Removes the record from the store, where elements are written by other means than registered batches.
    ///
    /// # Errors
    /// Those of storage.
    pub fn forget_record(&self, engine: &dyn Engine) -> Result<(), KvError> {
        if self.is_recorded.load(Ordering::Acquire) {
            let mut batch = WriteBatch::new();
            record::delete(&mut batch, self.graph);
            engine.commit(batch)?;
            self.is_recorded.store(false, Ordering::Release);
        }
        Ok(())
    }

    /// Stores what is known for the next start. No write may be at work: the caller has all locks.
    ///
    /// # Errors
    /// Those of storage.
    pub fn keep_record(&self, engine: &dyn Engine) -> Result<(), KvError> {
        let known = |(what, kept): (&Counted, &Kept)| match kept {
            Kept::Known(count) => Some((*what, *count)),
            Kept::Counting(_) => None,
        };
        // Held until they are stored, so that who gives them up meanwhile finds the record.
        let state = self.state.lock();
        let mut known: Vec<(Counted, u64)> = state.kept.iter().filter_map(known).collect();
        known.sort_unstable();
        if known.is_empty() { Ok(()) } else { self.record(engine, &known) }
    }

    /// Stores counts for the next start, in place of those of before.
    ///
    /// # Errors
    /// Those of storage.
    pub fn record(&self, engine: &dyn Engine, counts: &[(Counted, u64)]) -> Result<(), KvError> {
        let mut batch = WriteBatch::new();
        record::put(&mut batch, self.graph, counts);
        // Before it is there, as nobody knows what a failed write has left.
        self.is_recorded.store(true, Ordering::Release);
        engine.commit(batch)
    }
}

/// A count that is being made; dropped, it is not kept.
#[must_use]
pub struct Counting<'c> {
    counts: &'c Counts,
    what: Counted,
    generation: u64,
}

impl Counting<'_> {
    /// Keeps what was found in the snapshot, with what has changed since.
    pub fn finish(self, found: u64) {
        let mut state = self.counts.state.lock();
        if state.generation == self.generation
            && let Some(Kept::Counting(change)) = state.kept.get(&self.what).copied()
        {
            state.kept.insert(self.what, Kept::Known(found.saturating_add_signed(change)));
        }
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        let mut state = self.counts.state.lock();
        if state.generation == self.generation && matches!(state.kept.get(&self.what), Some(Kept::Counting(_))) {
            state.kept.remove(&self.what);
        }
    }
}

/// A batch on its way that changes counts. Dropped before it is known to be written, it has failed.
struct Registered {
    counts: Arc<Counts>,
    /// Rows that it writes.
    own: Vec<u128>,
    changes: Vec<(Counted, i64)>,
    generation: u64,
    is_written: bool,
}

impl Registered {
    /// `None` where it changes nothing that is kept.
    fn of(counts: &Arc<Counts>, read: &dyn Read, batch: &WriteBatch) -> Result<Option<Self>, Failure> {
        let (of_vertices, of_edges) = {
            let state = counts.state.lock();
            let is_kept = |edges: bool| state.kept.keys().any(|(is_edge, _)| *is_edge == edges);
            (is_kept(false), is_kept(true))
        };
        let mut rows = rows_of(batch, of_vertices, of_edges)?;
        let Some(mut registered) = Self::claim(counts, &mut rows) else { return Ok(None) };
        let before = labels_now(read, batch, &rows)?;
        registered.has_read(&rows);
        for (row, before) in rows.iter().zip(before) {
            if before != row.after {
                before.into_iter().for_each(|label| registered.add(row.is_edge, label, -1));
                row.after.into_iter().for_each(|label| registered.add(row.is_edge, label, 1));
            }
        }
        Ok(Some(registered))
    }

    /// Notes what is being written and leaves the rows that no other batch counts. They are looked up after this, so
    /// what an earlier batch put there is seen. `None` gives all counts up where the batches that write a row differ,
    /// or where the one that counts it could find what this one writes.
    fn claim(counts: &Arc<Counts>, rows: &mut Vec<Row>) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let mut state = counts.state.lock();
        if state.kept.is_empty() {
            return None;
        }
        state.unasked += rows.len() as u64;
        if state.unasked > state.unasked_max() {
            state.give_up();
            counts.is_kept.store(false, Ordering::Release);
            return None;
        }
        let generation = state.generation;
        let (mut own, mut differs) = (Vec::with_capacity(rows.len()), false);
        rows.retain(|row| match state.under_way.entry(row.hash) {
            Entry::Vacant(place) => {
                place.insert(UnderWay { after: row.after, is_read: false, batches: 1 });
                own.push(row.hash);
                true
            }
            Entry::Occupied(mut other) => {
                let other = other.get_mut();
                differs |= other.after != row.after || row.after.is_none() || !other.is_read;
                other.batches += 1;
                own.push(row.hash);
                false
            }
        });
        drop(state);
        let registered = Self { counts: Arc::clone(counts), own, changes: Vec::new(), generation, is_written: false };
        // Dropping it gives up all counts.
        (!differs).then_some(registered)
    }

    /// From here on others may write the same rows: what was there is known.
    fn has_read(&self, rows: &[Row]) {
        let mut state = self.counts.state.lock();
        for row in rows {
            if let Some(row) = state.under_way.get_mut(&row.hash) {
                row.is_read = true;
            }
        }
    }

    fn add(&mut self, is_edge: bool, label: LabelId, by: i64) {
        for what in [(is_edge, None), (is_edge, Some(label))] {
            match self.changes.iter_mut().find(|(other, _)| *other == what) {
                Some((_, sum)) => *sum += by,
                None => self.changes.push((what, by)),
            }
        }
    }

    fn written(mut self) {
        self.is_written = true;
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut state = self.counts.state.lock();
        for hash in &self.own {
            if let Entry::Occupied(mut row) = state.under_way.entry(*hash) {
                row.get_mut().batches -= 1;
                if row.get().batches == 0 {
                    row.remove();
                }
            }
        }
        if state.generation != self.generation {
            return;
        }
        if self.is_written {
            for (what, by) in &self.changes {
                state.change(*what, *by);
            }
        } else {
            state.give_up();
            self.counts.is_kept.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use graph_model::{Properties, VertexId};
    use key_codec::{key, tables, value};
    use kv::{Cursor, Key, Keys, MemoryEngine, RowRange, TableId};

    use super::*;

    const GRAPH: GraphNumber = GraphNumber(1);
    const ALL: Counted = (false, None);

    fn engine() -> MemoryEngine {
        MemoryEngine::open(tables::TABLES)
    }

    fn put(batch: &mut WriteBatch, id: i64, label: u32) {
        batch.put(
            tables::VERTEX,
            |b| key::vertex_partition(b, GRAPH, &VertexId::Number(id)),
            |_| (),
            |v| value::put_vertex(v, LabelId(label), None, &Properties::new()),
        );
    }

    fn delete(batch: &mut WriteBatch, id: i64) {
        batch.delete(tables::VERTEX, |b| key::vertex_partition(b, GRAPH, &VertexId::Number(id)), |_| ());
    }

    fn registered(counts: &Arc<Counts>, read: &dyn Read, build: impl FnOnce(&mut WriteBatch)) -> WriteBatch {
        let mut batch = WriteBatch::new();
        build(&mut batch);
        counts.register(read, &mut batch);
        batch
    }

    fn commit(counts: &Arc<Counts>, engine: &MemoryEngine, build: impl FnOnce(&mut WriteBatch)) {
        engine.commit(registered(counts, engine, build)).unwrap();
    }

    fn labels(counts: &Counts) -> [Option<u64>; 3] {
        [ALL, (false, Some(LabelId(1))), (false, Some(LabelId(2)))].map(|what| counts.known(what))
    }

    fn begun(counts: &Counts) {
        for what in [ALL, (false, Some(LabelId(1))), (false, Some(LabelId(2)))] {
            counts.begin(what).unwrap().finish(0);
        }
    }

    #[test]
    fn each_element_counts_once_as_its_last_write_leaves_it() {
        let (counts, engine) = (Counts::new(GRAPH), engine());
        begun(&counts);
        commit(&counts, &engine, |batch| {
            put(batch, 1, 1);
            put(batch, 2, 1);
            put(batch, 1, 2);
            put(batch, 3, 2);
            delete(batch, 3);
            delete(batch, 4);
        });
        assert_eq!(labels(&counts), [Some(2), Some(1), Some(1)]);
        commit(&counts, &engine, |batch| {
            delete(batch, 1);
            put(batch, 1, 1);
            delete(batch, 2);
            put(batch, 5, 2);
        });
        assert_eq!(labels(&counts), [Some(2), Some(1), Some(1)]);
    }

    #[test]
    fn what_is_written_while_a_count_is_made_is_added() {
        let (counts, engine) = (Counts::new(GRAPH), engine());
        commit(&counts, &engine, |batch| put(batch, 1, 1));
        let counting = counts.begin(ALL).unwrap();
        assert!(counts.begin(ALL).is_none(), "one at a time");
        commit(&counts, &engine, |batch| {
            put(batch, 1, 1);
            put(batch, 2, 1);
        });
        assert_eq!(counts.known(ALL), None);
        counting.finish(1);
        assert_eq!(counts.known(ALL), Some(2));
        counts.forget();
        drop(counts.begin(ALL).unwrap());
        assert_eq!(counts.known(ALL), None, "one that is not finished is not kept");
    }

    #[test]
    fn batches_that_write_one_element_together_count_it_once_or_not_at_all() {
        let (counts, engine) = (Counts::new(GRAPH), engine());
        begun(&counts);
        let batch = |build: fn(&mut WriteBatch)| registered(&counts, &engine, build);
        let (first, second) = (batch(|batch| put(batch, 1, 1)), batch(|batch| put(batch, 1, 1)));
        engine.commit(second).unwrap();
        engine.commit(first).unwrap();
        assert_eq!(labels(&counts), [Some(1), Some(1), Some(0)]);
        for other in [|batch: &mut WriteBatch| put(batch, 2, 2), |batch: &mut WriteBatch| delete(batch, 2)] {
            let (first, second) = (batch(|batch| put(batch, 2, 1)), batch(other));
            engine.commit(first).unwrap();
            engine.commit(second).unwrap();
            assert_eq!(labels(&counts), [None; 3], "nobody knows which came last");
            begun(&counts);
        }
    }

    /// An engine where something happens between the moment a batch notes its rows and the moment they are looked up.
    struct Meanwhile<'e>(&'e MemoryEngine, &'e dyn Fn());

    impl Read for Meanwhile<'_> {
        fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
            self.0.get(table, key, found)
        }

        fn multi_get(
            &self,
            table: TableId,
            keys: &Keys,
            found: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> Result<(), KvError> {
            (self.1)();
            self.0.multi_get(table, keys, found)
        }

        fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
            self.0.scan(table, range)
        }

        fn scan_partitions<'a>(
            &'a self,
            table: TableId,
            prefix: &[u8],
            after: Option<Key<'_>>,
        ) -> Result<Box<dyn Cursor + 'a>, KvError> {
            self.0.scan_partitions(table, prefix, after)
        }
    }

    #[test]
    fn what_is_put_there_before_the_first_batch_has_looked_is_not_taken_for_older() {
        let (counts, engine) = (Counts::new(GRAPH), engine());
        begun(&counts);
        let second = || commit(&counts, &engine, |batch| put(batch, 1, 1));
        let first = registered(&counts, &Meanwhile(&engine, &second), |batch| put(batch, 1, 1));
        engine.commit(first).unwrap();
        assert_eq!(labels(&counts), [None; 3], "the first found what the second, which counted nothing, had put there");
        begun(&counts);
        let other = || commit(&counts, &engine, |batch| put(batch, 3, 1));
        let first = registered(&counts, &Meanwhile(&engine, &other), |batch| put(batch, 2, 1));
        engine.commit(first).unwrap();
        assert_eq!(labels(&counts), [Some(2), Some(2), Some(0)], "other rows are in nobody's way");
    }

    #[test]
    fn a_row_is_under_way_until_the_last_batch_that_writes_it_has_ended() {
        let (counts, engine) = (Counts::new(GRAPH), engine());
        begun(&counts);
        let batch = |build: fn(&mut WriteBatch)| registered(&counts, &engine, build);
        let (first, second) = (batch(|batch| put(batch, 1, 1)), batch(|batch| put(batch, 1, 1)));
        engine.commit(first).unwrap();
        let third = batch(|batch| put(batch, 1, 1));
        engine.commit(second).unwrap();
        engine.commit(third).unwrap();
        assert_eq!(labels(&counts), [Some(1), Some(1), Some(0)], "three say the same");
        let (first, second) = (batch(|batch| put(batch, 2, 1)), batch(|batch| put(batch, 2, 1)));
        engine.commit(first).unwrap();
        let third = batch(|batch| delete(batch, 2));
        engine.commit(third).unwrap();
        engine.commit(second).unwrap();
        assert_eq!(labels(&counts), [None; 3], "the second may come after the third");
    }

    #[test]
    fn a_batch_that_is_not_written_ends_the_counts() {
        let (counts, engine) = (Counts::new(GRAPH), engine());
        begun(&counts);
        let mut batch = WriteBatch::new();
        put(&mut batch, 1, 1);
        counts.register(&engine, &mut batch);
        drop(batch);
        assert_eq!(labels(&counts), [None; 3]);
    }

    #[test]
    fn what_nobody_asks_for_is_given_up() {
        let (counts, engine) = (Counts::new(GRAPH), engine());
        let write = |asks: bool| {
            for first in (0..).step_by(1_000).take_while(|first| *first < 2 * limits::UNASKED_ROWS_MIN) {
                commit(&counts, &engine, |batch| {
                    (0..1_000).for_each(|at| put(batch, i64::try_from(first + at).unwrap(), 1));
                });
                assert!(!asks || counts.known(ALL) == Some(first + 1_000));
            }
        };
        counts.begin(ALL).unwrap().finish(0);
        write(true);
        assert!(counts.is_any_kept());
        write(false);
        assert!(!counts.is_any_kept() && counts.known(ALL).is_none());
    }
}
