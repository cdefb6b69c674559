//! Functions of nodes, relationships and paths.

use std::sync::Arc;

use super::scalar::count;
use crate::context::Context;
use crate::error::Result;
use crate::text::Text;
use crate::value::{Map, Value};

pub(super) fn length(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Path(path)] => count(path.len()),
        _ => Value::Null,
    })
}

pub(super) fn id(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Node(node)] => Value::from(&node.id),
        [Value::Relationship(relationship)] => Value::from(&relationship.id),
        _ => Value::Null,
    })
}

pub(super) fn element_id(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Node(node)] => Value::String(node.element_id.clone()),
        [Value::Relationship(relationship)] => Value::String(relationship.element_id.clone()),
        _ => Value::Null,
    })
}

pub(super) fn kind(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Relationship(relationship)] => Value::String(relationship.kind.clone()),
        _ => Value::Null,
    })
}

/// Texts as a list.
fn texts<'a>(texts: impl Iterator<Item = &'a Text>) -> Value {
    Value::list(texts.cloned().map(Value::String).collect())
}

pub(super) fn labels(arguments: &[Value], context: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Node(node)] => texts(context.elements.labels(node)?.iter()),
        _ => Value::Null,
    })
}

/// The properties of an element, or a map.
fn entries(value: &Value, context: &Context<'_>) -> Result<Option<Arc<Map>>> {
    Ok(Some(match value {
        Value::Node(node) => context.elements.node_properties(node)?,
        Value::Relationship(relationship) => context.elements.relationship_properties(relationship)?,
        Value::Map(map) => Arc::clone(map),
        _ => return Ok(None),
    }))
}

pub(super) fn keys(arguments: &[Value], context: &Context<'_>) -> Result<Value> {
    let entries = arguments.first().map(|value| entries(value, context)).transpose()?.flatten();
    Ok(entries.map(|entries| texts(entries.keys())).unwrap_or_default())
}

pub(super) fn properties(arguments: &[Value], context: &Context<'_>) -> Result<Value> {
    let entries = arguments.first().map(|value| entries(value, context)).transpose()?.flatten();
    Ok(entries.map(Value::Map).unwrap_or_default())
}

pub(super) fn nodes(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Path(path)] => Value::list(path.nodes.iter().cloned().map(Value::Node).collect()),
        _ => Value::Null,
    })
}

pub(super) fn relationships(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Path(path)] => Value::list(path.relationships.iter().cloned().map(Value::Relationship).collect()),
        _ => Value::Null,
    })
}

pub(super) fn start_node(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Relationship(relationship)] => Value::Node(Arc::clone(&relationship.start)),
        _ => Value::Null,
    })
}

pub(super) fn end_node(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::Relationship(relationship)] => Value::Node(Arc::clone(&relationship.end)),
        _ => Value::Null,
    })
}
