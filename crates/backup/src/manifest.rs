//! The manifest of a backup: which files it consists of, and of which chunks each of them.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::BackupError;
use crate::crypt::{self, Codec};
use crate::limits::{CHUNK_BYTES, MANIFEST_BYTES_MAX};

/// The format of manifests that this program writes, and the only one it reads.
const FORMAT: u32 = 1;

/// The folder of manifests.
pub(crate) const FOLDER: &str = "backups";

/// Characters of a file's name, at most.
const NAME_CHARS_MAX: usize = 200;

/// A backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    /// Its name: the moment it was begun, and eight hexadecimal digits.
    pub id: String,
    /// When it was begun, in milliseconds since 1970 UTC.
    pub created_ms: i64,
    /// The program that made it, with its version.
    pub program: String,
    /// The engine whose files these are.
    pub engine: String,
    /// The version of what is in the files (`docs/storage-format.md`).
    pub store_format: u32,
    /// The engine's number of a write that is in it, as all before are.
    pub sequence: u64,
    /// Names of the graphs.
    pub graphs: Vec<String>,
    /// Bytes that had not been in the repository before.
    pub new_bytes: u64,
    /// Where it is in the log, if that was archived; older programs wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogPosition>,
    /// The files, by name.
    pub files: Vec<FileEntry>,
}

/// Where a backup is in the log of its store: what the log says after it leads from the backup to any later moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogPosition {
    /// The timeline.
    pub timeline: String,
    /// The number of a write that is in the backup, as all before are; some after it may be in it.
    pub sequence: u64,
    /// A moment after everything that is in it, in milliseconds since 1970 UTC.
    pub moment_ms: i64,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its name; there are no folders.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// When it was last changed, in nanoseconds since 1970 UTC, as a text: a file of the same name, length and moment
    /// need not be read again.
    pub modified_ns: String,
    /// The names of its chunks, in order; each but the last is of [`CHUNK_BYTES`].
    pub chunks: Vec<String>,
}

impl FileEntry {
    /// How many bytes the chunk at a position has.
    pub(crate) fn chunk_bytes(&self, at: usize) -> u64 {
        self.bytes.saturating_sub(at as u64 * CHUNK_BYTES).min(CHUNK_BYTES)
    }
}

/// How many chunks a file of a length has.
pub(crate) fn chunks_of(bytes: u64) -> u64 {
    bytes.div_ceil(CHUNK_BYTES)
}

/// A manifest with nothing in it yet.
pub(crate) fn begun(id: String, created_ms: i64) -> Manifest {
    Manifest {
        format: FORMAT,
        id,
        created_ms,
        program: String::new(),
        engine: String::new(),
        store_format: 0,
        sequence: 0,
        graphs: Vec::new(),
        new_bytes: 0,
        log: None,
        files: Vec::new(),
    }
}

/// A moment as text (RFC 3339, UTC, with milliseconds).
#[must_use]
pub fn moment_text(moment_ms: i64) -> String {
    Timestamp::from_millisecond(moment_ms).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The name of a backup begun at a moment.
pub(crate) fn new_id(now_ms: i64) -> Result<String, BackupError> {
    let mut random = [0; 4];
    crypt::random(&mut random)?;
    let moment = Timestamp::from_millisecond(now_ms).unwrap_or_default();
    Ok(format!("{}-{}", moment.strftime("%Y%m%dT%H%M%S%3fZ"), crypt::hex(&random)))
}

impl Manifest {
    /// Bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).fold(0, u64::saturating_add)
    }

    /// When it was begun, as text (RFC 3339, UTC).
    #[must_use]
    pub fn created(&self) -> String {
        Timestamp::from_millisecond(self.created_ms).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// All chunks with their lengths; those of several files come several times.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (&str, u64)> {
        self.files
            .iter()
            .flat_map(|file| file.chunks.iter().enumerate().map(|(at, chunk)| (chunk.as_str(), file.chunk_bytes(at))))
    }

    /// Name and content of its object.
    pub(crate) fn encode(&self, codec: &Codec) -> Result<(String, Vec<u8>), BackupError> {
        let object = format!("{FOLDER}/{}", self.id);
        let json = serde_json::to_vec(self).map_err(|error| BackupError::Storage {
            action: "writing",
            object: object.clone(),
            reason: error.to_string(),
        })?;
        if json.len() as u64 > MANIFEST_BYTES_MAX {
            let reason = format!("the list of files has {} bytes, more than {MANIFEST_BYTES_MAX}", json.len());
            return Err(BackupError::Storage { action: "writing", object, reason });
        }
        let stored = codec.seal(&object, json)?;
        Ok((format!("{object}.{}", crypt::hash(&stored)), stored))
    }

    /// Reads what [`Self::encode`] made.
    pub(crate) fn decode(object: &str, stored: Vec<u8>, codec: &Codec) -> Result<Self, BackupError> {
        let damaged = |reason: String| BackupError::damaged(object, reason);
        let (sealed_as, sum) = object.rsplit_once('.').ok_or_else(|| damaged("its name has no checksum".to_owned()))?;
        if crypt::hash(&stored) != sum {
            return Err(damaged("its checksum does not match".to_owned()));
        }
        let json = codec.open(sealed_as, stored).map_err(|_| damaged("it was sealed with another key".to_owned()))?;
        let read = Self::parse(&json).map_err(|error| match error {
            BackupError::Damaged { reason, .. } => damaged(reason),
            other => other,
        })?;
        if Some(read.id.as_str()) != id_of(object) {
            return Err(damaged(format!("it is that of backup {}", read.id)));
        }
        Ok(read)
    }

    /// Reads the JSON of a manifest, whoever may have written it: no name in it leads out of a folder, and lengths and
    /// numbers of chunks agree.
    ///
    /// # Errors
    /// [`BackupError::Damaged`], [`BackupError::Format`].
    pub fn parse(json: &[u8]) -> Result<Self, BackupError> {
        #[derive(Deserialize)]
        struct Any {
            format: u32,
        }
        let damaged = |reason: String| BackupError::damaged("a manifest", reason);
        let Any { format } = serde_json::from_slice(json).map_err(|error| damaged(error.to_string()))?;
        if format != FORMAT {
            return Err(BackupError::Format { found: format, supported: FORMAT });
        }
        let read: Self = serde_json::from_slice(json).map_err(|error| damaged(error.to_string()))?;
        if !is_id(&read.id) {
            return Err(damaged(format!("'{}' is no name of a backup", read.id)));
        }
        let mut names = BTreeSet::new();
        for file in &read.files {
            if !is_file_name(&file.name) {
                return Err(damaged(format!("'{}' is no name of a file", file.name)));
            }
            if !names.insert(&file.name) {
                return Err(damaged(format!("file {} is there twice", file.name)));
            }
            if chunks_of(file.bytes) != file.chunks.len() as u64 {
                let reason = format!("{} of {} bytes has {} chunks", file.name, file.bytes, file.chunks.len());
                return Err(damaged(reason));
            }
            if let Some(chunk) = file.chunks.iter().find(|chunk| !is_chunk_name(chunk)) {
                return Err(damaged(format!("'{chunk}' is no name of a chunk")));
            }
        }
        if read.log.as_ref().is_some_and(|position| !is_id(&position.timeline)) {
            return Err(damaged("it names a log that cannot be".to_owned()));
        }
        if read.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.bytes)).is_none() {
            return Err(damaged("its files have more bytes than can be".to_owned()));
        }
        Ok(read)
    }
}

/// The backup that an object is the manifest of, by its name.
pub(crate) fn id_of(object: &str) -> Option<&str> {
    let (id, sum) = object.strip_prefix(FOLDER)?.strip_prefix('/')?.split_once('.')?;
    (is_id(id) && is_chunk_name(sum)).then_some(id)
}

/// Whether a text can be the name of a backup.
pub(crate) fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_chunk_name(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a text is a plain name of a file that a restore may write.
pub(crate) fn is_file_name(text: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&text.len())
        && !text.starts_with('.')
        && text != kv::UNFINISHED_FILE
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Manifest {
        let chunk = |byte: u8| crypt::hash(&[byte]);
        let mut sample = begun(new_id(1_764_061_200_000).unwrap(), 1_764_061_200_000);
        sample.engine = "rocksdb".to_owned();
        sample.graphs = vec!["hugegraph".to_owned()];
        sample.files = vec![
            FileEntry {
                name: "000008.sst".to_owned(),
                bytes: CHUNK_BYTES + 1,
                modified_ns: "1764061200000000001".to_owned(),
                chunks: vec![chunk(1), chunk(2)],
            },
            FileEntry { name: "CURRENT".to_owned(), bytes: 0, modified_ns: "0".to_owned(), chunks: Vec::new() },
        ];
        sample
    }

    #[test]
    fn what_is_written_is_read_and_any_change_is_noticed() {
        let sealed = Codec::sealed(&[7; 32]).unwrap();
        for codec in [&Codec::Plain, &sealed] {
            let (object, stored) = sample().encode(codec).unwrap();
            let read = Manifest::decode(&object, stored.clone(), codec).unwrap();
            assert!(read.id.starts_with("20251125T090000000Z-"), "{}", read.id);
            assert_eq!(id_of(&object), Some(read.id.as_str()));
            assert_eq!(read.bytes(), CHUNK_BYTES + 1);
            assert_eq!(read.chunks().map(|(_, bytes)| bytes).collect::<Vec<_>>(), [CHUNK_BYTES, 1]);
            for at in 0..stored.len() {
                let mut changed = stored.clone();
                changed[at] ^= 4;
                assert!(Manifest::decode(&object, changed, codec).unwrap_err().is_damage(), "byte {at}");
            }
        }
        let (object, stored) = sample().encode(&sealed).unwrap();
        assert!(Manifest::decode(&object, stored, &Codec::sealed(&[8; 32]).unwrap()).unwrap_err().is_damage());
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in ["", "..", "../x", "a/b", "/etc/passwd", "a\\b", ".hidden", "rhizome.unfinished", "a b", "a\0"] {
            let mut bad = sample();
            bad.files[1].name = name.to_owned();
            assert!(Manifest::parse(&serde_json::to_vec(&bad).unwrap()).unwrap_err().is_damage(), "{name:?}");
        }
        let changes: [fn(&mut Manifest); 5] = [
            |it| it.files[1].name = "000008.sst".to_owned(),
            |it| it.files[1].bytes = 1,
            |it| it.files[0].chunks[0] = "../../x".to_owned(),
            |it| it.id = "../x".to_owned(),
            |it| it.files[0].bytes = u64::MAX,
        ];
        for change in changes {
            let mut bad = sample();
            change(&mut bad);
            assert!(Manifest::parse(&serde_json::to_vec(&bad).unwrap()).unwrap_err().is_damage(), "{bad:?}");
        }
        let newer = serde_json::to_string(&sample()).unwrap().replacen("\"format\":1", "\"format\":2,\"new\":0", 1);
        assert!(matches!(Manifest::parse(newer.as_bytes()), Err(BackupError::Format { found: 2, .. })));
    }
}
