//! Cuts an opened file into records, with the exact number of the line each begins on.
//!
//! Lines come first: empty lines and lines that match the skip pattern are left out, then a line becomes a record. A
//! CSV record spans several lines while a quote is open; if that quote is never closed, only the line that opened it is
//! bad, and reading continues with the next line. A line break inside quotes is read as `\n`.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use csv_core::ReadRecordResult;
use regex::Regex;
use serde_json::{Map, Value};

use crate::limits::RECORD_BYTES_MAX;
use crate::mapping::{Format, Input};
use crate::source;

/// Column names, shared by the records of a file.
pub(crate) type Names = Arc<[String]>;

/// One row of a source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// The line on which it begins, from 1.
    pub(crate) line: u64,
    /// The raw row, without the last line break.
    pub(crate) raw: Arc<str>,
    /// Names of the columns.
    pub(crate) names: Names,
    /// Their values; texts, except for JSON sources.
    pub(crate) values: Vec<Value>,
}

/// A row that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadRow {
    pub(crate) line: u64,
    pub(crate) raw: Arc<str>,
    pub(crate) reason: String,
}

/// The cells of a row, and the raw row.
type Cells = (Vec<String>, Arc<str>);

/// Reads the records of one file.
pub(crate) struct RecordReader {
    lines: Lines,
    format: Format,
    delimiter: String,
    header: Option<Names>,
    /// The first record may repeat the header.
    at_start: bool,
    skip: Regex,
    csv: csv_core::Reader,
    /// Names of the last JSON object, shared while they stay the same.
    json_names: Names,
}

impl RecordReader {
    /// Opens a file. `header` is needed for CSV and text, see [`header_of`].
    pub(crate) fn open(path: &Path, input: &Input, header: Option<Names>) -> io::Result<Self> {
        Self::over(source::open(path, input)?, input, header, 1, true)
    }

    /// Opens a part of a file that begins and ends between two records; `line` is the number of its first line.
    pub(crate) fn open_part(
        path: &Path,
        input: &Input,
        header: Option<Names>,
        (start, end): (u64, u64),
        line: u64,
    ) -> io::Result<Self> {
        Self::over(source::open_part(path, input, start, end)?, input, header, line, start == 0)
    }

    fn over(
        file: source::OpenFile,
        input: &Input,
        header: Option<Names>,
        next_line: u64,
        at_start: bool,
    ) -> io::Result<Self> {
        let delimiter = delimiter_of(input);
        let skip = Regex::new(&format!("^(?:{})$", input.skipped_line.regex)).map_err(io::Error::other)?;
        let csv = csv_core::ReaderBuilder::new()
            .delimiter(delimiter.bytes().next().unwrap_or(b','))
            .terminator(csv_core::Terminator::Any(b'\n'))
            .build();
        let lines = Lines { text: file.text, bytes_read: file.bytes_read, next_line, pending: VecDeque::new() };
        let json_names = Names::from(Vec::new());
        Ok(Self { lines, format: input.format, delimiter, header, at_start, skip, csv, json_names })
    }

    /// Bytes taken from the disk so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.lines.bytes_read.load(Ordering::Relaxed)
    }

    /// The next row, good or bad; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Result<Record, BadRow>>> {
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            let line = match line {
                Ok(line) => line,
                Err(bad) => return Ok(Some(Err(bad))),
            };
            if line.text.is_empty() || self.skip.is_match(&line.text) {
                continue;
            }
            if self.format == Format::Json {
                return Ok(Some(self.json(&line)));
            }
            let (cells, raw) = match self.cells(&line)? {
                Ok(found) => found,
                Err(bad) => return Ok(Some(Err(bad))),
            };
            let first = std::mem::take(&mut self.at_start);
            let Some(names) = self.header.clone() else {
                let names: Names = cells.into();
                self.header = Some(Names::clone(&names));
                return Ok(Some(Ok(Record { line: line.number, raw, names, values: Vec::new() })));
            };
            if first && *names == *cells {
                continue;
            }
            return Ok(Some(row(line.number, raw, names, cells)));
        }
    }

    fn cells(&mut self, line: &Line) -> io::Result<Result<Cells, BadRow>> {
        if self.format == Format::Csv {
            return self.csv_cells(line);
        }
        let cells = line.text.split(self.delimiter.as_str()).map(str::to_owned).collect();
        Ok(Ok((cells, line.text.as_str().into())))
    }

    /// Feeds lines to the CSV machine until a record is complete.
    fn csv_cells(&mut self, first: &Line) -> io::Result<Result<Cells, BadRow>> {
        self.csv.reset();
        let mut raw = first.text.clone();
        let mut fed = 0;
        let mut more: Vec<Line> = Vec::new();
        let mut cells = CsvCells::default();
        loop {
            let mut feed = raw.get(fed..).unwrap_or_default().to_owned();
            feed.push('\n');
            if cells.feed(&mut self.csv, feed.as_bytes()) {
                return Ok(Ok((cells.finish(), raw.into())));
            }
            fed = raw.len();
            let next = if raw.len() > RECORD_BYTES_MAX { None } else { self.lines.next()? };
            if let Some(Ok(line)) = next {
                raw.push('\n');
                // The line break was fed already, as the end of the piece before.
                fed += 1;
                raw.push_str(&line.text);
                more.push(line);
                continue;
            }
            let reason =
                "a quote opened in this row is never closed; close it, or double it (\"\") if it is part of the text";
            if let Some(Err(bad)) = next {
                self.lines.pending.push_front(Err(bad));
            }
            for line in more.into_iter().rev() {
                self.lines.pending.push_front(Ok(line));
            }
            return Ok(Err(BadRow { line: first.number, raw: first.text.as_str().into(), reason: reason.into() }));
        }
    }

    fn json(&mut self, line: &Line) -> Result<Record, BadRow> {
        let bad = |reason| BadRow { line: line.number, raw: line.text.as_str().into(), reason };
        let object: Map<String, Value> = serde_json::from_str(&line.text).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default();
            bad(format!("the line is not a JSON object: {reason} (column {})", error.column()))
        })?;
        if !object.keys().eq(self.json_names.iter()) {
            self.json_names = object.keys().cloned().collect::<Vec<_>>().into();
        }
        let values = object.into_iter().map(|(_, value)| value).collect();
        Ok(Record { line: line.number, raw: line.text.as_str().into(), names: Names::clone(&self.json_names), values })
    }
}

/// The column names of a CSV or text source: those of the mapping, else the first row of its first file. `None` for
/// JSON.
pub(crate) fn header_of(first: &Path, input: &Input) -> io::Result<Result<Option<Names>, String>> {
    if input.format == Format::Json {
        return Ok(Ok(None));
    }
    if let Some(header) = &input.header {
        return Ok(Ok(Some(header.clone().into())));
    }
    let names = match RecordReader::open(first, input, None)?.next()? {
        Some(Ok(record)) => record.names,
        Some(Err(bad)) => return Ok(Err(format!("the header in line {} cannot be read: {}", bad.line, bad.reason))),
        None => return Ok(Err("the file is empty, a header line was expected; give \"header\" in the mapping".into())),
    };
    let mut seen = std::collections::BTreeSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
        let reason = format!(
            "the header names the column \"{twice}\" twice; \
             give distinct names as \"header\" in the mapping and skip the line with \"skipped_line\""
        );
        return Ok(Err(reason));
    }
    Ok(Ok(Some(names)))
}

/// The delimiter between columns.
pub(crate) fn delimiter_of(input: &Input) -> String {
    match (&input.delimiter, input.format) {
        (Some(delimiter), _) if delimiter == "\\t" => "\t".into(),
        (Some(delimiter), _) => delimiter.clone(),
        (None, Format::Text) => "\t".into(),
        (None, _) => ",".into(),
    }
}

/// A line that is not text.
pub(crate) fn not_utf8(line: u64, bytes: &[u8], error: std::str::Utf8Error) -> BadRow {
    let at = error.valid_up_to() + 1;
    let reason = format!("byte {at} of the line is not valid UTF-8; give the file's \"charset\" in the mapping");
    BadRow { line, raw: String::from_utf8_lossy(bytes).into(), reason }
}

/// A record of these cells, if they are as many as there are names.
pub(crate) fn row(line: u64, raw: Arc<str>, names: Names, cells: Vec<String>) -> Result<Record, BadRow> {
    if cells.len() != names.len() {
        let reason = format!(
            "the row has {} columns, the header has {} ({}); check the delimiter and the quotes",
            cells.len(),
            names.len(),
            names.join(", ")
        );
        return Err(BadRow { line, raw, reason });
    }
    Ok(Record { line, raw, names, values: cells.into_iter().map(Value::String).collect() })
}

struct Line {
    number: u64,
    text: String,
}

/// Physical lines, numbered, with the possibility to put some back.
struct Lines {
    text: Box<dyn BufRead + Send>,
    bytes_read: Arc<AtomicU64>,
    next_line: u64,
    pending: VecDeque<Result<Line, BadRow>>,
}

impl Lines {
    fn next(&mut self) -> io::Result<Option<Result<Line, BadRow>>> {
        if let Some(line) = self.pending.pop_front() {
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        let most = RECORD_BYTES_MAX as u64 + 1;
        if self.text.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        let number = self.next_line;
        self.next_line += 1;
        let ended = bytes.last() == Some(&b'\n');
        if !ended && bytes.len() > RECORD_BYTES_MAX {
            self.skip_rest_of_line()?;
            let raw = String::from_utf8_lossy(bytes.get(..1000).unwrap_or_default()).into_owned();
            let reason = format!("the line is longer than {RECORD_BYTES_MAX} bytes; only its start is shown");
            return Ok(Some(Err(BadRow { line: number, raw: raw.into(), reason })));
        }
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            let byte = bytes.pop();
            if byte == Some(b'\r') {
                break;
            }
        }
        if number == 1 && bytes.starts_with(b"\xEF\xBB\xBF") {
            bytes.drain(..3);
        }
        Ok(Some(
            String::from_utf8(bytes)
                .map(|text| Line { number, text })
                .map_err(|error| not_utf8(number, error.as_bytes(), error.utf8_error())),
        ))
    }

    fn skip_rest_of_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.text.fill_buf()?;
            let length = buffer.len();
            if length == 0 {
                return Ok(());
            }
            if let Some(at) = buffer.iter().position(|byte| *byte == b'\n') {
                self.text.consume(at + 1);
                return Ok(());
            }
            self.text.consume(length);
        }
    }
}

/// The output side of the CSV machine: bytes of all cells, and where each ends.
#[derive(Default)]
struct CsvCells {
    bytes: Vec<u8>,
    filled: usize,
    ends: Vec<usize>,
    ended: usize,
}

impl CsvCells {
    /// Feeds a piece of text; true when the record is complete.
    fn feed(&mut self, machine: &mut csv_core::Reader, mut input: &[u8]) -> bool {
        self.bytes.resize(self.filled + input.len() + 1, 0);
        self.ends.resize(self.ended + input.len() + 1, 0);
        loop {
            let bytes = self.bytes.get_mut(self.filled..).unwrap_or_default();
            let ends = self.ends.get_mut(self.ended..).unwrap_or_default();
            let (result, taken, written, ended) = machine.read_record(input, bytes, ends);
            input = input.get(taken..).unwrap_or_default();
            self.filled += written;
            self.ended += ended;
            match result {
                ReadRecordResult::InputEmpty => return false,
                ReadRecordResult::Record | ReadRecordResult::End => return true,
                ReadRecordResult::OutputFull => self.bytes.resize(self.bytes.len() + 1024, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() + 64, 0),
            }
        }
    }

    fn finish(self) -> Vec<String> {
        let mut start = 0;
        let mut cells = Vec::with_capacity(self.ended);
        for end in self.ends.iter().take(self.ended) {
            let cell = self.bytes.get(start..*end).unwrap_or_default();
            // Cuts are at ASCII characters, so the pieces of valid UTF-8 are valid.
            cells.push(String::from_utf8_lossy(cell).into_owned());
            start = *end;
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Seen = Result<(u64, Vec<Value>), (u64, String)>;

    fn read(mapping: &str, content: impl AsRef<[u8]>) -> Vec<Seen> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        std::fs::write(&path, content).unwrap();
        let input: Input = serde_json::from_str(&format!("{{\"path\":\"data\"{mapping}}}")).unwrap();
        let header = header_of(&path, &input).unwrap().unwrap();
        let mut reader = RecordReader::open(&path, &input, header).unwrap();
        let mut rows = Vec::new();
        while let Some(row) = reader.next().unwrap() {
            rows.push(row.map(|r| (r.line, r.values)).map_err(|bad| (bad.line, bad.reason)));
        }
        rows
    }

    fn texts(values: &[&str]) -> Vec<Value> {
        values.iter().map(|text| Value::from(*text)).collect()
    }

    #[test]
    fn csv_with_quotes_over_lines_keeps_line_numbers() {
        let content = "name,note\r\n# a comment\n\nann,\"two\nlines, \"\"quoted\"\"\"\nbob,5\" disk\neve,last";
        assert_eq!(
            read("", content),
            [
                Ok((4, texts(&["ann", "two\nlines, \"quoted\""]))),
                Ok((6, texts(&["bob", "5\" disk"]))),
                Ok((7, texts(&["eve", "last"]))),
            ]
        );
    }

    #[test]
    fn an_unclosed_quote_costs_only_its_own_line() {
        let rows = read("", "a,b\n1,\"open\n2,x\n3,y\n");
        assert_eq!(rows.len(), 3);
        let (line, reason) = rows[0].clone().unwrap_err();
        assert_eq!(line, 2);
        assert!(reason.contains("never closed"), "{reason}");
        assert_eq!(rows[1], Ok((3, texts(&["2", "x"]))));
        assert_eq!(rows[2], Ok((4, texts(&["3", "y"]))));
    }

    #[test]
    fn a_given_header_and_a_skip_pattern_replace_a_doubled_header_line() {
        let mapping = r#","header":["from","to"],"delimiter":"|","skipped_line":{"regex":"Person\\.id\\|.*"}"#;
        assert_eq!(read(mapping, "Person.id|Person.id\n1|2\n"), [Ok((2, texts(&["1", "2"])))]);
    }

    #[test]
    fn a_first_line_equal_to_the_given_header_is_left_out() {
        let rows = read(r#","header":["a","b"]"#, "\u{feff}a,b\n1,2\na,b\n");
        assert_eq!(rows, [Ok((2, texts(&["1", "2"]))), Ok((3, texts(&["a", "b"])))]);
    }

    #[test]
    fn text_is_cut_without_looking_at_quotes() {
        let rows = read(r#","format":"TEXT","delimiter":"||","header":["a","b"]"#, "\"x||y\"\n1||\n");
        assert_eq!(rows, [Ok((1, texts(&["\"x", "y\""]))), Ok((2, texts(&["1", ""])))]);
        let rows = read(r#","format":"TEXT","header":["a","b"]"#, "1\t2\n");
        assert_eq!(rows, [Ok((1, texts(&["1", "2"])))]);
    }

    #[test]
    fn wrong_column_counts_and_bytes_are_bad_rows() {
        let rows = read("", b"a,b\n1\n2,\xff\n3,4\n");
        assert!(
            matches!(&rows[0], Err((2, reason)) if reason.contains("1 columns, the header has 2 (a, b)")),
            "{rows:?}"
        );
        assert!(matches!(&rows[1], Err((3, reason)) if reason.contains("byte 3 of the line")), "{rows:?}");
        assert_eq!(rows[2], Ok((4, texts(&["3", "4"]))));
    }

    #[test]
    fn json_lines_keep_types_and_name_the_column_of_an_error() {
        let rows = read(r#","format":"JSON""#, "{\"a\":1,\"b\":[\"x\"]}\n{\"a\":}\n[1]\n");
        assert_eq!(rows[0], Ok((1, vec![Value::from(1), serde_json::json!(["x"])])));
        assert!(matches!(&rows[1], Err((2, reason)) if reason.contains("(column 6)")), "{rows:?}");
        assert!(matches!(&rows[2], Err((3, reason)) if reason.contains("not a JSON object")), "{rows:?}");
    }

    #[test]
    fn doubled_names_in_a_file_header_are_explained() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        std::fs::write(&path, "id,id\n1,2\n").unwrap();
        let input: Input = serde_json::from_str(r#"{"path":"data"}"#).unwrap();
        let reason = header_of(&path, &input).unwrap().unwrap_err();
        assert!(reason.contains("\"id\" twice") && reason.contains("skipped_line"), "{reason}");
    }
}
