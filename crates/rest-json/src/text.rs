//! JSON's atoms as HugeGraph writes them: strings, numbers, and the commas between fields.

use std::fmt::{self, Debug, Display, LowerExp, Write as _};
use std::io::Write as _;

/// Appends a text that needs no escapes: a number, a boolean.
pub(crate) fn push_display(out: &mut Vec<u8>, value: impl Display) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{value}");
}

/// Appends a string in quotes.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Appends what a value displays as a string in quotes, without a copy in between.
pub(crate) fn push_displayed_string(out: &mut Vec<u8>, value: impl Display) {
    out.push(b'"');
    let _ = write!(Escaped(out), "{value}");
    out.push(b'"');
}

struct Escaped<'o>(&'o mut Vec<u8>);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        push_escaped(self.0, text);
        Ok(())
    }
}

/// Appends the body of a string. Only what JSON requires is escaped, and control characters with upper-case digits:
/// HugeGraph's JSON library does the same.
fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    // Most texts need no escape, and looking at all bytes without stopping is done many at a time.
    if !rest.iter().fold(false, |found, &byte| found | is_special(byte)) {
        out.extend_from_slice(rest);
        return;
    }
    while let Some(at) = rest.iter().position(|&byte| is_special(byte)) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            control => {
                let _ = write!(out, "\\u{control:04X}");
            }
        }
        rest = after;
    }
    out.extend_from_slice(rest);
}

/// Whether a byte cannot stand in a string as it is.
fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Appends a 64-bit float with the fewest digits that read back as it.
pub(crate) fn push_double(out: &mut Vec<u8>, value: f64) {
    push_float_text(out, value, value);
}

/// Appends a 32-bit float with the fewest digits that read back as it.
pub(crate) fn push_float(out: &mut Vec<u8>, value: f32) {
    push_float_text(out, value, f64::from(value));
}

/// Java's form: at least one digit after the point, an exponent from 10^7 up and below 10^-3; what is no number is a
/// string.
fn push_float_text(out: &mut Vec<u8>, value: impl Debug + LowerExp, wide: f64) {
    if wide.is_nan() {
        out.extend_from_slice(b"\"NaN\"");
    } else if wide.is_infinite() {
        out.extend_from_slice(if wide > 0.0 { b"\"Infinity\"" } else { b"\"-Infinity\"" });
    } else if wide == 0.0 || (1e-3..1e7).contains(&wide.abs()) {
        let _ = write!(out, "{value:?}");
    } else {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let point = if digits.contains('.') { "" } else { ".0" };
        let _ = write!(out, "{digits}{point}E{exponent}");
    }
}

/// Appends an array; `push` appends each item.
pub(crate) fn push_array<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    let mut first = true;
    for item in items {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        push(out, item);
    }
    out.push(b']');
}

/// Writes an object field by field.
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> Object<'o> {
    /// Opens the object.
    pub(crate) fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Writes a name; the value is to be appended to what is returned.
    pub(crate) fn field(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        push_string(self.out, name);
        self.out.push(b':');
        self.out
    }

    /// A field with a string.
    pub(crate) fn string(&mut self, name: &str, value: &str) {
        push_string(self.field(name), value);
    }

    /// A field with a number or a boolean.
    pub(crate) fn plain(&mut self, name: &str, value: impl Display) {
        push_display(self.field(name), value);
    }

    /// A field with an array of strings.
    pub(crate) fn strings<'s>(&mut self, name: &str, values: impl IntoIterator<Item = &'s str>) {
        push_array(self.field(name), values, push_string);
    }

    /// Closes the object.
    pub(crate) fn close(self) {
        self.out.push(b'}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        push(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn doubles_are_written_like_javas() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (100.0, "100.0"),
            (0.001, "0.001"),
            (0.0009, "9.0E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (12_900_581.0, "1.2900581E7"),
            (1e300, "1.0E300"),
            (5.531_930_799_101_864_5e-5, "5.5319307991018645E-5"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::NAN, "\"NaN\""),
            (f64::INFINITY, "\"Infinity\""),
            (f64::NEG_INFINITY, "\"-Infinity\""),
        ] {
            assert_eq!(written(|out| push_double(out, value)), text);
        }
        assert_eq!(written(|out| push_float(out, 0.1)), "0.1");
        assert_eq!(written(|out| push_float(out, 16_777_216.0)), "1.6777216E7");
    }

    #[test]
    fn strings_are_escaped() {
        let text = "a\"b\\c\n\r\t\u{8}\u{c}\u{1f}\u{7f}/é😀";
        let expected = "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u001F\u{7f}/é😀\"";
        assert_eq!(written(|out| push_string(out, text)), expected);
        assert_eq!(written(|out| push_displayed_string(out, text)), expected);
        assert_eq!(serde_json::from_str::<String>(expected).unwrap(), text);
    }

    #[test]
    fn objects_have_commas_between_fields() {
        let text = written(|out| {
            let mut object = Object::open(out);
            object.string("a", "x");
            object.plain("b", 1);
            object.strings("c", ["y", "z"]);
            object.close();
        });
        assert_eq!(text, r#"{"a":"x","b":1,"c":["y","z"]}"#);
        assert_eq!(written(|out| Object::open(out).close()), "{}");
    }
}
