//! Restoring a store to a moment: a backup, and the log after it.

use std::path::Path;
use std::sync::Arc;

use backup::{BackupError, Plan, Progress, Record, Repository, Step, Until, Watch};
use kv::{Engine, KvError, WriteLog};

use crate::NoBackup;

/// Segments that are read at once; each takes some 8 MiB of memory.
const SEGMENTS_AT_ONCE: usize = 8;

/// Opens the engine over a folder into which a backup is being restored, to write the log that follows it.
pub type OpenEngine<'a> = dyn Fn(&Path) -> Result<Arc<dyn Engine>, KvError> + 'a;

/// What of a log was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Records.
    pub records: u64,
    /// The number of the last write in the store.
    pub last: u64,
    /// The moment of the last record, in milliseconds since 1970 UTC.
    pub moment_ms: Option<i64>,
}

/// Restores what a plan says into a folder that is empty or not there. After a failure the folder stays unfinished, and
/// no engine opens it.
///
/// # Errors
/// Those of [`Repository::restore`], and [`BackupError::NoLog`] where the log does not follow the backup.
pub fn restore_to(
    repository: &Repository,
    plan: &Plan,
    folder: &Path,
    open: &OpenEngine<'_>,
    watch: &Watch<'_>,
) -> Result<Replayed, NoBackup> {
    let of_log: u64 = plan.steps.iter().map(|step| step.segment.bytes).sum();
    let of_files = plan.base.bytes();
    let bytes_total = of_files + of_log;
    let unfinished = repository.restore_unfinished(&plan.base, folder, &|at| watch(Progress { bytes_total, ..at }))?;
    let engine = open(folder)?;
    let log = engine.log().ok_or(KvError::Unsupported { engine: engine.name(), operation: "replaying a log" })?;
    let mut writer = Writer { log, until: plan.until, done: Replayed { last: log.last(), ..Replayed::default() } };
    let mut bytes_done = of_files;
    'all: for steps in plan.steps.chunks(SEGMENTS_AT_ONCE) {
        let segments: Vec<_> = steps.iter().map(|step| &step.segment).collect();
        for (step, records) in steps.iter().zip(repository.read_segments(&segments)?) {
            if !writer.write(step, &records)? {
                break 'all;
            }
            bytes_done += step.segment.bytes;
            if !watch(Progress { bytes_done, bytes_total }) {
                return Err(BackupError::Cancelled.into());
            }
        }
    }
    let done = writer.done;
    engine.sync()?;
    // Closed before others may open it.
    drop(engine);
    unfinished.finish()?;
    Ok(done)
}

struct Writer<'a> {
    log: &'a dyn WriteLog,
    until: Until,
    done: Replayed,
}

impl Writer<'_> {
    /// Writes the records of a segment; false at the first one that is later than wanted: whatever was acknowledged
    /// before the moment is in the log before that.
    fn write(&mut self, step: &Step, records: &[Record]) -> Result<bool, NoBackup> {
        if let Some(fork) = step.fork
            && self.done.last > fork
        {
            let reason = format!(
                "the backup holds writes {} to {}, which its store had lost when it went on; use an older one",
                fork + 1,
                self.done.last
            );
            return Err(BackupError::NoLog { reason }.into());
        }
        for record in records {
            if record.last > step.up_to {
                // What another timeline has in its place.
                return Ok(true);
            }
            let is_later =
                matches!((self.until, record.moment_ms), (Until::Moment(until), Some(moment)) if moment > until);
            if is_later {
                return Ok(false);
            }
            if record.last <= self.done.last {
                continue;
            }
            if record.first != self.done.last + 1 {
                let reason = format!("write {} follows write {} in it", record.first, self.done.last);
                return Err(BackupError::NoLog { reason }.into());
            }
            let last = self.log.replay(&record.bytes)?;
            if last != record.last {
                let reason = format!("its record of writes {} to {} ended with {last}", record.first, record.last);
                return Err(BackupError::NoLog { reason }.into());
            }
            self.done =
                Replayed { records: self.done.records + 1, last, moment_ms: record.moment_ms.or(self.done.moment_ms) };
        }
        Ok(true)
    }
}
