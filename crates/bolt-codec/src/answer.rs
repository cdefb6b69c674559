//! Messages of the server.

use cypher_value::{Map, Value};

use crate::error::CodecError;
use crate::pack::{self, Dialect, Dictionary, Reader};

const SUCCESS: u8 = 0x70;
const RECORD: u8 = 0x71;
const IGNORED: u8 = 0x7E;
const FAILURE: u8 = 0x7F;

/// Appends a message that all went well; `write` adds what it tells.
pub fn success(out: &mut Vec<u8>, write: impl FnOnce(&mut Dictionary<'_>)) {
    with_map(out, SUCCESS, write);
}

/// Appends a message that something failed; `write` adds what and why.
pub fn failure(out: &mut Vec<u8>, write: impl FnOnce(&mut Dictionary<'_>)) {
    with_map(out, FAILURE, write);
}

fn with_map(out: &mut Vec<u8>, tag: u8, write: impl FnOnce(&mut Dictionary<'_>)) {
    pack::structure_header(out, tag, 1);
    let mut map = Dictionary::begin(out);
    write(&mut map);
    map.end();
}

/// Appends a message that a request was not looked at because an earlier one failed.
pub fn ignored(out: &mut Vec<u8>) {
    pack::structure_header(out, IGNORED, 0);
}

/// Appends a row of a result.
pub fn record(out: &mut Vec<u8>, row: &[Value], dialect: Dialect) {
    pack::structure_header(out, RECORD, 1);
    pack::list_header(out, row.len());
    for value in row {
        pack::value(out, value, dialect);
    }
}

/// A message of the server, as a client reads it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// All went well.
    Success(Map),
    /// A row.
    Record(Vec<Value>),
    /// The request was not looked at.
    Ignored,
    /// The request failed.
    Failure(Map),
}

impl Answer {
    /// Reads a message without its framing.
    ///
    /// # Errors
    /// It is no message of a server.
    pub fn read(message: &[u8], dialect: Dialect) -> Result<Self, CodecError> {
        let mut reader = Reader::of_server(message, dialect);
        let answer = match reader.structure()? {
            (SUCCESS, 1) => Self::Success(reader.dictionary("what succeeded")?),
            (FAILURE, 1) => Self::Failure(reader.dictionary("what failed")?),
            (IGNORED, 0) => Self::Ignored,
            (RECORD, 1) => match reader.value()? {
                Value::List(row) => Self::Record(std::sync::Arc::unwrap_or_clone(row)),
                other => return Err(CodecError::value(other.type_name(), "a row")),
            },
            (tag, fields) => return Err(CodecError::Structure { tag, fields, version: dialect.version }),
        };
        reader.finish()?;
        Ok(answer)
    }
}
