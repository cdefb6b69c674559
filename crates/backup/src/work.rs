//! Work on many chunks at once, which can be watched and stopped.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::BackupError;
use crate::limits::WORKERS_MAX;

/// How far a piece of work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are done.
    pub bytes_done: u64,
    /// Bytes there are to do.
    pub bytes_total: u64,
}

/// Is told how far a piece of work is, from several threads, and says whether it is to go on.
pub type Watch<'a> = dyn Fn(Progress) -> bool + Sync + 'a;

/// Lets everything go on.
#[must_use]
pub fn unwatched(_: Progress) -> bool {
    true
}

/// Does `work` to every item, several at a time, until the first error. `niceness`: how far the threads stand back for
/// others ([`threads::stand_back`]).
pub(crate) fn parallel<T: Sync>(
    items: &[T],
    niceness: u8,
    work: impl Fn(&T) -> Result<(), BackupError> + Sync,
) -> Result<(), BackupError> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let first = Mutex::new(None);
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // Who stands back leaves half of the processors alone: to give way takes time, too.
    let workers = (if niceness > 0 { processors / 2 } else { processors }).clamp(1, WORKERS_MAX);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                threads::run_anywhere();
                threads::stand_back(niceness);
                while !failed.load(Ordering::Relaxed) {
                    let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                    if let Err(error) = work(item) {
                        failed.store(true, Ordering::Relaxed);
                        first.lock().get_or_insert(error);
                    }
                }
            });
        }
    });
    first.into_inner().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn every_item_is_worked_on_once_and_an_error_ends_it() {
        let items: Vec<u64> = (1..=1000).collect();
        let sum = AtomicU64::new(0);
        parallel(&items, 0, |item| {
            sum.fetch_add(*item, Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
        assert_eq!(sum.into_inner(), 500_500);
        let done = AtomicU64::new(0);
        let outcome = parallel(&items, 0, |item| {
            done.fetch_add(1, Ordering::Relaxed);
            if *item == 5 { Err(BackupError::Cancelled) } else { Ok(()) }
        });
        assert!(matches!(outcome, Err(BackupError::Cancelled)));
        assert!(done.into_inner() >= 1);
        parallel(&[], 0, |_: &u64| Err(BackupError::Cancelled)).unwrap();
    }
}
