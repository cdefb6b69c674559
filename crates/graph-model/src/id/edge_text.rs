//! Edge ids as text: `S1:ann>1>1>20260105>S2:rome`.
//!
//! Five parts joined with `>`: the source, the label (of a sub label: its parent), the label itself, the joined sort
//! values, the target. An end is a letter for its kind (`S` string, `L` number, `U` UUID) and the id's text; a `>`
//! inside a part is written `` `> ``. Also read: four parts (no sub label, HugeGraph up to 1.3) and six (with a
//! direction mark second).

use std::borrow::Cow;
use std::fmt;

use crate::{EdgeId, IdError, LabelId, VertexId, limits};

/// Six are read: five, and a direction.
const PARTS_MAX: usize = 6;

const FIVE_PARTS: &str = "it must have five parts joined with '>'";

/// The parts of an edge id's text. Turning them into an [`EdgeId`] takes the schema only to check that the labels
/// exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeIdText {
    /// The label named first: the parent of a sub label, else the label itself.
    pub parent: LabelId,
    /// What identifies the edge.
    pub id: EdgeId,
}

impl EdgeIdText {
    /// Reads an edge id.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let chars = text.len();
        if chars > limits::EDGE_ID_CHARS_MAX {
            return Err(IdError::EdgeTooLong { chars });
        }
        let wrong = |reason| IdError::NotAnEdgeId { text: text.to_owned(), reason };
        let (parts, count) = split(text).ok_or_else(|| wrong(FIVE_PARTS))?;
        let parts = parts.each_ref().map(|part| &**part);
        let (owner, incoming, parent, label, sort_values, other) = match *parts.get(..count).unwrap_or_default() {
            [source, label, sort, target] => (source, false, label, label, sort, target),
            [source, parent, label, sort, target] => (source, false, parent, label, sort, target),
            [owner, mark @ ("O" | "I" | "OUT" | "IN"), parent, label, sort, other] => {
                (owner, mark.starts_with('I'), parent, label, sort, other)
            }
            [_, _, _, _, _, _] => return Err(wrong("the second of six parts must be O or I")),
            _ => return Err(wrong(FIVE_PARTS)),
        };
        let number = |text: &str| text.parse().map(LabelId).map_err(|_| wrong("its label is not a number"));
        let end = |text| parse_end(text).ok_or_else(|| wrong("an end must be S, L or U and a vertex id"));
        let (owner, other) = (end(owner)?, end(other)?);
        let (source, target) = if incoming { (other, owner) } else { (owner, other) };
        Ok(Self {
            parent: number(parent)?,
            id: EdgeId { label: number(label)?, source, sort_values: sort_values.into(), target },
        })
    }
}

impl fmt::Display for EdgeIdText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.text(self.parent).fmt(f)
    }
}

impl EdgeId {
    /// The text of this id without a copy of its parts; `parent` is the label it names first, as
    /// [`EdgeIdText::parent`].
    pub fn text(&self, parent: LabelId) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| {
            write_end(f, &self.source)?;
            write!(f, ">{}>{}>", parent.0, self.label.0)?;
            write_escaped(f, &self.sort_values)?;
            f.write_str(">")?;
            write_end(f, &self.target)
        })
    }
}

/// The parts between every `>` that no backquote precedes, with the escapes taken out, and how many there are; `None`
/// for too many.
fn split(text: &str) -> Option<([Cow<'_, str>; PARTS_MAX], usize)> {
    let mut parts: [Cow<'_, str>; PARTS_MAX] = Default::default();
    let mut count = 0;
    let mut start = 0;
    let is_escaped = |at: usize| text.get(..at).is_some_and(|before| before.ends_with('`'));
    let separators = text.match_indices('>').map(|(at, _)| at).filter(|at| !is_escaped(*at));
    for end in separators.chain([text.len()]) {
        let part = text.get(start..end)?;
        *parts.get_mut(count)? =
            if part.contains('`') { Cow::Owned(part.replace("`>", ">")) } else { Cow::Borrowed(part) };
        count += 1;
        start = end + 1;
    }
    Some((parts, count))
}

fn parse_end(text: &str) -> Option<VertexId> {
    let mut chars = text.chars();
    match chars.next()? {
        'S' => VertexId::from_text(chars.as_str()).ok(),
        'L' => chars.as_str().parse().ok().map(VertexId::Number),
        'U' => VertexId::parse_uuid(chars.as_str()).ok(),
        _ => None,
    }
}

fn write_end(f: &mut fmt::Formatter<'_>, id: &VertexId) -> fmt::Result {
    match id {
        VertexId::Number(number) => write!(f, "L{number}"),
        VertexId::Uuid(bits) => write!(f, "U{}", uuid::Uuid::from_u128(*bits).hyphenated()),
        VertexId::String(text) => {
            f.write_str("S")?;
            write_escaped(f, text)
        }
    }
}

fn write_escaped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('>') {
        write!(f, "{before}`>")?;
        rest = after;
    }
    f.write_str(rest)
}

#[cfg(test)]
mod tests {
    use compact_str::CompactString;

    use super::*;

    fn id(sort: &str) -> EdgeId {
        EdgeId {
            label: LabelId(1),
            source: VertexId::String("1:ann".into()),
            sort_values: sort.into(),
            target: VertexId::String("2:ro>me".into()),
        }
    }

    #[test]
    fn five_parts_round_trip() {
        let text = EdgeIdText { parent: LabelId(1), id: id("20260105") };
        assert_eq!(text.to_string(), "S1:ann>1>1>20260105>S2:ro`>me");
        assert_eq!(EdgeIdText::parse(&text.to_string()), Ok(text));
        let numbers = EdgeIdText {
            parent: LabelId(3),
            id: EdgeId {
                label: LabelId(4),
                source: VertexId::Number(-7),
                sort_values: CompactString::default(),
                target: VertexId::Uuid(9),
            },
        };
        assert_eq!(EdgeIdText::parse(&numbers.to_string()), Ok(numbers));
    }

    #[test]
    fn older_and_directed_forms_are_read() {
        let expected = Ok(EdgeIdText { parent: LabelId(1), id: id("x") });
        assert_eq!(EdgeIdText::parse("S1:ann>1>x>S2:ro`>me"), expected);
        assert_eq!(EdgeIdText::parse("S1:ann>O>1>1>x>S2:ro`>me"), expected);
        assert_eq!(EdgeIdText::parse("S2:ro`>me>I>1>1>x>S1:ann"), expected);
    }

    #[test]
    fn only_what_stands_before_a_greater_sign_is_an_escape() {
        for (text, expected) in [
            ("", vec![""]),
            (">", vec!["", ""]),
            ("`>", vec![">"]),
            ("a``>b>c`", vec!["a`>b", "c`"]),
            (">`>>`>`>", vec!["", ">", ">>"]),
            ("é`x>ü`>", vec!["é`x", "ü>"]),
            ("1>2>3>4>5>", vec!["1", "2", "3", "4", "5", ""]),
        ] {
            let (parts, count) = split(text).unwrap();
            assert_eq!(parts[..count], expected, "{text}");
        }
        assert!(split("1>2>3>4>5>6>7").is_none());
    }

    #[test]
    fn malformed_ids_are_refused() {
        for text in ["", "S1>2", "S1>1>1>>X2", "S1>x>1>>S2", "S1>Q>1>1>>S2", "S>1>1>>S2", "S1:a>1>1>>S2>3>4"] {
            assert!(EdgeIdText::parse(text).is_err(), "{text}");
        }
        let long = format!("S{}>1>1>>S2", "x".repeat(70_000));
        assert!(matches!(EdgeIdText::parse(&long), Err(IdError::EdgeTooLong { .. })));
    }
}
