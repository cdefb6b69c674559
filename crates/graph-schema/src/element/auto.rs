//! Elements of auto graphs: any key, any value, any kind of id.
//!
//! A whole number that is a vertex id is of 32 bits where it fits, else of 64. A vertex whose id was given as one of
//! another type holds it as it was given under [`PropertyKeyId::HIDDEN`]. An edge's id is in its sort values, which tells parallel edges apart: see
//! [`edge_id_text`]; under [`PropertyKeyId::HIDDEN`] it holds the text by which the id is found ([`edge_id_key`]).

use std::borrow::Cow;

use compact_str::{CompactString, format_compact};
use graph_model::{Edge, EdgeId, Properties, PropertyKeyId, Value, VertexId, decode_number, encode_number};
use tagged_value::{Builder, Token};

use crate::coerce::shown;
use crate::element::edge::checked_edge_id;
use crate::element::properties::{Given, Label};
use crate::element::{ElementRules, VertexDraft};
use crate::input::{Literal, NewEdge, NewVertex};
use crate::{Catalogue, ElementError, limits};

/// The property of a [`NewEdge`] that is the id a client gave it; no property key has this name.
pub const EDGE_ID: &str = "~id";

impl Catalogue {
    pub(super) fn check_auto_vertex(
        &self,
        new: &NewVertex<'_>,
        label: Label<'_>,
        rules: &ElementRules<'_>,
    ) -> Result<VertexDraft, ElementError> {
        let definition = self.vertex_label_named(label.name).ok_or_else(|| self.unknown_vertex_label(label.name))?;
        let mut properties = self.read_some_properties(label, &new.properties, rules)?;
        check_number(label, &new.properties)?;
        let id = match &new.id {
            None | Some(Literal::Null) => None,
            Some(given) => {
                let (id, hidden) = auto_vertex_id(given)?;
                hidden.map(|hidden| properties.insert(PropertyKeyId::HIDDEN, Value::Any(hidden)));
                Some(id)
            }
        };
        Ok(VertexDraft { label: definition.id, id, properties, expires_at_ms: None })
    }

    /// An edge whose sort values are empty where no id was given: see [`set_edge_id`].
    pub(super) fn check_auto_edge(&self, new: &NewEdge<'_>, rules: &ElementRules<'_>) -> Result<Edge, ElementError> {
        let name = new.label.as_deref().ok_or(ElementError::LabelMissing { element: "edge" })?;
        let definition = self.edge_label_named(name).ok_or_else(|| self.unknown_edge_label(name))?;
        let label = Label::from(&**definition);
        let given_id = new.properties.iter().find(|(name, _)| name == EDGE_ID).map(|(_, id)| id);
        let properties = match given_id {
            None => self.read_some_properties(label, &new.properties, rules)?,
            Some(_) => {
                let rest: Vec<(Cow<'_, str>, Literal<'_>)> =
                    new.properties.iter().filter(|(name, _)| name != EDGE_ID).cloned().collect();
                self.read_some_properties(label, &rest, rules)?
            }
        };
        check_number(label, &new.properties)?;
        let end = |end: &'static str, given: &Option<Literal<'_>>| match given {
            None | Some(Literal::Null) => Err(ElementError::End { end, reason: "is missing".to_owned() }),
            Some(given) => Ok(auto_vertex_id(given)?.0),
        };
        let (source, target) = (end("outV", &new.source)?, end("inV", &new.target)?);
        let id = EdgeId { label: definition.id, source, sort_values: CompactString::default(), target };
        let mut edge = Edge { id, properties, expires_at_ms: None };
        if let Some(given) = given_id {
            let text = literal_token(given).and_then(edge_id_text).ok_or_else(|| ElementError::AutoGraph {
                reason: format!("an edge id must be of a simple type, but got {}", shown(given)),
            })?;
            set_edge_id(&mut edge, text)?;
        }
        Ok(edge)
    }
}

/// Gives an edge of an auto graph an id, by its text.
///
/// # Errors
/// That the whole id of the edge becomes too long.
pub fn set_edge_id(edge: &mut Edge, text: CompactString) -> Result<(), ElementError> {
    edge.properties.insert(PropertyKeyId::HIDDEN, Value::Text(edge_id_key(&text)));
    edge.id = checked_edge_id(edge.id.label, EdgeId { sort_values: text, ..edge.id.clone() })?;
    Ok(())
}

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

/// The vertex id that a value means, and the encoded value where the id does not say its type.
pub(super) fn auto_vertex_id(given: &Literal<'_>) -> Result<(VertexId, Option<Box<[u8]>>), ElementError> {
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
fn literal_token<'a>(literal: &'a Literal<'_>) -> Option<Token<'a>> {
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

fn check_number(label: Label<'_>, given: &Given<'_>) -> Result<(), ElementError> {
    let limit = limits::PROPERTIES_PER_LABEL_MAX;
    if given.len() <= limit {
        return Ok(());
    }
    let reason =
        format!("{} of label '{}' with {} properties: the limit is {limit}", label.element, label.name, given.len());
    Err(ElementError::AutoGraph { reason })
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
