//! Vertex ids as clients write them in JSON bodies: a number or a text; which kind of id is meant, the label says.

use graph_model::{IdKind, IdStrategy, LabelId, VertexId, split_primary_key_label};

use crate::coerce::shown;
use crate::definition::VertexLabel;
use crate::element::auto_id::auto_vertex_id;
use crate::input::Literal;
use crate::{Catalogue, ElementError};

impl Catalogue {
    /// A vertex id in a JSON body. With a label it must be of the kind the label's id strategy makes. Without one a
    /// number is a number, and a text is a text, unless it has the form of a UUID and the graph has a label with UUIDs
    /// as ids.
    pub fn parse_vertex_id_literal(
        &self,
        label: Option<LabelId>,
        literal: &Literal<'_>,
    ) -> Result<VertexId, ElementError> {
        if let (Literal::Tagged(_), _) | (_, true) = (literal, self.is_auto()) {
            return Ok(auto_vertex_id(literal)?.0);
        }
        if let Some(label) = label.and_then(|label| self.vertex_label(label)) {
            return id_of(label, literal).map_err(|reason| wrong_id(label, reason));
        }
        match literal {
            Literal::Integer(number) => Ok(VertexId::Number(*number)),
            Literal::Text(text) => {
                let has_uuids = || self.vertex_labels().any(|label| label.id_strategy.kind() == IdKind::Uuid);
                match VertexId::parse_uuid(text) {
                    Ok(id) if has_uuids() => Ok(id),
                    _ => Ok(VertexId::from_text(text)?),
                }
            }
            other => Err(ElementError::IdNotation { got: shown(other).into_owned() }),
        }
    }
}

/// The id a literal means for a label; the error is the reason, without naming the label.
pub(super) fn id_of(label: &VertexLabel, literal: &Literal<'_>) -> Result<VertexId, String> {
    let expected = match (label.id_strategy.kind(), literal) {
        (IdKind::Number, Literal::Integer(number)) => return Ok(VertexId::Number(*number)),
        (IdKind::Number, Literal::Float(number)) => match cut(*number) {
            Some(number) => return Ok(VertexId::Number(number)),
            None => "a number of 64 bits",
        },
        (IdKind::Number, _) => "a number",
        (IdKind::String, Literal::Text(text)) => {
            if label.id_strategy == IdStrategy::PrimaryKey {
                check_primary_key_id(label, text)?;
            }
            return VertexId::from_text(text).map_err(|error| error.to_string());
        }
        (IdKind::String, _) => "a string",
        (IdKind::Uuid, Literal::Text(text)) => return VertexId::parse_uuid(text).map_err(|error| error.to_string()),
        (IdKind::Uuid, _) => "a string with a UUID",
    };
    Err(format!("its ids are {expected}, but got {}", shown(literal)))
}

pub(super) fn wrong_id(label: &VertexLabel, reason: String) -> ElementError {
    ElementError::IdStrategy { label: label.name.clone(), strategy: label.id_strategy.name(), reason }
}

/// The whole part of a number, where it fits 64 bits. HugeGraph cuts fractions of ids.
fn cut(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "the fraction is to be cut, the range is checked")]
    let whole = number as i64;
    (-LIMIT..LIMIT).contains(&number).then_some(whole)
}

fn check_primary_key_id(label: &VertexLabel, text: &str) -> Result<(), String> {
    match split_primary_key_label(text) {
        Some((number, _)) if number == label.id => Ok(()),
        _ => Err(format!("its ids begin with '{}:', but got '{text}'", label.id.0)),
    }
}
