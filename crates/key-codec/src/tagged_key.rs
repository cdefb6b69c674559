//! Index keys of values that say their own types: those of auto graphs.
//!
//! A *place* is what an index that finds elements has of a value: places of one family (numbers of all types, texts,
//! moments, lengths of time, truth values) sort like the values, and values that any query language takes as equal have
//! one place. Several values can have one: a number has that of the nearest 64-bit float, a UUID and a character have
//! that of their text, a moment has that of its instant. So a place leads to candidates, which readers compare.
//!
//! An *exact* key is what a unique index has: two values share it if they are equal. Numbers are equal whatever their
//! types.

use std::ops::Bound;

use graph_model::Value;
use kv::prefix_end;
pub use tagged_value::limits::NUMBER_BYTES_MAX;
use tagged_value::{Token, exact_number, nearest_float};

use crate::index_value::{
    TAG_ANY, TAG_LENGTH, TAG_MOMENT, TAG_NUMBER, TAG_TEXT, VALUE_BYTES_MAX, put_bounded, put_escaped, put_typed,
};
use crate::ordered::put_i64;

/// Appends the place of a value. Bytes that are no value have one of their own.
pub(crate) fn put_place(out: &mut Vec<u8>, tagged: &[u8]) {
    match tagged_value::read(tagged) {
        Ok(Token::DateTime { seconds, nanos, .. }) => {
            out.push(TAG_MOMENT);
            put_i64(out, seconds);
            out.extend_from_slice(&nanos.to_be_bytes());
        }
        Ok(token) => match nearest_float(token) {
            Some(number) => put_typed(out, Some(&Value::Double(number))),
            None => put_scalar(out, token, tagged),
        },
        Err(_) => put_any(out, tagged),
    }
}

/// Appends the exact key of a value. False: it equals nothing, not even itself.
pub(crate) fn put_exact(out: &mut Vec<u8>, tagged: &[u8]) -> bool {
    let Ok(token) = tagged_value::read(tagged) else {
        put_any(out, tagged);
        return true;
    };
    if nearest_float(token).is_none() {
        put_scalar(out, token, tagged);
        return true;
    }
    let Some(number) = exact_number(token) else { return false };
    out.push(TAG_NUMBER);
    put_bounded(out, number.as_bytes());
    true
}

fn put_scalar(out: &mut Vec<u8>, token: Token<'_>, tagged: &[u8]) {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.push(TAG_TEXT);
        put_bounded(out, text.as_bytes());
    };
    match token {
        Token::Bool(fact) => put_typed(out, Some(&Value::Boolean(fact))),
        Token::String(own) => text(out, own),
        Token::Char(letter) => text(out, letter.encode_utf8(&mut [0; 4])),
        Token::Uuid(bits) => text(out, &uuid_text(bits)),
        Token::Duration { seconds, nanos } => {
            out.push(TAG_LENGTH);
            put_i64(out, seconds);
            out.extend_from_slice(&nanos.to_be_bytes());
        }
        _ => put_any(out, tagged),
    }
}

fn uuid_text(bits: u128) -> String {
    uuid::Uuid::from_u128(bits).hyphenated().to_string()
}

fn put_any(out: &mut Vec<u8>, tagged: &[u8]) {
    out.push(TAG_ANY);
    put_bounded(out, tagged);
}

/// The first of the values under a key, for people to read; none of a kind without a short text.
#[must_use]
pub fn shown(cell: &[u8]) -> Option<String> {
    let first = tagged_value::entries(cell).next()?.ok()?;
    Some(match first.token().ok()? {
        Token::Bool(fact) => fact.to_string(),
        Token::Byte(number) => number.to_string(),
        Token::Short(number) => number.to_string(),
        Token::Int(number) => number.to_string(),
        Token::Long(number) => number.to_string(),
        Token::Float(number) => number.to_string(),
        Token::Double(number) => number.to_string(),
        Token::Char(letter) => letter.to_string(),
        Token::String(text) => text.to_owned(),
        Token::Uuid(bits) => uuid_text(bits),
        _ => return None,
    })
}

/// How many bytes of digits a number has that is too long for a place.
pub(crate) fn digits_beyond(tagged: &[u8]) -> Option<usize> {
    match tagged_value::read(tagged) {
        Ok(Token::BigInteger(digits) | Token::BigDecimal { unscaled: digits, .. }) => {
            Some(digits.len()).filter(|bytes| *bytes > NUMBER_BYTES_MAX)
        }
        _ => None,
    }
}

/// From where to where the places of an interval are, in the order of keys: those of its bounds too, since other values
/// share them. None: nothing lies in it, since its bounds are of different families, or there are no bounds.
#[must_use]
pub fn places(low: &Bound<Value>, high: &Bound<Value>) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let (low, high) = (place_of(low), place_of(high));
    let family = low.as_ref().or(high.as_ref())?.first().copied()?;
    if [&low, &high].into_iter().flatten().any(|place| place.first() != Some(&family)) {
        return None;
    }
    let end = prefix_end(high.as_deref().unwrap_or(&[family]));
    Some((low.unwrap_or_else(|| vec![family]), end))
}

/// The place of a bound: of a long text, what all of its beginning begin with.
fn place_of(bound: &Bound<Value>) -> Option<Vec<u8>> {
    let (Bound::Included(Value::Any(tagged)) | Bound::Excluded(Value::Any(tagged))) = bound else { return None };
    let mut place = Vec::new();
    match tagged_value::read(tagged) {
        Ok(Token::String(text)) if text.len() > VALUE_BYTES_MAX => {
            place.push(TAG_TEXT);
            put_escaped(&mut place, text.as_bytes().get(..VALUE_BYTES_MAX).unwrap_or_default());
        }
        _ => put_place(&mut place, tagged),
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tagged_value::Builder;

    use super::*;

    fn place(token: Token<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        put_place(&mut out, &Builder::encode(token).unwrap());
        out
    }

    fn exact(token: Token<'_>) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        put_exact(&mut out, &Builder::encode(token).unwrap()).then_some(out)
    }

    #[test]
    fn equal_values_of_different_types_share_a_place_and_an_exact_key() {
        for (a, b) in [
            (Token::Int(7), Token::Double(7.0)),
            (Token::Byte(7), Token::BigDecimal { scale: 1, unscaled: &[70] }),
            (Token::Double(0.1), Token::BigDecimal { scale: 1, unscaled: &[1] }),
            (Token::Double(0.0), Token::Double(-0.0)),
            (Token::Char('x'), Token::String("x")),
            (Token::Uuid(0), Token::String("00000000-0000-0000-0000-000000000000")),
        ] {
            assert_eq!(place(a), place(b), "{a:?} {b:?}");
            assert_eq!(exact(a), exact(b), "{a:?} {b:?}");
        }
        let (a, b) = (Token::Long(9_007_199_254_740_992), Token::Long(9_007_199_254_740_993));
        assert_eq!(place(a), place(b));
        assert_ne!(exact(a), exact(b));
        assert_ne!(place(Token::String("7")), place(Token::Int(7)));
        assert_ne!(place(Token::Bool(true)), place(Token::Int(1)));
        assert_eq!(exact(Token::Double(f64::NAN)), None);
        assert_eq!(digits_beyond(&Builder::encode(Token::BigInteger(&[1; 2000])).unwrap()), Some(2000));
    }

    #[test]
    fn an_interval_is_one_of_a_family() {
        let any = |token| Value::Any(Builder::encode(token).unwrap());
        let one = Bound::Included(any(Token::Int(1)));
        let text = Bound::Included(any(Token::String("a")));
        assert_eq!(places(&one, &text), None);
        assert_eq!(places(&Bound::Unbounded, &Bound::Unbounded), None);
        let (start, end) = places(&one, &Bound::Unbounded).unwrap();
        let within = |token| {
            let place = place(token);
            place >= start && end.as_ref().is_none_or(|end| place < *end)
        };
        assert!(within(Token::Double(1.0)) && within(Token::Double(f64::INFINITY)) && within(Token::Byte(100)));
        assert!(!within(Token::Double(0.5)) && !within(Token::String("x")) && !within(Token::Bool(true)));
        let long = "x".repeat(600);
        let (start, end) = places(&Bound::Included(any(Token::String(&long))), &Bound::Unbounded).unwrap();
        for other in [format!("{long}a"), "y".to_owned(), format!("{}z", &long[..599])] {
            let place = place(Token::String(&other));
            assert!(place >= start && end.as_ref().is_none_or(|end| place < *end), "{other}");
        }
    }

    proptest! {
        #[test]
        fn places_of_numbers_sort_like_the_numbers(a in any::<f64>(), b in any::<i64>(), c in any::<f32>()) {
            let all = [Token::Double(a), Token::Long(b), Token::Float(c)];
            for one in all {
                for other in all {
                    let of = |token| Builder::encode(token).unwrap();
                    match tagged_value::order(&of(one), &of(other)) {
                        Some(order) if order.is_lt() => prop_assert!(place(one) <= place(other)),
                        Some(order) if order.is_eq() => prop_assert_eq!(place(one), place(other)),
                        _ => {}
                    }
                }
            }
        }

        #[test]
        fn places_of_texts_sort_like_the_texts(a in ".{0,20}", b in ".{0,20}") {
            prop_assert_eq!(a.cmp(&b), place(Token::String(&a)).cmp(&place(Token::String(&b))));
        }
    }
}
