//! An order and an equality of encoded values, for conditions.

use std::cmp::Ordering;

use crate::number::{nearest_float, whole};
use crate::{Token, read};

/// The order of two values: of two numbers by size whatever their types, of two moments, two lengths of time, two
/// texts, two characters, two truth values; `None` for all else, damaged values and NaN. Integers of any size and
/// decimals have none beyond what a 64-bit float can tell apart.
#[must_use]
pub fn order(a: &[u8], b: &[u8]) -> Option<Ordering> {
    match (read(a).ok()?, read(b).ok()?) {
        (Token::String(a), Token::String(b)) => Some(a.cmp(b)),
        (Token::Char(a), Token::Char(b)) => Some(a.cmp(&b)),
        (Token::Bool(a), Token::Bool(b)) => Some(a.cmp(&b)),
        (Token::DateTime { seconds: a, nanos: x, .. }, Token::DateTime { seconds: b, nanos: y, .. })
        | (Token::Duration { seconds: a, nanos: x }, Token::Duration { seconds: b, nanos: y }) => {
            Some((a, x).cmp(&(b, y)))
        }
        (a, b) => match (whole(a), whole(b)) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => float(a)?.partial_cmp(&float(b)?),
        },
    }
}

/// Whether two values are equal: numbers by [`order`], all else by type and content.
#[must_use]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    a == b && !is_nan(a) || order(a, b).is_some_and(Ordering::is_eq)
}

/// The first text after all that begin with one, in the order of [`order`]; none where there is none.
#[must_use]
pub fn text_after(start: &str) -> Option<String> {
    let mut chars: Vec<char> = start.chars().collect();
    while let Some(last) = chars.pop() {
        // Beyond the gap in the middle of all characters.
        let next = if last == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

fn is_nan(bytes: &[u8]) -> bool {
    match read(bytes) {
        Ok(Token::Float(number)) => number.is_nan(),
        Ok(Token::Double(number)) => number.is_nan(),
        _ => false,
    }
}

/// The nearest 64-bit float; of very long numbers one that is near.
fn float(token: Token<'_>) -> Option<f64> {
    nearest_float(token).or_else(|| match token {
        Token::BigInteger(bytes) => Some(float_of(bytes)),
        Token::BigDecimal { scale, unscaled } => {
            let scale = i32::try_from(scale.clamp(-10_000, 10_000)).unwrap_or_default();
            Some(if scale >= 0 {
                float_of(unscaled) / 10f64.powi(scale)
            } else {
                float_of(unscaled) * 10f64.powi(-scale)
            })
        }
        _ => None,
    })
}

fn float_of(bytes: &[u8]) -> f64 {
    let start = if bytes.first().is_some_and(|first| *first >= 0x80) { -1.0 } else { 0.0 };
    bytes.iter().fold(start, |number: f64, byte| number * 256.0 + f64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    fn encoded(token: Token<'_>) -> Box<[u8]> {
        Builder::encode(token).unwrap()
    }

    #[test]
    fn a_start_ends_before_the_next_text() {
        for (start, end) in
            [("ab", Some("ac")), ("a\u{D7FF}", Some("a\u{E000}")), ("a\u{10FFFF}", Some("b")), ("", None)]
        {
            assert_eq!(text_after(start).as_deref(), end);
        }
    }

    #[test]
    fn numbers_compare_by_size_and_all_else_by_type() {
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
        for a in one {
            for b in one {
                assert!(equal(&encoded(a), &encoded(b)), "{a:?} {b:?}");
            }
            assert_eq!(order(&encoded(a), &encoded(Token::Double(1.5))), Some(Ordering::Less), "{a:?}");
            assert_eq!(order(&encoded(a), &encoded(Token::BigInteger(&[0xFF, 0]))), Some(Ordering::Greater), "{a:?}");
            assert_eq!(order(&encoded(a), &encoded(Token::String("1"))), None, "{a:?}");
        }
        let nan = encoded(Token::Double(f64::NAN));
        assert!(!equal(&nan, &nan));
        let large = (encoded(Token::Long(i64::MAX)), encoded(Token::Long(i64::MAX - 1)));
        assert_eq!(order(&large.0, &large.1), Some(Ordering::Greater));
        assert!(!equal(&encoded(Token::String("a")), &encoded(Token::Char('a'))));
        assert!(equal(&encoded(Token::Null), &encoded(Token::Null)));
        assert_eq!(order(&encoded(Token::String("a")), &encoded(Token::String("b"))), Some(Ordering::Less));
        let moment = |offset_seconds| encoded(Token::DateTime { seconds: 5, nanos: 1, offset_seconds });
        assert!(equal(&moment(0), &moment(3600)));
    }
}
