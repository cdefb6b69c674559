//! Changes of a stored element's properties.
//!
//! Appending sets single values and adds to collections; eliminating removes whole properties. What identifies an
//! element (primary keys, sort keys) stays.

use std::borrow::Cow;

use graph_model::{Edge, Properties, Value, Vertex};

use crate::coerce::{check_count, coerce, keep_first_of_same};
use crate::definition::{PropertyKey, WriteType};
use crate::element::ElementRules;
use crate::element::properties::{Given, Label};
use crate::input::Literal;
use crate::{Catalogue, ElementError};

impl Catalogue {
    /// The properties of a vertex after the given ones are appended.
    pub fn append_vertex_properties(
        &self,
        vertex: &Vertex,
        given: &[(Cow<'_, str>, Literal<'_>)],
        rules: &ElementRules<'_>,
    ) -> Result<Properties, ElementError> {
        self.append(self.label_of_vertex(vertex)?, &vertex.properties, given, rules)
    }

    /// The properties of a vertex without those named; the values given do not matter.
    pub fn eliminate_vertex_properties(
        &self,
        vertex: &Vertex,
        given: &[(Cow<'_, str>, Literal<'_>)],
    ) -> Result<Properties, ElementError> {
        self.eliminate(self.label_of_vertex(vertex)?, &vertex.properties, given)
    }

    /// The properties of an edge after the given ones are appended.
    pub fn append_edge_properties(
        &self,
        edge: &Edge,
        given: &[(Cow<'_, str>, Literal<'_>)],
        rules: &ElementRules<'_>,
    ) -> Result<Properties, ElementError> {
        self.append(self.label_of_edge(edge)?, &edge.properties, given, rules)
    }

    /// The properties of an edge without those named; the values given do not matter.
    pub fn eliminate_edge_properties(
        &self,
        edge: &Edge,
        given: &[(Cow<'_, str>, Literal<'_>)],
    ) -> Result<Properties, ElementError> {
        self.eliminate(self.label_of_edge(edge)?, &edge.properties, given)
    }

    /// When a vertex ceases to exist once its properties are `after`, in milliseconds since 1970 UTC: as before, unless
    /// the date its lifetime starts at has changed.
    pub fn vertex_expiry_after(
        &self,
        before: &Vertex,
        after: &Properties,
        rules: &ElementRules<'_>,
    ) -> Result<Option<i64>, ElementError> {
        expiry_after(self.label_of_vertex(before)?, &before.properties, before.expires_at_ms, after, rules)
    }

    /// When an edge ceases to exist once its properties are `after`: as [`Self::vertex_expiry_after`].
    pub fn edge_expiry_after(
        &self,
        before: &Edge,
        after: &Properties,
        rules: &ElementRules<'_>,
    ) -> Result<Option<i64>, ElementError> {
        expiry_after(self.label_of_edge(before)?, &before.properties, before.expires_at_ms, after, rules)
    }

    pub(super) fn label_of_vertex(&self, vertex: &Vertex) -> Result<Label<'_>, ElementError> {
        let unknown = || ElementError::LabelGone { label: format!("number {}", vertex.label.0) };
        let label = Label::from(&**self.vertex_label(vertex.label).ok_or_else(unknown)?);
        label.check_alive()?;
        Ok(label)
    }

    pub(super) fn label_of_edge(&self, edge: &Edge) -> Result<Label<'_>, ElementError> {
        let unknown = || ElementError::LabelGone { label: format!("number {}", edge.id.label.0) };
        let label = Label::from(&**self.edge_label(edge.id.label).ok_or_else(unknown)?);
        label.check_alive()?;
        Ok(label)
    }

    fn append(
        &self,
        label: Label<'_>,
        before: &Properties,
        given: &Given<'_>,
        rules: &ElementRules<'_>,
    ) -> Result<Properties, ElementError> {
        let mut properties = before.clone();
        for (name, literal) in given {
            let key = self.writable_key_of(label, name)?;
            check_not_identifying(label, key)?;
            let added = coerce(key, literal, rules.zone)?;
            let value = match properties.remove(key.id) {
                Some(old) => joined(key, old, added)?,
                None => added,
            };
            properties.insert(key.id, value);
        }
        Ok(properties)
    }

    fn eliminate(&self, label: Label<'_>, before: &Properties, given: &Given<'_>) -> Result<Properties, ElementError> {
        let mut properties = before.clone();
        for (name, _) in given {
            let key = self.key_of(label, name)?;
            check_not_identifying(label, key)?;
            let was_set = properties.remove(key.id).is_some();
            let may_lack = key.write_type != WriteType::Oltp || label.nullable_keys.binary_search(&key.id).is_ok();
            if was_set && !may_lack {
                return Err(ElementError::NotNullable { label: label.name.to_owned(), key: key.name.clone() });
            }
        }
        Ok(properties)
    }
}

fn check_not_identifying(label: Label<'_>, key: &PropertyKey) -> Result<(), ElementError> {
    if label.identifying.contains(&key.id) {
        return Err(ElementError::Identifying {
            label: label.name.to_owned(),
            key: key.name.clone(),
            role: label.role,
        });
    }
    Ok(())
}

/// An old and a new value of one property: collections are joined, a single value is replaced.
fn joined(key: &PropertyKey, old: Value, new: Value) -> Result<Value, ElementError> {
    let value = match (old, new) {
        (Value::List(mut items), Value::List(added)) => {
            items.extend(added);
            Value::List(items)
        }
        (Value::Set(mut items), Value::Set(added)) => {
            items.extend(added);
            keep_first_of_same(&mut items);
            Value::Set(items)
        }
        (_, new) => new,
    };
    check_count(key, value.items().len())?;
    Ok(value)
}

fn expiry_after(
    label: Label<'_>,
    before: &Properties,
    expires_at_ms: Option<i64>,
    after: &Properties,
    rules: &ElementRules<'_>,
) -> Result<Option<i64>, ElementError> {
    match label.ttl_start_time {
        Some(start) if before.get(start) != after.get(start) => label.expiry(after, rules),
        _ => Ok(expires_at_ms),
    }
}
