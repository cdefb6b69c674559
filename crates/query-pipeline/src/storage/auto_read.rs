//! Reading elements of auto graphs.

use std::sync::Arc;

use auto_graph::{AutoProperty, ids};
use graph_access::AccessError;
use query_plan::Text;
use query_value::{Property, Reference, Value, VertexProperty};

use super::Wanted;
use super::convert::{vertex_id, vertex_label};
use super::load::{load_value, read_vertices};
use crate::context::Cx;
use crate::error::Result;
use crate::traverser::Stored;

/// The id that an element was given. That of a vertex may have to be read.
pub fn given_id(cx: &Cx<'_>, value: &Value, stored: Option<&Stored>) -> Result<Option<Value>> {
    // An id that was given as a number of another type than INT shows as an INT where it fits.
    if let Value::Vertex(vertex) = value
        && matches!(vertex.id, Value::Int(_))
        && cx.catalogue.is_auto()
    {
        let read;
        let stored = match stored {
            Some(stored) => Some(stored),
            None => {
                read = load_value(cx, value)?;
                read.as_ref()
            }
        };
        if let Some(Stored::Vertex(stored)) = stored {
            return Ok(Some(ids::vertex_id(stored)));
        }
    }
    Ok(value.element_id().cloned())
}

/// As [`super::properties`], of a vertex or an edge.
pub(super) fn properties(
    cx: &Cx<'_>,
    value: &Value,
    stored: Option<&Stored>,
    keys: &[Text],
    wanted: Wanted,
    out: &mut Vec<Value>,
) -> Result<()> {
    match stored {
        Some(Stored::Vertex(vertex)) => {
            let keys = (!keys.is_empty()).then_some(keys);
            let mut found = Vec::new();
            auto_graph::read_properties(&vertex.properties, &cx.catalogue, keys, &mut found)
                .map_err(AccessError::from)?;
            if wanted == Wanted::Values {
                out.extend(found.into_iter().map(|property| property.value));
                return Ok(());
            }
            let owner = Reference::vertex(ids::vertex_id(vertex), vertex_label(&cx.catalogue, vertex.label));
            let owner = Arc::new(owner);
            out.extend(found.into_iter().map(|own| Value::VertexProperty(Arc::new(vertex_property(&owner, own)))));
        }
        Some(Stored::Edge(edge)) => {
            let mut put = |key: &str, stored: &graph_model::Value| {
                let graph_model::Value::Any(tagged) = stored else { return Ok(()) };
                let own = auto_graph::decode(tagged).map_err(AccessError::from)?;
                out.push(match wanted {
                    Wanted::Values => own,
                    Wanted::Properties => {
                        Value::Property(Arc::new(Property { key: key.into(), value: own, owner: Some(value.clone()) }))
                    }
                });
                Ok::<_, AccessError>(())
            };
            if keys.is_empty() {
                for (key, stored) in edge.properties.iter() {
                    if let Some(key) = cx.catalogue.property_key(key) {
                        put(&key.name, stored)?;
                    }
                }
            } else {
                for key in keys {
                    let Some(key) = cx.catalogue.property_key_named(key) else { continue };
                    if let Some(stored) = edge.properties.get(key.id) {
                        put(&key.name, stored)?;
                    }
                }
            }
        }
        None => {}
    }
    Ok(())
}

/// A property of a vertex as queries see it.
pub(super) fn vertex_property(owner: &Arc<Reference>, own: AutoProperty) -> VertexProperty {
    let id = own.id(&owner.id);
    let meta = own.meta.into_iter().map(|(key, value)| Property { key, value, owner: None });
    VertexProperty { id, key: own.key, value: own.value, meta: meta.collect(), owner: Some(Arc::clone(owner)) }
}

/// A property of a vertex as it is now; none where it is not there any more, or its graph has a strict schema.
pub(super) fn current_property(cx: &Cx<'_>, property: &VertexProperty) -> Result<Option<Arc<VertexProperty>>> {
    let Some(owner) = property.owner.as_ref().filter(|_| cx.catalogue.is_auto()) else { return Ok(None) };
    let Some(vertex) = read_vertices(cx, &[vertex_id(&owner.id)])?.pop().flatten() else { return Ok(None) };
    let mut found = Vec::new();
    let keys = std::slice::from_ref(&property.key);
    auto_graph::read_properties(&vertex.properties, &cx.catalogue, Some(keys), &mut found)
        .map_err(AccessError::from)?;
    let own = found.into_iter().find(|own| own.id(&owner.id) == property.id);
    Ok(own.map(|own| Arc::new(vertex_property(owner, own))))
}
