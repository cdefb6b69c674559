//! Conversions: to booleans, moments and numbers. The texts of errors are those that clients of Gremlin know.

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{Num as _, ToPrimitive as _, Zero as _};

use crate::datetime::DateTime;
use crate::enums::{DateUnit, GType};
use crate::error::ValueError;
use crate::limits::NUMBER_DIGITS_MAX;
use crate::number::{as_f64, checked, to_big, to_decimal};
use crate::value::Value;

/// Characters of a value in an error.
const SHOWN_CHARACTERS: usize = 100;

type Computed = Result<Value, ValueError>;

fn wrong(message: String) -> ValueError {
    ValueError::Conversion { message }
}

/// The value as an error shows it: its text if it is a scalar, else its class.
fn shown(value: &Value) -> String {
    let mut room = super::Room::new(4 * SHOWN_CHARACTERS as u64);
    match value {
        Value::String(text) => text.chars().take(SHOWN_CHARACTERS).collect(),
        Value::List(_) | Value::Set(_) | Value::Map(_) => value.class_name().to_owned(),
        other => super::text(other, &mut room).unwrap_or_else(|_| other.class_name().to_owned()),
    }
}

/// True or false: of a boolean itself, of a number whether it is neither zero nor NaN, of a text what it says, whatever
/// its case.
///
/// # Errors
/// Any other value.
pub fn as_bool(value: &Value) -> Computed {
    let flag = match value {
        Value::Bool(flag) => Some(*flag),
        Value::BigInteger(number) => Some(!number.is_zero()),
        Value::BigDecimal(number) => Some(!number.is_zero()),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        other if other.is_number() => as_f64(other).map(|number| !number.is_nan() && number != 0.0),
        _ => None,
    };
    flag.map(Value::Bool).ok_or_else(|| wrong(format!("Can't parse {} as Boolean.", shown(value))))
}

/// A moment: of a text in ISO 8601, of an integer of milliseconds since 1970.
///
/// # Errors
/// Any other value; a moment beyond the years -9999 to 9999.
pub fn as_date(value: &Value) -> Computed {
    let moment = match value {
        Value::DateTime(moment) => Some(*moment),
        Value::String(text) => DateTime::parse(text),
        other => other.as_i64().and_then(DateTime::from_epoch_milliseconds),
    };
    moment.map(Value::DateTime).ok_or_else(|| wrong(format!("Can't parse {} as Date.", shown(value))))
}

/// A moment some units later.
///
/// # Errors
/// The result is beyond the years -9999 to 9999.
pub fn add_to_date(moment: &DateTime, unit: DateUnit, amount: i64) -> Computed {
    let seconds = match unit {
        DateUnit::Second => 1,
        DateUnit::Minute => 60,
        DateUnit::Hour => 3600,
        DateUnit::Day => 86_400,
    };
    let later = amount.checked_mul(seconds).and_then(|seconds| moment.plus_seconds(seconds));
    later.map(Value::DateTime).ok_or(ValueError::Overflow)
}

/// Milliseconds from the second moment to the first.
///
/// # Errors
/// They are beyond 64 bits.
pub fn date_difference(a: &DateTime, b: &DateTime) -> Computed {
    let difference = milliseconds(a)?.checked_sub(milliseconds(b)?);
    difference.map(Value::Long).ok_or(ValueError::Overflow)
}

fn milliseconds(moment: &DateTime) -> Result<i64, ValueError> {
    let since = moment.since_epoch();
    let whole = since.seconds.checked_mul(1000).ok_or(ValueError::Overflow)?;
    whole.checked_add(i64::from(since.nanoseconds / 1_000_000)).ok_or(ValueError::Overflow)
}

/// Whether a type is one of numbers.
#[must_use]
pub fn is_numeric(gtype: GType) -> bool {
    matches!(
        gtype,
        GType::Byte
            | GType::Short
            | GType::Int
            | GType::Long
            | GType::BigInt
            | GType::Float
            | GType::Double
            | GType::BigDecimal
            | GType::Number
    )
}

/// A number, of the type if one is given: of a number itself, of a text what it says, of a moment the milliseconds
/// since 1970, of null null. Integers get the narrowest type of at least 32 bits, fractions 64 bits.
///
/// # Errors
/// Any other value; a number that the type cannot hold; a type that is not one of numbers.
pub fn as_number(value: &Value, gtype: Option<GType>) -> Computed {
    let number = match value {
        Value::Null => return Ok(Value::Null),
        Value::String(text) => parse(text).ok_or_else(|| {
            let shown: String = text.chars().take(SHOWN_CHARACTERS).collect();
            wrong(format!("Can't parse string '{shown}' as number."))
        })?,
        Value::DateTime(moment) => Value::Long(milliseconds(moment)?),
        other if other.is_number() => other.clone(),
        other => return Err(wrong(format!("Can't parse type {} as number.", other.class_name()))),
    };
    match gtype {
        None | Some(GType::Number) => Ok(number),
        Some(gtype) if !is_numeric(gtype) => {
            Err(wrong(format!("asNumber() requires a numeric type token, got {}", gtype.name())))
        }
        Some(gtype) => cast(&number, gtype),
    }
}

/// The number of a text: decimal or hexadecimal, with `l`, `f` or `d` for its type.
fn parse(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.len() > NUMBER_DIGITS_MAX || !text.is_ascii() {
        return None;
    }
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", text.get(1..)?),
        b'+' => ("", text.get(1..)?),
        _ => ("", text),
    };
    let hexadecimal = ["0x", "0X"].iter().find_map(|prefix| digits.strip_prefix(prefix));
    let (radix, digits) = hexadecimal.map_or((10, digits), |digits| (16, digits));
    let (digits, suffix) = match digits.as_bytes().last()? {
        b'l' | b'L' => (digits.get(..digits.len() - 1)?, 'l'),
        b'f' | b'F' if radix == 10 => (digits.get(..digits.len() - 1)?, 'f'),
        b'd' | b'D' if radix == 10 => (digits.get(..digits.len() - 1)?, 'd'),
        _ => (digits, ' '),
    };
    let starts =
        |byte: &u8| if radix == 16 { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() || *byte == b'.' };
    if !digits.as_bytes().first().is_some_and(starts) {
        return None;
    }
    let signed = format!("{sign}{digits}");
    let is_whole =
        digits.bytes().all(|byte| if radix == 16 { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() });
    match suffix {
        'f' => return signed.parse().ok().map(Value::Float),
        'd' => return signed.parse().ok().map(Value::Double),
        _ if !is_whole => {
            return (suffix == ' ' && radix == 10).then(|| signed.parse().ok().map(Value::Double)).flatten();
        }
        _ => {}
    }
    let number = BigInt::from_str_radix(&signed, radix).ok()?;
    Some(match (i32::try_from(&number), i64::try_from(&number)) {
        (Ok(number), _) if suffix == ' ' => Value::Int(number),
        (_, Ok(number)) => Value::Long(number),
        _ => number.into(),
    })
}

/// A number in another type; fractions are cut off.
fn cast(number: &Value, gtype: GType) -> Computed {
    let overflow =
        |name: &str| wrong(format!("Can't convert number of type {} to {name} due to overflow.", number.class_name()));
    let whole = || match number {
        Value::Float(_) | Value::Double(_) => to_decimal(number).and_then(|number| number.to_i64()),
        Value::BigDecimal(number) => number.to_i64(),
        other => other.as_i64(),
    };
    match gtype {
        GType::Byte => whole().and_then(|n| i8::try_from(n).ok()).map(Value::Byte).ok_or_else(|| overflow("Byte")),
        GType::Short => whole().and_then(|n| i16::try_from(n).ok()).map(Value::Short).ok_or_else(|| overflow("Short")),
        GType::Int => whole().and_then(|n| i32::try_from(n).ok()).map(Value::Int).ok_or_else(|| overflow("Integer")),
        GType::Long => whole().map(Value::Long).ok_or_else(|| overflow("Long")),
        GType::BigInt => {
            let big = to_big(number).or_else(|| {
                let (digits, scale) =
                    to_decimal(number)?.with_scale_round(0, bigdecimal::RoundingMode::Down).into_bigint_and_exponent();
                (scale == 0).then_some(digits)
            });
            big.map(Value::from).ok_or_else(|| overflow("BigInteger"))
        }
        GType::BigDecimal => checked(to_decimal(number).ok_or_else(|| overflow("BigDecimal"))?),
        GType::Double => {
            let double = as_f64(number).filter(|double| double.is_finite() || is_float(number));
            double.map(Value::Double).ok_or_else(|| overflow("Double"))
        }
        GType::Float => {
            let double = as_f64(number).unwrap_or(f64::INFINITY);
            #[expect(clippy::cast_possible_truncation, reason = "rounding is meant, and infinity is tested")]
            let float = double as f32;
            let fits = float.is_finite() || !double.is_finite() && is_float(number);
            if fits { Ok(Value::Float(float)) } else { Err(overflow("Float")) }
        }
        _ => Ok(number.clone()),
    }
}

fn is_float(number: &Value) -> bool {
    matches!(number, Value::Float(_) | Value::Double(_))
}

#[cfg(test)]
mod tests {
    use bigdecimal::BigDecimal;

    use super::*;

    fn message(result: Computed) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn booleans_are_read() {
        for (value, wanted) in [
            (Value::Int(1), true),
            (Value::Double(3.25), true),
            (Value::Double(-0.0), false),
            (Value::Double(f64::NAN), false),
            (Value::from(BigInt::from(0)), false),
            (Value::from("tRUe"), true),
            (Value::Bool(false), false),
        ] {
            assert_eq!(as_bool(&value), Ok(Value::Bool(wanted)), "{value:?}");
        }
        assert_eq!(message(as_bool(&Value::Null)), "Can't parse null as Boolean.");
        assert_eq!(message(as_bool(&Value::from("hello"))), "Can't parse hello as Boolean.");
        assert_eq!(message(as_bool(&Value::list([Value::Int(1)]))), "Can't parse ArrayList as Boolean.");
    }

    #[test]
    fn moments_are_read_and_computed() {
        let moment = |text: &str| DateTime::parse(text).unwrap();
        assert_eq!(as_date(&Value::Long(1_694_017_707_000)), Ok(moment("2023-09-06T16:28:27Z").into()));
        assert_eq!(as_date(&Value::from("2023-08-02")), Ok(moment("2023-08-02T00:00:00Z").into()));
        assert!(message(as_date(&Value::Double(1.5))).starts_with("Can't parse"));
        assert!(as_date(&Value::Long(i64::MIN)).is_err());
        let start = moment("2023-08-02T00:00:00-07:00");
        let later = add_to_date(&start, DateUnit::Day, 30).unwrap();
        assert_eq!(later, moment("2023-09-01T00:00:00-07:00").into());
        assert_eq!(add_to_date(&start, DateUnit::Day, i64::MAX), Err(ValueError::Overflow));
        assert_eq!(add_to_date(&start, DateUnit::Second, i64::MAX), Err(ValueError::Overflow));
        let utc = moment("2023-08-02T00:00:00.001Z");
        assert_eq!(date_difference(&start, &utc), Ok(Value::Long(25_199_999)));
    }

    #[test]
    fn numbers_are_read() {
        for (text, wanted) in [
            ("5", Value::Int(5)),
            (" -5 ", Value::Int(-5)),
            ("0x1F", Value::Int(31)),
            ("-0x1f", Value::Int(-31)),
            ("1596326400000", Value::Long(1_596_326_400_000)),
            ("5L", Value::Long(5)),
            ("18446744073709551616", Value::from(BigInt::from(2).pow(64))),
            ("1.76", Value::Double(1.76)),
            ("1e3", Value::Double(1000.0)),
            (".5f", Value::Float(0.5)),
        ] {
            assert_eq!(as_number(&Value::from(text), None), Ok(wanted), "{text}");
        }
        for text in ["", "-", "test", "1,000", "0x", "0xg", "1.5l", "--1", "infinity", "nan", "1e", "0x5.", "١"] {
            let wanted = format!("Can't parse string '{text}' as number.");
            assert_eq!(message(as_number(&Value::from(text), None)), wanted);
        }
        assert_eq!(message(as_number(&Value::list([]), None)), "Can't parse type ArrayList as number.");
        assert_eq!(as_number(&Value::Null, Some(GType::Int)), Ok(Value::Null));
    }

    #[test]
    fn numbers_are_cast_or_refused() {
        let big = Value::from(BigInt::from(10).pow(400));
        for (number, gtype, wanted) in [
            (Value::Double(5.67), GType::Int, Value::Int(5)),
            (Value::Double(-5.67), GType::Long, Value::Long(-5)),
            (Value::Int(12), GType::Byte, Value::Byte(12)),
            (Value::Double(1.5), GType::BigInt, Value::from(BigInt::from(1))),
            (Value::Int(2), GType::Double, Value::Double(2.0)),
            (Value::Double(f64::INFINITY), GType::Float, Value::Float(f32::INFINITY)),
            (Value::Int(2), GType::BigDecimal, Value::from(BigDecimal::from(2))),
        ] {
            assert_eq!(as_number(&number, Some(gtype)), Ok(wanted), "{number:?} {gtype:?}");
        }
        for (number, gtype, wanted) in [
            (Value::Int(32_768), GType::Short, "Can't convert number of type Integer to Short due to overflow."),
            (Value::Double(1e39), GType::Float, "Can't convert number of type Double to Float due to overflow."),
            (Value::Double(f64::NAN), GType::Int, "Can't convert number of type Double to Integer due to overflow."),
            (Value::Double(1e300), GType::Long, "Can't convert number of type Double to Long due to overflow."),
            (big, GType::Double, "Can't convert number of type BigInteger to Double due to overflow."),
            (Value::Int(1), GType::Vertex, "asNumber() requires a numeric type token, got VERTEX"),
        ] {
            assert_eq!(message(as_number(&number, Some(gtype))), wanted);
        }
    }
}
