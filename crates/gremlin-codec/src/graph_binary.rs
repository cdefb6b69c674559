//! GraphBinary 1: [`read()`] for arguments, [`write()`] for results, and the messages around them.

mod code;
mod read;
mod write;

use query_value::Value;

use crate::error::CodecError;
use crate::form::check_length;
use crate::message::{Request, Response};

/// The first byte of messages: version 1.
const VERSION: u8 = 0x81;

/// Reads one value with its type.
///
/// # Errors
/// It is not one, no step takes it, or a limit is exceeded.
pub fn read(bytes: &[u8]) -> Result<gremlin::Value, CodecError> {
    check_length(bytes)?;
    let mut reader = read::Reader::new(bytes);
    let value = reader.value()?;
    reader.finish()?;
    Ok(value)
}

/// Reads a request, after the mime type of its frame.
///
/// # Errors
/// It is not one, or a limit is exceeded.
pub fn read_request(bytes: &[u8]) -> Result<Request, CodecError> {
    check_length(bytes)?;
    let mut reader = read::Reader::new(bytes);
    reader.version(VERSION)?;
    let id = reader.uuid()?;
    let (op, processor) = (reader.text()?, reader.text()?);
    let arguments = reader.text_map()?;
    reader.finish()?;
    Ok(Request { id, op, processor, arguments })
}

/// Appends one value with its type.
///
/// # Errors
/// A number, a text or a collection is longer than the format can say.
pub fn write(value: &Value, out: &mut Vec<u8>) -> Result<(), CodecError> {
    write::Writer { out, has_dates: false }.value(value)
}

/// Appends an answer.
///
/// # Errors
/// As of [`write()`].
pub fn write_response(response: &Response, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let mut writer = write::Writer { out, has_dates: response.has_dates };
    writer.out.push(VERSION);
    match response.id {
        Some(id) => {
            writer.out.push(0);
            writer.out.extend(id.to_be_bytes());
        }
        None => writer.out.push(1),
    }
    writer.out.extend(response.code.to_be_bytes());
    match &response.message {
        Some(message) => {
            writer.out.push(0);
            writer.text(message)?;
        }
        None => writer.out.push(1),
    }
    writer.text_map(&response.attributes)?;
    // Facts about the results: there are none, and clients expect a map.
    writer.text_map(&[])?;
    writer.results(response)
}
