//! Ids of vertices as JSON and as names of members.

use graph_model::VertexId;
use serde_json::Value as Json;

use crate::AnalysisError;

/// An id as JSON: a number or a text.
pub(crate) fn id_json(id: &VertexId) -> Json {
    match id {
        VertexId::Number(number) => Json::from(*number),
        VertexId::String(text) => Json::from(text.as_str()),
        VertexId::Uuid(_) => Json::from(id_text(id)),
    }
}

/// An id as a text: of a member's name, of a column.
#[must_use]
pub fn id_text(id: &VertexId) -> String {
    match id {
        VertexId::Number(number) => number.to_string(),
        VertexId::String(text) => text.to_string(),
        VertexId::Uuid(bits) => uuid::Uuid::from_u128(*bits).hyphenated().to_string(),
    }
}

/// Ids that JSON can mean: a text is a text or a UUID.
pub(crate) fn ids_of(json: &Json) -> Result<Vec<VertexId>, AnalysisError> {
    let wrong = || AnalysisError::Parameter(format!("{json} is no id of a vertex: it must be a number or a text"));
    match json {
        Json::Number(number) => number.as_i64().map(|number| vec![VertexId::Number(number)]).ok_or_else(wrong),
        Json::String(text) => {
            let uuid = uuid::Uuid::parse_str(text).ok().map(|uuid| VertexId::Uuid(uuid.as_u128()));
            Ok([Some(VertexId::String(text.as_str().into())), uuid].into_iter().flatten().collect())
        }
        _ => Err(wrong()),
    }
}
