//! Numbers of all types on one line: where each has its place, and a text that equal numbers share.

use bigdecimal::num_bigint::BigInt;

use crate::Token;
use crate::limits::NUMBER_BYTES_MAX;

/// A whole number of at most 128 bits.
pub(crate) fn whole(token: Token<'_>) -> Option<i128> {
    match token {
        Token::Byte(number) => Some(i128::from(number)),
        Token::Short(number) => Some(i128::from(number)),
        Token::Int(number) => Some(i128::from(number)),
        Token::Long(number) => Some(i128::from(number)),
        Token::BigInteger(bytes) if bytes.len() <= 16 => {
            let start = if bytes.first().is_some_and(|first| *first >= 0x80) { -1 } else { 0 };
            Some(bytes.iter().fold(start, |number, byte| (number << 8) | i128::from(*byte)))
        }
        _ => None,
    }
}

/// The 64-bit float nearest to a number: that of a smaller number is never larger, and that of an equal number of
/// another type is the same. None of what is no number, and of one with more than [`NUMBER_BYTES_MAX`] bytes of digits.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the nearest float is wanted")]
pub fn nearest_float(token: Token<'_>) -> Option<f64> {
    match token {
        Token::Float(number) => Some(f64::from(number)),
        Token::Double(number) => Some(number),
        Token::BigDecimal { scale, unscaled } => format!("{}e{}", digits(unscaled)?, -i128::from(scale)).parse().ok(),
        token => match (whole(token), token) {
            (Some(number), _) => Some(number as f64),
            (None, Token::BigInteger(bytes)) => digits(bytes)?.parse().ok(),
            _ => None,
        },
    }
}

/// A text that two numbers share exactly if they are equal, whatever their types; a float is the decimal number that it
/// is written as. None of NaN, and as of [`nearest_float`].
#[must_use]
pub fn exact_number(token: Token<'_>) -> Option<String> {
    let written = match token {
        Token::Float(number) => format!("{:e}", f64::from(number)),
        Token::Double(number) => format!("{number:e}"),
        Token::BigDecimal { scale, unscaled } => format!("{}e{}", digits(unscaled)?, -i128::from(scale)),
        token => match (whole(token), token) {
            (Some(number), _) => number.to_string(),
            (None, Token::BigInteger(bytes)) => digits(bytes)?,
            _ => return None,
        },
    };
    if written.contains("NaN") {
        return None;
    }
    if written.contains("inf") {
        return Some(written);
    }
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0').trim_start_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let moved = i128::try_from(zeros).ok()? - i128::try_from(fraction.len()).ok()?;
    let exponent = exponent.parse::<i128>().ok()?.checked_add(moved)?;
    Some(format!("{sign}{significant}e{exponent}"))
}

/// The decimal digits of a two's complement.
fn digits(bytes: &[u8]) -> Option<String> {
    (bytes.len() <= NUMBER_BYTES_MAX).then(|| BigInt::from_signed_bytes_be(bytes).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_share_a_text_and_others_do_not() {
        let one = [
            Token::Byte(1),
            Token::Short(1),
            Token::Int(1),
            Token::Long(1),
            Token::BigInteger(&[1]),
            Token::Float(1.0),
            Token::Double(1.0),
            Token::BigDecimal { scale: 2, unscaled: &[100] },
        ];
        for token in one {
            assert_eq!(exact_number(token).as_deref(), Some("1e0"), "{token:?}");
            assert_eq!(nearest_float(token), Some(1.0), "{token:?}");
        }
        let texts = [
            (Token::Long(9_007_199_254_740_993), "9007199254740993e0"),
            (Token::Double(9_007_199_254_740_992.0), "9007199254740992e0"),
            (Token::Double(-0.0), "0"),
            (Token::Double(-12.5), "-125e-1"),
            (Token::Double(1e300), "1e300"),
            (Token::BigDecimal { scale: 1, unscaled: &[1] }, "1e-1"),
            (Token::Double(0.1), "1e-1"),
            (Token::BigDecimal { scale: -3, unscaled: &[20] }, "2e4"),
            (Token::Double(f64::NEG_INFINITY), "-inf"),
        ];
        for (token, text) in texts {
            assert_eq!(exact_number(token).as_deref(), Some(text), "{token:?}");
        }
        assert_eq!(exact_number(Token::Double(f64::NAN)), None);
        assert_eq!(exact_number(Token::String("1")), None);
        let long = [1; NUMBER_BYTES_MAX + 1];
        assert_eq!(nearest_float(Token::BigInteger(&long)), None);
        assert!(nearest_float(Token::BigInteger(&[1; 20])).is_some_and(|number| number > 5e45));
        let huge = Token::BigDecimal { scale: i64::MIN, unscaled: &[1] };
        assert_eq!(nearest_float(huge), Some(f64::INFINITY));
    }
}
