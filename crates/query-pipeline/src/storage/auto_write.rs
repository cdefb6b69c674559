//! Writing elements of auto graphs.

use std::sync::Arc;

use auto_graph::{AutoEdge, AutoError, AutoVertex, ids, read_edge, read_vertex, write_edge, write_vertex};
use graph_access::AccessError;
use query_plan::Text;
use query_value::{Cardinality, Reference, Value, VertexProperty};

use super::NewProperty;
use super::auto_read::vertex_property;
use super::convert::{edge_value, vertex_id, vertex_value};
use super::load::{read_edges, read_vertices};
use super::lookup::id_text;
use crate::context::Cx;
use crate::error::{ExecError, Result};

/// The label of a vertex that is given none, as TinkerPop has it.
const DEFAULT_LABEL: &str = "vertex";

fn refused(error: AutoError) -> ExecError {
    AccessError::from(error).into()
}

fn gone(value: &Value) -> ExecError {
    ExecError::evaluation(format!("The element does not exist any more: {}", value.kind()))
}

/// Adds a vertex.
pub(super) fn add_vertex(
    cx: &mut Cx<'_>,
    label: Option<&Text>,
    id: Option<&Value>,
    given: &[NewProperty],
) -> Result<Value> {
    if let Some(key) = id.and_then(ids::vertex_key)
        && cx.read().vertices(&[key])?.iter().any(Option::is_some)
    {
        return Err(exists("Vertex", id));
    }
    let mut vertex = AutoVertex::new(id.cloned(), label.map_or(DEFAULT_LABEL, Text::as_str));
    apply(&mut vertex, given, Cardinality::List);
    let stored = write_vertex(cx.write()?, &vertex).map_err(refused)?;
    cx.refresh();
    Ok(vertex_value(&cx.catalogue, &stored))
}

fn exists(what: &str, id: Option<&Value>) -> ExecError {
    ExecError::evaluation(format!("{what} with id already exists: {}", id.map(id_text).unwrap_or_default()))
}

/// Adds an edge between two vertices.
pub(super) fn add_edge(
    cx: &mut Cx<'_>,
    label: &Text,
    id: Option<&Value>,
    ends: (&Value, &Value),
    given: &[NewProperty],
) -> Result<Value> {
    if let Some(key) = id.and_then(ids::edge_key)
        && cx.read().edges_by_key(&[key])?.iter().any(Option::is_some)
    {
        return Err(exists("Edge", id));
    }
    let end = |value: &Value| value.element_id().unwrap_or(value).clone();
    let (source, target) = (end(ends.0), end(ends.1));
    let mut edge = AutoEdge { id: id.cloned(), label: label.clone(), source, target, properties: Vec::new() };
    set_edge(&mut edge, given)?;
    let stored = write_edge(cx.write()?, &edge).map_err(refused)?;
    cx.refresh();
    Ok(edge_value(&cx.catalogue, &stored))
}

/// Sets values of a vertex. A null is not stored, as in a graph of TinkerPop's that was not told to: it removes the
/// values of its key where it would have replaced them.
fn apply(vertex: &mut AutoVertex, given: &[NewProperty], default: Cardinality) {
    for property in given {
        let cardinality = property.cardinality.unwrap_or(default);
        if property.value == Value::Null {
            if cardinality == Cardinality::Single {
                vertex.properties.retain(|own| own.key != property.key);
            }
            continue;
        }
        let meta = property.meta.iter().filter(|(_, value)| *value != Value::Null).cloned().collect();
        let (key, id, value) = (property.key.clone(), property.id.clone(), property.value.clone());
        vertex.set_property(cardinality, auto_graph::NewProperty { key, id, value, meta });
    }
}

fn set_edge(edge: &mut AutoEdge, given: &[NewProperty]) -> Result<()> {
    for property in given {
        if !property.meta.is_empty() || property.id.is_some() {
            return Err(ExecError::evaluation("Properties on an edge property is not supported"));
        }
        if property.value == Value::Null {
            edge.properties.retain(|(key, _)| *key != property.key);
        } else {
            edge.set_property(property.key.clone(), property.value.clone());
        }
    }
    Ok(())
}

/// Sets properties of an element, or of a property of a vertex. Answers it as it is then.
pub(super) fn set_property(cx: &mut Cx<'_>, element: &Value, given: &[NewProperty]) -> Result<Value> {
    match element {
        Value::Vertex(_) => {
            change_vertex(cx, element, |vertex| {
                apply(vertex, given, Cardinality::Single);
                Some(())
            })?;
            Ok(element.clone())
        }
        Value::Edge(_) => {
            change_edge(cx, element, |edge| set_edge(edge, given))?;
            Ok(element.clone())
        }
        Value::VertexProperty(property) => {
            let owner = property.owner.as_deref().ok_or_else(|| gone(element))?;
            let changed = change_vertex(cx, &owner.to_value(), |vertex| {
                let at = vertex.position_of(&property.id)?;
                let own = vertex.properties.get_mut(at)?;
                for new in given {
                    if new.value == Value::Null {
                        own.meta.retain(|(key, _)| *key != new.key);
                    } else {
                        own.set_meta(new.key.clone(), new.value.clone());
                    }
                }
                Some(own.clone())
            })?;
            let owner = Arc::new(Reference::clone(owner));
            Ok(Value::VertexProperty(Arc::new(vertex_property(&owner, changed.ok_or_else(|| gone(element))?))))
        }
        other => {
            let message = format!("The incoming object is not an element: {} has no properties to set", other.kind());
            Err(ExecError::evaluation(message))
        }
    }
}

/// Reads a vertex, changes it and writes it, unless the change gives nothing.
fn change_vertex<T>(
    cx: &mut Cx<'_>,
    value: &Value,
    change: impl FnOnce(&mut AutoVertex) -> Option<T>,
) -> Result<Option<T>> {
    let stored = read_vertices(cx, &[vertex_id(value)])?.pop().flatten().ok_or_else(|| gone(value))?;
    cx.see_new_names()?;
    let mut vertex = read_vertex(&stored, &cx.catalogue).map_err(refused)?;
    let changed = change(&mut vertex);
    if changed.is_some() {
        write_vertex(cx.write()?, &vertex).map_err(refused)?;
        cx.refresh();
    }
    Ok(changed)
}

fn change_edge(cx: &mut Cx<'_>, value: &Value, change: impl FnOnce(&mut AutoEdge) -> Result<()>) -> Result<()> {
    let stored = read_edges(cx, &[value])?.pop().flatten().ok_or_else(|| gone(value))?;
    cx.see_new_names()?;
    let mut edge = read_edge(&stored, &cx.catalogue).map_err(refused)?;
    change(&mut edge)?;
    write_edge(cx.write()?, &edge).map_err(refused)?;
    cx.refresh();
    Ok(())
}

/// Removes a property of an element, or of a property of a vertex; nothing where it is not there any more.
pub(super) fn drop_property(cx: &mut Cx<'_>, value: &Value) -> Result<()> {
    match value {
        Value::VertexProperty(property) => change_values(cx, property, |vertex, at| {
            vertex.properties.remove(at);
        }),
        Value::Property(property) => match &property.owner {
            Some(Value::VertexProperty(of)) => change_values(cx, of, |vertex, at| {
                if let Some(own) = vertex.properties.get_mut(at) {
                    own.meta.retain(|(key, _)| *key != property.key);
                }
            }),
            Some(edge) => {
                if read_edges(cx, &[edge])?.iter().all(Option::is_none) {
                    return Ok(());
                }
                change_edge(cx, edge, |edge| {
                    edge.properties.retain(|(key, _)| *key != property.key);
                    Ok(())
                })
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Changes a vertex, given where one of its values is.
fn change_values(
    cx: &mut Cx<'_>,
    property: &VertexProperty,
    change: impl FnOnce(&mut AutoVertex, usize),
) -> Result<()> {
    let Some(owner) = &property.owner else { return Ok(()) };
    let owner = owner.to_value();
    if read_vertices(cx, &[vertex_id(&owner)])?.iter().all(Option::is_none) {
        return Ok(());
    }
    change_vertex(cx, &owner, |vertex| {
        let at = vertex.position_of(&property.id)?;
        change(vertex, at);
        Some(())
    })
    .map(|_| ())
}
