//! Reading a part of a source file, line by line where lines are records, else as an online load reads it.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use regex::Regex;

use super::chunks::Chunk;
use super::worker::{Failure, LineNumber, Row, Worker, lines_before};
use crate::error::LoadError;
use crate::limits::{BLOCK_BYTES, RECORD_BYTES_MAX};
use crate::mapping::{Format, Input, SkippedLine};
use crate::reader::{BadRow, Names, RecordReader, delimiter_of, not_utf8, row};
use crate::source::is_plain;

/// What lines of a file are like.
struct LineRules {
    file: usize,
    path: Arc<Path>,
    format: Format,
    delimiter: String,
    names: Names,
    skip: Skip,
    reports_unreadable: bool,
}

/// Which lines are left out.
enum Skip {
    /// Those of the default pattern: comments.
    Comments,
    Pattern(Regex),
}

impl Skip {
    fn new(input: &Input) -> io::Result<Self> {
        let pattern = &input.skipped_line.regex;
        if *pattern == SkippedLine::default().regex {
            return Ok(Self::Comments);
        }
        Regex::new(&format!("^(?:{pattern})$")).map(Self::Pattern).map_err(io::Error::other)
    }

    fn matches(&self, line: &str) -> bool {
        match self {
            Self::Comments => line.starts_with('#') || line.starts_with("//"),
            Self::Pattern(pattern) => pattern.is_match(line),
        }
    }
}

/// Where a thread is in a chunk.
struct Place {
    /// Byte of the file where the next line begins.
    at: u64,
    /// Byte up to which everything was handed over.
    from: u64,
    /// Lines of the chunk before the next one.
    lines: u64,
    at_start: bool,
}

/// What comes after a block of lines.
enum After {
    /// The next block.
    Block,
    /// The general way, from where the place is: here begins what only it can read.
    General,
}

impl Worker<'_> {
    /// Reads a chunk.
    pub(crate) fn read_chunk(&mut self, chunk: &Chunk) -> Result<(), Failure> {
        let Some(job) = self.job(chunk.file) else { return Ok(()) };
        let path = Arc::clone(&job.path);
        let failed = |error| LoadError::file("read", &path, error);
        let from = match &job.header {
            Some(names) if is_plain(&job.input) && job.input.format != Format::Json => {
                let rules = LineRules {
                    file: chunk.file,
                    path: Arc::clone(&path),
                    format: job.input.format,
                    delimiter: delimiter_of(&job.input),
                    names: Names::clone(names),
                    skip: Skip::new(&job.input).map_err(failed)?,
                    reports_unreadable: job.reports_unreadable,
                };
                self.read_lines(chunk, &rules)?
            }
            _ => {
                let place = Place { at: chunk.start, from: chunk.start, lines: 0, at_start: true };
                self.read_generally(chunk, &place)?;
                chunk.start
            }
        };
        self.chunk_ended(chunk, from)
    }

    fn read_lines(&mut self, chunk: &Chunk, rules: &LineRules) -> Result<u64, Failure> {
        let failed = |error| LoadError::file("read", &rules.path, error);
        let mut file = File::open(&rules.path).map_err(failed)?;
        file.seek(SeekFrom::Start(chunk.start)).map_err(failed)?;
        let mut source = file.take(chunk.end - chunk.start);
        let mut place = Place { at: chunk.start, from: chunk.start, lines: 0, at_start: chunk.start == 0 };
        let mut buffer = vec![0; BLOCK_BYTES];
        let mut filled = 0;
        loop {
            if filled == buffer.len() {
                // One line fills it.
                if filled > RECORD_BYTES_MAX {
                    self.read_generally(chunk, &place)?;
                    return Ok(place.from);
                }
                buffer.resize(filled * 2, 0);
            }
            let read = source.read(buffer.get_mut(filled..).unwrap_or_default()).map_err(failed)?;
            filled += read;
            let block = buffer.get(..filled).unwrap_or_default();
            let whole = match (read, memchr::memrchr(b'\n', block)) {
                (0, _) => filled,
                (_, Some(at)) => at + 1,
                (_, None) => continue,
            };
            let begun = place.at;
            let after = self.lines(chunk, rules, block.get(..whole).unwrap_or_default(), &mut place)?;
            self.progress(place.at - begun)?;
            if matches!(after, After::General) {
                self.read_generally(chunk, &place)?;
                return Ok(place.from);
            }
            if read == 0 {
                return Ok(place.from);
            }
            buffer.copy_within(whole..filled, 0);
            filled -= whole;
        }
    }

    /// Takes whole lines.
    fn lines(&mut self, chunk: &Chunk, rules: &LineRules, block: &[u8], place: &mut Place) -> Result<After, Failure> {
        let before = OnceCell::new();
        let failure: OnceCell<io::Error> = OnceCell::new();
        let before_chunk = || {
            *before.get_or_init(|| {
                lines_before(&rules.path, chunk.start).unwrap_or_else(|error| {
                    drop(failure.set(error));
                    0
                })
            })
        };
        let mut cells: Vec<&str> = Vec::with_capacity(rules.names.len());
        let mut rest = block;
        while !rest.is_empty() {
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            if rules.format == Format::Csv && memchr::memchr(b'"', line).is_some() {
                return Ok(After::General);
            }
            rest = after;
            place.lines += 1;
            place.at += length as u64;
            let number = LineNumber { before_chunk: &before_chunk, in_chunk: place.lines };
            let line = trimmed(line, place.at == length as u64);
            match std::str::from_utf8(line) {
                Ok(text) => self.line(rules, text, number, &mut cells, &mut place.at_start)?,
                Err(error) => {
                    self.unreadable(rules.file, rules.reports_unreadable, &not_utf8(number.get(), line, error));
                }
            }
            if let Some(error) = failure.get() {
                let error = io::Error::new(error.kind(), error.to_string());
                return Err(LoadError::file("read", &rules.path, error).into());
            }
            place.from = self.may_hand_over(chunk.file, place.from, place.at)?;
        }
        Ok(After::Block)
    }

    fn line<'b>(
        &mut self,
        rules: &LineRules,
        line: &'b str,
        number: LineNumber<'_>,
        cells: &mut Vec<&'b str>,
        at_start: &mut bool,
    ) -> Result<(), Failure> {
        if line.is_empty() || rules.skip.matches(line) {
            return Ok(());
        }
        cells.clear();
        cut(line, &rules.delimiter, cells);
        if std::mem::take(at_start) && rules.names.iter().map(String::as_str).eq(cells.iter().copied()) {
            return Ok(());
        }
        if cells.len() == rules.names.len() {
            return self.row(rules.file, Row::Plain { cells, line, number });
        }
        let owned = cells.iter().map(|cell| (*cell).to_owned()).collect();
        if let Err(bad) = row(number.get(), line.into(), Names::clone(&rules.names), owned) {
            self.unreadable(rules.file, rules.reports_unreadable, &bad);
        }
        Ok(())
    }

    /// Reads a chunk from a place on as an online load would.
    fn read_generally(&mut self, chunk: &Chunk, place: &Place) -> Result<(), Failure> {
        let Some(job) = self.job(chunk.file) else { return Ok(()) };
        let (path, reports_unreadable) = (Arc::clone(&job.path), job.reports_unreadable);
        let failed = |error| LoadError::file("read", &path, error);
        let mut reader = if is_plain(&job.input) {
            let lines = lines_before(&path, chunk.start).map_err(failed)? + place.lines;
            RecordReader::open_part(&path, &job.input, job.header.clone(), (place.at, chunk.end), lines + 1)
        } else {
            RecordReader::open(&path, &job.input, job.header.clone())
        }
        .map_err(failed)?;
        let mut told = 0;
        while let Some(read) = reader.next().map_err(failed)? {
            match read {
                Ok(record) => self.row(chunk.file, Row::Record(&record))?,
                Err(bad) => self.unreadable(chunk.file, reports_unreadable, &bad),
            }
            self.may_write_run()?;
            let bytes = reader.bytes_read();
            if bytes > told {
                self.progress(bytes - told)?;
                told = bytes;
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, file: usize, reported: bool, bad: &BadRow) {
        if reported {
            self.reject_row(file, None, bad.line, &bad.raw, bad.reason.clone());
        }
    }
}

/// A line without its end, and the first one without a byte order mark.
fn trimmed(line: &[u8], first: bool) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if first { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line }
}

/// Cuts a line at every delimiter.
fn cut<'l>(line: &'l str, delimiter: &str, cells: &mut Vec<&'l str>) {
    let [byte] = delimiter.as_bytes() else {
        cells.extend(line.split(delimiter));
        return;
    };
    let mut start = 0;
    for at in memchr::memchr_iter(*byte, line.as_bytes()) {
        // A delimiter of one byte is ASCII, so it is never in the middle of a character.
        cells.push(line.get(start..at).unwrap_or_default());
        start = at + 1;
    }
    cells.push(line.get(start..).unwrap_or_default());
}
