//! What vertices and edges have in common: properties of a label, lifetimes, defaults.

use std::borrow::Cow;
use std::sync::Arc;

use graph_model::{LabelId, Properties, PropertyKeyId, Value};

use crate::change::{GraphMode, SchemaKind};
use crate::coerce::coerce;
use crate::definition::{AggregateType, EdgeLabel, PropertyKey, VertexLabel, WriteType};
use crate::element::ElementRules;
use crate::input::Literal;
use crate::{Catalogue, ElementError};

/// Properties as a client sent them.
pub(super) type Given<'a> = [(Cow<'a, str>, Literal<'a>)];

/// The part of a vertex label or an edge label that the checks of properties need.
#[derive(Clone, Copy)]
pub(super) struct Label<'a> {
    /// `vertex` or `edge`.
    pub(super) element: &'static str,
    pub(super) name: &'a str,
    pub(super) properties: &'a [PropertyKeyId],
    pub(super) nullable_keys: &'a [PropertyKeyId],
    /// Primary keys or sort keys.
    pub(super) identifying: &'a [PropertyKeyId],
    /// `primary key` or `sort key`.
    pub(super) role: &'static str,
    ttl_ms: u64,
    pub(super) ttl_start_time: Option<PropertyKeyId>,
    is_being_deleted: bool,
}

impl<'a> From<&'a VertexLabel> for Label<'a> {
    fn from(label: &'a VertexLabel) -> Self {
        Self {
            element: "vertex",
            name: &label.name,
            properties: &label.properties,
            nullable_keys: &label.nullable_keys,
            identifying: &label.primary_keys,
            role: "primary key",
            ttl_ms: label.ttl_ms,
            ttl_start_time: label.ttl_start_time,
            is_being_deleted: label.status.is_being_deleted(),
        }
    }
}

impl<'a> From<&'a EdgeLabel> for Label<'a> {
    fn from(label: &'a EdgeLabel) -> Self {
        Self {
            element: "edge",
            name: &label.name,
            properties: &label.properties,
            nullable_keys: &label.nullable_keys,
            identifying: &label.sort_keys,
            role: "sort key",
            ttl_ms: label.ttl_ms,
            ttl_start_time: label.ttl_start_time,
            is_being_deleted: label.status.is_being_deleted(),
        }
    }
}

impl Label<'_> {
    pub(super) fn check_alive(self) -> Result<(), ElementError> {
        if self.is_being_deleted { Err(ElementError::LabelGone { label: self.name.to_owned() }) } else { Ok(()) }
    }

    /// When an element with these properties ceases to exist.
    pub(super) fn expiry(self, properties: &Properties, rules: &ElementRules<'_>) -> Result<Option<i64>, ElementError> {
        if self.ttl_ms == 0 {
            return Ok(None);
        }
        let start_ms = match self.ttl_start_time.and_then(|key| properties.get(key)) {
            Some(Value::Date(start_ms)) => *start_ms,
            _ => rules.now_ms,
        };
        let expires_at_ms = start_ms.saturating_add_unsigned(self.ttl_ms);
        if expires_at_ms <= rules.now_ms {
            return Err(ElementError::Expired { element: self.element, ttl_ms: self.ttl_ms });
        }
        Ok(Some(expires_at_ms))
    }
}

impl Catalogue {
    /// The property key of a name, which must be one of the label's.
    pub(super) fn key_of(&self, label: Label<'_>, name: &str) -> Result<&Arc<PropertyKey>, ElementError> {
        let key = self.property_key_named(name).ok_or_else(|| ElementError::UnknownKey {
            key: name.to_owned(),
            hint: self.suggestion(SchemaKind::PropertyKey, name),
        })?;
        let is_of_any_label = self.is_auto() || (label.element == "vertex" && key.write_type != WriteType::Oltp);
        if label.properties.binary_search(&key.id).is_err() && !is_of_any_label {
            return Err(ElementError::KeyNotInLabel {
                label: label.name.to_owned(),
                key: name.to_owned(),
                properties: self.quoted_names(label.properties),
            });
        }
        Ok(key)
    }

    /// The same, of a key whose values can be stored.
    pub(super) fn writable_key_of(&self, label: Label<'_>, name: &str) -> Result<&Arc<PropertyKey>, ElementError> {
        let key = self.key_of(label, name)?;
        let unsupported = |reason| Err(ElementError::Unsupported { key: name.to_owned(), reason });
        if key.aggregate_type != AggregateType::None {
            return unsupported("values of property keys with an aggregate type are not supported");
        }
        if key.write_type != WriteType::Oltp && (label.element != "vertex" || self.is_auto()) {
            return unsupported("only vertices of graphs with a strict schema have values of OLAP property keys");
        }
        Ok(key)
    }

    /// The properties of a new element. Where a name is given twice the last one counts, as in JSON objects.
    pub(super) fn read_properties(
        &self,
        label: Label<'_>,
        given: &Given<'_>,
        rules: &ElementRules<'_>,
    ) -> Result<Properties, ElementError> {
        let properties = self.read_some_properties(label, given, rules)?;
        self.check_complete(label, &properties, rules.mode)?;
        Ok(properties)
    }

    /// Properties of an element, maybe not all that it must have.
    pub(super) fn read_some_properties(
        &self,
        label: Label<'_>,
        given: &Given<'_>,
        rules: &ElementRules<'_>,
    ) -> Result<Properties, ElementError> {
        let mut properties = Properties::with_capacity(given.len());
        for (name, literal) in given {
            let key = self.writable_key_of(label, name)?;
            properties.insert(key.id, coerce(key, literal, rules.zone)?);
        }
        Ok(properties)
    }

    /// Refuses an element that lacks an identifying property or, unless a bulk load is on, one that is not nullable.
    pub(super) fn check_complete(
        &self,
        label: Label<'_>,
        properties: &Properties,
        mode: GraphMode,
    ) -> Result<(), ElementError> {
        let is_required = |key: &PropertyKeyId| {
            label.identifying.contains(key)
                || (mode != GraphMode::Loading && label.nullable_keys.binary_search(key).is_err())
        };
        let missing = |key: &&PropertyKeyId| properties.get(**key).is_none() && is_required(key);
        let has_all = properties.iter().map(|(key, _)| key).eq(label.properties.iter().copied());
        if has_all || !label.properties.iter().any(|key| missing(&key)) {
            return Ok(());
        }
        let keys: Vec<_> = label.properties.iter().filter(missing).copied().collect();
        Err(ElementError::MissingProperties { label: label.name.to_owned(), keys: self.quoted_names(&keys) })
    }

    fn quoted_names(&self, keys: &[PropertyKeyId]) -> String {
        let names: Vec<_> = keys.iter().map(|key| format!("'{}'", self.key_name(*key))).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// Default values of a vertex label's properties: what a vertex shows for those it lacks.
    #[must_use]
    pub fn vertex_defaults(&self, label: LabelId) -> Vec<(PropertyKeyId, &Value)> {
        self.vertex_label(label).map_or_else(Vec::new, |label| self.defaults(&label.properties))
    }

    /// Default values of an edge label's properties: what an edge shows for those it lacks.
    #[must_use]
    pub fn edge_defaults(&self, label: LabelId) -> Vec<(PropertyKeyId, &Value)> {
        self.edge_label(label).map_or_else(Vec::new, |label| self.defaults(&label.properties))
    }

    fn defaults(&self, properties: &[PropertyKeyId]) -> Vec<(PropertyKeyId, &Value)> {
        let default = |key: &PropertyKeyId| Some((*key, self.property_key(*key)?.default_value.as_ref()?));
        properties.iter().filter_map(default).collect()
    }
}
