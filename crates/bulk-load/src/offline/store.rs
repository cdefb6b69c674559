//! The second step of a phase: runs become files of the store.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use kv::{SortedRows, TableId};

use super::Load;
use super::journal::Step;
use super::merge::{MergeJob, merge};
use super::run::RunMeta;
use crate::error::LoadError;
use crate::limits::{MERGE_BUFFER_BYTES_MAX, MERGE_BUFFER_BYTES_MIN, RUNS_MAX};
use crate::progress::Phase;

impl Load<'_> {
    /// Brings the runs of a phase into the store: all rows at once, as far as the engine can.
    pub(super) fn store(&mut self, phase: Phase) -> Result<(), LoadError> {
        let began = Instant::now();
        let runs = &self.state.phase(phase).runs;
        let jobs = merge_jobs(&self.work_dir, runs)?;
        let rows = runs.iter().flat_map(|run| &run.sections).map(|section| section.rows).sum();
        self.figures.rows += rows;
        self.figures.runs += runs.len();
        if !jobs.is_empty() {
            self.observer.storing(phase, rows);
            let sorted = self.merge_all(jobs)?;
            // Ids made by the load must not be made again after a power cut, which the rows survive.
            self.store
                .engine()
                .sync()
                .map_err(|error| LoadError::store("cannot bring the store to the disk", error))?;
            let taken = self.store.engine().ingest(sorted);
            taken.map_err(|error| LoadError::store("cannot bring sorted rows into the store", error))?;
        }
        self.step(Step::Stored(phase), true)?;
        self.figures.storing += began.elapsed();
        self.state.remove_strays(&self.work_dir)
    }

    fn merge_all(&self, jobs: Vec<MergeJob>) -> Result<Vec<SortedRows>, LoadError> {
        let threads = self.options.threads.clamp(1, jobs.len());
        let parts = jobs.iter().map(|job| job.parts.len()).max().unwrap_or(1);
        let buffer = self.options.memory_bytes / (threads * parts) as u64;
        let buffer =
            usize::try_from(buffer).unwrap_or(usize::MAX).clamp(MERGE_BUFFER_BYTES_MIN, MERGE_BUFFER_BYTES_MAX);
        let jobs = Mutex::new(jobs);
        let sorted = Mutex::new(Vec::new());
        let stop = AtomicBool::new(false);
        let work = || {
            let mut report = |rows| {
                self.observer.stored(rows);
                if stop.load(Ordering::Relaxed) { Err(given_up()) } else { Ok(()) }
            };
            loop {
                let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let Some(job) = job else { return Ok(()) };
                match merge(self.store.engine(), &job, buffer, &mut report) {
                    Ok(rows) => sorted.lock().unwrap_or_else(PoisonError::into_inner).push(rows),
                    // The first thread to fail has the reason; the others are stopped because of it.
                    Err(error) if stop.swap(true, Ordering::Relaxed) => {
                        drop(error);
                        return Ok(());
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let mut outcome = Ok(());
            for thread in threads {
                let ended = thread.join().unwrap_or_else(|_| Err(panicked()));
                outcome = outcome.and(ended);
            }
            outcome
        })?;
        let mut sorted = sorted.into_inner().unwrap_or_else(PoisonError::into_inner);
        sorted.sort_by(|a, b| (a.table(), &a.extent().first).cmp(&(b.table(), &b.extent().first)));
        Ok(sorted)
    }
}

fn given_up() -> LoadError {
    LoadError::Defect { place: "merging", reason: "it was given up".to_owned() }
}

fn panicked() -> LoadError {
    LoadError::Defect { place: "merging", reason: "a thread panicked".to_owned() }
}

/// What is to be merged, the largest section last: it is taken first.
fn merge_jobs(dir: &Path, runs: &[RunMeta]) -> Result<Vec<MergeJob>, LoadError> {
    if runs.len() > RUNS_MAX {
        return Err(LoadError::Option {
            option: "sort_memory",
            reason: format!(
                "{} files of sorted rows are too many to be merged, the limit is {RUNS_MAX}; load again with more \
                 memory",
                runs.len()
            ),
        });
    }
    let mut runs: Vec<&RunMeta> = runs.iter().collect();
    runs.sort_by_key(|run| run.number);
    let mut sections: BTreeMap<(u8, &[u8]), MergeJob> = BTreeMap::new();
    for run in runs {
        let path = dir.join(RunMeta::file_name(run.number));
        let file = Arc::new(File::open(&path).map_err(|error| LoadError::work_in(&path, "read", error))?);
        for section in &run.sections {
            let job = sections.entry((section.table, &section.prefix)).or_insert_with(|| MergeJob {
                dir: dir.to_owned(),
                table: TableId(section.table),
                prefix: section.prefix.clone(),
                parts: Vec::new(),
            });
            job.parts.push((Arc::clone(&file), section.clone()));
        }
    }
    let mut jobs: Vec<MergeJob> = sections.into_values().collect();
    jobs.sort_by_key(MergeJob::bytes);
    Ok(jobs)
}
