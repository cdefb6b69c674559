//! Functions of numbers.

use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive};

use crate::arithmetic::as_float;
use crate::context::Context;
use crate::error::{Detail, Error, Result};
use crate::print::float_text;
use crate::value::Value;

/// Declares functions of one number that give a float.
macro_rules! of_one {
    ($($name:ident: $compute:expr;)*) => {
        $(pub(super) fn $name(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
            let compute: fn(f64) -> f64 = $compute;
            Ok(arguments.first().and_then(as_float).map(|number| Value::Float(compute(number))).unwrap_or_default())
        })*
    };
}

of_one! {
    ceil: f64::ceil;
    floor: f64::floor;
    exp: f64::exp;
    log: f64::ln;
    log10: f64::log10;
    sqrt: f64::sqrt;
    sin: f64::sin;
    cos: f64::cos;
    tan: f64::tan;
    cot: |angle| 1.0 / angle.tan();
    asin: f64::asin;
    acos: f64::acos;
    atan: f64::atan;
    sinh: f64::sinh;
    cosh: f64::cosh;
    tanh: f64::tanh;
    coth: |number| 1.0 / number.tanh();
    haversin: |angle| (1.0 - angle.cos()) / 2.0;
    degrees: f64::to_degrees;
    radians: f64::to_radians;
}

pub(super) fn abs(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Integer(integer)] => {
            Value::Integer(integer.checked_abs().ok_or_else(|| {
                Error::arithmetic(Detail::IntegerOverflow, format!("abs({integer}) is beyond 64 bits"))
            })?)
        }
        [Value::Float(float)] => Value::Float(float.abs()),
        _ => Value::Null,
    })
}

pub(super) fn sign(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Integer(integer)] => Value::Integer(integer.signum()),
        [Value::Float(float)] => Value::Integer(i64::from(*float > 0.0) - i64::from(*float < 0.0)),
        _ => Value::Null,
    })
}

pub(super) fn is_nan(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(arguments.first().and_then(as_float).map(|number| Value::Boolean(number.is_nan())).unwrap_or_default())
}

pub(super) fn rand(_: &[Value], context: &Context<'_>) -> Result<Value> {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let number = (context.random() >> 11) as f64 / (1_u64 << 53) as f64;
    Ok(Value::Float(number))
}

pub(super) fn e(_: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(Value::Float(std::f64::consts::E))
}

pub(super) fn pi(_: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(Value::Float(std::f64::consts::PI))
}

pub(super) fn atan2(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [y, x] => as_float(y).zip(as_float(x)).map(|(y, x)| Value::Float(y.atan2(x))).unwrap_or_default(),
        _ => Value::Null,
    })
}

/// Digits behind the point beyond which no float has any.
const PRECISION_MAX: i64 = 400;

pub(super) fn round(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let Some(number) = arguments.first().and_then(as_float) else { return Ok(Value::Null) };
    let Some(precision) = arguments.get(1) else {
        // Halves go up, also below zero.
        let below = number.floor();
        return Ok(Value::Float(if number - below >= 0.5 { number.ceil() } else { below }));
    };
    let precision = match precision {
        Value::Integer(digits) if (0..=PRECISION_MAX).contains(digits) => *digits,
        other => {
            return Err(Error::argument(
                Detail::NumberOutOfRange,
                format!("the precision of round() must be from 0 to {PRECISION_MAX}, found {other:?}"),
            ));
        }
    };
    let mode = match arguments.get(2) {
        None => RoundingMode::HalfUp,
        Some(Value::String(name)) => match name.to_ascii_uppercase().as_str() {
            "UP" => RoundingMode::Up,
            "DOWN" => RoundingMode::Down,
            "CEILING" => RoundingMode::Ceiling,
            "FLOOR" => RoundingMode::Floor,
            "HALF_UP" => RoundingMode::HalfUp,
            "HALF_DOWN" => RoundingMode::HalfDown,
            "HALF_EVEN" => RoundingMode::HalfEven,
            _ => {
                return Err(Error::argument(
                    Detail::InvalidArgumentValue,
                    format!("`{name}` is not a rounding mode: UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN, HALF_EVEN"),
                ));
            }
        },
        Some(_) => return Ok(Value::Null),
    };
    if !number.is_finite() {
        return Ok(Value::Float(number));
    }
    // By the decimal digits that are shown: 1.005 rounds to 1.01, though the float is a little less.
    let exact: Option<BigDecimal> = float_text(number).parse().ok();
    let rounded = exact.and_then(|exact| exact.with_scale_round(precision, mode).to_f64());
    Ok(Value::Float(rounded.unwrap_or(number)))
}
