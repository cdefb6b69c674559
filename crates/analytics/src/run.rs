//! How an algorithm is run: its threads, who may stop it, and how far it is.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::Result;
use crate::limits;

/// Why a run ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// Nobody wants the result any more.
    #[error("the run was cancelled")]
    Cancelled,
    /// The deadline passed.
    #[error("the run took longer than {limit_ms} ms")]
    Timeout {
        /// The time that was allowed, in milliseconds.
        limit_ms: u64,
    },
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing.
    pub phase: &'static str,
    /// Steps done: iterations, sources, vertices.
    pub done: u64,
    /// Steps there are at most.
    pub of: u64,
}

/// Who may stop a run, and who is told how far it is. Asked from all threads.
pub trait Watch: Sync {
    /// Whether to go on.
    ///
    /// # Errors
    /// [`Stop`].
    fn check(&self) -> std::result::Result<(), Stop>;

    /// Is told how far the run is, by one thread at a time.
    fn progress(&self, _progress: Progress) {}
}

/// Nobody stops it.
struct Unwatched;

impl Watch for Unwatched {
    fn check(&self) -> std::result::Result<(), Stop> {
        Ok(())
    }
}

/// The threads and the watch of one run.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    pool: Option<&'a ThreadPool>,
    watch: &'a dyn Watch,
    deadline: Option<(Instant, Duration)>,
}

impl<'a> Run<'a> {
    /// With the threads of `pool`, or with the calling thread alone.
    #[must_use]
    pub fn new(pool: Option<&'a ThreadPool>, watch: &'a dyn Watch) -> Self {
        Self { pool, watch, deadline: None }
    }

    /// On the calling thread, to the end.
    #[must_use]
    pub fn alone() -> Run<'static> {
        Run { pool: None, watch: &Unwatched, deadline: None }
    }

    /// The same, with the threads of a pool.
    #[cfg(test)]
    pub(crate) fn with_pool(self, pool: &'a ThreadPool) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// The same, for at most so long from now.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(limit).map(|at| (at, limit)), ..self }
    }

    /// How many threads work.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.map_or(1, ThreadPool::current_num_threads)
    }

    /// Fails once the run has to stop.
    ///
    /// # Errors
    /// [`crate::AnalyticsError::Stopped`].
    pub fn check(&self) -> Result<()> {
        self.watch.check()?;
        match self.deadline {
            Some((at, limit)) if Instant::now() >= at => {
                Err(Stop::Timeout { limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) }.into())
            }
            _ => Ok(()),
        }
    }

    /// The same, after a step of a phase.
    pub(crate) fn step(&self, phase: &'static str, done: u64, of: u64) -> Result<()> {
        self.watch.progress(Progress { phase, done, of });
        self.check()
    }

    /// The same, in each of many sequential steps: it asks in some of them.
    pub(crate) fn tick(&self, steps: &mut usize) -> Result<()> {
        *steps += 1;
        if *steps >= limits::STEPS_PER_CHECK {
            *steps = 0;
            self.check()?;
        }
        Ok(())
    }

    /// Does `work` on a thread of the pool: the passes in it begin without waking a thread for each.
    pub(crate) fn inside<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does `work` for each part, on all threads, and gives the results in the order of the parts.
    pub(crate) fn map<P: Send, R: Send>(&self, parts: Vec<P>, work: impl Fn(P) -> R + Sync) -> Result<Vec<R>> {
        let stopped = AtomicBool::new(false);
        let guarded = |part: P| {
            if stopped.load(Ordering::Relaxed) {
                return None;
            }
            if self.check().is_err() {
                stopped.store(true, Ordering::Relaxed);
                return None;
            }
            Some(work(part))
        };
        let results: Vec<Option<R>> = match self.pool {
            Some(pool) if parts.len() > 1 => pool.install(|| parts.into_par_iter().map(guarded).collect()),
            _ => parts.into_iter().map(guarded).collect(),
        };
        match results.into_iter().collect::<Option<Vec<R>>>() {
            Some(results) => Ok(results),
            None => {
                self.check()?;
                Err(Stop::Cancelled.into())
            }
        }
    }

    /// [`map`](Self::map) over ranges that cover `out` without a gap; each gets its part of `out` to fill.
    pub(crate) fn fill<T: Send, R: Send>(
        &self,
        ranges: &[Range<usize>],
        out: &mut [T],
        work: impl Fn(Range<usize>, &mut [T]) -> R + Sync,
    ) -> Result<Vec<R>> {
        let mut rest = out;
        let mut parts = Vec::with_capacity(ranges.len());
        for range in ranges {
            let (part, after) = rest.split_at_mut(range.len());
            parts.push((range.clone(), part));
            rest = after;
        }
        self.map(parts, |(range, part)| work(range, part))
    }

    /// [`fill`](Self::fill) of two vectors at once.
    pub(crate) fn fill_both<T: Send, U: Send, R: Send>(
        &self,
        ranges: &[Range<usize>],
        (one, other): (&mut [T], &mut [U]),
        work: impl Fn(Range<usize>, &mut [T], &mut [U]) -> R + Sync,
    ) -> Result<Vec<R>> {
        let (mut ones, mut others) = (one, other);
        let mut parts = Vec::with_capacity(ranges.len());
        for range in ranges {
            let (one, more_ones) = ones.split_at_mut(range.len());
            let (other, more_others) = others.split_at_mut(range.len());
            parts.push((range.clone(), one, other));
            (ones, others) = (more_ones, more_others);
        }
        self.map(parts, |(range, one, other)| work(range, one, other))
    }

    /// Sorts in the order of `compare`, equal ones in any order.
    pub(crate) fn sort<T: Send>(
        &self,
        items: &mut [T],
        compare: impl Fn(&T, &T) -> std::cmp::Ordering + Send + Sync,
    ) -> Result<()> {
        match self.pool {
            Some(pool) => pool.install(|| items.par_sort_unstable_by(compare)),
            None => items.sort_unstable_by(compare),
        }
        self.check()
    }
}

/// Cuts `0..len` into ranges of `size`.
pub(crate) fn even(len: usize, size: usize) -> Vec<Range<usize>> {
    (0..len).step_by(size.max(1)).map(|start| start..(start + size).min(len)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnalyticsError;

    struct After(std::sync::atomic::AtomicUsize);

    impl Watch for After {
        fn check(&self) -> std::result::Result<(), Stop> {
            match self.0.fetch_sub(1, Ordering::Relaxed) {
                1.. => Ok(()),
                0 => {
                    self.0.store(0, Ordering::Relaxed);
                    Err(Stop::Cancelled)
                }
            }
        }
    }

    #[test]
    fn parts_are_done_in_order_and_a_stop_ends_them() {
        let run = Run::alone();
        assert_eq!(run.map(vec![1, 2, 3], |part| part * 2).unwrap(), [2, 4, 6]);
        let mut out = [0; 5];
        let sums = run.fill(&even(5, 2), &mut out, |range, out| {
            out.iter_mut().zip(range.clone()).for_each(|(own, at)| *own = at);
            range.len()
        });
        assert_eq!((sums.unwrap(), out), (vec![2, 2, 1], [0, 1, 2, 3, 4]));
        let watch = After(2.into());
        let stopped = Run::new(None, &watch).map(vec![1, 2, 3], |part| part);
        assert_eq!(stopped, Err(AnalyticsError::Stopped(Stop::Cancelled)));
        let late = Run::alone().within(Duration::ZERO).check();
        assert_eq!(late, Err(AnalyticsError::Stopped(Stop::Timeout { limit_ms: 0 })));
    }
}
