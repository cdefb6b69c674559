//! Results as plain JSON, and JSON as arguments.

use gremlin_codec::CodecError;
use gremlin_codec::graphson::{self, Version};
use query_value::Value;

/// A value as plain JSON.
#[must_use]
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    graphson::write(value, Version::Untyped, &mut out);
    out
}

/// JSON as an argument.
///
/// # Errors
/// It names a type that does not exist, or is a result that no step takes.
pub fn from_json(json: serde_json::Value) -> Result<gremlin::Value, CodecError> {
    graphson::from_json(json)
}
