//! The log of a store in a repository: timelines, and the segments they consist of.
//!
//! A timeline is what one process wrote of the log of one store without a hole. The next process that serves the store
//! begins a timeline of its own, which continues that of the one before where that ended, or, after a power failure,
//! earlier: numbers are used again then. A segment holds records of a timeline that follow each other.
//!
//! | object below `log/TIMELINE/` | content |
//! |---|---|
//! | `timeline.SHA256` | JSON: what it continues and where, when it began |
//! | `FIRST-LAST-UNTIL.SHA256` | a segment: numbers of its first and last write; until when it is complete |
//! | `end.SHA256` | JSON: why nothing follows |
//! | `seen` | JSON: up to which moment nothing followed; it is written again and again |
//! | `kept` | JSON: the write up to which segments may have been removed by a rule; written again likewise |

use serde::{Deserialize, Serialize};

use crate::BackupError;
use crate::crypt::{self, Codec};
use crate::limits::{LOG_COMPRESSION, LOG_SEGMENT_BYTES_MAX, SMALL_BYTES_MAX};
use crate::manifest::is_id;

/// The folder of logs.
pub(crate) const FOLDER: &str = "log";
/// The format of timelines and segments that this program writes, and the only one it reads.
const FORMAT: u32 = 1;
/// What a segment begins with.
const MAGIC: &[u8; 8] = b"rzlog\0\0\x01";
/// Bytes before the bytes of a record: number of the first write, of the last one, the moment, the length.
const RECORD_HEAD: usize = 8 + 8 + 8 + 4;
/// A record that does not say when it was written.
const NO_MOMENT: i64 = i64::MIN;

/// What a process writes of the log of a store without a hole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    format: u32,
    /// Its name: the moment it was begun, and eight hexadecimal digits.
    pub id: String,
    /// What it continues; `None`: nothing, so a backup has to be its start.
    pub parent: Option<Fork>,
    /// The number of the last write before it.
    pub start: u64,
    /// When it was begun, in milliseconds since 1970 UTC.
    pub started_ms: i64,
}

/// Where a timeline continues another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// The other.
    pub timeline: String,
    /// The number of the last write of the other that is archived and that the store still had: what follows is in this
    /// timeline.
    pub sequence: u64,
    /// The number of the last write that the store had when it went on. What the other timeline, or a backup in it, has
    /// above that was lost, as after a power failure.
    pub store_had: u64,
}

/// Why nothing follows in a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// The number of the last write in it.
    pub sequence: u64,
    /// When that was seen, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// Everything acknowledged before this moment is in it.
    pub until_ms: i64,
    /// For people.
    pub reason: String,
}

/// Up to which moment nothing was written after a number; or up to which number segments may be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seen {
    pub(crate) sequence: u64,
    pub(crate) at_ms: i64,
}

/// A segment, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The number of its first write.
    pub first: u64,
    /// That of its last one.
    pub last: u64,
    /// Everything acknowledged before this moment is in it or before it: milliseconds since 1970 UTC.
    pub until_ms: i64,
    /// Bytes it takes in the repository.
    pub bytes: u64,
    pub(crate) object: String,
}

/// A record of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of its first write.
    pub first: u64,
    /// That of its last one.
    pub last: u64,
    /// When it was handed over, in milliseconds since 1970 UTC; `None`: not later than the next one that says.
    pub moment_ms: Option<i64>,
    /// The record, as the engine reads it.
    pub bytes: Vec<u8>,
}

impl Timeline {
    /// One that begins now.
    ///
    /// # Errors
    /// [`BackupError::Key`] if the system gives no random numbers.
    pub fn begun(now_ms: i64, start: u64, parent: Option<Fork>) -> Result<Self, BackupError> {
        let id = crate::manifest::new_id(now_ms)?;
        Ok(Self { format: FORMAT, id, parent, start, started_ms: now_ms })
    }

    /// The name of its object, without the checksum.
    pub(crate) fn name(id: &str) -> String {
        format!("{FOLDER}/{id}/timeline")
    }

    pub(crate) fn parse(object: &str, json: &[u8]) -> Result<Self, BackupError> {
        let damaged = |reason: String| BackupError::damaged(object, reason);
        let read: Self = serde_json::from_slice(json).map_err(|error| damaged(error.to_string()))?;
        if read.format != FORMAT {
            return Err(BackupError::Format { found: read.format, supported: FORMAT });
        }
        if !is_id(&read.id) || !object.starts_with(&Self::name(&read.id)) {
            return Err(damaged(format!("it is that of timeline '{}'", read.id)));
        }
        if read.parent.as_ref().is_some_and(|parent| parent.sequence != read.start || parent.timeline == read.id) {
            return Err(damaged("it does not begin where its parent ends".to_owned()));
        }
        Ok(read)
    }
}

/// A small object in JSON, sealed: its name with the checksum, and its content.
pub(crate) fn encode_small(
    name: &str,
    value: &impl Serialize,
    codec: &Codec,
) -> Result<(String, Vec<u8>), BackupError> {
    let json = serde_json::to_vec(value).map_err(|error| BackupError::Storage {
        action: "writing",
        object: name.to_owned(),
        reason: error.to_string(),
    })?;
    let stored = codec.seal(name, json)?;
    Ok((format!("{name}.{}", crypt::hash(&stored)), stored))
}

/// The content of an object whose name ends with its checksum.
pub(crate) fn decode(object: &str, stored: Vec<u8>, codec: &Codec) -> Result<Vec<u8>, BackupError> {
    let (sealed_as, sum) =
        object.rsplit_once('.').ok_or_else(|| BackupError::damaged(object, "its name has no checksum"))?;
    if crypt::hash(&stored) != sum {
        return Err(BackupError::damaged(object, "its checksum does not match"));
    }
    codec.open(sealed_as, stored).map_err(|_| BackupError::damaged(object, "it was sealed with another key"))
}

impl Segment {
    /// Reads the name of an object; `None`: it is not that of a segment.
    pub(crate) fn named(object: &str, bytes: u64) -> Option<Self> {
        let (name, sum) = object.rsplit('/').next()?.split_once('.')?;
        let mut parts = name.split('-');
        let number = |part: Option<&str>| {
            let part = part.filter(|part| part.len() == 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            u64::from_str_radix(part, 16).ok()
        };
        let (first, last, until) = (number(parts.next())?, number(parts.next())?, number(parts.next())?);
        let until_ms = i64::try_from(until).ok()?;
        let is_segment = parts.next().is_none() && 0 < first && first <= last && sum.len() == 64;
        is_segment.then(|| Self { first, last, until_ms, bytes, object: object.to_owned() })
    }
}

/// A segment that is being made.
#[derive(Debug)]
pub struct NewSegment {
    content: Vec<u8>,
    numbers: Option<(u64, u64)>,
}

impl Default for NewSegment {
    fn default() -> Self {
        Self { content: MAGIC.to_vec(), numbers: None }
    }
}

impl NewSegment {
    /// Adds a record, which follows the one before.
    ///
    /// # Errors
    /// [`BackupError::LogRecord`] for one that does not, or that is too long.
    pub fn push(&mut self, first: u64, last: u64, moment_ms: Option<i64>, bytes: &[u8]) -> Result<(), BackupError> {
        let wrong = |reason: String| BackupError::LogRecord { first, reason };
        if self.numbers.is_some_and(|(_, before)| first != before.saturating_add(1)) || last < first || first == 0 {
            return Err(wrong("it does not follow the record before".to_owned()));
        }
        let room = LOG_SEGMENT_BYTES_MAX.saturating_sub(self.content.len() as u64 + RECORD_HEAD as u64);
        let length = u32::try_from(bytes.len()).ok().filter(|length| u64::from(*length) <= room);
        let Some(length) = length else {
            return Err(wrong(format!("it has {} bytes, more than the {room} left in its segment", bytes.len())));
        };
        self.content.extend_from_slice(&first.to_le_bytes());
        self.content.extend_from_slice(&last.to_le_bytes());
        self.content.extend_from_slice(&moment_ms.unwrap_or(NO_MOMENT).to_le_bytes());
        self.content.extend_from_slice(&length.to_le_bytes());
        self.content.extend_from_slice(bytes);
        self.numbers = Some((self.numbers.map_or(first, |(first, _)| first), last));
        Ok(())
    }

    /// The number of its last write; `None`: it is empty.
    #[must_use]
    pub fn last(&self) -> Option<u64> {
        self.numbers.map(|(_, last)| last)
    }

    /// Bytes of its records.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.content.len() as u64
    }

    /// Its segment and content; `None`: it is empty.
    pub(crate) fn encode(
        &self,
        timeline: &str,
        until_ms: i64,
        codec: &Codec,
    ) -> Result<Option<(Segment, Vec<u8>)>, BackupError> {
        let Some((first, last)) = self.numbers else { return Ok(None) };
        let name = format!("{FOLDER}/{timeline}/{first:016x}-{last:016x}-{:016x}", until_ms.max(0));
        let packed = zstd::bulk::compress(&self.content, LOG_COMPRESSION).map_err(|error| BackupError::Storage {
            action: "compressing",
            object: name.clone(),
            reason: error.to_string(),
        })?;
        let stored = codec.seal(&name, packed)?;
        let object = format!("{name}.{}", crypt::hash(&stored));
        let bytes = stored.len() as u64;
        Ok(Some((Segment { first, last, until_ms, bytes, object }, stored)))
    }
}

/// The records of a segment's content, whoever may have written it.
pub(crate) fn records(segment: &Segment, stored: Vec<u8>, codec: &Codec) -> Result<Vec<Record>, BackupError> {
    let packed = decode(&segment.object, stored, codec)?;
    let damaged = |reason: &str| BackupError::damaged(&segment.object, reason);
    let bytes_max = usize::try_from(LOG_SEGMENT_BYTES_MAX).unwrap_or(usize::MAX);
    let length = zstd::bulk::Decompressor::upper_bound(&packed).filter(|length| *length <= bytes_max);
    let length = length.ok_or_else(|| damaged("it says that it is longer than any segment"))?;
    let content = zstd::bulk::decompress(&packed, length).map_err(|error| damaged(&error.to_string()))?;
    parse(&content, segment).ok_or_else(|| damaged("its records are not those its name says"))
}

fn parse(content: &[u8], segment: &Segment) -> Option<Vec<Record>> {
    let mut rest = content.strip_prefix(MAGIC)?;
    let mut found: Vec<Record> = Vec::new();
    while !rest.is_empty() {
        let first = u64::from_le_bytes(take(&mut rest)?);
        let last = u64::from_le_bytes(take(&mut rest)?);
        let moment = i64::from_le_bytes(take(&mut rest)?);
        let length = u32::from_le_bytes(take(&mut rest)?);
        let (bytes, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        rest = after;
        let expected = match found.last() {
            None => segment.first,
            Some(before) => before.last.checked_add(1)?,
        };
        if first != expected || last < first {
            return None;
        }
        found.push(Record { first, last, moment_ms: (moment != NO_MOMENT).then_some(moment), bytes: bytes.to_vec() });
    }
    (found.last()?.last == segment.last).then_some(found)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*taken)
}

/// The bound of a small object.
pub(crate) const SMALL_MAX: u64 = SMALL_BYTES_MAX;

#[cfg(test)]
mod tests {
    use super::*;

    fn made(codec: &Codec) -> (Segment, Vec<u8>, Vec<Record>) {
        let mut new = NewSegment::default();
        assert!(new.encode("t", 5, codec).unwrap().is_none());
        let mut wanted = Vec::new();
        let mut first = 7;
        for (count, moment_ms) in [(1, Some(100)), (3, None), (2, Some(-5))] {
            let record = Record { first, last: first + count - 1, moment_ms, bytes: vec![count.to_le_bytes()[0]; 40] };
            new.push(record.first, record.last, moment_ms, &record.bytes).unwrap();
            first = record.last + 1;
            wanted.push(record);
        }
        assert!(matches!(new.push(14, 14, None, b""), Err(BackupError::LogRecord { first: 14, .. })));
        let (segment, stored) = new.encode("t", 5, codec).unwrap().unwrap();
        (segment, stored, wanted)
    }

    #[test]
    fn a_segment_says_what_it_is_and_holds_its_records() {
        for codec in [Codec::Plain, Codec::sealed(&[7; 32]).unwrap()] {
            let (segment, stored, wanted) = made(&codec);
            assert_eq!((segment.first, segment.last, segment.until_ms), (7, 12, 5));
            assert_eq!(Segment::named(&segment.object, segment.bytes), Some(segment.clone()));
            assert_eq!(records(&segment, stored, &codec).unwrap(), wanted);
        }
    }

    #[test]
    fn a_flipped_bit_or_another_name_is_noticed() {
        let codec = Codec::Plain;
        let (segment, stored, _) = made(&codec);
        for at in 0..stored.len() {
            let mut other = stored.clone();
            other[at] ^= 1;
            assert!(records(&segment, other, &codec).unwrap_err().is_damage());
        }
        let of_name = |name: &str| Segment { object: name.to_owned(), ..segment.clone() };
        assert!(records(&of_name("log/t/x"), stored.clone(), &codec).is_err());
        let longer = Segment { last: 13, ..segment };
        assert!(records(&longer, stored, &codec).unwrap_err().is_damage());
        for wrong in ["log/t/seen", "log/t/timeline.00", "log/t/1-2-3.00", "log/t/"] {
            assert_eq!(Segment::named(wrong, 1), None);
        }
    }

    #[test]
    fn a_timeline_is_read_as_it_was_written() {
        let parent = Fork { timeline: "before".to_owned(), sequence: 9, store_had: 9 };
        let made = Timeline::begun(1_700_000_000_000, 9, Some(parent)).unwrap();
        let (object, stored) = encode_small(&Timeline::name(&made.id), &made, &Codec::Plain).unwrap();
        let json = decode(&object, stored, &Codec::Plain).unwrap();
        assert_eq!(Timeline::parse(&object, &json).unwrap(), made);
        assert!(Timeline::parse("log/other/timeline.00", &json).unwrap_err().is_damage());
        let wrong = Timeline { start: 8, ..made };
        assert!(Timeline::parse(&object, &serde_json::to_vec(&wrong).unwrap()).unwrap_err().is_damage());
    }
}
