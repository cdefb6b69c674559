//! Vertex ids as literals in paths and query parameters: `"2:rome"`, `123`, `U"835e1153-..."`.

use std::fmt;

use crate::{IdError, VertexId};

impl VertexId {
    /// Reads a literal: a JSON number, a JSON string in double quotes, or `U` and a UUID in double quotes.
    pub fn parse_literal(text: &str) -> Result<Self, IdError> {
        let not_a_literal = || IdError::NotALiteral { text: text.to_owned() };
        if let Some(quoted) = text.strip_prefix('U') {
            return Self::parse_uuid(
                quoted.strip_prefix('"').and_then(|t| t.strip_suffix('"')).ok_or_else(not_a_literal)?,
            );
        }
        if let Some(body) = text.strip_prefix('"') {
            let body = body.strip_suffix('"').ok_or_else(not_a_literal)?;
            let unescaped = unescape(body).ok_or_else(not_a_literal)?;
            return Self::from_text(&unescaped);
        }
        text.parse().map(Self::Number).map_err(|_| not_a_literal())
    }
}

/// The literal form: what [`VertexId::parse_literal`] reads.
impl fmt::Display for VertexId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Uuid(bits) => write!(f, "U\"{}\"", uuid::Uuid::from_u128(*bits).hyphenated()),
            Self::String(text) => {
                f.write_str("\"")?;
                for c in text.chars() {
                    match c {
                        '"' => f.write_str("\\\"")?,
                        '\\' => f.write_str("\\\\")?,
                        c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
                        c => write!(f, "{c}")?,
                    }
                }
                f.write_str("\"")
            }
        }
    }
}

/// The text behind the escapes of a JSON string's body; `None` where an escape is malformed or a quote stands bare.
fn unescape(body: &str) -> Option<String> {
    let mut text = String::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return None,
            '\\' => match chars.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'b' => text.push('\u{8}'),
                'f' => text.push('\u{c}'),
                'u' => {
                    let high = hex4(&mut chars)?;
                    let code = if (0xD800..0xDC00).contains(&high) {
                        if chars.next()? != '\\' || chars.next()? != 'u' {
                            return None;
                        }
                        let low = hex4(&mut chars)?;
                        0x1_0000 + ((high - 0xD800) << 10) + low.checked_sub(0xDC00).filter(|low| *low < 0x400)?
                    } else {
                        high
                    };
                    text.push(char::from_u32(code)?);
                }
                other @ ('"' | '\\' | '/') => text.push(other),
                _ => return None,
            },
            c => text.push(c),
        }
    }
    Some(text)
}

fn hex4(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    let mut value = 0;
    for _ in 0..4 {
        value = value * 16 + chars.next()?.to_digit(16)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_literals_are_read() {
        assert_eq!(VertexId::parse_literal("123"), Ok(VertexId::Number(123)));
        assert_eq!(VertexId::parse_literal("-5"), Ok(VertexId::Number(-5)));
        assert_eq!(VertexId::parse_literal("\"123\""), Ok(VertexId::String("123".into())));
        assert_eq!(VertexId::parse_literal("\"a\\\"b\\u00e9\""), Ok(VertexId::String("a\"b\u{e9}".into())));
        assert_eq!(VertexId::parse_literal("\"\\ud83d\\ude00\""), Ok(VertexId::String("\u{1f600}".into())));
        let uuid = Ok(VertexId::Uuid(0x835e_1153_9281_4957_8691_cf79_258e_90eb));
        assert_eq!(VertexId::parse_literal("U\"835e1153-9281-4957-8691-cf79258e90eb\""), uuid);
        assert_eq!(VertexId::parse_literal("U\"835e1153928149578691cf79258e90eb\""), uuid);
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for text in [
            "",
            "1:ann",
            "\"open",
            "\"a\"b\"",
            "U835e",
            "1.5",
            "U\"zz\"",
            "\"\\x\"",
            "\"\\ud83d\"",
            "99999999999999999999",
        ] {
            assert!(VertexId::parse_literal(text).is_err(), "{text}");
        }
        assert_eq!(VertexId::parse_literal("\"\""), Err(IdError::Empty));
    }

    #[test]
    fn the_display_form_is_read_back() {
        for id in [VertexId::Number(-1), VertexId::Uuid(7), VertexId::String("a\"\\\n>b".into())] {
            assert_eq!(VertexId::parse_literal(&id.to_string()), Ok(id));
        }
    }
}
