//! A cache of recently read rows, as they are stored: reading a key again costs a lookup in a set of rows, not a search
//! in buffers and files.
//!
//! The cache is set-associative: the hash of its table and key assigns a row to one of many small sets. A set stores
//! its rows consecutively in one allocation and evicts the oldest ones for new ones.
//!
//! **A lookup never returns a stale row.** A writer registers before it writes ([`RowCache::write`]) and deregisters
//! afterwards. In between, rows that it may change are neither found nor cached, and rows read from the database are
//! not cached either. A write of few keys registers each key. A write of many registers only their tables, which
//! invalidates all cached rows of these tables.
//!
//! **What was written can be found at once**, if the writer hands over the rows ([`RowCache::write_through`]) and no
//! other write to the same sets was under way meanwhile. Until it has ended they are stored as pending. They take free
//! room only: a load does not evict what was read.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::mem;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kv::{Statistic, TableId};
use parking_lot::Mutex;

use crate::limits::{CACHED_ROW_BYTES_MAX, ROW_SET_BYTES};
use crate::set::{HEAD_BYTES, PENDING, Set};

/// Rows by key, in bounded memory.
pub struct RowCache {
    /// May be empty: then nothing is cached.
    sets: Box<[Mutex<Set>]>,
    hasher: RandomState,
    tables: Box<[Table]>,
    in_doubt: Mutex<[InDoubt; 2]>,
}

/// What writes that failed, but may take effect later, are registered with: each once, however many such writes it has.
#[derive(Default)]
struct InDoubt {
    sets: HashSet<usize>,
    tables: HashSet<TableId>,
}

/// The state of a table as a whole.
#[derive(Default)]
struct Table {
    /// Number of running writes that did not register their keys.
    writing: AtomicU64,
    /// Number of such writes that have ended. Rows of another generation are stale.
    generation: AtomicU64,
}

/// The result of [`RowCache::get`].
#[derive(Debug, PartialEq, Eq)]
pub enum Looked {
    /// The value was found and passed on.
    Found,
    /// Not cached; a row read from the database from now on may be cached with this ticket.
    Missed(Ticket),
    /// Caching is off, or this key must not be cached now.
    Passed,
}

/// The permission to cache a row, with the state at the time of the lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    hash: u64,
    version: u32,
    generation: u64,
}

/// A running write; it ends when this is dropped.
#[must_use]
pub struct Write<C: Deref<Target = RowCache>> {
    cache: C,
    scope: Scope,
}

/// A row that is written: its table, its key, and its value where that may be cached.
pub type WrittenRow<'a> = (TableId, &'a [u8], Option<&'a [u8]>);

/// What a write may change.
enum Scope {
    /// Rows of these sets.
    Sets {
        /// Each once.
        sets: Vec<Registered>,
        /// The generation of each table when it began, if it has pending rows.
        generations: Vec<u64>,
    },
    /// Any rows of these tables.
    Tables(Vec<TableId>),
}

/// A set that a write is registered with.
struct Registered {
    index: usize,
    /// Its version when the write began.
    version: u32,
}

/// Figures for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCacheFigures {
    /// Memory it takes.
    pub bytes: usize,
    /// Rows that can be found.
    pub rows: u64,
    /// Lookups that found a row, since the start.
    pub hits: u64,
    /// Lookups that found none and may cache it.
    pub misses: u64,
}

impl RowCache {
    /// A cache of at most `bytes` for rows of `tables`; if `bytes` is too small for a set, nothing is cached.
    pub fn new(bytes: usize, tables: usize) -> Self {
        let count = bytes / (ROW_SET_BYTES + size_of::<Mutex<Set>>());
        Self {
            sets: std::iter::repeat_with(Mutex::default).take(count).collect(),
            hasher: RandomState::new(),
            tables: std::iter::repeat_with(Table::default).take(tables).collect(),
            in_doubt: Mutex::default(),
        }
    }

    fn hash(&self, table: TableId, key: &[u8]) -> u64 {
        self.hasher.hash_one((table, key))
    }

    fn set_index(&self, hash: u64) -> usize {
        // Scales the upper bits to the number of sets: cheaper than a remainder.
        let index = (u128::from(hash) * self.sets.len() as u128) >> u64::BITS;
        usize::try_from(index).unwrap_or_default()
    }

    /// Passes the value of a key to `found`, if it is cached.
    pub fn get(&self, table: TableId, key: &[u8], found: &mut dyn FnMut(&[u8])) -> Looked {
        let hash = self.hash(table, key);
        let Some(set) = self.sets.get(self.set_index(hash)) else { return Looked::Passed };
        let Some(of_table) = self.tables.get(table.index()) else { return Looked::Passed };
        // In this order: a write that ends in between has raised the generation before it lowers the count.
        let is_writing = of_table.writing.load(Ordering::SeqCst) > 0;
        let generation = of_table.generation.load(Ordering::SeqCst);
        let mut copy = [0; CACHED_ROW_BYTES_MAX];
        let len = {
            let mut set = set.lock();
            if is_writing || set.writing > 0 {
                return Looked::Passed;
            }
            let Some(value) = set.find(tag(hash), table, key, generation) else {
                set.misses += 1;
                return Looked::Missed(Ticket { hash, version: set.version, generation });
            };
            // Outside the lock: `found` may read other rows.
            let Some(to) = copy.get_mut(..value.len()) else { return Looked::Passed };
            to.copy_from_slice(value);
            let len = value.len();
            set.hits += 1;
            len
        };
        found(copy.get(..len).unwrap_or_default());
        Looked::Found
    }

    /// Caches a row that was read after the ticket was issued, unless a write since then may have changed it.
    pub fn keep(&self, ticket: Ticket, table: TableId, key: &[u8], value: &[u8]) {
        let Some(set) = self.sets.get(self.set_index(ticket.hash)) else { return };
        let Some(of_table) = self.tables.get(table.index()) else { return };
        if key.len() + value.len() + HEAD_BYTES > CACHED_ROW_BYTES_MAX {
            return;
        }
        let mut set = set.lock();
        // A row cached during a write of unregistered keys would be stale when that write ends.
        let generation = of_table.generation.load(Ordering::SeqCst);
        if set.writing > 0 || generation != ticket.generation || set.version != ticket.version {
            return;
        }
        if set.find(tag(ticket.hash), table, key, generation).is_none() {
            // A stale one.
            set.remove(tag(ticket.hash), table, key);
            set.push(tag(ticket.hash), table, key, generation, value);
        }
    }

    /// Must be held from before keys are written until the write has succeeded or failed.
    pub fn write<'a>(&self, keys: impl Iterator<Item = (TableId, &'a [u8])>) -> Write<&Self> {
        Write { cache: self, scope: self.register(keys.map(|(table, key)| (table, key, None)), Vec::new()) }
    }

    /// The same for a write of any keys of some tables.
    pub fn write_any(&self, tables: Vec<TableId>) -> Write<&Self> {
        for table in self.of(&tables) {
            table.writing.fetch_add(1, Ordering::SeqCst);
        }
        Write { cache: self, scope: Scope::Tables(tables) }
    }

    /// [`Self::write`] for one that outlives the caller, with the values that rows get, which [`Write::keep`] caches.
    pub fn write_through<'a>(self: &Arc<Self>, rows: impl Iterator<Item = WrittenRow<'a>>) -> Write<Arc<Self>> {
        let generations = self.tables.iter().map(|table| table.generation.load(Ordering::SeqCst)).collect();
        Write { cache: Arc::clone(self), scope: self.register(rows, generations) }
    }

    fn register<'a>(&self, rows: impl Iterator<Item = WrittenRow<'a>>, generations: Vec<u64>) -> Scope {
        let mut sets: Vec<Registered> = Vec::new();
        let rows = rows.map(|(table, key, value)| {
            let hash = self.hash(table, key);
            (self.set_index(hash), tag(hash), table, key, value)
        });
        let mut rows: Vec<_> = rows.collect();
        // Stable, since of two writes to one key the later one counts.
        rows.sort_by_key(|(index, ..)| *index);
        for of_set in rows.chunk_by(|(one, ..), (other, ..)| one == other) {
            let Some((index, ..)) = of_set.first() else { continue };
            let Some(set) = self.sets.get(*index) else { continue };
            let mut set = set.lock();
            set.writing += 1;
            sets.push(Registered { index: *index, version: set.version });
            for (_, tag, table, key, value) in of_set {
                set.remove(*tag, *table, key);
                let Some(value) = value else { continue };
                let bytes = HEAD_BYTES + key.len() + value.len();
                if bytes <= CACHED_ROW_BYTES_MAX && !set.has_room(bytes) {
                    set.remove_stale(&generations);
                }
                if bytes <= CACHED_ROW_BYTES_MAX && set.has_room(bytes) {
                    set.push(*tag, *table, key, PENDING, value);
                    set.has_pending = true;
                }
            }
        }
        Scope::Sets { sets, generations }
    }

    /// Keeps a write registered until [`Self::end_doubts`] was called twice.
    fn doubt(&self, mut scope: Scope) {
        let [_, later] = &mut *self.in_doubt.lock();
        match &mut scope {
            Scope::Sets { sets, .. } => sets.retain(|set| !later.sets.insert(set.index)),
            Scope::Tables(tables) => tables.retain(|table| !later.tables.insert(*table)),
        }
        // What is registered by an earlier one.
        self.end(&scope, false);
    }

    /// Writes that had failed when this was called last are not expected to take effect any more: the rows they
    /// touched may be cached again.
    pub fn end_doubts(&self) {
        let mut in_doubt = self.in_doubt.lock();
        let [earlier, later] = &mut *in_doubt;
        let InDoubt { sets, tables } = mem::replace(earlier, mem::take(later));
        drop(in_doubt);
        let sets = sets.into_iter().map(|index| Registered { index, version: 0 }).collect();
        self.end(&Scope::Sets { sets, generations: Vec::new() }, false);
        self.end(&Scope::Tables(tables.into_iter().collect()), false);
    }

    /// Ends a write. `is_kept`: what it wrote may be found from now on.
    fn end(&self, scope: &Scope, is_kept: bool) {
        match scope {
            Scope::Sets { sets, generations } => {
                for Registered { index, version } in sets {
                    let Some(set) = self.sets.get(*index) else { continue };
                    let mut set = set.lock();
                    let was_alone = set.writing == 1 && set.version == *version;
                    set.version = set.version.wrapping_add(1);
                    set.writing = set.writing.saturating_sub(1);
                    if set.has_pending && set.writing == 0 {
                        set.settle(|table| {
                            let of_table = self.tables.get(table.index())?;
                            let generation = of_table.generation.load(Ordering::SeqCst);
                            let is_current = generations.get(table.index()) == Some(&generation);
                            (is_kept && was_alone && is_current).then_some(generation)
                        });
                    }
                }
            }
            Scope::Tables(tables) => {
                for table in self.of(tables) {
                    // In this order: a reader that sees no running writes also sees the new generation.
                    table.generation.fetch_add(1, Ordering::SeqCst);
                    table.writing.fetch_sub(1, Ordering::SeqCst);
                }
            }
        }
    }

    fn of(&self, tables: &[TableId]) -> impl Iterator<Item = &Table> {
        tables.iter().filter_map(|table| self.tables.get(table.index()))
    }

    /// Figures now.
    pub fn figures(&self) -> RowCacheFigures {
        let mut figures = RowCacheFigures { bytes: size_of_val(&*self.sets), ..RowCacheFigures::default() };
        let generations: Vec<u64> = self.tables.iter().map(|table| table.generation.load(Ordering::SeqCst)).collect();
        for set in &self.sets {
            let set = set.lock();
            figures.bytes += set.bytes.as_ref().map_or(0, |bytes| bytes.len());
            let rows = set.origins().filter(|(table, generation)| generations.get(table.index()) == Some(generation));
            figures.rows += rows.count() as u64;
            figures.hits += set.hits;
            figures.misses += set.misses;
        }
        figures
    }
}

impl RowCacheFigures {
    /// As an engine reports them ([`kv::Engine::statistics`]).
    #[must_use]
    pub fn statistics(&self) -> [Statistic; 4] {
        [
            figure("row_cache_bytes", "Memory of single rows read lately", self.bytes as u64),
            figure("row_cache_rows", "Single rows read lately that are at hand", self.rows),
            figure("row_cache_hits_total", "Reads of single rows that found them at hand", self.hits),
            figure("row_cache_misses_total", "Reads of single rows that did not", self.misses),
        ]
    }

    /// As an engine's part of the memory ([`kv::Engine::memory`]). `help`: also which setting bounds it.
    #[must_use]
    pub fn memory(&self, help: &'static str) -> Statistic {
        figure("rows", help, self.bytes as u64)
    }
}

fn figure(name: &'static str, help: &'static str, value: u64) -> Statistic {
    #[expect(clippy::cast_precision_loss, reason = "a figure for people: exact up to 2^53")]
    let value = value as f64;
    Statistic { name, help, value }
}

impl<C: Deref<Target = RowCache>> Write<C> {
    /// Ends the write, which has succeeded: the rows handed over can be found.
    pub fn keep(mut self) {
        let scope = self.take_scope();
        self.cache.end(&scope, true);
    }

    /// Keeps the write registered: it failed, and may still take effect later ([`RowCache::end_doubts`]).
    pub fn doubt(mut self) {
        let scope = self.take_scope();
        self.cache.doubt(scope);
    }

    /// What it may change; it is about nothing then.
    fn take_scope(&mut self) -> Scope {
        mem::replace(&mut self.scope, Scope::Tables(Vec::new()))
    }
}

impl<C: Deref<Target = RowCache>> Drop for Write<C> {
    fn drop(&mut self) {
        self.cache.end(&self.scope, false);
    }
}

/// A fingerprint that rules out most rows of a set without comparing keys. Uses other bits of the hash than the choice
/// of the set.
fn tag(hash: u64) -> u16 {
    #[expect(clippy::cast_possible_truncation, reason = "these bits are wanted")]
    let tag = hash as u16;
    tag
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use proptest::prelude::*;

    use super::*;
    use crate::limits::ROW_SET_ROWS;

    const TABLE: TableId = TableId(1);

    fn with_sets(sets: usize) -> RowCache {
        let cache = RowCache::new(sets * (ROW_SET_BYTES + size_of::<Mutex<Set>>()), 3);
        assert_eq!(cache.sets.len(), sets);
        cache
    }

    fn get(cache: &RowCache, key: &[u8]) -> Option<Vec<u8>> {
        let mut value = None;
        let looked = cache.get(TABLE, key, &mut |found| value = Some(found.to_vec()));
        assert_eq!(looked == Looked::Found, value.is_some());
        value
    }

    fn ticket(cache: &RowCache, key: &[u8]) -> Ticket {
        match cache.get(TABLE, key, &mut |_| panic!("it is not there yet")) {
            Looked::Missed(ticket) => ticket,
            looked => panic!("{looked:?}"),
        }
    }

    fn keep(cache: &RowCache, key: &[u8], value: &[u8]) {
        cache.keep(ticket(cache, key), TABLE, key, value);
    }

    #[test]
    fn a_row_is_found_by_its_table_and_key() {
        let cache = with_sets(1);
        keep(&cache, b"key", b"value");
        keep(&cache, b"empty", b"");
        assert_eq!(get(&cache, b"key"), Some(b"value".to_vec()));
        assert_eq!(get(&cache, b"empty"), Some(Vec::new()));
        assert_eq!(get(&cache, b"ke"), None);
        assert_eq!(get(&cache, b"keyvalue"), None);
        assert!(matches!(cache.get(TableId(2), b"key", &mut |_| ()), Looked::Missed(_)));
        let figures = cache.figures();
        assert_eq!((figures.rows, figures.hits, figures.misses), (2, 2, 5));
    }

    #[test]
    fn what_is_written_is_not_found_from_the_beginning_to_the_end_of_the_write() {
        let cache = with_sets(4);
        keep(&cache, b"a", b"old");
        let before = ticket(&cache, b"b");
        let write = cache.write([(TABLE, &b"a"[..]), (TABLE, b"b"), (TABLE, b"b")].into_iter());
        cache.keep(before, TABLE, b"b", b"old");
        for key in [b"a", b"b"] {
            assert_eq!(cache.get(TABLE, key, &mut |_| panic!("being written")), Looked::Passed);
        }
        drop(write);
        cache.keep(before, TABLE, b"b", b"old");
        assert_eq!((get(&cache, b"a"), get(&cache, b"b")), (None, None));
        keep(&cache, b"a", b"new");
        assert_eq!(get(&cache, b"a"), Some(b"new".to_vec()));
    }

    #[test]
    fn a_write_of_any_keys_is_one_of_all() {
        let cache = with_sets(4);
        keep(&cache, b"a", b"old");
        let before = ticket(&cache, b"b");
        let (first, second) = (cache.write_any(vec![TABLE]), cache.write_any(vec![TableId(0), TABLE]));
        drop(first);
        cache.keep(before, TABLE, b"b", b"old");
        assert_eq!(cache.get(TABLE, b"a", &mut |_| panic!("being written")), Looked::Passed);
        drop(second);
        cache.keep(before, TABLE, b"b", b"old");
        assert_eq!((get(&cache, b"a"), get(&cache, b"b")), (None, None));
        assert_eq!(cache.figures().rows, 0);
        keep(&cache, b"a", b"new");
        assert_eq!(get(&cache, b"a"), Some(b"new".to_vec()));
    }

    #[test]
    fn a_write_of_any_keys_is_none_of_other_tables() {
        let cache = with_sets(4);
        keep(&cache, b"a", b"kept");
        let before = ticket(&cache, b"b");
        let write = cache.write_any(vec![TableId(0), TableId(2)]);
        assert_eq!(get(&cache, b"a"), Some(b"kept".to_vec()));
        cache.keep(before, TABLE, b"b", b"read");
        drop(write);
        assert_eq!((get(&cache, b"a"), get(&cache, b"b")), (Some(b"kept".to_vec()), Some(b"read".to_vec())));
        assert_eq!(cache.figures().rows, 2);
    }

    #[test]
    fn what_is_out_of_date_gives_way_to_the_same_key() {
        let cache = with_sets(1);
        for generation in 0..40 {
            keep(&cache, b"a", &[generation]);
            keep(&cache, b"b", &[generation]);
            assert_eq!((cache.figures().rows, cache.sets[0].lock().len), (2, 2));
            drop(cache.write([(TABLE, &b"a"[..])].into_iter()));
            assert_eq!((get(&cache, b"a"), get(&cache, b"b")), (None, Some(vec![generation])));
            drop(cache.write_any(vec![TABLE]));
            assert_eq!((get(&cache, b"a"), get(&cache, b"b")), (None, None));
        }
    }

    fn write_through(cache: &Arc<RowCache>, rows: &[(&[u8], Option<&[u8]>)]) -> Write<Arc<RowCache>> {
        cache.write_through(rows.iter().map(|(key, value)| (TABLE, *key, *value)))
    }

    #[test]
    fn what_was_written_is_found_once_it_is_kept() {
        let cache = Arc::new(with_sets(2));
        keep(&cache, b"c", b"old");
        let rows: [(&[u8], Option<&[u8]>); 5] =
            [(b"a", Some(b"1")), (b"b", Some(b"1")), (b"a", Some(b"2")), (b"b", None), (b"c", None)];
        let write = write_through(&cache, &rows);
        for key in [b"a", b"b", b"c"] {
            assert_eq!(cache.get(TABLE, key, &mut |_| panic!("being written")), Looked::Passed);
        }
        write.keep();
        assert_eq!((get(&cache, b"a"), get(&cache, b"b"), get(&cache, b"c")), (Some(b"2".to_vec()), None, None));
        drop(write_through(&cache, &[(b"a", Some(b"refused"))]));
        assert_eq!(get(&cache, b"a"), None, "what it was before is not known any more");
        assert_eq!(cache.figures().rows, 0);
        write_through(&cache, &[(b"a", Some(&[1; CACHED_ROW_BYTES_MAX]))]).keep();
        assert_eq!(get(&cache, b"a"), None, "too long");
    }

    #[test]
    fn of_writes_at_the_same_time_none_is_kept() {
        let cache = Arc::new(with_sets(1));
        let (first, second) =
            (write_through(&cache, &[(b"a", Some(b"1"))]), write_through(&cache, &[(b"a", Some(b"2"))]));
        second.keep();
        first.keep();
        assert_eq!(get(&cache, b"a"), None);
        let before = ticket(&cache, b"b");
        write_through(&cache, &[(b"b", Some(b"new"))]).keep();
        cache.keep(before, TABLE, b"b", b"old");
        assert_eq!(get(&cache, b"b"), Some(b"new".to_vec()));
        let (failed, later) =
            (write_through(&cache, &[(b"b", Some(b"1"))]), write_through(&cache, &[(b"b", Some(b"2"))]));
        failed.doubt();
        later.keep();
        assert_eq!(cache.get(TABLE, b"b", &mut |_| panic!("it may still change")), Looked::Passed);
        assert_eq!(cache.figures().rows, 0);
        assert_eq!(Arc::strong_count(&cache), 1, "a failed write holds nothing");
    }

    #[test]
    fn what_failed_writes_touched_is_cached_again_after_two_ends_of_doubts() {
        let cache = Arc::new(with_sets(2));
        let is_passed = |key: &[u8]| cache.get(TABLE, key, &mut |_| panic!("it may still change")) == Looked::Passed;
        for _ in 0..2 {
            write_through(&cache, &[(b"a", Some(b"1"))]).doubt();
            write_through(&cache, &[(b"a", Some(b"2"))]).doubt();
            cache.end_doubts();
            write_through(&cache, &[(b"a", None)]).doubt();
            assert!(is_passed(b"a"));
            cache.end_doubts();
            assert!(is_passed(b"a"), "the last one failed after the first call");
            cache.end_doubts();
            keep(&cache, b"a", b"read");
            assert_eq!(get(&cache, b"a"), Some(b"read".to_vec()));
            cache.write_any(vec![TABLE]).doubt();
            cache.write_any(vec![TABLE, TableId(0)]).doubt();
            cache.end_doubts();
            assert!(is_passed(b"a"));
            cache.end_doubts();
            assert_eq!(get(&cache, b"a"), None);
        }
    }

    #[test]
    fn what_is_written_takes_free_room_only() {
        let cache = Arc::new(with_sets(1));
        let names: Vec<[u8; 2]> = (0..20).map(|n| [b'k', n]).collect();
        for name in names.iter().take(ROW_SET_ROWS - 1) {
            keep(&cache, name, b"read");
        }
        for name in names.iter().skip(ROW_SET_ROWS - 1) {
            write_through(&cache, &[(name, Some(b"written"))]).keep();
        }
        write_through(&cache, &[(&names[0], Some(b"written"))]).keep();
        let kept = names.iter().filter_map(|name| get(&cache, name)).filter(|value| value == b"read").count();
        assert_eq!(kept, ROW_SET_ROWS - 2);
        let written = |at: usize| get(&cache, &names[at]) == Some(b"written".to_vec());
        assert!(written(ROW_SET_ROWS - 1) && written(0) && !written(ROW_SET_ROWS));
        drop(cache.write_any(vec![TABLE]));
        write_through(&cache, &[(&names[ROW_SET_ROWS], Some(b"written"))]).keep();
        assert!(written(ROW_SET_ROWS), "what is out of date makes room");
    }

    #[test]
    fn what_was_written_before_all_is_forgotten_is_not_kept() {
        let cache = Arc::new(with_sets(1));
        let write = write_through(&cache, &[(b"a", Some(b"1"))]);
        drop(cache.write_any(vec![TABLE]));
        write.keep();
        assert_eq!((get(&cache, b"a"), cache.figures().rows), (None, 0));
    }

    #[test]
    fn the_oldest_rows_make_room_and_long_ones_do_not_come_in() {
        let cache = with_sets(1);
        let names: Vec<[u8; 2]> = (0..20).map(|n| [b'k', n]).collect();
        for name in &names {
            keep(&cache, name, name);
        }
        let kept = names.iter().filter(|name| get(&cache, *name).is_some()).count();
        assert_eq!(kept, ROW_SET_ROWS);
        assert_eq!((get(&cache, &names[3]), get(&cache, &names[4])), (None, Some(names[4].to_vec())));
        let longest = vec![1; CACHED_ROW_BYTES_MAX - HEAD_BYTES - 1];
        keep(&cache, b"l", &longest);
        keep(&cache, b"m", &longest);
        assert_eq!((get(&cache, b"l"), get(&cache, b"m")), (Some(longest.clone()), Some(longest.clone())));
        assert_eq!(cache.figures().rows, 2);
        keep(&cache, b"to", &longest);
        assert_eq!(get(&cache, b"to"), None);
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let cache = RowCache::new(ROW_SET_BYTES, 3);
        assert_eq!(cache.get(TABLE, b"a", &mut |_| panic!("nothing is kept")), Looked::Passed);
        drop((cache.write([(TABLE, &b"a"[..])].into_iter()), cache.write_any(vec![TABLE])));
        assert_eq!(cache.figures(), RowCacheFigures::default());
    }

    #[test]
    fn its_memory_is_within_its_bounds() {
        for bytes in [4 << 10, 100_000, 1 << 20] {
            let cache = RowCache::new(bytes, 3);
            for n in 0..10_000_u32 {
                if let Looked::Missed(ticket) = cache.get(TABLE, &n.to_be_bytes(), &mut |_| ()) {
                    cache.keep(ticket, TABLE, &n.to_be_bytes(), &[1; 100]);
                }
            }
            let figures = cache.figures();
            assert!(figures.bytes <= bytes && figures.bytes * 2 > bytes && figures.rows > 0, "{figures:?} of {bytes}");
        }
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_was_kept_last(
            steps in proptest::collection::vec((0..40_u8, 0..200_usize, 0..12_u8), 0..400),
        ) {
            let cache = Arc::new(with_sets(2));
            let mut rows = HashMap::new();
            for (name, len, what) in steps {
                // Keys of several lengths, some of them beginnings of others.
                let key = vec![b'k'; usize::from(name)];
                match what {
                    0 => {
                        drop(cache.write([(TABLE, &key[..])].into_iter()));
                        rows.remove(&key);
                    }
                    1 if len == 0 => {
                        drop(cache.write_any(vec![TABLE]));
                        rows.clear();
                    }
                    10 | 11 => {
                        let value = vec![what; len];
                        write_through(&cache, &[(&key, Some(&value))]).keep();
                        rows.insert(key, value);
                    }
                    _ => match cache.get(TABLE, &key, &mut |found| {
                        assert_eq!(Some(found), rows.get(&key).map(Vec::as_slice));
                    }) {
                        Looked::Missed(ticket) => {
                            let value = vec![what; len];
                            cache.keep(ticket, TABLE, &key, &value);
                            prop_assert_eq!(get(&cache, &key), Some(value.clone()));
                            rows.insert(key, value);
                        }
                        looked => prop_assert_eq!(looked, Looked::Found),
                    },
                }
            }
        }
    }

    /// Threads read and write a database of a few increasing numbers through a cache of one set.
    #[test]
    fn nobody_finds_less_than_was_known() {
        const KEYS: u8 = 3;
        let cache = Arc::new(with_sets(1));
        let database: [AtomicU64; KEYS as usize] = std::array::from_fn(|_| AtomicU64::new(0));
        let known: [AtomicU64; KEYS as usize] = std::array::from_fn(|_| AtomicU64::new(0));
        let done = AtomicBool::new(false);
        let (cache, database, known, done) = (&cache, &database, &known, &done);
        thread::scope(|scope| {
            let writers: Vec<_> = (0..KEYS)
                .map(|key| {
                    scope.spawn(move || {
                        for round in 1_u64..=4_000 {
                            let store = || {
                                database[usize::from(key)].store(round, Ordering::SeqCst);
                                if round % 3 == 0 {
                                    thread::yield_now();
                                }
                            };
                            let (key, value) = ([key], round.to_be_bytes());
                            match round % 5 {
                                0 => {
                                    let _write = cache.write_any(vec![TABLE]);
                                    store();
                                }
                                1 | 2 => {
                                    let write = write_through(cache, &[(&key, Some(&value))]);
                                    store();
                                    write.keep();
                                }
                                _ => {
                                    let _write = cache.write([(TABLE, &key[..])].into_iter());
                                    store();
                                }
                            }
                            let [key] = key;
                            known[usize::from(key)].fetch_max(round, Ordering::SeqCst);
                            if round % 7 == 0 {
                                thread::yield_now();
                            }
                        }
                    })
                })
                .collect();
            for _ in 0..2 {
                scope.spawn(move || {
                    while !done.load(Ordering::Relaxed) {
                        for key in 0..KEYS {
                            let at = usize::from(key);
                            let before = known[at].load(Ordering::SeqCst);
                            let mut found = 0;
                            let mut take = |value: &[u8]| found = u64::from_be_bytes(value.try_into().unwrap());
                            match cache.get(TABLE, &[key], &mut take) {
                                Looked::Found => {}
                                Looked::Missed(ticket) => {
                                    found = database[at].load(Ordering::SeqCst);
                                    thread::yield_now();
                                    cache.keep(ticket, TABLE, &[key], &found.to_be_bytes());
                                }
                                Looked::Passed => found = database[at].load(Ordering::SeqCst),
                            }
                            assert!(found >= before, "{found} after {before}");
                            known[at].fetch_max(found, Ordering::SeqCst);
                        }
                    }
                });
            }
            let outcomes: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
            done.store(true, Ordering::Relaxed);
            assert!(outcomes.iter().all(Result::is_ok));
        });
    }
}
