//! Whether everything that backups need is there, and is what was written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::BackupError;
use crate::limits::PROBLEMS_NAMED_MAX;
use crate::manifest::Manifest;
use crate::repository::log::StoredLog;
use crate::repository::{Repository, object_of};
use crate::work::{Progress, Watch, parallel};

/// How closely is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Manifests are read; chunks must be there with the right length.
    Lengths,
    /// Every chunk is read and its checksum compared.
    Content,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The object.
    pub object: String,
    /// What is wrong with it.
    pub reason: String,
    /// The backups that cannot be restored for that.
    pub backups: Vec<String>,
}

/// What a verification found.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Backups that were looked at.
    pub backups: usize,
    /// Chunks that they consist of.
    pub chunks: usize,
    /// Bytes of these.
    pub bytes: u64,
    /// Segments of logs that were looked at.
    pub segments: usize,
    /// The first problems, by object.
    pub problems: Vec<Problem>,
    /// How many there are.
    pub problems_total: usize,
}

impl Verified {
    fn add(&mut self, problem: Problem) {
        self.problems_total += 1;
        if self.problems.len() < PROBLEMS_NAMED_MAX {
            self.problems.push(problem);
        }
    }
}

/// Segments after which a verification can be stopped.
const SEGMENTS_AT_ONCE: usize = 16;

/// A chunk and the backups that need it.
struct Needed<'a> {
    name: &'a str,
    bytes: u64,
    by: BTreeSet<&'a str>,
}

impl Repository {
    /// Looks at one backup, or at all. Damage is a part of the answer, not an error.
    ///
    /// # Errors
    /// [`BackupError::NoBackup`], [`BackupError::Storage`] where objects cannot be reached, [`BackupError::Cancelled`].
    pub fn verify(&self, only: Option<&str>, depth: Depth, watch: &Watch<'_>) -> Result<Verified, BackupError> {
        let _lock = self.lock_for_reading("backup verify")?;
        let mut listed = self.list()?;
        match only {
            Some("latest") => drop(listed.drain(..listed.len().saturating_sub(1))),
            Some(wanted) => listed.retain(|listed| listed.id == wanted),
            None => {}
        }
        if let (Some(wanted), true) = (only, listed.is_empty()) {
            return Err(BackupError::NoBackup { wanted: wanted.to_owned() });
        }
        let mut found = Verified { backups: listed.len(), ..Verified::default() };
        let mut manifests = Vec::new();
        for listed in listed {
            match listed.manifest {
                Ok(manifest) => manifests.push(manifest),
                Err(BackupError::Storage { action, object, reason }) => {
                    return Err(BackupError::Storage { action, object, reason });
                }
                Err(error) => {
                    found.add(Problem { object: listed.object, reason: reason_of(&error), backups: vec![listed.id] });
                }
            }
        }
        let stored = self.chunks()?;
        let needed = needed(&manifests);
        found.chunks = needed.len();
        found.bytes = needed.iter().map(|chunk| chunk.bytes).sum();
        let problems = Mutex::new(Vec::new());
        let done = AtomicU64::new(0);
        parallel(&needed, self.niceness, |chunk| {
            let outcome = match stored.get(chunk.name) {
                None => Err(BackupError::Missing { object: object_of(chunk.name) }),
                Some(bytes) if *bytes != self.codec.stored_bytes(chunk.bytes) => {
                    Err(BackupError::damaged(&object_of(chunk.name), format!("it has {bytes} bytes")))
                }
                Some(_) if depth == Depth::Lengths => Ok(()),
                Some(_) => self.chunk(chunk.name, chunk.bytes).map(drop),
            };
            match outcome {
                Ok(()) => {}
                Err(error) if error.is_damage() => problems.lock().push(Problem {
                    object: object_of(chunk.name),
                    reason: reason_of(&error),
                    backups: chunk.by.iter().map(|&id| id.to_owned()).collect(),
                }),
                Err(error) => return Err(error),
            }
            let bytes_done = done.fetch_add(chunk.bytes, Ordering::Relaxed) + chunk.bytes;
            let progress = Progress { bytes_done, bytes_total: found.bytes };
            if watch(progress) { Ok(()) } else { Err(BackupError::Cancelled) }
        })?;
        let mut problems = problems.into_inner();
        problems.sort_by(|a, b| a.object.cmp(&b.object));
        for problem in problems {
            found.add(problem);
        }
        if only.is_none() {
            self.verify_logs(&manifests, depth, watch, &mut found)?;
        }
        Ok(found)
    }

    /// Looks at the logs: whether they lead from each backup to their ends.
    fn verify_logs(
        &self,
        manifests: &[Manifest],
        depth: Depth,
        watch: &Watch<'_>,
        found: &mut Verified,
    ) -> Result<(), BackupError> {
        let logs = self.logs()?;
        let bytes_total = found.bytes + logs.iter().map(StoredLog::bytes).sum::<u64>();
        let mut bytes_done = found.bytes;
        for log in &logs {
            let of_log: Vec<String> = manifests
                .iter()
                .filter(|manifest| manifest.log.as_ref().is_some_and(|position| position.timeline == log.id))
                .map(|manifest| manifest.id.clone())
                .collect();
            let mut wrong = |object: String, reason: String| {
                found.add(Problem { object, reason, backups: of_log.clone() });
            };
            match &log.timeline {
                Ok(timeline) => {
                    let positions = manifests.iter().filter_map(|manifest| manifest.log.as_ref());
                    let oldest = positions.filter(|of| of.timeline == log.id).map(|of| of.sequence).min();
                    // Older segments may have been removed with the backups they followed.
                    let first = log.segments.first().map_or(timeline.start, |segment| segment.first - 1);
                    let first = oldest.unwrap_or(first).max(log.kept.unwrap_or(0));
                    let (_, reached) = log.after(first);
                    if let Some(missing) = log.gap_after(reached) {
                        let reason = format!("writes {} to {} are missing", reached + 1, missing - 1);
                        wrong(format!("log/{}", log.id), reason);
                    }
                }
                Err(error) if error.is_damage() => wrong(format!("log/{}", log.id), reason_of(error)),
                Err(error) => return Err(error.clone()),
            }
            found.segments += log.segments.len();
            if depth == Depth::Lengths {
                continue;
            }
            for segments in log.segments.chunks(SEGMENTS_AT_ONCE) {
                for segment in segments {
                    match self.read_segments(&[segment]) {
                        Ok(_) => {}
                        Err(error) if error.is_damage() => found.add(Problem {
                            object: segment.object.clone(),
                            reason: reason_of(&error),
                            backups: of_log.clone(),
                        }),
                        Err(error) => return Err(error),
                    }
                    bytes_done += segment.bytes;
                }
                if !watch(Progress { bytes_done, bytes_total }) {
                    return Err(BackupError::Cancelled);
                }
            }
        }
        // Where a backup says that a log follows, there must be one.
        for manifest in manifests {
            let Some(position) = &manifest.log else { continue };
            if !logs.iter().any(|log| log.id == position.timeline) {
                found.add(Problem {
                    object: format!("log/{}", position.timeline),
                    reason: "it is missing".to_owned(),
                    backups: vec![manifest.id.clone()],
                });
            }
        }
        Ok(())
    }
}

/// What is wrong, without the object, which stands beside it.
fn reason_of(error: &BackupError) -> String {
    match error {
        BackupError::Missing { .. } => "it is missing".to_owned(),
        BackupError::Damaged { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}

fn needed(manifests: &[Manifest]) -> Vec<Needed<'_>> {
    let mut chunks: BTreeMap<&str, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for manifest in manifests {
        for (name, bytes) in manifest.chunks() {
            let (_, by) = chunks.entry(name).or_insert_with(|| (bytes, BTreeSet::new()));
            by.insert(&manifest.id);
        }
    }
    chunks.into_iter().map(|(name, (bytes, by))| Needed { name, bytes, by }).collect()
}
