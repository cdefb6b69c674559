//! GraphSON: typed JSON of versions 2 and 3, and plain JSON (version 1 without types).
//!
//! [`read()`] takes all of them, as a type is named where it is used. [`write()`] writes one of them.

mod read;
mod text;
mod version;
mod write;

pub use version::Version;

use gremlin::{Text, Value};
use serde_json::Value as Json;

use crate::error::CodecError;
use crate::item::Item;
use crate::limits::MESSAGE_BYTES_MAX;
use crate::message::{Request, Response};

/// Reads one value.
///
/// # Errors
/// It is not JSON, or a type in it is unknown or wrong.
pub fn read(bytes: &[u8]) -> Result<Item, CodecError> {
    read::item(json(bytes)?)
}

/// Reads a request.
///
/// # Errors
/// It is not JSON, or not a request.
pub fn read_request(bytes: &[u8]) -> Result<Request, CodecError> {
    let Item::Map(entries) = read::item(json(bytes)?)? else {
        return Err(CodecError::value("the message", "a request"));
    };
    let (mut id, mut op, mut processor, mut arguments) = (None, None, Text::default(), Vec::new());
    for (key, value) in entries {
        match (key.as_text().unwrap_or_default(), value) {
            ("requestId", Item::Value(Value::Uuid(bits))) => id = Some(bits),
            ("requestId", other) => id = other.as_text().and_then(text::uuid),
            ("op", other) => op = other.as_text().map(Text::from),
            ("processor", other) => processor = other.as_text().unwrap_or_default().into(),
            ("args", Item::Map(pairs)) => {
                let named = pairs.into_iter().filter_map(|(key, value)| Some((key.as_text()?.into(), value)));
                arguments = named.collect();
            }
            _ => {}
        }
    }
    let id = id.ok_or_else(|| CodecError::value("requestId", "a UUID"))?;
    let op = op.ok_or_else(|| CodecError::value("op", "a string"))?;
    Ok(Request { id, op, processor, arguments })
}

fn json(bytes: &[u8]) -> Result<Json, CodecError> {
    if bytes.len() > MESSAGE_BYTES_MAX {
        let (what, limit) = ("bytes of a message", "MESSAGE_BYTES_MAX");
        return Err(CodecError::TooLarge { what, limit, max: MESSAGE_BYTES_MAX });
    }
    serde_json::from_slice(bytes).map_err(|error| CodecError::Json { message: error.to_string() })
}

/// Appends one value.
///
/// # Errors
/// The value, or one in it, has to be evaluated first.
pub fn write(item: &Item, version: Version, out: &mut String) -> Result<(), CodecError> {
    write::Writer { out, version }.item(item)
}

/// Appends an answer.
///
/// # Errors
/// A value in it has to be evaluated first.
pub fn write_response(response: &Response, version: Version, out: &mut String) -> Result<(), CodecError> {
    let mut writer = write::Writer { out, version };
    writer.raw("{\"requestId\":");
    match response.id {
        Some(id) => writer.text(&uuid::Uuid::from_u128(id).to_string()),
        None => writer.raw("null"),
    }
    writer.raw(",\"status\":{\"message\":");
    writer.text(response.message.as_deref().unwrap_or_default());
    writer.raw(&format!(",\"code\":{},\"attributes\":", response.code));
    writer.text_map(&response.attributes)?;
    writer.raw("},\"result\":{\"data\":");
    writer.item(&response.data)?;
    writer.raw(",\"meta\":");
    writer.text_map(&response.meta)?;
    writer.raw("}}");
    Ok(())
}
