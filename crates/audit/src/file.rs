//! The file: lines are added to it, and it is put aside when it is large.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::event::{Event, Outcome};
use crate::limits;

/// What the first line follows.
pub(crate) const NOTHING_BEFORE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// How far an event has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// It is about to happen.
    Begun,
    /// It has happened.
    Done,
}

/// A line to be written.
pub(crate) struct Record {
    pub(crate) time: String,
    /// None where only the end is recorded.
    pub(crate) stage: Option<Stage>,
    pub(crate) event: Box<Event>,
    pub(crate) outcome: Option<Outcome>,
}

#[derive(Serialize)]
struct Line<'l> {
    time: &'l str,
    seq: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<Stage>,
    #[serde(flatten)]
    event: &'l Event,
    #[serde(flatten)]
    outcome: &'l Option<Outcome>,
    /// Events before this one that there was no room for.
    #[serde(skip_serializing_if = "is_zero")]
    lost: u64,
    /// The hash of the line before.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<&'l str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What a line says of its place among the others.
#[derive(Deserialize)]
pub(crate) struct Place {
    pub(crate) seq: u64,
    #[serde(default)]
    pub(crate) previous: Option<String>,
}

/// The hash of a line, without its end.
pub(crate) fn hash_of(line: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(line))
}

/// The file next to a file of records that says how far that goes, so that lines cut off from its end are missed.
pub(crate) fn head_of(path: &Path) -> PathBuf {
    with_suffix(path, "head")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// How the file is kept.
#[derive(Clone, Debug)]
pub(crate) struct Keeping {
    pub(crate) path: PathBuf,
    /// Bytes from which on it is put aside.
    pub(crate) bytes_max: u64,
    /// Files that are kept, with the one that is written.
    pub(crate) files_max: usize,
    pub(crate) is_chained: bool,
}

/// The file with its place in the sequence.
pub(crate) struct AuditFile {
    keeping: Keeping,
    file: File,
    bytes: u64,
    seq: u64,
    previous: String,
    head: Option<File>,
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// The last line of a file.
#[derive(Default)]
struct Last {
    /// Its hash; `None` where there is no line.
    hash: Option<String>,
    /// Its number, or what it must have been where it cannot be read.
    seq: u64,
    /// Whether it has a hash of the line before it.
    is_chained: bool,
    /// Whether it has no end.
    is_open: bool,
}

fn last_line(file: &mut File) -> io::Result<Last> {
    let length = file.metadata()?.len();
    let from = length.saturating_sub(limits::LINE_BYTES_MAX as u64);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(limits::LINE_BYTES_MAX as u64).read_to_end(&mut tail)?;
    if tail.is_empty() {
        return Ok(Last::default());
    }
    let is_open = !tail.ends_with(b"\n");
    let whole = tail.strip_suffix(b"\n").unwrap_or(&tail);
    let mut last = Last { is_open, ..Last::default() };
    for (unread, line) in (0..).zip(whole.rsplit(|byte| *byte == b'\n')) {
        last.hash.get_or_insert_with(|| hash_of(line));
        if let Ok(place) = serde_json::from_slice::<Place>(line) {
            (last.seq, last.is_chained) = (place.seq + unread, place.previous.is_some());
            break;
        }
    }
    Ok(last)
}

impl AuditFile {
    /// Opens the file, or makes it. What is written goes on where the last line, of it or of the one put aside before
    /// it, has ended.
    pub(crate) fn open(keeping: Keeping) -> io::Result<Self> {
        let mut file = open(&keeping.path)?;
        let mut bytes = file.metadata()?.len();
        let last = match File::open(with_suffix(&keeping.path, "1")) {
            _ if bytes > 0 => last_line(&mut file)?,
            Ok(mut before) => Last { is_open: false, ..last_line(&mut before)? },
            Err(_) => Last::default(),
        };
        if last.is_open {
            // The machine went down while it was written. It stays, and a check tells of it.
            file.write_all(b"\n")?;
            bytes += 1;
        }
        let has_other_lines = bytes > 0 && !last.is_chained;
        let previous = last.hash.unwrap_or_else(|| NOTHING_BEFORE.to_owned());
        let mut opened = Self { file, bytes, seq: last.seq, previous, head: None, keeping };
        if opened.keeping.is_chained && has_other_lines {
            // Lines without a chain would be taken for changed ones.
            opened.rotate()?;
        }
        if opened.keeping.is_chained {
            let head = head_of(&opened.keeping.path);
            let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(head)?;
            opened.head = Some(file);
        }
        Ok(opened)
    }

    /// Adds lines, all or none. `lost`: events before them that there was no room for.
    pub(crate) fn append(&mut self, records: &[Record], lost: u64) -> io::Result<()> {
        let (mut seq, mut previous, mut lost) = (self.seq, self.previous.clone(), lost);
        let mut out = Vec::with_capacity(records.len() * 384);
        for record in records {
            seq += 1;
            let line = Line {
                time: &record.time,
                seq,
                stage: record.stage,
                event: &record.event,
                outcome: &record.outcome,
                lost: std::mem::take(&mut lost),
                previous: self.keeping.is_chained.then_some(&*previous),
            };
            let start = out.len();
            serde_json::to_writer(&mut out, &line)?;
            if self.keeping.is_chained {
                previous = hash_of(out.get(start..).unwrap_or_default());
            }
            out.push(b'\n');
        }
        if self.bytes > 0 && self.bytes + out.len() as u64 > self.keeping.bytes_max {
            self.rotate()?;
        }
        if let Err(error) = self.file.write_all(&out) {
            // A part of it may be there. Where that cannot be taken back, the next line begins after it.
            drop(self.file.set_len(self.bytes));
            return Err(error);
        }
        self.bytes += out.len() as u64;
        (self.seq, self.previous) = (seq, previous);
        if let Some(head) = &self.head {
            // Always as long, so that it is replaced as a whole.
            head.write_all_at(format!("{:020} {}\n", self.seq, self.previous).as_bytes(), 0)?;
        }
        Ok(())
    }

    /// Puts the file aside as `FILE.1`, those before it as `FILE.2` and so on, and begins a new one.
    fn rotate(&mut self) -> io::Result<()> {
        let path = &self.keeping.path;
        let numbered = |number: usize| with_suffix(path, &number.to_string());
        let aside = self.keeping.files_max.saturating_sub(1);
        if aside == 0 {
            std::fs::remove_file(path)?;
        } else {
            for number in (1..aside).rev() {
                match std::fs::rename(numbered(number), numbered(number + 1)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            std::fs::rename(path, numbered(1))?;
        }
        self.file = open(path)?;
        self.bytes = 0;
        Ok(())
    }
}
