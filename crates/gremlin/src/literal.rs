//! What numbers and ranges in scripts mean.

use crate::error::ErrorKind;
use crate::tree::Value;
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use crate::limits::{NUMBER_DIGITS_MAX, RANGE_ITEMS_MAX};

/// A number. Without a suffix an integer is as wide as it needs to be and a fraction is a double.
pub(crate) fn number(text: &str, is_negative: bool) -> Result<Value, ErrorKind> {
    let wrong = || ErrorKind::Literal { text: text.to_owned(), expected: "a number" };
    let clean: String = text.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    if text.split(['.', 'e', 'E']).any(|part| part.ends_with('_')) {
        return Err(wrong());
    }
    let sign = if is_negative { "-" } else { "" };
    if let Some(hex) = clean.strip_prefix("0x") {
        let (digits, suffix) = split_suffix(hex, "snil");
        return integer(&format!("{sign}{digits}"), 16, suffix).ok_or_else(wrong);
    }
    let (digits, suffix) = split_suffix(&clean, "bsnilfdm");
    let is_fraction = digits.contains(['.', 'e']) || matches!(suffix, Some('f' | 'd' | 'm'));
    let signed = format!("{sign}{digits}");
    if is_fraction {
        return fraction(&signed, suffix).ok_or_else(wrong);
    }
    let is_octal = digits.len() > 1 && digits.starts_with('0');
    integer(&signed, if is_octal { 8 } else { 10 }, suffix).ok_or_else(wrong)
}

fn split_suffix<'t>(text: &'t str, suffixes: &str) -> (&'t str, Option<char>) {
    match text.chars().next_back().filter(|last| suffixes.contains(*last)) {
        Some(suffix) => (text.get(..text.len() - 1).unwrap_or_default(), Some(suffix)),
        None => (text, None),
    }
}

fn integer(digits: &str, radix: u32, suffix: Option<char>) -> Option<Value> {
    let number = BigInt::parse_bytes(digits.as_bytes(), radix)?;
    match suffix {
        Some('b') => i8::try_from(number).ok().map(Value::Byte),
        Some('s') => i16::try_from(number).ok().map(Value::Short),
        Some('i') => i32::try_from(number).ok().map(Value::Int),
        Some('l') => i64::try_from(number).ok().map(Value::Long),
        Some('n') => Some(Value::BigInteger(number)),
        _ => Some(match (i32::try_from(&number), i64::try_from(&number)) {
            (Ok(number), _) => Value::Int(number),
            (_, Ok(number)) => Value::Long(number),
            _ => Value::BigInteger(number),
        }),
    }
}

fn fraction(digits: &str, suffix: Option<char>) -> Option<Value> {
    match suffix {
        Some('f') => digits.parse().ok().map(Value::Float),
        Some('m') => {
            let exponent = digits.split_once('e').map_or(Some(0), |(_, exponent)| exponent.parse::<i64>().ok())?;
            let is_small = exponent.unsigned_abs() <= u64::try_from(NUMBER_DIGITS_MAX).ok()?;
            is_small.then(|| digits.parse::<BigDecimal>().ok().map(Value::BigDecimal))?
        }
        None | Some('d') => digits.parse().ok().map(Value::Double),
        Some(_) => None,
    }
}

/// The result of `+`, `-` or `*` on whole numbers and doubles, of the wider type of the two as in Groovy; `None`: an
/// operator or type that is none of these, or a whole number that does not fit.
pub(crate) fn arithmetic(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        let result = match operator {
            "+" => left.checked_add(*right),
            "-" => left.checked_sub(*right),
            "*" => left.checked_mul(*right),
            _ => None,
        };
        return result.map(Value::Int);
    }
    if let (Value::Int(_) | Value::Long(_), Value::Int(_) | Value::Long(_)) = (left, right) {
        let (left, right) = (left.as_i64()?, right.as_i64()?);
        let result = match operator {
            "+" => left.checked_add(right),
            "-" => left.checked_sub(right),
            "*" => left.checked_mul(right),
            _ => None,
        };
        return result.map(Value::Long);
    }
    let (left, right) = (double(left)?, double(right)?);
    match operator {
        "+" => Some(Value::Double(left + right)),
        "-" => Some(Value::Double(left - right)),
        "*" => Some(Value::Double(left * right)),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "as Groovy does")]
fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Double(number) => Some(*number),
        Value::Int(number) => Some(f64::from(*number)),
        Value::Long(number) => Some(*number as f64),
        _ => None,
    }
}

/// The items of `low..high`, downwards if `high` is lower: integers, or texts of one character.
pub(crate) fn range(low: &Value, high: &Value) -> Result<Vec<Value>, ErrorKind> {
    let ends = match (low, high) {
        (Value::Text(low), Value::Text(high)) => match (single_char(low), single_char(high)) {
            (Some(low), Some(high)) => Some((i64::from(u32::from(low)), i64::from(u32::from(high)))),
            _ => None,
        },
        _ => low.as_i64().zip(high.as_i64()),
    };
    let Some((first, last)) = ends else {
        return Err(ErrorKind::Literal {
            text: format!("{}..{}", low.kind(), high.kind()),
            expected: "a range of integers or characters",
        });
    };
    if last.abs_diff(first) >= RANGE_ITEMS_MAX.unsigned_abs() {
        let max = usize::try_from(RANGE_ITEMS_MAX).unwrap_or_default();
        return Err(ErrorKind::TooLarge { what: "items of a range", limit: "RANGE_ITEMS_MAX", max });
    }
    let item = |number: i64| match low {
        Value::Text(_) => u32::try_from(number)
            .ok()
            .and_then(char::from_u32)
            .map_or(Value::Null, |c| Value::Text(compact_str::ToCompactString::to_compact_string(&c))),
        _ => i32::try_from(number).map_or(Value::Long(number), Value::Int),
    };
    Ok(if first <= last { (first..=last).map(item).collect() } else { (last..=first).rev().map(item).collect() })
}

fn single_char(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// Bytes written as pairs of hexadecimal digits.
pub(crate) fn bytes(text: &str) -> Option<Box<[u8]>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|b| b.is_ascii_hexdigit()))?;
            (pair.len() == 2).then(|| u8::from_str_radix(pair, 16).ok())?
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_types() {
        for (text, value) in [
            ("1", Value::Int(1)),
            ("2147483648", Value::Long(2_147_483_648)),
            ("9223372036854775808", Value::BigInteger("9223372036854775808".parse().unwrap())),
            ("1b", Value::Byte(1)),
            ("1S", Value::Short(1)),
            ("1_000l", Value::Long(1000)),
            ("1n", Value::BigInteger(1.into())),
            ("0xFF", Value::Int(255)),
            ("017", Value::Int(15)),
            ("1.5", Value::Double(1.5)),
            ("1d", Value::Double(1.0)),
            ("1e3f", Value::Float(1000.0)),
            ("1.50m", Value::BigDecimal("1.50".parse().unwrap())),
        ] {
            assert_eq!(number(text, false), Ok(value), "{text}");
        }
        assert_eq!(number("128b", true), Ok(Value::Byte(-128)));
        assert_eq!(number("9223372036854775808l", true), Ok(Value::Long(i64::MIN)));
        for wrong in ["128b", "1x", "08", "0x", "1e", "1_", "1.5l", "1e99999m"] {
            assert!(number(wrong, false).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_are_bounded() {
        assert_eq!(range(&Value::Int(3), &Value::Int(1)), Ok(vec![Value::Int(3), Value::Int(2), Value::Int(1)]));
        assert_eq!(range(&Value::Text("a".into()), &Value::Text("c".into())).map(|items| items.len()), Ok(3));
        assert!(range(&Value::Int(0), &Value::Long(i64::MAX)).is_err());
        assert!(range(&Value::Int(0), &Value::Text("a".into())).is_err());
    }

    #[test]
    fn arithmetic_gives_the_wider_type_or_nothing() {
        let int = Value::Int;
        assert_eq!(arithmetic("+", &int(40), &int(2)), Some(int(42)));
        assert_eq!(arithmetic("*", &int(2), &Value::Long(3)), Some(Value::Long(6)));
        assert_eq!(arithmetic("-", &Value::Double(1.5), &int(1)), Some(Value::Double(0.5)));
        assert_eq!(arithmetic("+", &int(i32::MAX), &int(1)), None);
        assert_eq!(arithmetic("*", &Value::Long(i64::MAX), &int(2)), None);
        assert_eq!(arithmetic("/", &int(4), &int(2)), None);
        assert_eq!(arithmetic("+", &int(4), &Value::Text("a".into())), None);
    }

    #[test]
    fn bytes_are_pairs_of_digits() {
        assert_eq!(bytes("00ff").as_deref(), Some([0, 255].as_slice()));
        assert_eq!(bytes("0"), None);
    }
}
