//! Removing backups that no rule keeps, and chunks that no backup needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::BackupError;
use crate::limits::{FENCE_KEPT, LOG_GRACE};
use crate::lock::{self, FENCES, Kind, Lock};
use crate::log::Segment;
use crate::manifest::{self, LogPosition, Manifest};
use crate::repository::log::StoredLog;
use crate::repository::{CHUNKS, Listed, Repository, object_of};
use crate::retention::Keep;

/// What was removed.
#[derive(Clone, Debug, Default)]
pub struct Pruned {
    /// The backups that were removed, oldest first.
    pub removed: Vec<String>,
    /// Those that were kept, oldest first.
    pub kept: Vec<String>,
    /// Chunks that nothing needed.
    pub chunks: usize,
    /// Bytes these took.
    pub bytes: u64,
    /// Segments of logs, and what belongs to them, that nothing needed.
    pub log_objects: usize,
}

impl Repository {
    /// Removes what the rules do not keep. `dry_run`: says what would be removed, and changes nothing.
    ///
    /// # Errors
    /// [`BackupError::KeepsNothing`]; [`BackupError::Busy`] while somebody makes, reads or removes backups;
    /// [`BackupError::Damaged`] where a manifest cannot be read, since what it needs is not known then: nothing was
    /// removed; [`BackupError::Storage`], [`BackupError::LockLost`].
    pub fn prune(&self, keep: &Keep, dry_run: bool) -> Result<Pruned, BackupError> {
        if keep.is_empty() {
            return Err(BackupError::KeepsNothing);
        }
        let mut id = [0; 8];
        crate::crypt::random(&mut id)?;
        let id = format!("prune-{}", crate::crypt::hex(&id));
        let lock = Lock::take(&self.target, &id, Kind::Alone, "backup prune", false)?;
        if !dry_run {
            self.resolve_fences(&lock)?;
        }
        let backups = self.readable()?;
        let moments: Vec<i64> = backups.iter().map(|(_, manifest)| manifest.created_ms).collect();
        let mut kept = Vec::new();
        let mut removed = Vec::new();
        for (backup, is_kept) in backups.into_iter().zip(keep.choose(&moments)) {
            if is_kept { kept.push(backup) } else { removed.push(backup) }
        }
        // First the backups, so that none is there without its chunks, whenever this ends.
        for (listed, _) in &removed {
            self.remove(&lock, &listed.object, dry_run)?;
        }
        let needed: BTreeSet<&str> =
            kept.iter().flat_map(|(_, manifest)| manifest.chunks()).map(|(name, _)| name).collect();
        let ids = |of: &[(Listed, Manifest)]| of.iter().map(|(listed, _)| listed.id.clone()).collect();
        let mut pruned = Pruned { removed: ids(&removed), kept: ids(&kept), ..Pruned::default() };
        for (name, bytes) in self.chunks()? {
            if !needed.contains(name.as_str()) {
                self.remove(&lock, &object_of(&name), dry_run)?;
                pruned.chunks += 1;
                pruned.bytes += bytes;
            }
        }
        let bases: Vec<&Manifest> = kept.iter().map(|(_, manifest)| manifest).collect();
        let logs = self.logs()?;
        let now_ms = lock.now_ms()?;
        let (objects, shortened) = superfluous(&logs, &bases, keep.log_days, now_ms);
        for (timeline, from) in shortened.into_iter().filter(|_| !dry_run) {
            lock.check()?;
            self.keep_log_from(timeline, from, now_ms)?;
        }
        for object in objects {
            self.remove(&lock, object, dry_run)?;
            pruned.log_objects += 1;
        }
        if !dry_run {
            for folder in [CHUNKS, manifest::FOLDER] {
                lock.check()?;
                self.target.remove_unfinished(folder)?;
            }
        }
        lock.check_fence()?;
        Ok(pruned)
    }

    fn remove(&self, lock: &Lock, object: &str, dry_run: bool) -> Result<(), BackupError> {
        if dry_run {
            return Ok(());
        }
        lock.check()?;
        self.target.delete(object)
    }

    /// All backups, of which each must be readable.
    fn readable(&self) -> Result<Vec<(Listed, Manifest)>, BackupError> {
        self.list()?
            .into_iter()
            .map(|listed| {
                let manifest = listed.manifest.clone().map_err(|error| match error {
                    BackupError::Damaged { object, reason } => BackupError::Damaged {
                        object,
                        reason: format!(
                            "{reason}; nothing was removed, since nobody knows what it needs. If it is of no use, \
                             delete this object and run it again"
                        ),
                    },
                    other => other,
                })?;
                Ok((listed, manifest))
            })
            .collect()
    }

    /// Settles what became of backups whose makers were taken for gone: one that is complete counts, as it was written
    /// before its maker was; the manifest of any other is removed. Nobody else works on the repository.
    fn resolve_fences(&self, lock: &Lock) -> Result<(), BackupError> {
        let fences = self.target.list(FENCES)?;
        if fences.is_empty() {
            return Ok(());
        }
        let stored = self.chunks()?;
        let objects = self.objects()?;
        let now_ms = lock.now_ms()?;
        for fence in fences {
            let id = fence.name.rsplit('/').next().unwrap_or_default();
            let Some((_, object)) = objects.iter().find(|(of, _)| of == id) else {
                let age_ms = u128::try_from(now_ms.saturating_sub(fence.modified_ms)).unwrap_or_default();
                if age_ms > FENCE_KEPT.as_millis() {
                    self.target.delete(&fence.name)?;
                }
                continue;
            };
            let is_complete = match self.manifest(object) {
                Ok(manifest) => {
                    manifest.chunks().all(|(name, bytes)| stored.get(name) == Some(&self.codec.stored_bytes(bytes)))
                }
                Err(error) if error.is_damage() => false,
                Err(error) => return Err(error),
            };
            lock.check()?;
            if is_complete {
                self.target.delete(&lock::fence(id))?;
            } else {
                self.target.delete(object)?;
            }
        }
        Ok(())
    }
}

/// Objects of logs that no kept backup needs and that are not new: a log is needed from a backup on to its end, and so
/// is what continues it. `days`: backups before the newest one that is as old do without.
///
/// Also the timelines of kept backups that do without, and from which write on they are needed.
fn superfluous<'a>(
    logs: &'a [StoredLog],
    kept: &[&Manifest],
    days: usize,
    now_ms: i64,
) -> (Vec<&'a str>, Vec<(&'a str, u64)>) {
    let mut positions: Vec<&LogPosition> = kept.iter().filter_map(|manifest| manifest.log.as_ref()).collect();
    positions.sort_by_key(|position| position.moment_ms);
    // By timeline: the oldest backup in it.
    let mut oldest: BTreeMap<&str, u64> = BTreeMap::new();
    for position in &positions {
        let at = oldest.entry(&position.timeline).or_insert(u64::MAX);
        *at = (*at).min(position.sequence);
    }
    if days > 0 {
        let days_ms = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_MS);
        let cut_ms = now_ms.saturating_sub(days_ms);
        let is_old = |position: &&LogPosition| position.moment_ms <= cut_ms;
        // By store: of several in one repository, each has its own newest one that is old enough.
        let mut roots: BTreeMap<&str, &LogPosition> = BTreeMap::new();
        for position in positions.iter().copied().filter(|position| is_old(position)) {
            roots.insert(root_of(logs, &position.timeline), position);
        }
        positions.retain(|position| {
            let newest = roots.get(root_of(logs, &position.timeline));
            newest.is_none_or(|newest| newest.moment_ms <= position.moment_ms)
        });
    }
    // From which write on each timeline is needed.
    let mut needed: BTreeMap<&str, u64> = BTreeMap::new();
    for position in positions {
        let from = needed.entry(&position.timeline).or_insert(u64::MAX);
        *from = (*from).min(position.sequence);
    }
    // Whatever continues a needed one is needed as a whole: logs are in the order in which they were begun.
    for log in logs {
        let Ok(timeline) = &log.timeline else { continue };
        if timeline.parent.as_ref().is_some_and(|parent| needed.contains_key(parent.timeline.as_str())) {
            needed.insert(&log.id, 0);
        }
    }
    let grace_ms = i64::try_from(LOG_GRACE.as_millis()).unwrap_or(i64::MAX);
    let (mut found, mut shortened) = (Vec::new(), Vec::new());
    for log in logs {
        let oldest = oldest.get(log.id.as_str());
        // Of one that is mentioned all but the segments stays.
        let from = needed.get(log.id.as_str()).copied().or(oldest.map(|_| u64::MAX));
        if let (Some(oldest), Some(from)) = (oldest, from)
            && *oldest < from
        {
            shortened.push((log.id.as_str(), from));
        }
        // A server may be at it: only what was not touched for long, as a whole.
        let is_old = |modified_ms: i64| now_ms.saturating_sub(modified_ms) > grace_ms;
        let is_quiet = log.objects.iter().all(|(_, modified_ms)| is_old(*modified_ms));
        for (object, modified_ms) in &log.objects {
            let superfluous = match (from, Segment::named(object, 0)) {
                (None, _) => is_quiet,
                (Some(from), Some(segment)) => segment.last <= from && is_old(*modified_ms),
                (Some(_), None) => false,
            };
            if superfluous {
                found.push(object.as_str());
            }
        }
    }
    (found, shortened)
}

/// The first of the timelines that one continues.
fn root_of<'a>(logs: &'a [StoredLog], id: &'a str) -> &'a str {
    let mut at = id;
    for _ in 0..logs.len() {
        let log = logs.iter().find(|log| log.id == at);
        let parent = log.and_then(|log| log.timeline.as_ref().ok()).and_then(|timeline| timeline.parent.as_ref());
        match parent {
            Some(parent) => at = &parent.timeline,
            None => break,
        }
    }
    at
}

const DAY_MS: i64 = 24 * 3600 * 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Fork, Timeline};

    const OLD: i64 = 0;
    const NOW: i64 = 100 * DAY_MS;

    fn log(id: &str, parent: Option<(&str, u64)>, segments: &[(u64, u64)]) -> StoredLog {
        let parent =
            parent.map(|(timeline, sequence)| Fork { timeline: timeline.to_owned(), sequence, store_had: sequence });
        let start = parent.as_ref().map_or(0, |parent| parent.sequence);
        let mut timeline = Timeline::begun(0, start, parent).unwrap();
        id.clone_into(&mut timeline.id);
        let sum = "0".repeat(64);
        let mut objects = vec![(format!("log/{id}/timeline.{sum}"), OLD)];
        let named = |(first, last): &(u64, u64)| format!("log/{id}/{first:016x}-{last:016x}-{:016x}.{sum}", 0);
        objects.extend(segments.iter().map(|segment| (named(segment), OLD)));
        let segments = objects.iter().filter_map(|(object, _)| Segment::named(object, 1)).collect();
        StoredLog { id: id.to_owned(), timeline: Ok(timeline), segments, end: None, seen: None, kept: None, objects }
    }

    fn base(timeline: &str, sequence: u64, day: i64) -> Manifest {
        let mut made = manifest::begun(format!("b{sequence}"), 0);
        made.log = Some(LogPosition { timeline: timeline.to_owned(), sequence, moment_ms: day * DAY_MS });
        made
    }

    fn removed(logs: &[StoredLog], kept: &[Manifest], days: usize) -> Vec<String> {
        let kept: Vec<&Manifest> = kept.iter().collect();
        let short = |object: &str| {
            let object = object.split('.').next().unwrap().trim_start_matches("log/").to_owned();
            match Segment::named(&format!("{object}.{}", "0".repeat(64)), 1) {
                Some(segment) => format!("{}/{}", object.split('/').next().unwrap(), segment.first),
                None => object,
            }
        };
        superfluous(logs, &kept, days, NOW).0.into_iter().map(short).collect()
    }

    #[test]
    fn a_log_is_kept_from_the_oldest_backup_in_it_on_and_with_what_continues_it() {
        let logs = [
            log("a", None, &[(1, 5), (6, 9), (10, 12)]),
            log("b", Some(("a", 12)), &[(13, 20), (21, 30)]),
            log("c", Some(("b", 30)), &[(31, 40)]),
            log("x", None, &[(1, 9)]),
        ];
        assert_eq!(removed(&logs, &[base("a", 6, 1), base("b", 25, 2)], 0), ["a/1", "x/timeline", "x/1"]);
        assert_eq!(
            removed(&logs, &[base("b", 25, 2)], 0),
            ["a/timeline", "a/1", "a/6", "a/10", "b/13", "x/timeline", "x/1"]
        );
        // After ten days only the newest backup that is as old has its log.
        let kept = [base("a", 6, 1), base("b", 25, 50), base("c", 35, 99)];
        assert_eq!(removed(&logs, &kept, 10), ["a/1", "a/6", "a/10", "b/13", "x/timeline", "x/1"]);
        let kept_refs: Vec<&Manifest> = kept.iter().collect();
        assert_eq!(superfluous(&logs, &kept_refs, 10, NOW).1, [("a", u64::MAX)]);
        assert!(superfluous(&logs, &kept_refs, 0, NOW).1.is_empty());
        assert_eq!(removed(&logs, &kept, 1000), ["a/1", "x/timeline", "x/1"]);
    }

    #[test]
    fn what_is_new_stays() {
        let mut logs = [log("a", None, &[(1, 5), (6, 9)]), log("x", None, &[(1, 9)])];
        for log in &mut logs {
            log.objects.last_mut().unwrap().1 = NOW;
        }
        assert_eq!(removed(&logs, &[base("a", 9, 1)], 0), ["a/1"]);
    }
}
