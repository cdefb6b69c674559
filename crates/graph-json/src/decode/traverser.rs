//! Reading the parts that bodies of traversers are made of. Java clients send every field, so null counts as absent.
//!
//! [`decode_body`] reads a whole body into a struct of these parts; what the values may be is up to the caller.

use std::borrow::Cow;

use graph_model::VertexId;
use graph_schema::{Literal, NewPredicate};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::{Map, Value as Json};

use super::condition::{predicate, selecting_predicate};
use super::trace::{explain, text};
use crate::DecodeError;

/// Reads a whole body. An array where an object is expected is refused.
pub fn decode_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, DecodeError> {
    let text = text(body)?;
    let whole = || "the body".to_owned();
    if !text.trim_ascii_start().starts_with('{') {
        let reason = "expected an object".to_owned();
        return Err(DecodeError::WrongType { place: whole(), reason, line: 1, column: 1 });
    }
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut parser).map_err(|error| {
        let path = error.path().to_string();
        explain(error.inner(), || if path == "." { whole() } else { path })
    })?;
    parser.end().map_err(|error| explain(&error, whole))?;
    Ok(value)
}

/// A field that must be there, and not be null.
pub fn required<T>(value: Option<T>, field: &'static str) -> Result<T, DecodeError> {
    value.ok_or_else(|| DecodeError::MissingField { place: "the body".to_owned(), field })
}

/// A vertex id in a body: a number, or a string; a string of the form `U"..."` is a UUID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdBody(pub VertexId);

impl<'de> Deserialize<'de> for IdBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = match Json::deserialize(deserializer)? {
            Json::String(text) => match text.strip_prefix("U\"").and_then(|rest| rest.strip_suffix('"')) {
                Some(uuid) => VertexId::parse_uuid(uuid),
                None => VertexId::from_text(&text),
            }
            .map_err(Error::custom)?,
            Json::Number(number) if number.is_i64() => VertexId::Number(number.as_i64().unwrap_or_default()),
            other => return Err(Error::custom(format!("a vertex id is a whole number or a string, but got {other}"))),
        };
        Ok(Self(id))
    }
}

/// Properties and the values or predicates they must satisfy, as they came.
pub type PropertiesBody = Map<String, Json>;

/// The conditions that properties of a body stand for. `selecting`: an array means one of its values.
pub fn property_conditions(
    properties: &PropertiesBody,
    selecting: bool,
) -> Result<Vec<(Cow<'_, str>, NewPredicate<'_>)>, DecodeError> {
    let predicate_of =
        |value| if selecting { selecting_predicate(literal(value)) } else { predicate(literal(value), false) };
    properties.iter().map(|(name, value)| Ok((Cow::from(name), predicate_of(value)?))).collect()
}

fn literal(value: &Json) -> Literal<'_> {
    match value {
        Json::Null => Literal::Null,
        Json::Bool(value) => Literal::Boolean(*value),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Literal::Integer(number),
            None => Literal::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Literal::Text(Cow::from(text)),
        Json::Array(items) => Literal::Array(items.iter().map(literal).collect()),
        Json::Object(_) => Literal::Object(Cow::Owned(value.to_string())),
    }
}

/// A step: which edges to follow.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct StepBody {
    /// `OUT`, `IN` or `BOTH`.
    pub direction: Option<String>,
    /// Names of edge labels.
    pub labels: Option<Vec<String>>,
    /// What edges must satisfy.
    pub properties: Option<PropertiesBody>,
    /// Edges looked at of one vertex.
    pub max_degree: Option<i64>,
    /// Another name of `max_degree`, the Java client's.
    pub degree: Option<i64>,
    /// Edges from which on a vertex is left out.
    pub skip_degree: Option<i64>,
}

/// A label and what its elements must satisfy.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LabelStepBody {
    /// Name of the label.
    pub label: Option<String>,
    /// What elements must satisfy.
    pub properties: Option<PropertiesBody>,
}

/// A step with conditions on edges by label and on vertices by label.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct VertexEdgeStepsBody {
    /// `OUT`, `IN` or `BOTH`.
    pub direction: Option<String>,
    /// Edges looked at of one vertex.
    pub max_degree: Option<i64>,
    /// Another name of `max_degree`.
    pub degree: Option<i64>,
    /// Edges from which on a vertex is left out.
    pub skip_degree: Option<i64>,
    /// Empty: any edge.
    pub edge_steps: Option<Vec<LabelStepBody>>,
    /// Empty: any vertex.
    pub vertex_steps: Option<Vec<LabelStepBody>>,
}

/// Which vertices to begin at: by ids, or by label and properties.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct VerticesBody {
    /// Their ids.
    pub ids: Option<Vec<IdBody>>,
    /// Name of their label.
    pub label: Option<String>,
    /// What they must satisfy; an array means one of its values.
    pub properties: Option<PropertiesBody>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers_texts_and_uuids() {
        let id = |json: &str| serde_json::from_str::<IdBody>(json).map(|id| id.0).ok();
        assert_eq!(id("7"), Some(VertexId::Number(7)));
        assert_eq!(id(r#""1:ann""#), Some(VertexId::String("1:ann".into())));
        assert_eq!(id(r#""U\"00000000-0000-0000-0000-000000000001\"""#), Some(VertexId::Uuid(1)));
        for wrong in ["1.5", "true", "null", r#""""#, "[1]", r#""U\"x\"""#] {
            assert_eq!(id(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn null_is_absent_and_errors_name_the_place() {
        #[derive(Debug, Deserialize)]
        struct Body {
            step: Option<StepBody>,
        }
        let body: Body = decode_body(br#"{"step":{"direction":null,"labels":null,"degree":5,"other":1}}"#).unwrap();
        assert_eq!(body.step.unwrap(), StepBody { degree: Some(5), ..StepBody::default() });
        let error = decode_body::<Body>(br#"{"step":{"max_degree":"x"}}"#).unwrap_err().to_string();
        assert!(error.starts_with("step.max_degree: expected i64, but got string"), "{error}");
        assert!(decode_body::<Body>(b"[1]").is_err());
        assert!(decode_body::<Body>(b"").is_err());
        assert!(decode_body::<Body>(b"{} x").is_err());
    }
}
