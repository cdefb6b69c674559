//! JSON before it is parsed, and texts that stand for values.

use std::borrow::Cow;

use crate::error::CodecError;
use crate::form::too_many;
use crate::limits::ITEMS_MAX;

/// Characters of an integer that 64 bits always hold.
const EXACT_CHARS: usize = 18;

/// The text with quotes around numbers that have a type and that the parser of JSON would round. Refuses texts with
/// too many values before anything is built: a value takes many times its bytes in memory.
pub(super) fn prepared(bytes: &[u8]) -> Result<Cow<'_, [u8]>, CodecError> {
    let mut quoted: Vec<u8> = Vec::new();
    let (mut items, mut at, mut copied) = (0, 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at += text_length(bytes.get(at..).unwrap_or_default()),
            b'-' | b'0'..=b'9' => {
                let rest = bytes.get(at..).unwrap_or_default();
                let length = rest.iter().take_while(|byte| is_of_number(**byte)).count();
                let number = rest.get(..length).unwrap_or_default();
                if !is_exact(number) && is_typed(bytes.get(..at).unwrap_or_default()) {
                    quoted.extend(bytes.get(copied..at).unwrap_or_default());
                    quoted.push(b'"');
                    quoted.extend(number);
                    quoted.push(b'"');
                    copied = at + length;
                }
                at += length;
            }
            b',' | b':' | b'[' | b'{' => {
                items += 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
    if items > ITEMS_MAX {
        return Err(too_many());
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(bytes));
    }
    quoted.extend(bytes.get(copied..).unwrap_or_default());
    Ok(Cow::Owned(quoted))
}

/// Bytes of the string that starts here, with its quotes; all bytes if it does not end.
fn text_length(bytes: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = bytes.iter().skip(1).position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(bytes.len(), |end| end + 2)
}

/// Whether a number is a short integer: fractions lose their trailing zeros and exponents.
fn is_exact(number: &[u8]) -> bool {
    number.len() <= EXACT_CHARS && number.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'))
}

fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Whether what stands before a value is the key of typed ones.
fn is_typed(before: &[u8]) -> bool {
    let key = before.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
    key.is_some_and(|key| key.ends_with(b"\"@value\""))
}

/// The bits of a UUID.
pub(super) fn uuid(text: &str) -> Option<u128> {
    uuid::Uuid::try_parse(text).ok().map(|uuid| uuid.as_u128())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_type_keep_their_digits() {
        let text = |json: &str| String::from_utf8(prepared(json.as_bytes()).unwrap().into_owned()).unwrap();
        let long = "1180591620717411303424.25";
        assert_eq!(
            text(&format!(r#"[{{"@type":"gx:BigDecimal", "@value" : {long} }},{long}]"#)),
            format!(r#"[{{"@type":"gx:BigDecimal", "@value" : "{long}" }},{long}]"#)
        );
        for same in [
            r#"{"@value":123456789012345}"#,
            r#"{"k\\":12345678901234567890}"#,
            r#""a\"@value\":12345678901234567"#,
            "[-",
        ] {
            assert_eq!(text(same), same);
        }
    }
}
