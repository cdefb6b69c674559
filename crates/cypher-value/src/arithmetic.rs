//! `+`, `-`, `*`, `/`, `%`, `^` of values.
//!
//! An operator on null gives null. Integers have 64 bits, and a result beyond them is an error; floats are IEEE 754.

use std::sync::Arc;

use crate::bounds::{bounded, joined};
use crate::error::{Detail, Error, Result};
use crate::moment;
use crate::text::Text;
use crate::value::Value;

/// `a + b`: of numbers, texts, lists, durations, and of what has a place in time with a duration. A text takes a number
/// at its end or start, and a list any value.
///
/// # Errors
///
/// An arithmetic error beyond 64 bits; a type error for what cannot be added; an execution error for a list or text
/// beyond the limits.
pub fn add(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Integer(x), Value::Integer(y)) => {
            x.checked_add(*y).map(Value::Integer).ok_or_else(|| overflow(a, '+', b))
        }
        (Value::List(a), Value::List(b)) => bounded(Value::list(a.iter().chain(b.iter()).cloned().collect())),
        (Value::List(list), value) => bounded(Value::list(list.iter().chain([value]).cloned().collect())),
        (value, Value::List(list)) => bounded(Value::list([value].into_iter().chain(list.iter()).cloned().collect())),
        (Value::String(a), b) => match as_text(b) {
            Some(b) => joined(a, &b),
            None => Err(mismatch('+', &Value::String(a.clone()), b)),
        },
        (a, Value::String(b)) => match as_text(a) {
            Some(a) => joined(&a, b),
            None => Err(mismatch('+', a, &Value::String(b.clone()))),
        },
        (Value::Duration(x), Value::Duration(y)) => x.plus(y).map(Value::from),
        (Value::Duration(duration), value) | (value, Value::Duration(duration)) => match moment::plus(value, duration)?
        {
            Some(sum) => Ok(sum),
            None => Err(mismatch('+', a, b)),
        },
        _ => floats(a, '+', b, |a, b| a + b),
    }
}

/// `a - b`: of numbers, durations, and of what has a place in time with a duration.
///
/// # Errors
///
/// An arithmetic error beyond 64 bits; a type error for what cannot be subtracted.
pub fn subtract(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Integer(x), Value::Integer(y)) => {
            x.checked_sub(*y).map(Value::Integer).ok_or_else(|| overflow(a, '-', b))
        }
        (Value::Duration(x), Value::Duration(y)) => x.plus(&y.times(-1)?).map(Value::from),
        (value, Value::Duration(duration)) => match moment::plus(value, &duration.times(-1)?)? {
            Some(difference) => Ok(difference),
            None => Err(mismatch('-', a, b)),
        },
        _ => floats(a, '-', b, |a, b| a - b),
    }
}

/// `a * b`: of numbers, and of a duration with a number.
///
/// # Errors
///
/// An arithmetic error beyond 64 bits; a type error for what cannot be multiplied.
pub fn multiply(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Integer(x), Value::Integer(y)) => {
            x.checked_mul(*y).map(Value::Integer).ok_or_else(|| overflow(a, '*', b))
        }
        (Value::Duration(duration), number) | (number, Value::Duration(duration)) => match number {
            Value::Integer(factor) => duration.times(*factor).map(Value::from),
            Value::Float(factor) => duration.scaled(|part| part * factor).map(Value::from),
            _ => Err(mismatch('*', a, b)),
        },
        _ => floats(a, '*', b, |a, b| a * b),
    }
}

/// `a / b`: of numbers, and of a duration by a number. Integers give an integer, rounded towards zero.
///
/// # Errors
///
/// An arithmetic error for a division of integers by zero and beyond 64 bits; a type error for what cannot be divided.
pub fn divide(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Integer(_), Value::Integer(0)) => Err(by_zero()),
        (Value::Integer(x), Value::Integer(y)) => {
            x.checked_div(*y).map(Value::Integer).ok_or_else(|| overflow(a, '/', b))
        }
        (Value::Duration(duration), number) => match as_float(number) {
            Some(0.0) => Err(by_zero()),
            Some(divisor) => duration.scaled(|part| part / divisor).map(Value::from),
            None => Err(mismatch('/', a, b)),
        },
        _ => floats(a, '/', b, |a, b| a / b),
    }
}

/// `a % b`: of numbers, with the sign of `a`.
///
/// # Errors
///
/// An arithmetic error for a division of integers by zero; a type error for what are not numbers.
pub fn modulo(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Integer(_), Value::Integer(0)) => Err(by_zero()),
        (Value::Integer(x), Value::Integer(y)) => Ok(Value::Integer(x.wrapping_rem(*y))),
        _ => floats(a, '%', b, |a, b| a % b),
    }
}

/// `a ^ b`: of numbers, always a float.
///
/// # Errors
///
/// A type error for what are not numbers.
pub fn power(a: &Value, b: &Value) -> Result<Value> {
    floats(a, '^', b, f64::powf)
}

/// `-a`: of a number or a duration.
///
/// # Errors
///
/// An arithmetic error beyond 64 bits; a type error for what has no negative.
pub fn negate(a: &Value) -> Result<Value> {
    match a {
        Value::Null => Ok(Value::Null),
        Value::Integer(x) => x.checked_neg().map(Value::Integer).ok_or_else(|| overflow(&Value::Integer(0), '-', a)),
        Value::Float(x) => Ok(Value::Float(-x)),
        Value::Duration(x) => x.times(-1).map(Value::from),
        other => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("`-` expects a number, found {}", other.type_name()),
        )),
    }
}

/// `+a`: of a number.
///
/// # Errors
///
/// A type error for what is no number.
pub fn plus(a: &Value) -> Result<Value> {
    match a {
        Value::Null | Value::Integer(_) | Value::Float(_) => Ok(a.clone()),
        other => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("`+` expects a number, found {}", other.type_name()),
        )),
    }
}

/// `a || b`: of two texts or two lists.
///
/// # Errors
///
/// A type error for all else.
pub fn concatenate(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::String(_), Value::String(_)) | (Value::List(_), Value::List(_)) => add(a, b),
        _ => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("`||` expects two STRINGs or two LISTs, found {} and {}", a.type_name(), b.type_name()),
        )),
    }
}

/// A number as a float, rounded to the nearest.
pub(crate) fn as_float(value: &Value) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "the language says so: integers beyond 53 bits are rounded")]
        Value::Integer(integer) => Some(*integer as f64),
        Value::Float(float) => Some(*float),
        _ => None,
    }
}

/// What a text takes at its ends.
fn as_text(value: &Value) -> Option<Text> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::List(_) | Value::Map(_) | Value::Node(_) | Value::Relationship(_) | Value::Path(_) => None,
        other => crate::print::to_text(other),
    }
}

/// Computes with two numbers, of which one is a float or the result is one.
fn floats(a: &Value, operator: char, b: &Value, compute: impl Fn(f64, f64) -> f64) -> Result<Value> {
    if a.is_null() || b.is_null() {
        return Ok(Value::Null);
    }
    match (as_float(a), as_float(b)) {
        (Some(a), Some(b)) => Ok(Value::Float(compute(a, b))),
        _ => Err(mismatch(operator, a, b)),
    }
}

/// An error: the operands have types that do not go together.
fn mismatch(operator: char, a: &Value, b: &Value) -> Error {
    Error::type_error(
        Detail::InvalidArgumentType,
        format!("`{operator}` does not take {} and {}", a.type_name(), b.type_name()),
    )
}

/// An error: the result is beyond 64 bits.
fn overflow(a: &Value, operator: char, b: &Value) -> Error {
    let text = |value: &Value| crate::print::to_text(value).unwrap_or_default();
    Error::arithmetic(
        Detail::IntegerOverflow,
        format!("the result of {} {operator} {} is beyond 64 bits", text(a), text(b)),
    )
}

/// An error: a division by zero.
fn by_zero() -> Error {
    Error::arithmetic(Detail::None, "/ by zero")
}

/// What follows an index: an element of a list, a value of a map, a property. Properties are read by
/// [`crate::Context::property`]; this is for lists and maps.
///
/// # Errors
///
/// A type error for what has no elements, or an index that does not fit.
pub fn element(container: &Value, index: &Value) -> Result<Value> {
    match (container, index) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::List(_) | Value::Map(_), Value::Null) => Ok(Value::Null),
        (Value::List(list), Value::Integer(index)) => {
            let place = if *index < 0 { index.checked_add_unsigned(list.len() as u64) } else { Some(*index) };
            let place = place.and_then(|place| usize::try_from(place).ok());
            Ok(place.and_then(|place| list.get(place)).cloned().unwrap_or_default())
        }
        (Value::Map(map), Value::String(name)) => Ok(map.get(name).cloned().unwrap_or_default()),
        (Value::List(_), index) => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("the index of a list must be an INTEGER, not {}", index.type_name()),
        )),
        (Value::Map(_), index) => Err(Error::type_error(
            Detail::MapElementAccessByNonString,
            format!("the key of a map must be a STRING, not {}", index.type_name()),
        )),
        (other, _) => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("{} has no elements: an index needs a LIST or a MAP", other.type_name()),
        )),
    }
}

/// `list[from..to]`: from the start or to the end where a bound is none; negative bounds count from the end. Null if
/// the list or a bound is null.
///
/// # Errors
///
/// A type error for what is no list, and for bounds that are no integers.
pub fn slice(list: &Value, from: Option<&Value>, to: Option<&Value>) -> Result<Value> {
    if list.is_null() || from.is_some_and(Value::is_null) || to.is_some_and(Value::is_null) {
        return Ok(Value::Null);
    }
    let Value::List(list) = list else {
        return Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("only a LIST can be sliced, not {}", list.type_name()),
        ));
    };
    let place = |bound: Option<&Value>, default: usize| match bound {
        None => Ok(default),
        Some(Value::Integer(bound)) if *bound < 0 => {
            let distance = usize::try_from(bound.unsigned_abs()).unwrap_or(usize::MAX);
            Ok(list.len().saturating_sub(distance))
        }
        Some(Value::Integer(bound)) => Ok(usize::try_from(*bound).unwrap_or(usize::MAX).min(list.len())),
        Some(other) => Err(Error::type_error(
            Detail::InvalidArgumentType,
            format!("the bound of a slice must be an INTEGER, not {}", other.type_name()),
        )),
    };
    let (from, to) = (place(from, 0)?, place(to, list.len())?);
    if from == 0 && to == list.len() {
        return Ok(Value::List(Arc::clone(list)));
    }
    Ok(Value::list(list.get(from..to).unwrap_or_default().to_vec()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ErrorKind;
    use crate::testing::{any_value, list};

    fn int(value: i64) -> Value {
        Value::Integer(value)
    }

    #[test]
    fn integers_stay_integers_within_64_bits() {
        assert_eq!(divide(&int(7), &int(2)), Ok(int(3)));
        assert_eq!(modulo(&int(-7), &int(3)), Ok(int(-1)));
        assert_eq!(modulo(&int(i64::MIN), &int(-1)), Ok(int(0)));
        let kind = |result: Result<Value>| result.map_err(|error| error.kind);
        for result in [
            add(&int(i64::MAX), &int(1)),
            subtract(&int(i64::MIN), &int(1)),
            multiply(&int(i64::MAX), &int(2)),
            divide(&int(i64::MIN), &int(-1)),
            divide(&int(1), &int(0)),
            modulo(&int(1), &int(0)),
            negate(&int(i64::MIN)),
        ] {
            assert_eq!(kind(result), Err(ErrorKind::ArithmeticError));
        }
        assert!(matches!(power(&int(2), &int(3)), Ok(Value::Float(8.0))));
        assert!(matches!(divide(&1.0.into(), &int(0)), Ok(Value::Float(f64::INFINITY))));
    }

    #[test]
    fn texts_and_lists_grow() {
        assert_eq!(add(&"a".into(), &int(1)), Ok("a1".into()));
        assert_eq!(add(&int(1), &"a".into()), Ok("1a".into()));
        assert_eq!(add(&list([int(1)]), &int(2)), Ok(list([int(1), int(2)])));
        assert_eq!(add(&int(1), &list([int(2)])), Ok(list([int(1), int(2)])));
        assert_eq!(add(&list([int(1)]), &Value::Null), Ok(Value::Null));
        assert_eq!(add(&true.into(), &int(1)).map_err(|error| error.kind), Err(ErrorKind::TypeError));
    }

    #[test]
    fn elements_and_slices_count_from_both_ends() {
        let numbers = list([int(1), int(2), int(3)]);
        assert_eq!(element(&numbers, &int(-1)), Ok(int(3)));
        assert_eq!(element(&numbers, &int(3)), Ok(Value::Null));
        assert_eq!(element(&numbers, &int(i64::MIN)), Ok(Value::Null));
        assert_eq!(slice(&numbers, Some(&int(1)), None), Ok(list([int(2), int(3)])));
        assert_eq!(slice(&numbers, Some(&int(-2)), Some(&int(-1))), Ok(list([int(2)])));
        assert_eq!(slice(&numbers, Some(&int(2)), Some(&int(1))), Ok(list([])));
        assert_eq!(slice(&numbers, Some(&Value::Null), None), Ok(Value::Null));
    }

    proptest! {
        #[test]
        fn operators_take_anything(a in any_value(), b in any_value()) {
            for operator in [add, subtract, multiply, divide, modulo, power, concatenate, element] {
                let _ = operator(&a, &b);
            }
            let _ = (negate(&a), plus(&a), slice(&a, Some(&b), Some(&b)));
        }

        #[test]
        fn sums_of_integers_are_exact_or_refused(a in any::<i64>(), b in any::<i64>()) {
            let exact = i128::from(a) + i128::from(b);
            match add(&int(a), &int(b)) {
                Ok(sum) => prop_assert_eq!(sum, i64::try_from(exact).map(Value::Integer).unwrap_or_default()),
                Err(error) => {
                    prop_assert_eq!(error.kind, ErrorKind::ArithmeticError);
                    prop_assert!(i64::try_from(exact).is_err());
                }
            }
        }
    }
}
