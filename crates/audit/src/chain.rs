//! The check of files of records: whether a line was changed, taken out, put elsewhere or cut off.
//!
//! Each line has a number and the SHA-256 of the line before it, and the file `FILE.head` the number and hash of the
//! last one. Who can write the files can also make a whole new chain: for more than mistakes and hasty hands, send the
//! lines elsewhere, or keep the last hash that a check has shown.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::file::{NOTHING_BEFORE, Place, hash_of, head_of};
use crate::limits;

/// What a check has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines that were read.
    pub lines: u64,
    /// The number of the last one.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// The first thing that is wrong, if anything is.
    pub problem: Option<Problem>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {what}", file.display())]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line in it, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub what: String,
}

/// A line that was read.
struct Seen {
    file: PathBuf,
    line: u64,
    seq: u64,
    hash: String,
}

/// Checks files, which may be given in any order.
///
/// # Errors
/// A file that cannot be read.
pub fn verify(files: &[PathBuf]) -> io::Result<Report> {
    let mut ordered = files.iter().map(|file| Ok((first_seq(file)?, file))).collect::<io::Result<Vec<_>>>()?;
    ordered.sort_by_key(|(seq, _)| *seq);
    let mut check = Check::default();
    for (at, (_, file)) in ordered.iter().enumerate() {
        let is_last = at + 1 == ordered.len();
        check.read(file, if is_last { head(file)? } else { None })?;
        if check.report.problem.is_some() {
            break;
        }
    }
    Ok(check.report)
}

/// The number of a file's first line; one that cannot be read comes last.
fn first_seq(file: &Path) -> io::Result<u64> {
    let mut line = Vec::new();
    BufReader::new(File::open(file)?).take(limits::LINE_BYTES_MAX as u64).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice::<Place>(&line).map_or(u64::MAX, |place| place.seq))
}

/// The number and hash of the last line, as they were noted next to the file.
fn head(file: &Path) -> io::Result<Option<(u64, String)>> {
    let text = match std::fs::read_to_string(head_of(file)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let parts = text.trim_end().split_once(' ');
    Ok(parts.and_then(|(seq, hash)| Some((seq.parse().ok()?, hash.to_owned()))))
}

#[derive(Default)]
struct Check {
    report: Report,
    before: Option<Seen>,
}

impl Check {
    fn found(&mut self, file: &Path, line: u64, what: impl Into<String>) {
        self.report.problem = Some(Problem { file: file.to_owned(), line, what: what.into() });
    }

    fn read(&mut self, file: &Path, head: Option<(u64, String)>) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(file)?);
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            let max = limits::LINE_BYTES_MAX as u64 + 1;
            if reader.by_ref().take(max).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            number += 1;
            self.line(file, number, &line);
            if self.report.problem.is_some() {
                return Ok(());
            }
            if let (Some((seq, hash)), Some(seen)) = (&head, &self.before)
                && *seq == seen.seq
                && *hash != seen.hash
            {
                self.found(file, number, "the line was changed: it is not the one that was noted as the last");
                return Ok(());
            }
        }
        if let Some((seq, _)) = head.filter(|(seq, _)| *seq > self.report.seq) {
            let missing = seq - self.report.seq;
            let what = format!("the file was cut off before this line: {missing} more were written, up to seq {seq}");
            self.found(file, number + 1, what);
        }
        Ok(())
    }

    fn line(&mut self, file: &Path, number: u64, line: &[u8]) {
        let Some(line) = line.strip_suffix(b"\n") else {
            return self.found(file, number, "the line was cut off: it has no end");
        };
        let Ok(Place { seq, previous }) = serde_json::from_slice(line) else {
            return self.found(file, number, "the line is no record: it was changed or cut off");
        };
        let Some(previous) = previous else {
            return self.found(file, number, "the line has no hash of the one before it (written without audit.chain)");
        };
        if let Some(before) = &self.before {
            let (expected, is_next) = (before.seq + 1, previous == before.hash);
            if seq > expected {
                let missing = seq - expected;
                let what = format!("before this line {missing} were removed: seq {expected} is expected, it has {seq}");
                return self.found(file, number, what);
            }
            if seq < expected {
                let what = format!("the line stands in a wrong place: seq {expected} is expected, it has {seq}");
                return self.found(file, number, what);
            }
            if !is_next {
                // This line says what the one before it was.
                let (file, line) = (before.file.clone(), before.line);
                return self.found(&file, line, "the line was changed: the next one has the hash of another");
            }
        } else if seq == 1 && previous != NOTHING_BEFORE {
            return self.found(file, number, "the line was changed: the first of all has nothing before it");
        }
        let hash = hash_of(line);
        self.report.lines += 1;
        (self.report.seq, self.report.hash) = (seq, hash.clone());
        self.before = Some(Seen { file: file.to_owned(), line: number, seq, hash });
    }
}
