//! The parameter `properties` of lists: conditions on properties, each an equality.
//!
//! Without property indexes a condition can be met in two ways: by the vertex id that all primary keys of a label make, or by looking
//! at every edge of one vertex. Anything else needs an index.

use std::borrow::Cow;

use graph_model::{Meaning, Properties, PropertyKeyId, Value, VertexId, join_primary_key};
use graph_schema::{Catalogue, Literal, SchemaKind, VertexLabel, coerce};
use graph_store::Graph;
use serde_json::Value as Json;

use crate::call::Call;
use crate::errors::ApiError;

/// Properties and the values they must have.
pub(crate) struct Filter {
    conditions: Vec<(PropertyKeyId, Value)>,
    names: Vec<String>,
}

impl Filter {
    /// The conditions of a request; `None` where there are none.
    pub(crate) fn read(call: &Call, graph: &Graph, catalogue: &Catalogue) -> Result<Option<Self>, ApiError> {
        let query = call.query();
        let Some(text) = query.text("properties")? else { return Ok(None) };
        let given: serde_json::Map<String, Json> = serde_json::from_str(&text).map_err(|_| {
            ApiError::bad_input(format!(
                "'properties' must be a JSON object such as {{\"name\":\"marko\"}}, percent-encoded, but got: {text}"
            ))
        })?;
        let filter = Self::of(&given, query.flag("keep_start_p", false)?, graph, catalogue)?;
        Ok(Some(filter).filter(|filter| !filter.conditions.is_empty()))
    }

    /// The conditions of a JSON object; `plain`: texts that begin with `P.` are values, too.
    pub(crate) fn of(
        given: &serde_json::Map<String, Json>,
        plain: bool,
        graph: &Graph,
        catalogue: &Catalogue,
    ) -> Result<Self, ApiError> {
        let mut filter = Self { conditions: Vec::new(), names: Vec::new() };
        for (name, value) in given {
            let key = catalogue.property_key_named(name).ok_or_else(|| {
                let hint = catalogue.suggestion(SchemaKind::PropertyKey, name);
                ApiError::bad_input(format!("'properties' names the undefined property key '{name}'{hint}"))
            })?;
            if !plain && value.as_str().is_some_and(|text| text.starts_with("P.")) {
                let message =
                    format!("'properties': predicates such as {value} on '{name}' are not supported in this version");
                return Err(ApiError::of(Meaning::NoIndex, message));
            }
            let value = coerce(key, &literal(value), &graph.options().zone)
                .map_err(|error| ApiError::bad_input(format!("'properties': {error}")))?;
            filter.conditions.push((key.id, value));
            filter.names.push(name.clone());
        }
        Ok(filter)
    }

    /// Whether an element has all the values.
    pub(crate) fn accepts(&self, properties: &Properties) -> bool {
        self.conditions.iter().all(|(key, value)| properties.get(*key).is_some_and(|stored| stored.same(value)))
    }

    /// The id of the only vertex of a label that can have these values, where they hold all primary keys.
    pub(crate) fn vertex_id(&self, label: &VertexLabel, graph: &Graph) -> Result<Option<VertexId>, ApiError> {
        let value_of =
            |key: &PropertyKeyId| self.conditions.iter().find(|(other, _)| other == key).map(|(_, value)| value);
        let Some(values) = label.primary_keys.iter().map(value_of).collect::<Option<Vec<_>>>() else { return Ok(None) };
        if values.is_empty() {
            return Ok(None);
        }
        Ok(Some(join_primary_key(label.id, values, graph.options().encode_primary_key_number)?))
    }

    /// That the conditions cannot be met.
    pub(crate) fn no_index(&self, elements: &str, otherwise: &str) -> ApiError {
        let names = self.names.join("', '");
        let message = format!(
            "Don't accept query based on properties '{names}' that are not indexed: this version finds {elements} {otherwise}"
        );
        ApiError::of(Meaning::NoIndex, message)
    }
}

fn literal(value: &Json) -> Literal<'_> {
    match value {
        Json::Null => Literal::Null,
        Json::Bool(value) => Literal::Boolean(*value),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Literal::Integer(number),
            None => Literal::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Literal::Text(Cow::Borrowed(text)),
        Json::Array(items) => Literal::Array(items.iter().map(literal).collect()),
        Json::Object(_) => Literal::Object(Cow::Owned(value.to_string())),
    }
}
