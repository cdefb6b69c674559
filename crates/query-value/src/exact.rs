//! Numbers by their exact values.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use crate::value::Value;

/// A number without its type.
pub(crate) enum Number<'v> {
    Integer(i64),
    BigInteger(&'v BigInt),
    Float(f64),
    Decimal(&'v BigDecimal),
}

/// The number of a value; none for other values.
pub(crate) fn exact(value: &Value) -> Option<Number<'_>> {
    Some(match value {
        Value::BigInteger(number) => Number::BigInteger(number),
        Value::Float(number) => Number::Float((*number).into()),
        Value::Double(number) => Number::Float(*number),
        Value::BigDecimal(number) => Number::Decimal(number),
        other => Number::Integer(other.as_i64()?),
    })
}

impl Number<'_> {
    /// -1 or 1 for the infinities.
    pub(crate) fn infinity(&self) -> Option<i8> {
        match self {
            Self::Float(number) if number.is_infinite() => Some(if *number < 0.0 { -1 } else { 1 }),
            _ => None,
        }
    }

    /// The exact decimal number; none for NaN and the infinities.
    pub(crate) fn to_decimal(&self) -> Option<BigDecimal> {
        match self {
            Self::Integer(number) => Some((*number).into()),
            Self::BigInteger(number) => Some(BigDecimal::new((*number).clone(), 0)),
            Self::Float(number) => decimal_of(*number),
            Self::Decimal(number) => Some((*number).clone()),
        }
    }
}

/// A float is a whole number of powers of two; negative ones are powers of five over powers of ten.
fn decimal_of(float: f64) -> Option<BigDecimal> {
    if !float.is_finite() {
        return None;
    }
    let bits = float.to_bits();
    let (exponent, fraction) = (i64::try_from((bits >> 52) & 0x7ff).ok()?, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), exponent - 1075) };
    let mantissa = if float.is_sign_negative() { -BigInt::from(mantissa) } else { BigInt::from(mantissa) };
    Some(if exponent >= 0 {
        BigDecimal::new(mantissa << exponent, 0)
    } else {
        BigDecimal::new(mantissa * BigInt::from(5).pow(u32::try_from(-exponent).ok()?), -exponent)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_exact_decimals() {
        for (float, text) in
            [(0.5, "0.5"), (-3.0, "-3"), (0.1, "0.1000000000000000055511151231257827021181583404541015625")]
        {
            assert_eq!(decimal_of(float), Some(text.parse().unwrap()));
        }
        assert_eq!(decimal_of(f64::MIN_POSITIVE).unwrap().to_string().parse::<f64>(), Ok(f64::MIN_POSITIVE));
        assert_eq!(decimal_of(f64::NAN), None);
    }
}
