//! Ids of elements of auto graphs.

use compact_str::{CompactString, format_compact};
use graph_model::{Properties, PropertyKeyId, Value, VertexId, decode_number, encode_number};
use tagged_value::{Builder, Token};

use crate::ElementError;
use crate::coerce::shown;
use crate::input::Literal;

/// The text of an edge id that the server makes.
#[must_use]
pub fn generated_edge_id(number: i64) -> CompactString {
    format_compact!("l{}", encode_number(number))
}

/// The text of an edge id in the sort values of its edge; `None` for collections and null, which are no ids.
///
/// A letter for the type: `b`, `s`, `i`, `l` and the sortable code of a whole number of 8, 16, 32 or 64 bits, `t` and a
/// text, `u` and the 32 hexadecimal digits of a UUID, `x` and the hexadecimal digits of the encoded value for all else.
#[must_use]
pub fn edge_id_text(id: Token<'_>) -> Option<CompactString> {
    let number = |letter, number| Some(format_compact!("{letter}{}", encode_number(number)));
    match id {
        Token::Byte(id) => number('b', i64::from(id)),
        Token::Short(id) => number('s', i64::from(id)),
        Token::Int(id) => number('i', i64::from(id)),
        Token::Long(id) => number('l', id),
        Token::String(id) => Some(format_compact!("t{id}")),
        Token::Uuid(bits) => Some(format_compact!("u{bits:032x}")),
        Token::Null | Token::List(_) | Token::Set(_) | Token::Map(_) => None,
        other => {
            let mut text = CompactString::const_new("x");
            for byte in &*Builder::encode(other).ok()? {
                text.push_str(&format_compact!("{byte:02x}"));
            }
            Some(text)
        }
    }
}

/// The text by which an edge id is found, given its text: whole numbers of all types are one.
#[must_use]
pub fn edge_id_key(text: &str) -> CompactString {
    match text.strip_prefix(['b', 's', 'i', 'l']) {
        Some(code) => format_compact!("n{code}"),
        None => text.into(),
    }
}

/// The encoded edge id that a text of [`edge_id_text`] stands for; `None` for all other texts.
#[must_use]
pub fn read_edge_id_text(text: &str) -> Option<Box<[u8]>> {
    let mut rest = text.chars();
    let (letter, rest) = (rest.next()?, rest.as_str());
    let token = match letter {
        'b' => Token::Byte(decode_number(rest)?.try_into().ok()?),
        's' => Token::Short(decode_number(rest)?.try_into().ok()?),
        'i' => Token::Int(decode_number(rest)?.try_into().ok()?),
        'l' => Token::Long(decode_number(rest)?),
        't' => Token::String(rest),
        'u' => Token::Uuid(u128::from_str_radix(rest, 16).ok()?),
        'x' => {
            let digits = rest.as_bytes().chunks_exact(2);
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            let bytes = digits.map(byte).collect::<Option<Box<[u8]>>>()?;
            return tagged_value::check(&bytes).is_ok().then_some(bytes);
        }
        _ => return None,
    };
    Builder::encode(token).ok()
}

/// A vertex id, and the encoded value where the id does not say its type.
type GivenId = (VertexId, Option<Box<[u8]>>);

/// The vertex id that a value means, and the encoded value where the id does not say its type.
pub(super) fn auto_vertex_id(given: &Literal<'_>) -> Result<GivenId, ElementError> {
    let refused = || ElementError::IdNotation { got: shown(given).into_owned() };
    let token = literal_token(given).ok_or_else(refused)?;
    let number = |number: i64| {
        let id = VertexId::Number(number);
        let given = Builder::encode(token).map_err(|_| refused())?;
        Ok((id.clone(), (given != natural_id(&id)).then_some(given)))
    };
    match token {
        Token::Byte(id) => number(i64::from(id)),
        Token::Short(id) => number(i64::from(id)),
        Token::Int(id) => number(i64::from(id)),
        Token::Long(id) => number(id),
        Token::String(id) => Ok((VertexId::from_text(id)?, None)),
        Token::Uuid(bits) => Ok((VertexId::Uuid(bits), None)),
        _ => Err(refused()),
    }
}

/// A literal as one value of a simple type. A whole number is an INT where it fits, else a LONG.
pub(super) fn literal_token<'a>(literal: &'a Literal<'_>) -> Option<Token<'a>> {
    match literal {
        Literal::Boolean(value) => Some(Token::Bool(*value)),
        Literal::Integer(number) => Some(whole_number(*number)),
        Literal::Float(number) => Some(Token::Double(*number)),
        Literal::Text(text) => Some(Token::String(text)),
        Literal::Tagged(bytes) => tagged_value::read(bytes).ok(),
        Literal::Null | Literal::Array(_) | Literal::Object(_) => None,
    }
}

fn whole_number(number: i64) -> Token<'static> {
    i32::try_from(number).map_or(Token::Long(number), Token::Int)
}

/// The id of a vertex of an auto graph as it was given, encoded.
#[must_use]
pub fn auto_vertex_id_value(id: &VertexId, properties: &Properties) -> Box<[u8]> {
    if let Some(Value::Any(given)) = properties.get(PropertyKeyId::HIDDEN) {
        return given.clone();
    }
    natural_id(id)
}

/// The id of a vertex of an auto graph, encoded, as most of its vertices have it: without a look at the vertex.
#[must_use]
pub fn natural_id(id: &VertexId) -> Box<[u8]> {
    let token = match id {
        VertexId::Number(number) => whole_number(*number),
        VertexId::String(text) => Token::String(text),
        VertexId::Uuid(bits) => Token::Uuid(*bits),
    };
    Builder::encode(token).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_ids_are_read_as_they_were_written() {
        let double = Token::Double(1.5);
        for (id, text, key) in [
            (Token::Int(11), "i1B", "n1B"),
            (Token::Long(11), "l1B", "n1B"),
            (Token::Long(-1), "l0B7~~~~~~~~~~", "n0B7~~~~~~~~~~"),
            (Token::Byte(1), "b11", "n11"),
            (Token::Short(1), "s11", "n11"),
            (Token::String("a>b"), "ta>b", "ta>b"),
            (Token::Uuid(7), "u00000000000000000000000000000007", "u00000000000000000000000000000007"),
            (double, "x09000000000000f83f", "x09000000000000f83f"),
        ] {
            let written = edge_id_text(id).unwrap();
            assert_eq!((&*written, &*edge_id_key(&written)), (text, key), "{id:?}");
            assert_eq!(read_edge_id_text(&written), Some(Builder::encode(id).unwrap()), "{id:?}");
        }
        assert_eq!(edge_id_text(Token::Null), None);
        for wrong in ["", "i", "b9zzzzzzzzz", "x0", "xzz", "é", "q1"] {
            assert_eq!(read_edge_id_text(wrong), None, "{wrong}");
        }
    }
}
