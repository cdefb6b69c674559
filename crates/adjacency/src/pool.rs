//! The memory that the tables of all graphs share.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::limits;

/// What takes memory from a pool: a table.
pub(crate) trait Tenant: Send + Sync {
    /// Memory in bytes.
    fn bytes(&self) -> usize;

    /// How many vertices have numbers.
    fn vertices(&self) -> u32;

    /// Evicts lists until there is room, of vertices not used since it came by the last time; false where there are
    /// none left.
    fn evict_some(&self) -> bool;

    /// Closes it and leaves its memory to those that still hold it.
    fn give_up(&self);
}

/// See the module.
#[derive(Default)]
pub struct Pool {
    limit: usize,
    used: AtomicUsize,
    tables: Mutex<Vec<Weak<dyn Tenant>>>,
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
    pub(crate) evicted: AtomicU64,
}

/// What the pool is used for, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Memory in use, in bytes.
    pub bytes: usize,
    /// Vertices with numbers.
    pub vertices: u64,
    /// Vertices whose neighbours were asked for and at hand.
    pub hits: u64,
    /// Vertices whose neighbours had to be read.
    pub misses: u64,
    /// Lists given up for others.
    pub evicted: u64,
}

impl Pool {
    /// Of so many bytes; 0: nothing is kept.
    #[must_use]
    pub fn new(limit_bytes: usize) -> Self {
        Self { limit: limit_bytes, ..Self::default() }
    }

    /// Its size in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn join(&self, table: Weak<dyn Tenant>) {
        let mut tables = self.tables.lock();
        tables.retain(|table| table.strong_count() > 0);
        tables.push(table);
    }

    fn tables(&self) -> Vec<Arc<dyn Tenant>> {
        self.tables.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Whether more memory is in use than there may be.
    pub(crate) fn is_over(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.limit
    }

    /// Whether so little memory is in use that lists may be read which nobody has asked for.
    pub(crate) fn has_room_ahead(&self) -> bool {
        self.used.load(Ordering::Relaxed) < self.limit / limits::READ_AHEAD_SHARE
    }

    /// Evicts lists until the memory in use is within the limit: of `first`, then of others. What numbers of vertices
    /// take is not evicted; the largest table is given up if nothing else is left.
    pub(crate) fn make_room(&self, first: &dyn Tenant) {
        if !self.is_over() {
            return;
        }
        while self.is_over() && first.evict_some() {}
        if !self.is_over() {
            return;
        }
        let mut others = self.tables();
        others.sort_by_key(|table| std::cmp::Reverse(table.bytes()));
        for table in &others {
            while self.is_over() && table.evict_some() {}
        }
        if self.is_over()
            && let Some(largest) = others.first()
        {
            largest.give_up();
        }
    }

    /// Bytes the numbers of one table may take.
    pub(crate) fn numbers_bytes_max(&self) -> usize {
        self.limit / limits::NUMBERS_SHARE
    }

    /// The figures now.
    #[must_use]
    pub fn figures(&self) -> Figures {
        Figures {
            bytes: self.used.load(Ordering::Relaxed),
            vertices: self.tables().iter().map(|table| u64::from(table.vertices())).sum(),
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            evicted: self.evicted.load(Ordering::Relaxed),
        }
    }
}
