//! Writing values that say their own types: those of auto graphs.

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use tagged_value::{Entry, Items, TaggedError, Token, entries, read};

use crate::text::{push_array, push_display, push_displayed_string, push_double, push_float, push_string};

/// Digits a decimal may have before or after its own ones without an exponent.
const PLAIN_SCALE_MAX: i64 = 40;

/// Appends what a key holds: the value, or an array of several. What cannot be read is null.
///
/// Numbers are numbers whatever their type, as far as JSON has them; lists and sets are arrays, maps are objects whose
/// keys are texts (of other keys, their JSON as a text), moments and lengths of time are texts in ISO 8601, blobs are
/// texts in base 64.
pub(super) fn write_any(out: &mut Vec<u8>, tagged: &[u8]) {
    let all: Vec<Entry<'_>> = entries(tagged).map_while(Result::ok).collect();
    match all.as_slice() {
        [one] => write_one(out, one.value),
        many => push_array(out, many, |out, entry| write_one(out, entry.value)),
    }
}

fn write_one(out: &mut Vec<u8>, value: &[u8]) {
    write_token(out, read(value));
}

fn write_token(out: &mut Vec<u8>, token: Result<Token<'_>, TaggedError>) {
    match token {
        Err(_) | Ok(Token::Null) => out.extend_from_slice(b"null"),
        Ok(Token::Bool(value)) => push_display(out, value),
        Ok(Token::Byte(number)) => push_display(out, number),
        Ok(Token::Short(number)) => push_display(out, number),
        Ok(Token::Int(number)) => push_display(out, number),
        Ok(Token::Long(number)) => push_display(out, number),
        Ok(Token::BigInteger(bytes)) => push_display(out, BigInt::from_signed_bytes_be(bytes)),
        Ok(Token::Float(number)) => push_float(out, number),
        Ok(Token::Double(number)) => push_double(out, number),
        Ok(Token::BigDecimal { scale, unscaled }) => {
            let digits = BigInt::from_signed_bytes_be(unscaled);
            if scale.unsigned_abs() <= PLAIN_SCALE_MAX.unsigned_abs() {
                push_display(out, BigDecimal::new(digits, scale).to_plain_string());
            } else {
                push_display(out, format_args!("{digits}E{}", -i128::from(scale)));
            }
        }
        Ok(Token::Char(value)) => push_string(out, value.encode_utf8(&mut [0; 4])),
        Ok(Token::String(text)) => push_string(out, text),
        Ok(Token::Bytes(bytes)) => push_displayed_string(out, Base64Display::new(bytes, &STANDARD)),
        Ok(Token::Uuid(bits)) => push_displayed_string(out, uuid::Uuid::from_u128(bits).hyphenated()),
        Ok(Token::DateTime { seconds, nanos, offset_seconds }) => {
            let nanoseconds = i32::try_from(nanos).unwrap_or_default();
            let moment = Timestamp::new(seconds, nanoseconds).ok().zip(Offset::from_seconds(offset_seconds).ok());
            match moment {
                Some((moment, offset)) => push_displayed_string(out, moment.display_with_offset(offset)),
                // Beyond the years people write with four digits.
                None => push_displayed_string(out, format_args!("{seconds}.{nanos:09}")),
            }
        }
        Ok(Token::Duration { seconds, nanos }) => {
            let nanos = i32::try_from(nanos).unwrap_or_default();
            push_displayed_string(out, SignedDuration::new(seconds, nanos));
        }
        Ok(Token::List(items) | Token::Set(items)) => push_array(out, items, write_token),
        Ok(Token::Map(items)) => write_map(out, items),
    }
}

fn write_map(out: &mut Vec<u8>, mut items: Items<'_>) {
    out.push(b'{');
    let mut is_first = true;
    while let Some((key, value)) = items.next().zip(items.next()) {
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        match key {
            Ok(Token::String(text)) => push_string(out, text),
            key => {
                let mut text = Vec::new();
                write_token(&mut text, key);
                let text = String::from_utf8_lossy(&text);
                // A text already (a UUID, a moment) needs no further quotes.
                push_string(out, text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&text));
            }
        }
        out.push(b':');
        write_token(out, value);
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use tagged_value::{Builder, EntryId, Meta, put_entries};

    use super::*;

    fn written(tagged: &[u8]) -> String {
        let mut out = Vec::new();
        write_any(&mut out, tagged);
        String::from_utf8(out).unwrap()
    }

    fn one(token: Token<'_>) -> String {
        written(&Builder::encode(token).unwrap())
    }

    #[test]
    fn values_are_written_naturally() {
        for (token, json) in [
            (Token::Null, "null"),
            (Token::Bool(true), "true"),
            (Token::Byte(-1), "-1"),
            (Token::Long(i64::MAX), "9223372036854775807"),
            (Token::BigInteger(&[1, 0, 0, 0, 0, 0, 0, 0, 0]), "18446744073709551616"),
            (Token::Float(0.5), "0.5"),
            (Token::Double(f64::NAN), "\"NaN\""),
            (Token::BigDecimal { scale: 2, unscaled: &[0x7B] }, "1.23"),
            (Token::BigDecimal { scale: i64::MIN, unscaled: &[0x7B] }, "123E9223372036854775808"),
            (Token::Char('\u{e4}'), "\"\u{e4}\""),
            (Token::Bytes(&[1, 2]), "\"AQI=\""),
            (Token::Uuid(7), "\"00000000-0000-0000-0000-000000000007\""),
            (
                Token::DateTime { seconds: 0, nanos: 5_000_000, offset_seconds: 7200 },
                "\"1970-01-01T02:00:00.005+02:00\"",
            ),
            (Token::DateTime { seconds: i64::MAX, nanos: 1, offset_seconds: 0 }, "\"9223372036854775807.000000001\""),
            (Token::Duration { seconds: -2, nanos: 500_000_000 }, "\"-PT1.5S\""),
        ] {
            assert_eq!(one(token), json, "{token:?}");
        }
        let mut builder = Builder::new();
        builder
            .map(|map| {
                map.put(Token::String("a\""))?;
                map.list(|list| list.put(Token::Int(1)))?;
                map.put(Token::Int(7))?;
                map.put(Token::Null)?;
                map.list(|list| list.put(Token::String("k")))?;
                map.put(Token::Bool(false))
            })
            .unwrap();
        assert_eq!(written(&builder.finish().unwrap()), r#"{"a\"":[1],"7":null,"[\"k\"]":false}"#);
        assert_eq!(written(&[255]), "[]");
    }

    #[test]
    fn several_values_are_an_array() {
        let value = Builder::encode(Token::Int(1)).unwrap();
        let entry = |number| Entry { id: EntryId::Ordinal(number), value: &value, meta: Meta::default() };
        assert_eq!(written(&put_entries([entry(0), entry(1)]).unwrap()), "[1,1]");
        assert_eq!(written(&put_entries([entry(1)]).unwrap()), "1");
    }
}
