//! Numbers of elements that were counted before, for as long as nothing is written.
//!
//! Every batch of writes of the graph is numbered when it is handed over and again when it is stored. A count holds as
//! long as no batch has been handed over since before it was made, with all earlier ones stored by then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use graph_model::LabelId;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// What was counted: edges or vertices, of a label or all.
pub type Counted = (bool, Option<LabelId>);

/// Counts of one graph, and the batches that end their validity.
#[derive(Debug, Default)]
pub struct Counts {
    /// Whether anything was ever counted: until then batches are not numbered.
    is_used: AtomicBool,
    begun: AtomicU64,
    stored: AtomicU64,
    kept: Mutex<FxHashMap<Counted, (u64, u64)>>,
}

/// A batch on its way; dropped once it is stored, or has failed.
#[derive(Debug)]
pub struct CountedBatch(Arc<Counts>);

impl Drop for CountedBatch {
    fn drop(&mut self) {
        self.0.stored.fetch_add(1, Ordering::SeqCst);
    }
}

impl Counts {
    /// To be held by a batch until it is stored; `None` as long as nothing was counted.
    #[must_use]
    pub fn batch(self: &Arc<Self>) -> Option<CountedBatch> {
        if !self.is_used.load(Ordering::SeqCst) {
            return None;
        }
        self.begun.fetch_add(1, Ordering::SeqCst);
        Some(CountedBatch(Arc::clone(self)))
    }

    /// Elements were written or removed by other means than a batch.
    pub fn forget(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
        self.stored.fetch_add(1, Ordering::SeqCst);
    }

    /// The kept count, or what `count` finds. `wait_for_writers` waits for batches that are not numbered.
    ///
    /// # Errors
    /// Those of `count`.
    pub fn get<E>(
        &self,
        what: Counted,
        wait_for_writers: impl FnOnce(),
        count: impl FnOnce() -> Result<u64, E>,
    ) -> Result<u64, E> {
        if !self.is_used.swap(true, Ordering::SeqCst) {
            wait_for_writers();
        }
        let begun = self.begun.load(Ordering::SeqCst);
        if let Some((at, found)) = self.kept.lock().get(&what)
            && *at == begun
        {
            return Ok(*found);
        }
        // In this order: a batch that begins in between makes them differ.
        let is_quiet = self.stored.load(Ordering::SeqCst) == begun;
        let found = count()?;
        if is_quiet && self.begun.load(Ordering::SeqCst) == begun {
            self.kept.lock().insert(what, (begun, found));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(counts: &Counts, found: u64) -> u64 {
        counts.get((true, None), || (), || Ok::<_, ()>(found)).unwrap()
    }

    #[test]
    fn a_count_holds_until_the_next_batch() {
        let counts = Arc::new(Counts::default());
        assert!(counts.batch().is_none());
        assert_eq!((get(&counts, 3), get(&counts, 4)), (3, 3));
        let batch = counts.batch().unwrap();
        assert_eq!((get(&counts, 5), get(&counts, 6)), (5, 6), "a batch is on its way");
        drop(batch);
        assert_eq!((get(&counts, 7), get(&counts, 8)), (7, 7));
        counts.forget();
        assert_eq!((get(&counts, 9), get(&counts, 10)), (9, 9));
    }

    #[test]
    fn a_batch_that_begins_while_counting_is_noticed() {
        let counts = Arc::new(Counts::default());
        let mut batch = None;
        let found = counts.get(
            (false, None),
            || (),
            || -> Result<u64, ()> {
                batch = counts.batch();
                Ok(1)
            },
        );
        assert_eq!(found, Ok(1));
        drop(batch);
        assert_eq!(counts.get((false, None), || (), || Ok::<_, ()>(2)), Ok(2));
    }

    #[test]
    fn writers_are_waited_for_before_the_first_count() {
        let counts = Arc::new(Counts::default());
        let mut waited = 0;
        for _ in 0..2 {
            counts.get((false, None), || waited += 1, || Ok::<_, ()>(0)).unwrap();
        }
        assert_eq!(waited, 1);
    }
}
