//! GraphSON: typed JSON of versions 2 and 3, and plain JSON (version 1 without types).
//!
//! [`read()`] takes all of them, as a type is named where it is used. [`write()`] writes one of them.

mod read;
mod text;
mod version;
mod write;

pub use version::Version;

use query_value::Value;
use serde_json::Value as Json;

use crate::error::CodecError;
use crate::form::{self, check_length};
use crate::message::{Request, Response};

/// Reads one value.
///
/// # Errors
/// It is not JSON, a type in it is unknown or wrong, no step takes it, or a limit is exceeded.
pub fn read(bytes: &[u8]) -> Result<gremlin::Value, CodecError> {
    read::value(json(bytes)?)
}

/// A value that has been read as JSON.
///
/// # Errors
/// A type in it is unknown or wrong, or no step takes it.
pub fn from_json(json: Json) -> Result<gremlin::Value, CodecError> {
    read::value(json)
}

/// Reads a request.
///
/// # Errors
/// It is not JSON, not a request, or a limit is exceeded.
pub fn read_request(bytes: &[u8]) -> Result<Request, CodecError> {
    let Json::Object(mut fields) = json(bytes)? else {
        return Err(CodecError::value("the message", "a request"));
    };
    let mut take = |name: &str| fields.remove(name).map_or(Ok(gremlin::Value::Null), read::value);
    let id = match take("requestId")? {
        gremlin::Value::Uuid(bits) => Some(bits),
        other => other.as_text().and_then(text::uuid),
    };
    let id = id.ok_or_else(|| CodecError::value("requestId", "a UUID"))?;
    let op = take("op")?.as_text().map(gremlin::Text::from).ok_or_else(|| CodecError::value("op", "a string"))?;
    let processor = take("processor")?.as_text().unwrap_or_default().into();
    Ok(Request { id, op, processor, arguments: form::named(take("args")?) })
}

fn json(bytes: &[u8]) -> Result<Json, CodecError> {
    check_length(bytes)?;
    let text = text::prepared(bytes)?;
    serde_json::from_slice(&text).map_err(|error| CodecError::Json { message: error.to_string() })
}

/// Appends one value.
pub fn write(value: &Value, version: Version, out: &mut String) {
    write::Writer { out, version, has_dates: false }.value(value);
}

/// Appends an answer.
pub fn write_response(response: &Response, version: Version, out: &mut String) {
    let mut writer = write::Writer { out, version, has_dates: response.has_dates };
    writer.raw("{\"requestId\":");
    match response.id {
        Some(id) => writer.text(&uuid::Uuid::from_u128(id).to_string()),
        None => writer.raw("null"),
    }
    writer.raw(",\"status\":{\"message\":");
    writer.text(response.message.as_deref().unwrap_or_default());
    writer.raw(&format!(",\"code\":{},\"attributes\":", response.code));
    writer.text_map(&response.attributes);
    writer.raw("},\"result\":{\"data\":");
    writer.results(response);
    // Facts about the results: there are none, and clients expect a map.
    writer.raw(",\"meta\":");
    writer.text_map(&[]);
    writer.raw("}}");
}
