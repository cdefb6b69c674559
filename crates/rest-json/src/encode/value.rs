//! Writing property values.

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use graph_model::{Value, format_date};
use jiff::tz::TimeZone;

use super::any::write_any;
use crate::text::{push_array, push_display, push_displayed_string, push_double, push_float, push_string};

/// Appends a value: dates as local time of `zone`, blobs in base 64, UUIDs with dashes, floats that are no numbers as
/// strings, values of auto graphs as in [`write_any`].
pub fn write_value(out: &mut Vec<u8>, value: &Value, zone: &TimeZone) {
    match value {
        Value::Object(json) => out.extend_from_slice(json.as_bytes()),
        Value::Boolean(value) => push_display(out, value),
        Value::Byte(value) => push_display(out, value),
        Value::Int(value) => push_display(out, value),
        Value::Long(value) => push_display(out, value),
        Value::Float(value) => push_float(out, *value),
        Value::Double(value) => push_double(out, *value),
        Value::Text(text) => push_string(out, text),
        Value::Blob(bytes) => push_displayed_string(out, Base64Display::new(bytes, &STANDARD)),
        Value::Date(milliseconds) => push_string(out, &format_date(*milliseconds, zone)),
        Value::Uuid(bits) => push_displayed_string(out, uuid::Uuid::from_u128(*bits).hyphenated()),
        Value::Any(tagged) => write_any(out, tagged),
        Value::List(items) | Value::Set(items) => push_array(out, items, |out, item| write_value(out, item, zone)),
    }
}
