//! Reading the parts that bodies of traversers are made of. Java clients send every field, so null counts as absent.
//!
//! [`decode_body`] reads a whole body into a struct of these parts; what the values may be is up to the caller.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use graph_model::VertexId;
use graph_schema::{Literal, NewPredicate};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use super::condition::{predicate, selecting_predicate};
use super::trace::{explain, text};
use crate::DecodeError;
use crate::limits::{STEP_LABELS_MAX, TRAVERSER_IDS_MAX};

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

/// Reads a list of a body that may be null, and breaks off beyond `MAX` items. For `#[serde(deserialize_with)]`.
pub fn list_of_at_most<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MAX: usize>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    struct Items<T, const MAX: usize>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Items<T, MAX> {
        type Value = Option<Vec<T>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element()? {
                if items.len() == MAX {
                    return Err(Error::custom(format!("more than {MAX} items, which is the limit of this list")));
                }
                items.push(item);
            }
            Ok(Some(items))
        }
    }

    deserializer.deserialize_any(Items::<T, MAX>(PhantomData))
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
    #[serde(deserialize_with = "list_of_at_most::<_, _, STEP_LABELS_MAX>")]
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
    #[serde(deserialize_with = "list_of_at_most::<_, _, STEP_LABELS_MAX>")]
    pub edge_steps: Option<Vec<LabelStepBody>>,
    /// Empty: any vertex.
    #[serde(deserialize_with = "list_of_at_most::<_, _, STEP_LABELS_MAX>")]
    pub vertex_steps: Option<Vec<LabelStepBody>>,
}

/// Which vertices to begin at: by ids, or by label and properties.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct VerticesBody {
    /// Their ids.
    #[serde(deserialize_with = "list_of_at_most::<_, _, TRAVERSER_IDS_MAX>")]
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
    fn lists_have_a_limit() {
        let step = |labels: usize| {
            let labels = vec!["knows"; labels];
            let body = serde_json::json!({"labels": labels, "edge_steps": null});
            decode_body::<StepBody>(body.to_string().as_bytes())
        };
        assert_eq!(step(STEP_LABELS_MAX).unwrap().labels.unwrap().len(), STEP_LABELS_MAX);
        let error = step(STEP_LABELS_MAX + 1).unwrap_err().to_string();
        assert!(error.starts_with("labels: more than 1000 items"), "{error}");
        assert!(decode_body::<StepBody>(br#"{"labels":{}}"#).is_err());
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
