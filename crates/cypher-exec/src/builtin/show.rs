//! What SHOW shows.

use cypher_value::{Value, function};
use graph_schema::IndexType;

use crate::eval::Cx;

fn text(text: &str) -> Value {
    Value::String(text.into())
}

fn texts<'t>(all: impl Iterator<Item = &'t str>) -> Value {
    Value::list(all.map(text).collect())
}

/// The rows of what is shown.
pub(crate) fn rows(cx: &Cx<'_, '_>, name: &str) -> Vec<Vec<Value>> {
    match name {
        "~show.indexes" => indexes(cx, false),
        "~show.constraints" => indexes(cx, true),
        "~show.databases" => {
            let all = cx.procedures.databases.iter().enumerate().map(|(at, name)| {
                vec![
                    text(name),
                    text("standard"),
                    Value::list(Vec::new()),
                    text("read-write"),
                    Value::Null,
                    text("primary"),
                    Value::Boolean(true),
                    text("online"),
                    text("online"),
                    text(""),
                    Value::Boolean(at == 0),
                    Value::Boolean(at == 0),
                    Value::list(Vec::new()),
                ]
            });
            all.collect()
        }
        "~show.procedures" => {
            let all = cx
                .procedures
                .names()
                .into_iter()
                .map(|name| vec![text(&name), text(""), text("READ"), Value::Boolean(false)]);
            all.collect()
        }
        _ => {
            let all = function::all().map(|own| {
                let (category, about) = (text(own.category), text(own.description));
                vec![text(own.name), category, about, text(&own.signature()), Value::Boolean(true)]
            });
            all.collect()
        }
    }
}

/// The index labels of a strict graph; unique ones are constraints as well.
fn indexes(cx: &Cx<'_, '_>, is_constraint: bool) -> Vec<Vec<Value>> {
    let catalogue = cx.store.catalogue();
    let mut rows = Vec::new();
    for index in catalogue.index_labels() {
        let is_unique = index.index_type == IndexType::Unique;
        if index.name.starts_with('~') || (is_constraint && !is_unique) {
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
            rows.push(vec![id, name.clone(), text("UNIQUENESS"), entity, labels, keys, name, Value::Null]);
            continue;
        }
        let kind = match index.index_type {
            IndexType::Search => "FULLTEXT",
            _ => "RANGE",
        };
        let owner = if is_unique { name.clone() } else { Value::Null };
        let online = (text("ONLINE"), Value::Float(100.0));
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
    rows
}
