//! Values of queries as tagged values, and back.

use std::sync::Arc;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use query_value::{DateTime, Duration, Map, Set, Value};
use tagged_value::limits::ENTRIES_MAX;
use tagged_value::{Builder, Items, TaggedError, Token};

use crate::AutoError;

const NANOSECONDS: u64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// The encoding of a value.
///
/// # Errors
/// Elements, paths and other values that no property holds, also inside collections; values beyond the limits of
/// `tagged-value`.
pub fn encode(value: &Value) -> Result<Box<[u8]>, AutoError> {
    let mut builder = Builder::new();
    put(&mut builder, value)?;
    Ok(builder.finish()?)
}

fn put(builder: &mut Builder, value: &Value) -> Result<(), AutoError> {
    let digits;
    let token = match value {
        Value::Null => Token::Null,
        Value::Bool(value) => Token::Bool(*value),
        Value::Byte(number) => Token::Byte(*number),
        Value::Short(number) => Token::Short(*number),
        Value::Int(number) => Token::Int(*number),
        Value::Long(number) => Token::Long(*number),
        Value::BigInteger(number) => {
            digits = number.to_signed_bytes_be();
            Token::BigInteger(&digits)
        }
        Value::Float(number) => Token::Float(*number),
        Value::Double(number) => Token::Double(*number),
        Value::BigDecimal(number) => {
            let (unscaled, scale) = number.as_bigint_and_exponent();
            digits = unscaled.to_signed_bytes_be();
            Token::BigDecimal { scale, unscaled: &digits }
        }
        Value::Char(value) => Token::Char(*value),
        Value::String(text) => Token::String(text),
        Value::Bytes(bytes) => Token::Bytes(bytes),
        Value::Uuid(bits) => Token::Uuid(*bits),
        Value::DateTime(moment) => {
            let since = moment.since_epoch();
            let (seconds, nanos) = (since.seconds, since.nanoseconds);
            Token::DateTime { seconds, nanos, offset_seconds: moment.offset_seconds }
        }
        Value::Duration(length) => Token::Duration { seconds: length.seconds, nanos: length.nanoseconds },
        Value::List(items) => return builder.list(|inner| items.iter().try_for_each(|item| put(inner, item))),
        Value::Set(items) => return builder.set(|inner| items.iter().try_for_each(|item| put(inner, item))),
        Value::Map(pairs) => {
            return builder.map(|inner| {
                pairs.iter().try_for_each(|(key, value)| {
                    put(inner, key)?;
                    put(inner, value)
                })
            });
        }
        Value::BulkSet(items) => return put_repeated(builder, items.iter().map(|(item, count)| (item, *count))),
        Value::Entry(_) => return Err(AutoError::NotStorable { got: "a map entry" }),
        Value::Vertex(_) => return Err(AutoError::NotStorable { got: "a vertex" }),
        Value::Edge(_) => return Err(AutoError::NotStorable { got: "an edge" }),
        Value::VertexProperty(_) | Value::Property(_) => return Err(AutoError::NotStorable { got: "a property" }),
        Value::Path(_) => return Err(AutoError::NotStorable { got: "a path" }),
        Value::Tree(_) => return Err(AutoError::NotStorable { got: "a tree" }),
        Value::Graph(_) => return Err(AutoError::NotStorable { got: "a graph" }),
        Value::Enum(_) => return Err(AutoError::NotStorable { got: "a constant of the language" }),
        Value::Metrics(_) => return Err(AutoError::NotStorable { got: "a profile" }),
    };
    Ok(builder.put(token)?)
}

/// A list with each value as often as it occurred.
fn put_repeated<'v>(
    builder: &mut Builder,
    items: impl Iterator<Item = (&'v Value, u64)> + Clone,
) -> Result<(), AutoError> {
    let total = items.clone().fold(0u64, |total, (_, count)| total.saturating_add(count));
    if usize::try_from(total).map_or(true, |total| total > ENTRIES_MAX) {
        return Err(AutoError::NotStorable { got: "a list of more than 65535 values" });
    }
    builder.list(|inner| {
        for (item, count) in items {
            (0..count).try_for_each(|_| put(inner, item))?;
        }
        Ok(())
    })
}

/// The value of an encoding.
///
/// # Errors
/// [`AutoError::Damaged`].
pub fn decode(bytes: &[u8]) -> Result<Value, AutoError> {
    tagged_value::read(bytes).and_then(value).map_err(AutoError::Damaged)
}

/// The value of a token.
pub(crate) fn value(token: Token<'_>) -> Result<Value, TaggedError> {
    Ok(match token {
        Token::Null => Value::Null,
        Token::Bool(value) => Value::Bool(value),
        Token::Byte(number) => Value::Byte(number),
        Token::Short(number) => Value::Short(number),
        Token::Int(number) => Value::Int(number),
        Token::Long(number) => Value::Long(number),
        Token::BigInteger(bytes) => Value::BigInteger(Arc::new(BigInt::from_signed_bytes_be(bytes))),
        Token::Float(number) => Value::Float(number),
        Token::Double(number) => Value::Double(number),
        Token::BigDecimal { scale, unscaled } => {
            Value::BigDecimal(Arc::new(BigDecimal::new(BigInt::from_signed_bytes_be(unscaled), scale)))
        }
        Token::Char(value) => Value::Char(value),
        Token::String(text) => Value::String(text.into()),
        Token::Bytes(bytes) => Value::Bytes(bytes.into()),
        Token::Uuid(bits) => Value::Uuid(bits),
        Token::DateTime { seconds, nanos, offset_seconds } => {
            // A moment beyond the years of queries can only have been stored by something else.
            date_time(seconds, nanos, offset_seconds).map_or(Value::Null, Value::DateTime)
        }
        Token::Duration { seconds, nanos } => Value::Duration(Duration { seconds, nanoseconds: nanos }),
        Token::List(items) => Value::List(Arc::new(items.map(|item| value(item?)).collect::<Result<_, _>>()?)),
        Token::Set(items) => Value::Set(Arc::new(items.map(|item| value(item?)).collect::<Result<Set, _>>()?)),
        Token::Map(items) => Value::Map(Arc::new(map(items)?)),
    })
}

fn map(mut items: Items<'_>) -> Result<Map, TaggedError> {
    let mut map = Map::new();
    while let Some((key, item)) = items.next().zip(items.next()) {
        map.insert(value(key?)?, value(item?)?);
    }
    Ok(map)
}

/// A moment as a clock shows it. Days are turned into a date as in the proleptic Gregorian calendar whose years begin
/// in March, so that the leap day is the last.
fn date_time(seconds: i64, nanos: u32, offset_seconds: i32) -> Option<DateTime> {
    let local = seconds.checked_add(i64::from(offset_seconds))?;
    let (days, second) = (local.div_euclid(SECONDS_PER_DAY), local.rem_euclid(SECONDS_PER_DAY));
    let days = days.checked_add(719_468)?;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era.checked_mul(400)?.checked_add(year_of_era)?.checked_add(i64::from(month <= 2))?;
    Some(DateTime {
        year: year.try_into().ok()?,
        month: month.try_into().ok()?,
        day: (day_of_year - (153 * march_month + 2) / 5 + 1).try_into().ok()?,
        nanosecond: u64::try_from(second).ok()? * NANOSECONDS + u64::from(nanos),
        offset_seconds,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let simple = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i8>().prop_map(Value::Byte),
            any::<i16>().prop_map(Value::Short),
            any::<i32>().prop_map(Value::Int),
            any::<i64>().prop_map(Value::Long),
            any::<i128>().prop_map(|number| Value::BigInteger(Arc::new(number.into()))),
            any::<f32>().prop_map(Value::Float),
            any::<f64>().prop_map(Value::Double),
            (any::<i128>(), -90i64..90)
                .prop_map(|(digits, scale)| Value::BigDecimal(Arc::new(BigDecimal::new(digits.into(), scale)))),
            any::<char>().prop_map(Value::Char),
            ".{0,9}".prop_map(|text| Value::String(text.into())),
            any::<Vec<u8>>().prop_map(|bytes| Value::Bytes(bytes.into())),
            any::<u128>().prop_map(Value::Uuid),
            (-60_000_000_000_000i64..60_000_000_000_000, 0u32..1_000_000_000, -64_800i32..=64_800)
                .prop_map(|(seconds, nanos, offset)| Value::DateTime(date_time(seconds, nanos, offset).unwrap())),
            (any::<i64>(), 0u32..1_000_000_000)
                .prop_map(|(seconds, nanoseconds)| Value::Duration(Duration { seconds, nanoseconds })),
        ];
        simple.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|items| Value::List(Arc::new(items))),
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| Value::Set(Arc::new(items.into_iter().collect()))),
                prop::collection::vec((inner.clone(), inner), 0..4)
                    .prop_map(|items| Value::Map(Arc::new(items.into_iter().collect()))),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_are_read_back_equal_and_of_the_same_types(value in values()) {
            let bytes = encode(&value)?;
            let read = decode(&bytes)?;
            prop_assert_eq!(&read, &value);
            prop_assert_eq!(encode(&read)?, bytes, "zeros of both signs and every NaN");
        }

        #[test]
        fn moments_are_those_of_the_calendar(seconds in -300_000_000_000i64..250_000_000_000) {
            let read = date_time(seconds, 5, 0).unwrap();
            prop_assert_eq!(Some(read), DateTime::from_epoch(seconds, 5));
            prop_assert_eq!(read.since_epoch(), Duration { seconds, nanoseconds: 5 });
        }
    }

    #[test]
    fn elements_are_no_values_of_properties() {
        let vertex = query_value::Vertex { id: Value::Int(1), label: "person".into(), properties: None };
        let vertex = Value::Vertex(Arc::new(vertex));
        for value in [vertex.clone(), Value::List(Arc::new(vec![vertex]))] {
            let error = encode(&value).unwrap_err();
            assert!(error.to_string().contains("a vertex"), "{error}");
        }
        let many = [(Value::Int(1), 2), (Value::Int(2), 1)].into_iter().collect();
        let list = decode(&encode(&Value::BulkSet(Arc::new(many))).unwrap()).unwrap();
        assert_eq!(list, Value::List(Arc::new(vec![Value::Int(1), Value::Int(1), Value::Int(2)])));
        let too_many = [(Value::Int(1), u64::MAX), (Value::Int(2), 1)].into_iter().collect();
        assert!(encode(&Value::BulkSet(Arc::new(too_many))).is_err());
        assert!(matches!(decode(&[255]), Err(AutoError::Damaged(_))));
    }
}
