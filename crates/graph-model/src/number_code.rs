//! The sortable text code of numbers in ids: HugeGraph writes the number 29 in a primary key as `1T`.
//!
//! A number that is not negative is one hexadecimal digit (how many digits follow) and its digits to the base 64, most
//! significant first. A negative one is `0` and the code of the number plus 2^63. Texts then sort like their numbers.
//! Format: HugeGraph's vertex ids, as described in its REST contract.

const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~";

/// The code of a signed number.
#[must_use]
pub fn encode_number(number: i64) -> String {
    let mut text = String::with_capacity(13);
    if number < 0 {
        text.push('0');
    }
    // Adding 2^63 to a negative number clears its sign bit.
    push_unsigned(&mut text, number & i64::MAX);
    text
}

/// The code of a 32-bit float: its bits, ordered like the numbers.
#[must_use]
pub fn encode_float(number: f32) -> String {
    let bits = number.to_bits().cast_signed();
    encode_number(i64::from(if bits < 0 { bits ^ i32::MAX } else { bits }))
}

/// The code of a 64-bit float: its bits, ordered like the numbers.
#[must_use]
pub fn encode_double(number: f64) -> String {
    let bits = number.to_bits().cast_signed();
    encode_number(if bits < 0 { bits ^ i64::MAX } else { bits })
}

/// The number of a code; `None` where the text is no code.
#[must_use]
pub fn decode_number(text: &str) -> Option<i64> {
    let (negative, code) = match text.strip_prefix('0') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (&length, digits) = code.as_bytes().split_first()?;
    let expected = usize::try_from(char::from(length).to_digit(16)?).ok()?;
    if digits.is_empty() || digits.len() != expected || length.is_ascii_lowercase() {
        return None;
    }
    let mut number: i64 = 0;
    for digit in digits {
        let value = DIGITS.iter().position(|candidate| candidate == digit)?;
        number = number.checked_mul(64)?.checked_add(i64::try_from(value).ok()?)?;
    }
    Some(if negative { number | i64::MIN } else { number })
}

fn push_unsigned(text: &mut String, mut number: i64) {
    let mut digits = [0u8; 11];
    let mut count = 0usize;
    for slot in digits.iter_mut().rev() {
        let digit = usize::try_from(number & 63).unwrap_or_default();
        *slot = DIGITS.get(digit).copied().unwrap_or(b'0');
        number >>= 6;
        count += 1;
        if number == 0 {
            break;
        }
    }
    let length = u32::try_from(count).ok().and_then(|count| char::from_digit(count, 16)).unwrap_or('0');
    text.push(length.to_ascii_uppercase());
    text.extend(digits.iter().skip(digits.len() - count).map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_hugegraphs() {
        for (number, code) in [
            (0, "10"),
            (1, "11"),
            (29, "1T"),
            (63, "1~"),
            (64, "210"),
            (100, "21_"),
            (2017, "2VX"),
            (1_000_000, "43p90"),
            (-1, "0B7~~~~~~~~~~"),
            (-29, "0B7~~~~~~~~~Z"),
            (1_577_923_200_000, "7MyZZKG0"),
        ] {
            assert_eq!(encode_number(number), code);
            assert_eq!(decode_number(code), Some(number));
        }
        assert_eq!(encode_double(0.5), "B3~W00000000");
        assert_eq!(encode_double(1.0), "B3~l00000000");
        assert_eq!(encode_float(0.5), "5~0000");
        assert_eq!(encode_float(1.0), "5~W000");
    }

    #[test]
    fn the_extremes_round_trip() {
        for number in [i64::MIN, i64::MIN + 1, i64::MAX, 0] {
            assert_eq!(decode_number(&encode_number(number)), Some(number));
        }
        for wrong in ["", "1", "2T", "1?", "0", "b7zzzzzzzzzz"] {
            assert_eq!(decode_number(wrong), None, "{wrong}");
        }
    }
}
