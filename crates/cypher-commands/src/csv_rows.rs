//! The rows of `LOAD CSV`, read as they are taken.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::rc::Rc;

use csv::{ReaderBuilder, StringRecord};
use cypher_exec::{Error, ErrorKind, Rows};
use cypher_value::{Detail, Map, Text, Value};

use crate::arguments::Arguments;
use crate::error::Result;
use crate::imports::{Imports, refused};
use crate::limits::READ_BYTES;

/// Opens the file of a `LOAD CSV`: its source, whether its first row names the columns, and what separates fields.
pub(crate) fn open(imports: &Imports, arguments: &Arguments<'_>) -> Result<Rows> {
    let source = match arguments.get(0) {
        Value::String(source) => source.clone(),
        other => {
            let message = format!("LOAD CSV takes the address of a file as a STRING, not a {}", other.type_name());
            return Err(Error::type_error(Detail::InvalidArgumentType, message));
        }
    };
    let separator = match arguments.optional_text(2)? {
        None => b',',
        Some(text) => match text.as_bytes() {
            [one] if *one != b'"' => *one,
            _ => {
                let message = format!("FIELDTERMINATOR must be one ASCII character and not '\"', but is '{text}'");
                return Err(Error::argument(Detail::InvalidArgumentValue, message));
            }
        },
    };
    let read = Rc::new(Cell::new(0));
    let file = Bounded {
        file: imports.open(&source)?,
        read: Rc::clone(&read),
        bytes_max: imports.row_bytes_max.saturating_add(READ_BYTES) as u64,
    };
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(separator).escape(Some(b'\\')).buffer_capacity(READ_BYTES);
    let reader = builder.from_reader(file);
    let mut records = Records { reader, read, source, names: None, is_done: false, row: StringRecord::new() };
    if arguments.fact(1)? {
        records.names = Some(records.headers()?);
    }
    Ok(Box::new(records))
}

/// A file, of which so much may be read for one row.
struct Bounded {
    file: File,
    /// Bytes read since the row began.
    read: Rc<Cell<u64>>,
    bytes_max: u64,
}

impl Read for Bounded {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read.get() >= self.bytes_max {
            return Err(io::Error::other("a row is longer than cypher.csv_row_bytes_max allows"));
        }
        let read = self.file.read(into)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

struct Records {
    reader: csv::Reader<Bounded>,
    read: Rc<Cell<u64>>,
    source: Text,
    names: Option<Vec<Text>>,
    is_done: bool,
    row: StringRecord,
}

impl Records {
    /// Reads the next row; false at the end.
    fn read(&mut self) -> Result<bool> {
        self.read.set(0);
        let line = self.reader.position().line();
        self.reader.read_record(&mut self.row).map_err(|error| {
            let why = match error.kind() {
                csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
                _ => error.to_string(),
            };
            refused(&self.source, &format!("in line {line}: {why}"))
        })
    }

    fn headers(&mut self) -> Result<Vec<Text>> {
        if !self.read()? {
            self.is_done = true;
            return Ok(Vec::new());
        }
        let names: Vec<Text> = self
            .row
            .iter()
            .enumerate()
            .map(|(at, name)| {
                // A mark that the file is UTF-8.
                let name = if at == 0 { name.trim_start_matches('\u{feff}') } else { name };
                Text::from(name)
            })
            .collect();
        let mut sorted = names.clone();
        sorted.sort();
        if let Some([twice, _]) =
            sorted.windows(2).find_map(|pair| <&[Text; 2]>::try_from(pair).ok().filter(|[a, b]| a == b))
        {
            let message = format!("the file '{}' has two columns '{twice}'", self.source);
            return Err(Error::new(ErrorKind::ExternalResource, Detail::None, message));
        }
        Ok(names)
    }

    /// The value of a field; none is null, as in Neo4j.
    fn value(field: &str) -> Value {
        if field.is_empty() { Value::Null } else { field.into() }
    }

    fn record(&mut self) -> Result<Option<Vec<Value>>> {
        if !self.read()? {
            return Ok(None);
        }
        let row = match &self.names {
            None => Value::list(self.row.iter().map(Self::value).collect()),
            Some(names) => {
                let mut map = Map::default();
                for (at, name) in names.iter().enumerate() {
                    map.insert(name.clone(), self.row.get(at).map_or(Value::Null, Self::value));
                }
                Value::map(map)
            }
        };
        Ok(Some(vec![row]))
    }
}

impl Iterator for Records {
    type Item = Result<Vec<Value>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let next = self.record().transpose();
        self.is_done = !matches!(next, Some(Ok(_)));
        next
    }
}
