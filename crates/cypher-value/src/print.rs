//! Values as text.

use std::fmt::Write as _;

use smol_str::{SmolStr, format_smolstr};

use crate::text::Text;
use crate::value::Value;

/// A float as Java's `Double.toString` writes it: `1.0`, `1.0E20`, `1.23456789E8`, `NaN`.
pub fn float_text(float: f64) -> Text {
    if float.is_nan() {
        return SmolStr::new_static("NaN");
    }
    if float.is_infinite() {
        return SmolStr::new_static(if float > 0.0 { "Infinity" } else { "-Infinity" });
    }
    if float == 0.0 || (1e-3..1e7).contains(&float.abs()) {
        return format_smolstr!("{float:?}");
    }
    let shortest = format_smolstr!("{float:E}");
    match shortest.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format_smolstr!("{digits}.0E{exponent}"),
        _ => shortest,
    }
}

/// A value as `toString` writes it; none for null, bytes, collections and elements.
pub fn to_text(value: &Value) -> Option<Text> {
    Some(match value {
        Value::Boolean(fact) => SmolStr::new_static(if *fact { "true" } else { "false" }),
        Value::Integer(integer) => format_smolstr!("{integer}"),
        Value::Float(float) => float_text(*float),
        Value::String(text) => text.clone(),
        Value::Date(date) => format_smolstr!("{date}"),
        Value::LocalTime(time) => format_smolstr!("{time}"),
        Value::Time(time) => format_smolstr!("{time}"),
        Value::LocalDateTime(local) => format_smolstr!("{local}"),
        Value::DateTime(moment) => format_smolstr!("{moment}"),
        Value::Duration(length) => format_smolstr!("{length}"),
        Value::Point(point) => {
            let mut text = format!("point({{srid:{}, x:{}, y:{}", point.srid, float_text(point.x), float_text(point.y));
            if let Some(z) = point.z {
                let _ = write!(text, ", z:{}", float_text(z));
            }
            text.push_str("})");
            text.into()
        }
        Value::Null
        | Value::Bytes(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Node(_)
        | Value::Relationship(_)
        | Value::Path(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_java_writes_them() {
        for (float, text) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e20, "1.0E20"),
            (123_456_789.0, "1.23456789E8"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (0.001, "0.001"),
            (0.000_99, "9.9E-4"),
            (-0.0, "-0.0"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (f64::INFINITY, "Infinity"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(float_text(float), text);
        }
    }
}
