//! GraphBinary 1: [`read()`] and [`write()`] for values, and the messages around them.

mod code;
mod read;
mod write;

pub(crate) use read::{bytecode, path, predicate, strategy};
pub(crate) use write::predicate_parts;

use crate::error::CodecError;
use crate::item::Item;
use crate::limits::MESSAGE_BYTES_MAX;
use crate::message::{Request, Response};

/// The first byte of messages: version 1.
const VERSION: u8 = 0x81;

/// Reads one value with its type.
///
/// # Errors
/// It is not one, or a limit is exceeded.
pub fn read(bytes: &[u8]) -> Result<Item, CodecError> {
    let mut reader = reader(bytes)?;
    let item = reader.item()?;
    reader.finish()?;
    Ok(item)
}

/// Reads a request, after the mime type of its frame.
///
/// # Errors
/// It is not one, or a limit is exceeded.
pub fn read_request(bytes: &[u8]) -> Result<Request, CodecError> {
    let mut reader = reader(bytes)?;
    reader.version(VERSION)?;
    let id = reader.uuid()?;
    let (op, processor) = (reader.text()?, reader.text()?);
    let arguments = reader.text_map()?;
    reader.finish()?;
    Ok(Request { id, op, processor, arguments })
}

/// Reads an answer.
///
/// # Errors
/// It is not one, or a limit is exceeded.
pub fn read_response(bytes: &[u8]) -> Result<Response, CodecError> {
    let mut reader = reader(bytes)?;
    reader.version(VERSION)?;
    let id = if reader.is_null()? { None } else { Some(reader.uuid()?) };
    let code = reader.int()?;
    let message = if reader.is_null()? { None } else { Some(reader.text()?) };
    let (attributes, meta) = (reader.text_map()?, reader.text_map()?);
    let data = reader.item()?;
    reader.finish()?;
    Ok(Response { id, code, message, attributes, meta, data })
}

fn reader(bytes: &[u8]) -> Result<read::Reader<'_>, CodecError> {
    if bytes.len() > MESSAGE_BYTES_MAX {
        let (what, limit) = ("bytes of a message", "MESSAGE_BYTES_MAX");
        return Err(CodecError::TooLarge { what, limit, max: MESSAGE_BYTES_MAX });
    }
    Ok(read::Reader::new(bytes))
}

/// Appends one value with its type.
///
/// # Errors
/// The value, or one in it, has to be evaluated first.
pub fn write(item: &Item, out: &mut Vec<u8>) -> Result<(), CodecError> {
    write::Writer { out }.item(item)
}

/// Appends a request.
///
/// # Errors
/// A value in it has to be evaluated first.
pub fn write_request(request: &Request, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let mut writer = write::Writer { out };
    writer.out.push(VERSION);
    writer.out.extend(request.id.to_be_bytes());
    writer.text(&request.op)?;
    writer.text(&request.processor)?;
    writer.text_map(&request.arguments)
}

/// Appends an answer.
///
/// # Errors
/// A value in it has to be evaluated first.
pub fn write_response(response: &Response, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let mut writer = write::Writer { out };
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
    writer.text_map(&response.meta)?;
    writer.item(&response.data)
}
