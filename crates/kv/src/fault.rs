//! Scripted faults around another engine, to test what callers do when storage fails.
//!
//! [`FaultEngine`] passes everything on to the engine inside, except what a shared [`Faults`] handle says should fail.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::{
    Capabilities, Checkpoint, Commit, Cursor, Engine, Entry, Key, Keys, KvError, Read, RowRange, Run, SortedRows,
    SortedWriter, Statistic, TableId, WriteBatch, WriteLog,
};

/// One fault. `nth` counts from 1 at the moment the fault is injected.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The nth commit (or swap, which counts as one) fails; nothing of it is written.
    FailCommit {
        /// Which one.
        nth: u64,
        /// How.
        error: KvError,
    },
    /// The nth commit is written, but reported as failed.
    LoseAcknowledgement {
        /// Which one.
        nth: u64,
        /// How.
        error: KvError,
    },
    /// The nth read fails. Every get, multi-get, opening of a scan and step of a cursor is one read.
    FailRead {
        /// Which one.
        nth: u64,
        /// How.
        error: KvError,
    },
    /// All reads fail until [`Faults::clear`].
    FailReads {
        /// How.
        error: KvError,
    },
    /// All commits take this much longer until [`Faults::clear`].
    DelayCommits {
        /// How much.
        delay: Duration,
    },
    /// All writes fail for lack of space until [`Faults::clear`]; reads still work.
    DiskFull {
        /// The data folder to name in the error.
        path: PathBuf,
    },
}

/// The script of a [`FaultEngine`]: clones are the same script.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Script>>);

#[derive(Debug, Default)]
struct Script {
    faults: Vec<Fault>,
    commits: u64,
    reads: u64,
}

/// What becomes of one commit.
struct CommitPlan {
    delay: Option<Duration>,
    refuse: Option<KvError>,
    lose: Option<KvError>,
}

impl Faults {
    /// Adds a fault to the script.
    pub fn inject(&self, fault: Fault) {
        let mut script = self.0.lock();
        let (commits, reads) = (script.commits, script.reads);
        script.faults.push(match fault {
            Fault::FailCommit { nth, error } => Fault::FailCommit { nth: nth + commits, error },
            Fault::LoseAcknowledgement { nth, error } => Fault::LoseAcknowledgement { nth: nth + commits, error },
            Fault::FailRead { nth, error } => Fault::FailRead { nth: nth + reads, error },
            other => other,
        });
    }

    /// Removes all faults.
    pub fn clear(&self) {
        self.0.lock().faults.clear();
    }

    /// Commits seen so far, failed ones included.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.0.lock().commits
    }

    /// Reads seen so far, failed ones included.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.0.lock().reads
    }

    fn next_commit(&self) -> CommitPlan {
        let mut script = self.0.lock();
        script.commits += 1;
        let now = script.commits;
        let mut plan = CommitPlan { delay: None, refuse: None, lose: None };
        for fault in &script.faults {
            match fault {
                Fault::FailCommit { nth, error } if *nth == now => plan.refuse = Some(error.clone()),
                Fault::LoseAcknowledgement { nth, error } if *nth == now => plan.lose = Some(error.clone()),
                Fault::DelayCommits { delay } => plan.delay = Some(*delay),
                Fault::DiskFull { path } => plan.refuse = Some(KvError::DiskFull { path: path.clone() }),
                _ => {}
            }
        }
        plan
    }

    fn next_read(&self) -> Result<(), KvError> {
        let mut script = self.0.lock();
        script.reads += 1;
        let now = script.reads;
        let error = script.faults.iter().find_map(|fault| match fault {
            Fault::FailRead { nth, error } if *nth == now => Some(error.clone()),
            Fault::FailReads { error } => Some(error.clone()),
            _ => None,
        });
        error.map_or(Ok(()), Err)
    }

    fn write_without_commit(&self) -> Result<(), KvError> {
        let script = self.0.lock();
        let full = script.faults.iter().find_map(|fault| match fault {
            Fault::DiskFull { path } => Some(KvError::DiskFull { path: path.clone() }),
            _ => None,
        });
        full.map_or(Ok(()), Err)
    }
}

/// An engine that fails on demand. `E` may be any engine, `Arc<dyn Engine>` included.
#[derive(Debug)]
pub struct FaultEngine<E> {
    inner: E,
    faults: Faults,
}

impl<E: Engine> FaultEngine<E> {
    /// Wraps `inner`; without faults it changes nothing.
    pub fn new(inner: E) -> Self {
        Self { inner, faults: Faults::default() }
    }

    /// The script: injects and clears faults while the engine is in use.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.faults.clone()
    }
}

/// Reads that ask the script first.
struct FaultRead<R> {
    inner: R,
    faults: Faults,
}

struct FaultCursor<'a> {
    inner: Box<dyn Cursor + 'a>,
    faults: Faults,
}

impl Cursor for FaultCursor<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        self.faults.next_read()?;
        self.inner.next()
    }
}

/// [`Read`] with faults for a type that has `inner` and `faults`.
macro_rules! read_with_faults {
    () => {
        fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
            self.faults.next_read()?;
            self.inner.get(table, key, found)
        }

        fn multi_get(
            &self,
            table: TableId,
            keys: &Keys,
            found: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> Result<(), KvError> {
            self.faults.next_read()?;
            self.inner.multi_get(table, keys, found)
        }

        fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
            self.faults.next_read()?;
            let inner = self.inner.scan(table, range)?;
            Ok(Box::new(FaultCursor { inner, faults: self.faults.clone() }))
        }

        fn scan_partitions<'a>(
            &'a self,
            table: TableId,
            prefix: &[u8],
            after: Option<Key<'_>>,
        ) -> Result<Box<dyn Cursor + 'a>, KvError> {
            self.faults.next_read()?;
            let inner = self.inner.scan_partitions(table, prefix, after)?;
            Ok(Box::new(FaultCursor { inner, faults: self.faults.clone() }))
        }
    };
}

impl<E: Engine> Read for FaultEngine<E> {
    read_with_faults!();
}

impl Read for FaultRead<Box<dyn Read + '_>> {
    read_with_faults!();
}

impl<E: Engine> Engine for FaultEngine<E> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn submit(&self, mut batch: WriteBatch) -> Commit {
        let plan = self.faults.next_commit();
        if let Some(delay) = plan.delay {
            std::thread::sleep(delay);
        }
        if let Some(error) = plan.refuse {
            batch.take_guards().refuse();
            return Commit::done(Err(error));
        }
        let Some(error) = plan.lose else { return self.inner.submit(batch) };
        let guards = batch.take_guards();
        let outcome = self.inner.submit(batch).wait().and(Err(error));
        guards.release(outcome.is_ok());
        Commit::done(outcome)
    }

    fn compare_and_swap(
        &self,
        table: TableId,
        key: Key<'_>,
        expected: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        let plan = self.faults.next_commit();
        if let Some(delay) = plan.delay {
            std::thread::sleep(delay);
        }
        if let Some(error) = plan.refuse {
            return Err(error);
        }
        let swapped = self.inner.compare_and_swap(table, key, expected, new)?;
        plan.lose.map_or(Ok(swapped), Err)
    }

    fn snapshot<'a>(&'a self) -> Result<Box<dyn Read + 'a>, KvError> {
        Ok(Box::new(FaultRead { inner: self.inner.snapshot()?, faults: self.faults.clone() }))
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

    fn delete_prefix(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.faults.write_without_commit()?;
        self.inner.delete_prefix(table, prefix)
    }

    fn compact(&self, table: TableId, prefix: &[u8]) -> Result<(), KvError> {
        self.faults.write_without_commit()?;
        self.inner.compact(table, prefix)
    }

    fn split(&self, table: TableId, prefix: &[u8], target_bytes: u64) -> Result<Vec<Run>, KvError> {
        self.faults.next_read()?;
        self.inner.split(table, prefix, target_bytes)
    }

    fn sorted_writer<'a>(&'a self, table: TableId) -> Result<Box<dyn SortedWriter + 'a>, KvError> {
        self.faults.write_without_commit()?;
        self.inner.sorted_writer(table)
    }

    fn ingest(&self, rows: Vec<SortedRows>) -> Result<(), KvError> {
        self.faults.write_without_commit()?;
        self.inner.ingest(rows)
    }

    fn sync(&self) -> Result<(), KvError> {
        self.faults.write_without_commit()?;
        self.inner.sync()
    }

    fn check_writable(&self) -> Result<(), KvError> {
        self.faults.write_without_commit()?;
        self.inner.check_writable()
    }

    fn checkpoint(&self) -> Result<Checkpoint, KvError> {
        self.faults.write_without_commit()?;
        self.inner.checkpoint()
    }

    fn log(&self) -> Option<&dyn WriteLog> {
        self.inner.log()
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.inner.statistics()
    }

    fn memory(&self) -> Vec<Statistic> {
        self.inner.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryEngine;
    use crate::conformance::{Harness, TABLES};

    const T: TableId = TableId(0);

    struct NoFaults;

    impl Harness for NoFaults {
        fn fresh(&mut self) -> Box<dyn Engine> {
            let inner: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
            Box::new(FaultEngine::new(inner))
        }
    }

    mod suite {
        conformance_suite!(super::NoFaults);
    }

    fn put(engine: &impl Engine, name: &[u8]) -> Result<(), KvError> {
        let mut batch = WriteBatch::new();
        batch.put(T, |b| b.extend_from_slice(name), |b| b.push(0), |_| ());
        engine.commit(batch)
    }

    fn has(engine: &dyn Read, name: &[u8]) -> Result<bool, KvError> {
        engine.get(T, Key::new(&[name, &[0]].concat(), 0), &mut |_| ())
    }

    fn io() -> KvError {
        KvError::Io { action: "writing", detail: "scripted".into() }
    }

    #[test]
    fn the_nth_commit_fails_and_only_that_one() {
        let engine = FaultEngine::new(MemoryEngine::open(TABLES));
        put(&engine, b"before").unwrap();
        engine.faults().inject(Fault::FailCommit { nth: 2, error: io() });
        put(&engine, b"1").unwrap();
        assert!(matches!(put(&engine, b"2"), Err(KvError::Io { .. })));
        put(&engine, b"3").unwrap();
        assert!(has(&engine, b"1").unwrap() && !has(&engine, b"2").unwrap() && has(&engine, b"3").unwrap());
        assert_eq!(engine.faults().commits(), 4);
    }

    #[test]
    fn a_lost_acknowledgement_has_written() {
        let engine = FaultEngine::new(MemoryEngine::open(TABLES));
        engine.faults().inject(Fault::LoseAcknowledgement { nth: 1, error: KvError::Timeout { limit_ms: 1 } });
        assert!(matches!(put(&engine, b"1"), Err(KvError::Timeout { limit_ms: 1 })));
        assert!(has(&engine, b"1").unwrap());
    }

    #[test]
    fn reads_fail_in_the_engine_in_snapshots_and_in_cursors() {
        let engine = FaultEngine::new(MemoryEngine::open(TABLES));
        put(&engine, b"1").unwrap();
        let snapshot = engine.snapshot().unwrap();
        engine.faults().inject(Fault::FailRead { nth: 2, error: io() });
        let mut cursor = engine.scan_partitions(T, b"", None).unwrap();
        assert!(cursor.next().is_err());
        assert!(cursor.next().unwrap().is_some());
        engine.faults().inject(Fault::FailReads { error: io() });
        assert!(has(&engine, b"1").is_err() && has(&*snapshot, b"1").is_err() && cursor.next().is_err());
        engine.faults().clear();
        assert!(has(&*snapshot, b"1").unwrap());
    }

    #[test]
    fn a_full_disk_refuses_writes_until_cleared_and_releases_guards() {
        let engine = FaultEngine::new(MemoryEngine::open(TABLES));
        put(&engine, b"1").unwrap();
        engine.faults().inject(Fault::DiskFull { path: "data".into() });
        let guard = Arc::new(());
        let mut batch = WriteBatch::new();
        batch.put(T, |b| b.push(1), |b| b.push(0), |_| ());
        batch.hold(Box::new(Arc::clone(&guard)));
        assert!(matches!(engine.commit(batch), Err(KvError::DiskFull { .. })));
        assert_eq!(Arc::strong_count(&guard), 1);
        assert!(matches!(engine.delete_prefix(T, b"1"), Err(KvError::DiskFull { .. })));
        assert!(has(&engine, b"1").unwrap());
        engine.faults().clear();
        put(&engine, b"2").unwrap();
    }

    #[test]
    fn a_delayed_commit_is_written_all_the_same() {
        let engine = FaultEngine::new(MemoryEngine::open(TABLES));
        engine.faults().inject(Fault::DelayCommits { delay: Duration::from_millis(1) });
        put(&engine, b"1").unwrap();
        assert!(has(&engine, b"1").unwrap());
    }
}
