//! Parts of source files: what one thread takes at a time.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::journal::{Cover, uncovered};
use crate::limits::CHUNK_BYTES;
use crate::mapping::{Format, Input};
use crate::source::is_plain;

/// A part of a file: from the beginning of a record to the beginning of another one, or the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Position of the file in the list of the phase.
    pub(crate) file: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The parts that are still to be read.
pub(crate) struct Chunks(Mutex<VecDeque<Chunk>>);

impl Chunks {
    pub(crate) fn new(chunks: Vec<Chunk>) -> Self {
        Self(Mutex::new(chunks.into()))
    }

    pub(crate) fn next(&self) -> Option<Chunk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// Cuts what is not covered of a file. Lines of a text and of JSON are records, so these files are cut anywhere between
/// lines; a CSV record can hold line ends, so such a file is one part, and so is a file whose bytes are not its text.
pub(crate) fn cut(path: &Path, bytes: u64, input: &Input, file: usize, covers: &[Cover]) -> io::Result<Vec<Chunk>> {
    let lines_are_records = matches!(input.format, Format::Text | Format::Json) && is_plain(input);
    let mut chunks = Vec::new();
    for (start, end) in uncovered(covers, file, 0, bytes) {
        let mut at = start;
        while lines_are_records && end - at > CHUNK_BYTES + CHUNK_BYTES / 2 {
            let next = line_start(path, at + CHUNK_BYTES)?.min(end);
            chunks.push(Chunk { file, start: at, end: next });
            at = next;
        }
        if at < end {
            chunks.push(Chunk { file, start: at, end });
        }
    }
    Ok(chunks)
}

/// Where the first line begins that begins at byte `at` or later.
fn line_start(path: &Path, at: u64) -> io::Result<u64> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(at - 1))?;
    let mut reader = BufReader::new(file);
    Ok(at - 1 + reader.skip_until(b'\n')? as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_whole_and_nothing_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        let text: String = (0..3_000_000).map(|n| format!("{n}|{}\n", "x".repeat(n % 17))).collect();
        std::fs::write(&path, &text).unwrap();
        let bytes = text.len() as u64;
        let input = |format: &str| -> Input {
            serde_json::from_str(&format!(r#"{{"path": "a.txt", "format": "{format}"}}"#)).unwrap()
        };
        let chunks = cut(&path, bytes, &input("TEXT"), 3, &[]).unwrap();
        assert!(chunks.len() > 1);
        let mut at = 0;
        for chunk in &chunks {
            assert_eq!((chunk.file, chunk.start), (3, at));
            assert!(at == 0 || text.as_bytes()[usize::try_from(at).unwrap() - 1] == b'\n');
            at = chunk.end;
        }
        assert_eq!(at, bytes);
        assert_eq!(cut(&path, bytes, &input("CSV"), 0, &[]).unwrap(), [Chunk { file: 0, start: 0, end: bytes }]);
        let covers = [Cover { file: 0, start: 0, end: bytes }];
        assert_eq!(cut(&path, bytes, &input("TEXT"), 0, &covers).unwrap(), []);
    }
}
