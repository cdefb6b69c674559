//! Arithmetic with numbers of mixed types.
//!
//! The result has the widest type of the operands: a float of at least as many bits as soon as one is a float, a
//! decimal number as soon as one is decimal or a big integer meets a float. An integer that overflows widens to the
//! next type up to 64 bits, beyond which it is an error; a 32-bit float widens to 64 bits, beyond which it is
//! infinite.

use std::cmp::Ordering;

use bigdecimal::num_bigint::{BigInt, Sign};
use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive, Zero};

use crate::compare::{compare, order};
use crate::enums::Operator;
use crate::error::ValueError;
use crate::limits::NUMBER_DIGITS_MAX;
use crate::value::{Map, Set, Value};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Add => "sum",
            Self::Subtract => "minus",
            Self::Multiply => "mult",
            Self::Divide => "div",
        }
    }
}

type Computed = Result<Value, ValueError>;

/// The sum.
///
/// # Errors
/// One is not a number, or the sum is beyond 64 bits.
pub fn add(a: &Value, b: &Value) -> Computed {
    compute(Operation::Add, a, b, false)
}

/// The difference.
///
/// # Errors
/// One is not a number, or the difference is beyond 64 bits.
pub fn subtract(a: &Value, b: &Value) -> Computed {
    compute(Operation::Subtract, a, b, false)
}

/// The product.
///
/// # Errors
/// One is not a number, or the product is beyond 64 bits.
pub fn multiply(a: &Value, b: &Value) -> Computed {
    compute(Operation::Multiply, a, b, false)
}

/// The quotient; integers have a whole one, rounded towards zero.
///
/// # Errors
/// One is not a number, or the divisor is zero and not a float.
pub fn divide(a: &Value, b: &Value) -> Computed {
    compute(Operation::Divide, a, b, false)
}

/// A number as often as a result occurred: the same as adding it so many times, with its own type.
///
/// # Errors
/// It is not a number, or the product is beyond 64 bits.
pub fn times(number: &Value, bulk: u64) -> Computed {
    if bulk == 1 && number.is_number() {
        return Ok(number.clone());
    }
    let bulk = i64::try_from(bulk).map_err(|_| ValueError::Overflow)?;
    match number {
        // A factor of the number's own kind keeps its type.
        Value::Float(number) => Ok(narrow_float(f64::from(*number) * bulk.to_f64().unwrap_or(f64::INFINITY))),
        Value::Byte(_) | Value::Short(_) | Value::Int(_) | Value::Long(_) => {
            let product = i128::from(number.as_i64().unwrap_or_default()) * i128::from(bulk);
            integer_of(product, bits(number).0)
        }
        _ => multiply(number, &Value::Long(bulk)),
    }
}

/// The sum of values, nulls left out; none if nothing is left.
///
/// # Errors
/// One is not a number, or the sum is beyond 64 bits.
pub fn sum<'v>(values: impl IntoIterator<Item = &'v Value>) -> Result<Option<Value>, ValueError> {
    let mut total: Option<Value> = None;
    for value in values.into_iter().filter(|value| !matches!(value, Value::Null)) {
        total = Some(match total {
            None => number(Operation::Add, value)?.clone(),
            Some(total) => add(&total, value)?,
        });
    }
    Ok(total)
}

/// The mean of `count` numbers from their sum: a double, or a decimal number if the sum has any length.
///
/// # Errors
/// The sum is not a number, or the count is zero.
pub fn mean(sum: &Value, count: u64) -> Computed {
    let count = i64::try_from(count).map_err(|_| ValueError::Overflow)?;
    compute(Operation::Divide, sum, &Value::Long(count), true)
}

/// The lesser one; of null and a value, and of NaN and a number, the other. Of numbers of two types it gets the wider.
#[must_use]
pub fn min(a: &Value, b: &Value) -> Value {
    extreme(a, b, Ordering::Less)
}

/// The greater one; of null and a value, and of NaN and a number, the other. Of numbers of two types it gets the wider.
#[must_use]
pub fn max(a: &Value, b: &Value) -> Value {
    extreme(a, b, Ordering::Greater)
}

fn extreme(a: &Value, b: &Value, wanted: Ordering) -> Value {
    let is_absent = |value: &Value| match value {
        Value::Null => true,
        Value::Float(number) => number.is_nan(),
        Value::Double(number) => number.is_nan(),
        _ => false,
    };
    match (is_absent(a), is_absent(b)) {
        (true, _) => return b.clone(),
        (false, true) => return a.clone(),
        (false, false) => {}
    }
    let found = compare(a, b).unwrap_or_else(|| order(a, b));
    let chosen = if found == wanted || found.is_eq() { a } else { b };
    let other = if std::ptr::eq(chosen, a) { b } else { a };
    if chosen.is_number() && other.is_number() { widened(chosen, other) } else { chosen.clone() }
}

/// The number with the type it would have in a sum with another.
fn widened(number: &Value, other: &Value) -> Value {
    let ((own, own_float), (bits, float)) = (bits(number), common(number, other, false));
    if (own, own_float) == (bits, float) {
        return number.clone();
    }
    let converted = match (bits, float) {
        (128, true) => to_decimal(number).map(Value::from),
        (128, false) => to_big(number).map(Value::from),
        (64, true) => as_f64(number).map(Value::Double),
        (_, true) => as_f64(number).map(narrow_float),
        (bits, false) => number.as_i64().and_then(|whole| integer_of(whole.into(), bits).ok()),
    };
    converted.unwrap_or_else(|| number.clone())
}

/// Applies an operator of `sack()`, `fold()` and side effects. Null as the second operand leaves the first of an
/// arithmetic one.
///
/// # Errors
/// The operands are not what it takes, or the result is too large.
pub fn apply(operator: Operator, a: &Value, b: &Value) -> Computed {
    let is_null = matches!(a, Value::Null) || matches!(b, Value::Null);
    let flag = |value: &Value| match value {
        Value::Bool(flag) => Ok(*flag),
        other => Err(ValueError::Operand { operation: operator.name(), expected: "booleans", found: other.kind() }),
    };
    match operator {
        Operator::Assign => Ok(b.clone()),
        Operator::Min => Ok(min(a, b)),
        Operator::Max => Ok(max(a, b)),
        Operator::And => Ok(Value::Bool(flag(a)? && flag(b)?)),
        Operator::Or => Ok(Value::Bool(flag(a)? || flag(b)?)),
        Operator::AddAll => add_all(a, b),
        Operator::Sum | Operator::Minus | Operator::Mult | Operator::Div if is_null => Ok(a.clone()),
        Operator::Sum => add(a, b),
        Operator::Minus => subtract(a, b),
        Operator::Mult => multiply(a, b),
        Operator::Div => divide(a, b),
        Operator::SumLong => {
            let long = |value: &Value| match value {
                Value::Null => Ok(0),
                other => as_long(number(Operation::Add, other)?),
            };
            long(a)?.checked_add(long(b)?).map(Value::Long).ok_or(ValueError::Overflow)
        }
    }
}

fn as_long(number: &Value) -> Result<i64, ValueError> {
    let whole = match number {
        Value::Float(_) | Value::Double(_) => as_f64(number).and_then(|number| number.trunc().to_i64()),
        Value::BigDecimal(number) => number.to_i64(),
        other => other.as_i64(),
    };
    whole.ok_or(ValueError::Overflow)
}

/// All items, or all entries, of both.
fn add_all(a: &Value, b: &Value) -> Computed {
    let wrong = |value: &Value| {
        Err(ValueError::Operand { operation: "addAll", expected: "two collections or two maps", found: value.kind() })
    };
    match (a, b) {
        (Value::Null, other) => Ok(other.clone()),
        (_, Value::Null) => Ok(a.clone()),
        (Value::Map(a), Value::Map(b)) => {
            let mut all: Map = (**a).clone();
            all.extend(b.iter().map(|(key, value)| (key.clone(), value.clone())));
            Ok(all.into())
        }
        (Value::Set(a), _) => {
            let Some(more) = b.items() else { return wrong(b) };
            let mut all: Set = (**a).clone();
            all.extend(more.cloned());
            Ok(all.into())
        }
        (Value::BulkSet(a), Value::BulkSet(b)) => {
            let mut all = (**a).clone();
            for (item, count) in b.iter() {
                let total: &mut u64 = all.entry(item.clone()).or_default();
                *total = total.saturating_add(*count);
            }
            Ok(all.into())
        }
        (Value::List(a), _) => {
            let Some(more) = b.items() else { return wrong(b) };
            let mut all = (**a).clone();
            all.extend(more.cloned());
            Ok(all.into())
        }
        (a, _) => wrong(a),
    }
}

/// The number as a float of 64 bits; none for other values.
#[must_use]
pub fn as_f64(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some((*number).into()),
        Value::Double(number) => Some(*number),
        Value::BigInteger(number) => number.to_f64(),
        Value::BigDecimal(number) => number.to_f64(),
        other => other.as_i64().and_then(|number| number.to_f64()),
    }
}

fn number(operation: Operation, value: &Value) -> Result<&Value, ValueError> {
    if value.is_number() {
        return Ok(value);
    }
    Err(ValueError::Operand { operation: operation.name(), expected: "numbers", found: value.kind() })
}

/// Bits of a number's type and whether it has a fraction; 128 stands for any length.
fn bits(number: &Value) -> (u8, bool) {
    match number {
        Value::Byte(_) => (8, false),
        Value::Short(_) => (16, false),
        Value::Int(_) => (32, false),
        Value::Long(_) => (64, false),
        Value::Float(_) => (32, true),
        Value::Double(_) => (64, true),
        Value::BigDecimal(_) => (128, true),
        _ => (128, false),
    }
}

fn common(a: &Value, b: &Value, as_float: bool) -> (u8, bool) {
    let ((a, a_float), (b, b_float)) = (bits(a), bits(b));
    (a.max(b), a_float || b_float || as_float)
}

fn compute(operation: Operation, a: &Value, b: &Value, as_float: bool) -> Computed {
    let (a, b) = (number(operation, a)?, number(operation, b)?);
    match common(a, b, as_float) {
        (128, true) => match (to_decimal(a), to_decimal(b)) {
            (Some(a), Some(b)) => decimal(operation, &a, &b),
            // NaN and the infinities are no decimal numbers.
            _ => Ok(Value::Double(float(operation, a, b))),
        },
        (128, false) => big(operation, &to_big(a).unwrap_or_default(), &to_big(b).unwrap_or_default()),
        (64, true) => Ok(Value::Double(float(operation, a, b))),
        (_, true) => Ok(small_float(operation, a, b)),
        (bits, false) => {
            let (a, b) = (i128::from(a.as_i64().unwrap_or_default()), i128::from(b.as_i64().unwrap_or_default()));
            let result = match operation {
                Operation::Add => a + b,
                Operation::Subtract => a - b,
                Operation::Multiply => a * b,
                Operation::Divide => a.checked_div(b).ok_or(ValueError::DivisionByZero)?,
            };
            integer_of(result, bits)
        }
    }
}

/// An integer in the narrowest type of at least so many bits.
fn integer_of(number: i128, bits: u8) -> Computed {
    let narrow = match bits {
        8 => i8::try_from(number).ok().map(Value::Byte),
        16 => i16::try_from(number).ok().map(Value::Short),
        32 => i32::try_from(number).ok().map(Value::Int),
        _ => return i64::try_from(number).map(Value::Long).map_err(|_| ValueError::Overflow),
    };
    narrow.map_or_else(|| integer_of(number, bits * 2), Ok)
}

fn float(operation: Operation, a: &Value, b: &Value) -> f64 {
    let (a, b) = (as_f64(a).unwrap_or(f64::NAN), as_f64(b).unwrap_or(f64::NAN));
    match operation {
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Multiply => a * b,
        Operation::Divide => a / b,
    }
}

/// In 32 bits; in 64 if that overflows.
fn small_float(operation: Operation, a: &Value, b: &Value) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "both are at most 32 bits wide; integers are rounded")]
    let (x, y) = (as_f64(a).unwrap_or(f64::NAN) as f32, as_f64(b).unwrap_or(f64::NAN) as f32);
    let result = match operation {
        Operation::Add => x + y,
        Operation::Subtract => x - y,
        Operation::Multiply => x * y,
        Operation::Divide => x / y,
    };
    if result.is_infinite() { Value::Double(float(operation, a, b)) } else { Value::Float(result) }
}

/// As 32 bits if it fits.
fn narrow_float(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "rounding is meant, and infinity is tested")]
    let narrow = number as f32;
    if narrow.is_infinite() { Value::Double(number) } else { Value::Float(narrow) }
}

/// An integer of any length; none for fractional numbers.
pub(crate) fn to_big(value: &Value) -> Option<BigInt> {
    match value {
        Value::BigInteger(number) => Some((**number).clone()),
        other => other.as_i64().map(BigInt::from),
    }
}

/// A decimal number as the value is written; none for NaN and the infinities.
pub(crate) fn to_decimal(value: &Value) -> Option<BigDecimal> {
    match value {
        Value::BigDecimal(number) => Some((**number).clone()),
        Value::Float(number) => number.to_string().parse().ok(),
        Value::Double(number) => number.to_string().parse().ok(),
        other => to_big(other).map(|number| BigDecimal::new(number, 0)),
    }
}

fn too_long() -> ValueError {
    ValueError::TooLarge { what: "digits of a number", limit: "NUMBER_DIGITS_MAX", max: NUMBER_DIGITS_MAX }
}

/// Bits that a number of [`NUMBER_DIGITS_MAX`] digits has at most.
const BITS_MAX: u64 = 13_607;

fn big(operation: Operation, a: &BigInt, b: &BigInt) -> Computed {
    let result = match operation {
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Multiply if a.bits() + b.bits() > BITS_MAX => return Err(too_long()),
        Operation::Multiply => a * b,
        Operation::Divide if b.is_zero() => return Err(ValueError::DivisionByZero),
        Operation::Divide => a / b,
    };
    if result.bits() > BITS_MAX { Err(too_long()) } else { Ok(result.into()) }
}

/// A decimal number, if it is within the limit.
pub(crate) fn checked(number: BigDecimal) -> Computed {
    let (digits, scale) = number.as_bigint_and_exponent();
    let is_short = digits.bits() <= BITS_MAX
        && usize::try_from(scale.unsigned_abs()).is_ok_and(|scale| scale <= NUMBER_DIGITS_MAX);
    if is_short { Ok(number.into()) } else { Err(too_long()) }
}

fn decimal(operation: Operation, a: &BigDecimal, b: &BigDecimal) -> Computed {
    // Aligning takes as many digits as the scales differ by.
    let scales = a.fractional_digit_count().abs_diff(b.fractional_digit_count());
    if usize::try_from(scales).is_ok_and(|scales| scales > 2 * NUMBER_DIGITS_MAX) {
        return Err(too_long());
    }
    checked(match operation {
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::Multiply => a * b,
        Operation::Divide if b.is_zero() => return Err(ValueError::DivisionByZero),
        Operation::Divide => quotient(a, b),
    })
}

/// The exact quotient if it has an end; else rounded to ten digits more than the operands have, and to no more decimal
/// places than they have, at least ten.
fn quotient(a: &BigDecimal, b: &BigDecimal) -> BigDecimal {
    let ((a_digits, a_scale), (b_digits, b_scale)) = (a.as_bigint_and_exponent(), b.as_bigint_and_exponent());
    let scale = a_scale - b_scale;
    if let Some(places) = exact_places(&a_digits, &b_digits) {
        let shifted: BigInt = a_digits * BigInt::from(10).pow(places);
        return BigDecimal::new(shifted / b_digits, scale + i64::from(places));
    }
    let precision = a.digits().max(b.digits()) + 10;
    let shift = u32::try_from(precision + b.digits() + 2).unwrap_or(u32::MAX);
    let shifted: BigInt = a_digits * BigInt::from(10).pow(shift);
    let wide = BigDecimal::new(shifted / b_digits, scale + i64::from(shift));
    let rounded = match std::num::NonZeroU64::new(precision) {
        Some(precision) => wide.with_precision_round(precision, RoundingMode::HalfUp),
        None => wide,
    };
    let scale_max = a_scale.max(b_scale).max(10);
    if rounded.fractional_digit_count() > scale_max {
        rounded.with_scale_round(scale_max, RoundingMode::HalfUp)
    } else {
        rounded
    }
}

/// How many decimal places more the exact quotient has; none if it has no end: the reduced divisor has a factor other
/// than 2 and 5.
fn exact_places(dividend: &BigInt, divisor: &BigInt) -> Option<u32> {
    let mut divisor = divisor / greatest_common_divisor(dividend, divisor);
    if divisor.sign() == Sign::Minus {
        divisor = -divisor;
    }
    let mut places = 0;
    for factor in [2_u32, 5] {
        let mut count = 0;
        while (&divisor % factor).is_zero() {
            divisor /= factor;
            count += 1;
        }
        places = places.max(count);
    }
    (divisor == BigInt::from(1)).then_some(places)
}

fn greatest_common_divisor(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_zero() {
        let rest = &a % &b;
        a = b;
        b = rest;
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(text: &str) -> Value {
        text.parse::<BigInt>().unwrap().into()
    }

    fn decimal(text: &str) -> Value {
        text.parse::<BigDecimal>().unwrap().into()
    }

    #[test]
    fn integers_widen_where_they_overflow() {
        for (a, b, sum) in [
            (Value::Byte(127), Value::Byte(1), Value::Short(128)),
            (Value::Byte(-128), Value::Byte(-1), Value::Short(-129)),
            (Value::Short(32_767), Value::Byte(1), Value::Int(32_768)),
            (Value::Int(i32::MAX), Value::Int(1), Value::Long(2_147_483_648)),
            (Value::Byte(1), Value::Int(2), Value::Int(3)),
            (Value::Int(1), Value::Float(0.5), Value::Float(1.5)),
            (Value::Long(1), Value::Float(0.5), Value::Double(1.5)),
            (Value::Int(1), big("1000"), big("1001")),
            (Value::Double(0.5), decimal("0.25"), decimal("0.75")),
            (big("1"), Value::Double(0.5), decimal("1.5")),
            (Value::Float(f32::MAX), Value::Float(f32::MAX), Value::Double(f64::from(f32::MAX) * 2.0)),
        ] {
            assert_eq!(add(&a, &b), Ok(sum), "{a:?} {b:?}");
        }
        assert_eq!(add(&Value::Long(i64::MAX), &Value::Int(1)), Err(ValueError::Overflow));
        assert_eq!(subtract(&Value::Byte(-128), &Value::Byte(1)), Ok(Value::Short(-129)));
        assert_eq!(multiply(&Value::Int(i32::MAX), &Value::Int(2)), Ok(Value::Long(4_294_967_294)));
        assert_eq!(divide(&Value::Byte(-128), &Value::Byte(-1)), Ok(Value::Short(128)));
        assert_eq!(divide(&Value::Int(1), &Value::Int(0)), Err(ValueError::DivisionByZero));
        assert_eq!(divide(&Value::Double(1.0), &Value::Int(0)), Ok(Value::Double(f64::INFINITY)));
        assert!(add(&Value::Int(1), &Value::from("1")).is_err());
    }

    #[test]
    fn quotients_of_decimals_are_exact_or_rounded() {
        for (a, b, quotient) in
            [("1", "4", "0.25"), ("1.0", "8", "0.125"), ("1", "3", "0.3333333333"), ("10", "-2", "-5")]
        {
            assert!(crate::equals(&divide(&decimal(a), &decimal(b)).unwrap(), &decimal(quotient)), "{a} {b}");
        }
        assert_eq!(divide(&decimal("1"), &decimal("0.0")), Err(ValueError::DivisionByZero));
    }

    #[test]
    fn numbers_stay_within_the_limit() {
        let mut number = big("10");
        let error = loop {
            match multiply(&number, &number) {
                Ok(larger) => number = larger,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, ValueError::TooLarge { .. }));
        let tiny = Value::from(BigDecimal::new(1.into(), 1_000_000_000));
        assert!(add(&tiny, &decimal("1")).is_err());
    }

    #[test]
    fn means_are_doubles() {
        assert_eq!(mean(&Value::Int(123), 4), Ok(Value::Double(30.75)));
        assert_eq!(mean(&Value::Float(1.0), 3), Ok(Value::Double(1.0 / 3.0)));
        assert!(matches!(mean(&decimal("1"), 4), Ok(Value::BigDecimal(_))));
    }

    #[test]
    fn bulk_keeps_the_type() {
        assert_eq!(times(&Value::Int(2), 3), Ok(Value::Int(6)));
        assert_eq!(times(&Value::Byte(100), 2), Ok(Value::Short(200)));
        assert_eq!(times(&Value::Float(1.5), 2), Ok(Value::Float(3.0)));
        assert_eq!(times(&Value::Long(i64::MAX), 2), Err(ValueError::Overflow));
    }

    #[test]
    fn extremes_leave_out_null_and_nan() {
        assert_eq!(min(&Value::Null, &Value::Int(1)), Value::Int(1));
        assert_eq!(max(&Value::Double(f64::NAN), &Value::Int(1)), Value::Int(1));
        assert_eq!(min(&Value::Int(29), &Value::Double(0.4)), Value::Double(0.4));
        assert_eq!(max(&Value::Int(29), &Value::Double(0.4)), Value::Double(29.0));
        assert_eq!(min(&Value::from("b"), &Value::from("a")), Value::from("a"));
    }

    #[test]
    fn operators_apply() {
        let list = |items: &[i32]| Value::list(items.iter().map(|item| Value::Int(*item)));
        assert_eq!(apply(Operator::AddAll, &list(&[1]), &list(&[2])), Ok(list(&[1, 2])));
        assert_eq!(apply(Operator::And, &Value::Bool(true), &Value::Bool(false)), Ok(Value::Bool(false)));
        assert!(apply(Operator::Or, &Value::Int(1), &Value::Bool(false)).is_err());
        assert_eq!(apply(Operator::SumLong, &Value::Int(1), &Value::Int(2)), Ok(Value::Long(3)));
        assert_eq!(apply(Operator::Sum, &Value::Int(1), &Value::Null), Ok(Value::Int(1)));
        assert_eq!(apply(Operator::Assign, &Value::Int(1), &Value::Null), Ok(Value::Null));
    }
}
