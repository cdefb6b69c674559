//! Labels and properties of elements.

use std::sync::Arc;

use graph_model::{Properties, VertexId};
use query_plan::Text;
use query_value::{Property, Reference, Value, VertexProperty};

use super::convert::{property_value, vertex_label};
use super::load::load_value;
use super::{Wanted, auto_read};
use crate::context::Cx;
use crate::error::Result;
use crate::traverser::Stored;

/// The label of an element, which may have to be read.
pub fn label_of(cx: &Cx<'_>, value: &Value, stored: Option<&Stored>) -> Result<Option<Text>> {
    Ok(match value {
        Value::Vertex(vertex) if !vertex.label.is_empty() => Some(vertex.label.clone()),
        Value::Vertex(_) => match stored {
            Some(Stored::Vertex(stored)) => Some(vertex_label(&cx.catalogue, stored.label)),
            _ => match load_value(cx, value)? {
                Some(Stored::Vertex(stored)) => Some(vertex_label(&cx.catalogue, stored.label)),
                _ => Some(Text::default()),
            },
        },
        Value::Edge(edge) => Some(edge.label.clone()),
        Value::VertexProperty(property) => Some(property.key.clone()),
        Value::Property(property) => Some(property.key.clone()),
        _ => None,
    })
}

fn stored_properties(stored: Option<&Stored>) -> Option<&Properties> {
    match stored {
        Some(Stored::Vertex(vertex)) => Some(&vertex.properties),
        Some(Stored::Edge(edge)) => Some(&edge.properties),
        None => None,
    }
}

/// Properties of an element, or their values: of these keys in their order, or all if there are none. `stored` is what
/// was read of it.
pub fn properties(
    cx: &Cx<'_>,
    value: &Value,
    stored: Option<&Stored>,
    keys: &[Text],
    wanted: Wanted,
    out: &mut Vec<Value>,
) -> Result<()> {
    if !cx.computed.is_empty() {
        computed(cx, value, stored, keys, wanted, out);
    }
    match value {
        Value::Vertex(_) | Value::Edge(_) => {
            if cx.catalogue.is_auto() {
                return auto_read::properties(cx, value, stored, keys, wanted, out);
            }
            let Some(properties) = stored_properties(stored) else { return Ok(()) };
            let owner = (wanted == Wanted::Properties).then(|| Owner::of(cx, value, stored));
            let mut put = |key: &str, stored: &graph_model::Value| match &owner {
                None => out.push(property_value(stored)),
                Some(owner) => out.push(owner.property(key, property_value(stored))),
            };
            if keys.is_empty() {
                for (key, value) in properties.iter() {
                    if let Some(key) = cx.catalogue.shown_key(key) {
                        put(&key.name, value);
                    }
                }
            } else {
                for key in keys {
                    let Some(key) = cx.catalogue.shown_key_named(key) else { continue };
                    if let Some(value) = properties.get(key.id) {
                        put(&key.name, value);
                    }
                }
            }
        }
        Value::VertexProperty(property) => {
            let current = if cx.has_written { auto_read::current_property(cx, property)? } else { None };
            let property = current.as_ref().unwrap_or(property);
            for meta in property.meta.iter().filter(|meta| keys.is_empty() || keys.contains(&meta.key)) {
                out.push(match wanted {
                    Wanted::Values => meta.value.clone(),
                    Wanted::Properties => {
                        let owner = Some(Value::VertexProperty(Arc::clone(property)));
                        Value::Property(Arc::new(Property { owner, ..meta.clone() }))
                    }
                });
            }
        }
        _ => {}
    }
    Ok(())
}

/// Properties of a vertex that an algorithm of this query has made.
fn computed(cx: &Cx<'_>, value: &Value, stored: Option<&Stored>, keys: &[Text], wanted: Wanted, out: &mut Vec<Value>) {
    let Value::Vertex(vertex) = value else { return };
    let all = cx.computed.get(&vertex.id).into_iter().flatten();
    for (key, own) in all.filter(|(key, _)| keys.is_empty() || keys.contains(key)) {
        out.push(match wanted {
            Wanted::Values => own.clone(),
            Wanted::Properties => Owner::of(cx, value, stored).property(key, own.clone()),
        });
    }
}

/// Properties grouped by key, in the order of [`properties`].
pub fn properties_map(
    cx: &Cx<'_>,
    value: &Value,
    stored: Option<&Stored>,
    keys: &[Text],
    wanted: Wanted,
) -> Result<Vec<(Text, Vec<Value>)>> {
    let mut all = Vec::new();
    properties(cx, value, stored, keys, Wanted::Properties, &mut all)?;
    let mut groups: Vec<(Text, Vec<Value>)> = Vec::new();
    for property in all {
        let (key, value) = match &property {
            Value::VertexProperty(own) => (own.key.clone(), own.value.clone()),
            Value::Property(own) => (own.key.clone(), own.value.clone()),
            _ => continue,
        };
        let item = if wanted == Wanted::Values { value } else { property };
        match groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, items)) => items.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    Ok(groups)
}

/// The element of properties.
enum Owner<'v> {
    Vertex(Arc<Reference>),
    Edge(&'v Value),
}

impl<'v> Owner<'v> {
    fn of(cx: &Cx<'_>, value: &'v Value, stored: Option<&Stored>) -> Self {
        let id = || value.element_id().cloned().unwrap_or_default();
        match (value, stored) {
            (Value::Edge(_), _) => Self::Edge(value),
            (_, Some(Stored::Vertex(stored))) => {
                Self::Vertex(Arc::new(Reference::vertex(id(), vertex_label(&cx.catalogue, stored.label))))
            }
            _ => Self::Vertex(Arc::new(Reference::vertex(id(), Text::default()))),
        }
    }

    fn property(&self, key: &str, value: Value) -> Value {
        match self {
            Self::Edge(edge) => {
                Value::Property(Arc::new(Property { key: key.into(), value, owner: Some((*edge).clone()) }))
            }
            Self::Vertex(owner) => Value::VertexProperty(Arc::new(VertexProperty {
                id: property_id(&owner.id, key),
                key: key.into(),
                value,
                meta: Vec::new(),
                owner: Some(Arc::clone(owner)),
            })),
        }
    }
}

/// A property of a vertex has the id that HugeGraph gives it.
fn property_id(owner: &Value, key: &str) -> Value {
    let mut text = match owner {
        // Most ids: all of it in one allocation.
        Value::String(owner) => {
            let mut text = Text::with_capacity(owner.len() + 1 + key.len());
            text.push_str(owner);
            text
        }
        Value::Uuid(bits) => Text::from(VertexId::Uuid(*bits).to_string()),
        other => other.as_i64().map(|number| Text::from(number.to_string())).unwrap_or_default(),
    };
    text.push('>');
    text.push_str(key);
    Value::String(text)
}
