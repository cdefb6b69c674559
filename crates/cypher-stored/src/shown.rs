//! Indexes and constraints as `SHOW` shows them.

use cypher_value::Value;
use graph_schema::{Catalogue, IndexType, Status};

use crate::rules::{INDEX_KIND, INDEX_OWNER, required_properties};

fn text(text: &str) -> Value {
    Value::String(text.into())
}

fn texts<'t>(all: impl Iterator<Item = &'t str>) -> Value {
    Value::list(all.map(text).collect())
}

/// The rows of `SHOW INDEXES`.
#[must_use]
pub fn shown_indexes(catalogue: &Catalogue) -> Vec<Vec<Value>> {
    shown(catalogue, false)
}

/// The rows of `SHOW CONSTRAINTS`.
#[must_use]
pub fn shown_constraints(catalogue: &Catalogue) -> Vec<Vec<Value>> {
    shown(catalogue, true)
}

/// The index labels of a graph; unique ones are constraints as well.
fn shown(catalogue: &Catalogue, is_constraint: bool) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for index in catalogue.index_labels() {
        let is_unique = index.index_type == IndexType::Unique;
        let is_part = index.name.starts_with('~') || index.user_data.get(INDEX_OWNER).is_some();
        if is_part || index.status.is_being_deleted() || (is_constraint && !is_unique) {
            continue;
        }
        let base = if index.on_vertices {
            catalogue.vertex_label(index.base).map(|label| label.name.clone())
        } else {
            catalogue.edge_label(index.base).map(|label| label.name.clone())
        };
        let keys = index.fields.iter().filter_map(|key| catalogue.property_key(*key));
        let keys = texts(keys.map(|key| key.name.as_str()));
        let (id, name) = (Value::Integer(index.id.0.into()), text(&index.name));
        let entity = text(if index.on_vertices { "NODE" } else { "RELATIONSHIP" });
        let labels = texts(base.iter().map(String::as_str));
        if is_constraint {
            let kind = text(if index.on_vertices { "UNIQUENESS" } else { "RELATIONSHIP_UNIQUENESS" });
            rows.push(vec![id, name.clone(), kind, entity, labels, keys, name, Value::Null]);
            continue;
        }
        let kind = match index.index_type {
            IndexType::Search => "FULLTEXT",
            _ if index.user_data.get(INDEX_KIND) == Some("\"TEXT\"") => "TEXT",
            _ => "RANGE",
        };
        let owner = if is_unique { name.clone() } else { Value::Null };
        let (state, percent) = match index.status {
            Status::Creating | Status::Rebuilding => ("POPULATING", 0.0),
            Status::Created if index.complete => ("ONLINE", 100.0),
            _ => ("FAILED", 0.0),
        };
        let online = (text(state), Value::Float(percent));
        rows.push(vec![
            id,
            name,
            online.0,
            online.1,
            text(kind),
            entity,
            labels,
            keys,
            text("index-label"),
            owner,
            Value::Null,
            Value::Null,
        ]);
    }
    let required = if is_constraint { required_properties(catalogue) } else { Vec::new() };
    for own in required {
        let (label, entity, kind) = if own.on_vertices {
            let label = catalogue.vertex_label(own.label).map(|label| label.name.clone());
            (label, "NODE", "NODE_PROPERTY_EXISTENCE")
        } else {
            let label = catalogue.edge_label(own.label).map(|label| label.name.clone());
            (label, "RELATIONSHIP", "RELATIONSHIP_PROPERTY_EXISTENCE")
        };
        let key = catalogue.property_key(own.key).map(|key| key.name.clone());
        // Beyond the numbers of index labels, so that each row has its own.
        let id = i64::from(own.label.0) << 32 | i64::from(own.key.0);
        let (labels, keys) = (texts(label.iter().map(String::as_str)), texts(key.iter().map(String::as_str)));
        let (name, kind) = (text(&own.name), text(kind));
        rows.push(vec![Value::Integer(id), name, kind, text(entity), labels, keys, Value::Null, Value::Null]);
    }
    rows
}
