//! The log of stores in a repository: writing it, what there is, and what a restore to a moment takes of it.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::BackupError;
use crate::limits::LOG_SEGMENT_STORED_MAX;
use crate::log::{
    self, End, FOLDER, Fork, NewSegment, Record, SMALL_MAX, Seen, Segment, Timeline, decode, encode_small,
};
use crate::manifest::{LogPosition, Manifest, is_id, moment_text};
use crate::repository::Repository;
use crate::work::parallel;

/// A timeline and what is stored of it.
#[derive(Clone, Debug)]
pub struct StoredLog {
    /// Its name.
    pub id: String,
    /// What it says of itself, or why that cannot be read.
    pub timeline: Result<Timeline, BackupError>,
    /// Its segments, by their first write.
    pub segments: Vec<Segment>,
    /// Why nothing follows, where that is known.
    pub end: Option<End>,
    pub(crate) seen: Option<Seen>,
    /// Segments up to this write may have been removed, though backups before it are kept.
    pub(crate) kept: Option<u64>,
    /// Its objects, with their age by the clock of the place.
    pub(crate) objects: Vec<(String, i64)>,
}

/// To what a store is restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To the last write in the log.
    Newest,
    /// To what was acknowledged before a moment, and nothing that was begun after: milliseconds since 1970 UTC.
    Moment(i64),
}

/// What a restore takes: a backup, and the log after it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The backup.
    pub base: Manifest,
    /// Segments in order; of each only what is not above a number.
    pub steps: Vec<Step>,
    /// Until when.
    pub until: Until,
    /// The moment up to which the log is complete.
    pub covered_ms: i64,
}

/// A segment, or the beginning of one.
#[derive(Clone, Debug)]
pub struct Step {
    /// The segment.
    pub segment: Segment,
    /// The number of the last write that is taken.
    pub up_to: u64,
    /// Of the first one of a timeline that continues another: the number of the last write they share. Nothing after
    /// it may be there yet.
    pub fork: Option<u64>,
}

impl StoredLog {
    /// The segments that follow each other after a write, none twice, and the last write in them.
    pub(crate) fn after(&self, sequence: u64) -> (Vec<&Segment>, u64) {
        let (mut found, mut at) = (Vec::new(), sequence);
        for segment in &self.segments {
            if segment.first > at.saturating_add(1) {
                break;
            }
            if segment.last > at {
                // One that was written again, longer, makes this one superfluous.
                if found.last().is_some_and(|before: &&Segment| before.first == segment.first) {
                    found.pop();
                }
                found.push(segment);
                at = segment.last;
            }
        }
        (found, at)
    }

    /// The first write after a gap behind a number.
    pub(crate) fn gap_after(&self, sequence: u64) -> Option<u64> {
        self.segments.iter().map(|segment| segment.first).find(|first| *first > sequence.saturating_add(1))
    }

    /// The number of the last write in it without a hole.
    #[must_use]
    pub fn reached(&self) -> u64 {
        self.timeline.as_ref().map_or(0, |timeline| self.after(timeline.start).1)
    }

    /// The moment up to which it is complete; `None`: nothing was written yet.
    #[must_use]
    pub fn until_ms(&self) -> Option<i64> {
        let start = self.timeline.as_ref().map_or(0, |timeline| timeline.start);
        let (segments, reached) = self.after(start);
        let seen = self.seen.filter(|seen| seen.sequence <= reached).map(|seen| seen.at_ms);
        let end = self.end.as_ref().filter(|end| end.sequence <= reached).map(|end| end.until_ms);
        seen.max(end).max(segments.last().map(|segment| segment.until_ms))
    }

    /// Bytes of its segments.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }
}

impl Repository {
    /// Begins a timeline.
    ///
    /// # Errors
    /// [`BackupError::Storage`].
    pub fn begin_timeline(&self, timeline: &Timeline) -> Result<(), BackupError> {
        let (object, stored) = encode_small(&Timeline::name(&timeline.id), timeline, &self.codec)?;
        self.target.put(&object, stored)
    }

    /// Adds a segment, if it holds anything. `until_ms`: everything acknowledged before this moment is in it or before
    /// it.
    ///
    /// # Errors
    /// [`BackupError::Storage`]; then the same records may be sent again, with others after them.
    pub fn add_segment(&self, timeline: &str, new: &NewSegment, until_ms: i64) -> Result<u64, BackupError> {
        let Some((segment, stored)) = new.encode(timeline, until_ms, &self.codec)? else { return Ok(0) };
        self.target.put(&segment.object, stored)?;
        Ok(segment.bytes)
    }

    /// Says that nothing follows in a timeline, and why.
    ///
    /// # Errors
    /// [`BackupError::Storage`].
    pub fn end_timeline(&self, timeline: &str, end: &End) -> Result<(), BackupError> {
        let (object, stored) = encode_small(&format!("{FOLDER}/{timeline}/end"), end, &self.codec)?;
        self.target.put(&object, stored)
    }

    /// Says that nothing was written after a number until a moment.
    ///
    /// # Errors
    /// [`BackupError::Storage`].
    pub fn log_is_idle(&self, timeline: &str, sequence: u64, at_ms: i64) -> Result<(), BackupError> {
        self.put_seen(&format!("{FOLDER}/{timeline}/seen"), Seen { sequence, at_ms })
    }

    /// All timelines, oldest first.
    ///
    /// # Errors
    /// [`BackupError::Storage`].
    pub fn logs(&self) -> Result<Vec<StoredLog>, BackupError> {
        let mut all: BTreeMap<String, StoredLog> = BTreeMap::new();
        for object in self.target.list(FOLDER)? {
            let Some(id) = object.name.split('/').nth(1).filter(|id| is_id(id)).map(str::to_owned) else { continue };
            let log = all.entry(id.clone()).or_insert_with(|| StoredLog {
                timeline: Err(BackupError::Missing { object: Timeline::name(&id) }),
                id,
                segments: Vec::new(),
                end: None,
                seen: None,
                kept: None,
                objects: Vec::new(),
            });
            let kind = object.name.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
            match kind {
                "timeline" => {
                    log.timeline = self.small(&object.name).and_then(|json| Timeline::parse(&object.name, &json));
                }
                "end" => log.end = self.small(&object.name).ok().and_then(|json| serde_json::from_slice(&json).ok()),
                "seen" => log.seen = self.seen(&object.name),
                "kept" => log.kept = self.seen(&object.name).map(|kept| kept.sequence),
                _ => log.segments.extend(Segment::named(&object.name, object.bytes)),
            }
            log.objects.push((object.name, object.modified_ms));
        }
        let mut all: Vec<StoredLog> = all.into_values().collect();
        for log in &mut all {
            log.segments.sort_by_key(|segment| (segment.first, segment.last));
        }
        Ok(all)
    }

    /// A small object that is written again and again.
    fn seen(&self, object: &str) -> Option<Seen> {
        let json = self.target.get(object, SMALL_MAX).and_then(|stored| self.codec.open(object, stored));
        json.ok().and_then(|json| serde_json::from_slice(&json).ok())
    }

    fn put_seen(&self, name: &str, seen: Seen) -> Result<(), BackupError> {
        let (_, stored) = encode_small(name, &seen, &self.codec)?;
        self.target.put(name, stored)
    }

    /// Says that segments of a timeline up to a write may be removed, though backups before it are kept.
    pub(crate) fn keep_log_from(&self, timeline: &str, sequence: u64, at_ms: i64) -> Result<(), BackupError> {
        self.put_seen(&format!("{FOLDER}/{timeline}/kept"), Seen { sequence, at_ms })
    }

    fn small(&self, object: &str) -> Result<Vec<u8>, BackupError> {
        decode(object, self.target.get(object, SMALL_MAX)?, &self.codec)
    }

    /// The records of segments, in the same order; several are read at once.
    ///
    /// # Errors
    /// [`BackupError::Missing`], [`BackupError::Damaged`], [`BackupError::Storage`].
    pub fn read_segments(&self, segments: &[&Segment]) -> Result<Vec<Vec<Record>>, BackupError> {
        let read = Mutex::new(vec![Vec::new(); segments.len()]);
        let numbered: Vec<(usize, &&Segment)> = segments.iter().enumerate().collect();
        parallel(&numbered, self.niceness, |(at, segment)| {
            let stored = self.target.get(&segment.object, LOG_SEGMENT_STORED_MAX)?;
            let records = log::records(segment, stored, &self.codec)?;
            if let Some(place) = read.lock().get_mut(*at) {
                *place = records;
            }
            Ok(())
        })?;
        Ok(read.into_inner())
    }

    /// What a restore takes. `base`: the backup to begin with, instead of the newest one that is old enough.
    ///
    /// # Errors
    /// [`BackupError::NoBackup`]; [`BackupError::NoLog`] where the log does not reach from a backup to the moment;
    /// [`BackupError::Damaged`], [`BackupError::Storage`].
    pub fn plan(&self, until: Until, base: Option<&str>) -> Result<Plan, BackupError> {
        let bases = self.bases(until, base)?;
        let logs = self.logs()?;
        let mut lost = String::new();
        for (base, position) in bases {
            let id = base.id.clone();
            if let Some(plan) = follow(&logs, base, &position, until)? {
                return Ok(plan);
            }
            lost = id;
        }
        Err(no_log(format!("backup {lost} holds writes that its store had lost when it went on; use an older one")))
    }

    /// The backups to begin with, the best first, and where they are in the log.
    fn bases(&self, until: Until, wanted: Option<&str>) -> Result<Vec<(Manifest, LogPosition)>, BackupError> {
        let is_old_enough = |position: &LogPosition| match until {
            Until::Newest => true,
            Until::Moment(moment) => position.moment_ms <= moment,
        };
        if let Some(wanted) = wanted {
            let base = self.find(wanted)?;
            let Some(position) = base.log.clone() else {
                let reason =
                    format!("backup {} was made while the log was not archived, so nothing follows it", base.id);
                return Err(no_log(reason));
            };
            if !is_old_enough(&position) {
                let made = moment_text(position.moment_ms);
                return Err(no_log(format!("backup {} is of {made}, which is later", base.id)));
            }
            return Ok(vec![(base, position)]);
        }
        let mut found: Vec<(Manifest, LogPosition)> = self
            .list()?
            .into_iter()
            .filter_map(|listed| listed.manifest.ok())
            .filter_map(|manifest| manifest.log.clone().map(|position| (manifest, position)))
            .collect();
        found.sort_by_key(|(_, position)| std::cmp::Reverse(position.moment_ms));
        let Some((_, oldest)) = found.last() else {
            let reason = "no backup was made while the log was archived (setting backup.archive_interval_ms)";
            return Err(no_log(reason.to_owned()));
        };
        let oldest = moment_text(oldest.moment_ms);
        found.retain(|(_, position)| is_old_enough(position));
        if found.is_empty() {
            return Err(no_log(format!("the first backup with a log is of {oldest}; name that moment or a later one")));
        }
        Ok(found)
    }
}

fn no_log(reason: String) -> BackupError {
    BackupError::NoLog { reason }
}

/// What leads from a backup to a moment; `None`: the backup holds writes that the store has lost since.
fn follow(
    logs: &[StoredLog],
    base: Manifest,
    position: &LogPosition,
    until: Until,
) -> Result<Option<Plan>, BackupError> {
    let mut steps = Vec::new();
    let (mut id, mut at, mut fork) = (position.timeline.as_str(), position.sequence, None);
    let mut covered_ms = position.moment_ms;
    for _ in 0..=logs.len() {
        let Some(log) = logs.iter().find(|log| log.id == id) else {
            return Err(no_log(format!("there is nothing of log {id} that backup {} needs", base.id)));
        };
        let (segments, reached) = log.after(at);
        let next = next_of(logs, &log.id, reached, until)?;
        let limit = next.map_or(u64::MAX, |(_, fork)| fork.store_had);
        if fork.is_none() && at > limit {
            return Ok(None);
        }
        for segment in segments.into_iter().filter(|segment| segment.first <= limit) {
            covered_ms = covered_ms.max(segment.until_ms);
            steps.push(Step { segment: segment.clone(), up_to: limit, fork: fork.take() });
        }
        // Nothing is missing between it and what continues it.
        if next.is_some_and(|(_, fork)| reached >= fork.sequence) {
            covered_ms = covered_ms.max(log.until_ms().unwrap_or(i64::MIN));
        }
        let is_past = matches!(until, Until::Moment(moment) if moment <= covered_ms);
        let gap = log.gap_after(reached).filter(|first| *first <= limit && !is_past);
        if let Some(first) = gap {
            let removed = log.kept.is_some_and(|kept| kept > reached);
            return Err(no_log(format!(
                "writes {} to {} {} log {id}",
                reached.saturating_add(1),
                first - 1,
                if removed { "were removed (backup prune --log-days) from" } else { "are missing from" }
            )));
        }
        let Some((next, Fork { sequence: start, store_had, .. })) = next else {
            covered_ms = covered_ms.max(log.until_ms().unwrap_or(i64::MIN));
            return match until {
                Until::Moment(moment) if moment > covered_ms => Err(no_log(format!(
                    "it is complete until {} only{}; name a moment before, or a newer backup",
                    moment_text(covered_ms),
                    log.end.as_ref().map_or(String::new(), |end| format!(" ({})", end.reason))
                ))),
                _ => Ok(Some(Plan { base, steps, until, covered_ms })),
            };
        };
        if reached < *start && !is_past {
            return Err(no_log(format!(
                "log {id} ends at write {reached}, but {} continues it from {start}: what is between is missing",
                next.id
            )));
        }
        (id, at, fork) = (next.id.as_str(), reached.max(*start).min(*store_had), Some(*store_had));
    }
    Err(no_log("its timelines continue each other in a circle".to_owned()))
}

/// The timeline that continues one, and where. One that lacks what the other has up to `reached` is another history: it
/// counts from the moment at which it was begun. Else it may begin with what the process before had no time to archive.
fn next_of<'a>(
    logs: &'a [StoredLog],
    id: &'a str,
    reached: u64,
    until: Until,
) -> Result<Option<(&'a StoredLog, &'a Fork)>, BackupError> {
    let is_begun = |(log, fork): &(&StoredLog, &Fork)| match until {
        Until::Newest => true,
        Until::Moment(moment) => {
            fork.store_had >= reached || log.timeline.as_ref().is_ok_and(|timeline| timeline.started_ms <= moment)
        }
    };
    let mut found: Vec<(&StoredLog, &Fork)> = children(logs, id).filter(is_begun).collect();
    if found.len() > 1 {
        // A process that ended before it wrote anything has left one of no use.
        found.retain(|(log, _)| is_used(logs, log));
    }
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        [(one, _), (other, _), ..] => Err(BackupError::NoLog {
            reason: format!(
                "logs {} and {} both continue {id}, as after a copy of a data folder; restore a backup that is newer \
                 than the copy",
                one.id, other.id
            ),
        }),
    }
}

/// The timelines that continue one, and where.
fn children<'a>(logs: &'a [StoredLog], id: &'a str) -> impl Iterator<Item = (&'a StoredLog, &'a Fork)> {
    logs.iter().filter_map(move |log| {
        let parent = log.timeline.as_ref().ok()?.parent.as_ref().filter(|parent| parent.timeline == id)?;
        Some((log, parent))
    })
}

/// Whether anything was written in a timeline, or in what continues it: those are younger, and come later in the list.
fn is_used(logs: &[StoredLog], log: &StoredLog) -> bool {
    let mut family = vec![log.id.as_str()];
    let mut used = !log.segments.is_empty();
    for other in logs.iter().filter(|other| other.id > log.id) {
        let parent = other.timeline.as_ref().ok().and_then(|timeline| timeline.parent.as_ref());
        if parent.is_some_and(|parent| family.contains(&parent.timeline.as_str())) {
            family.push(&other.id);
            used |= !other.segments.is_empty();
        }
    }
    used
}
