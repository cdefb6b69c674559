//! Writing elements and their properties.

use std::borrow::Cow;

use graph_model::Properties;
use graph_schema::{Literal, NewEdge, NewVertex};
use query_plan::Text;
use query_value::{Cardinality, Value};

use super::convert::{edge_id, edge_label, edge_value, id_value, vertex_id, vertex_label, vertex_value};
use super::load::read_edges;
use super::{NewProperty, auto_write};
use crate::context::Cx;
use crate::error::{ExecError, Result};

/// A query's value as a client of REST would send it.
fn literal(value: &Value) -> Result<Literal<'static>> {
    Ok(match value {
        Value::Null => Literal::Null,
        Value::Bool(flag) => Literal::Boolean(*flag),
        Value::Float(number) => Literal::Float(f64::from(*number)),
        Value::Double(number) => Literal::Float(*number),
        Value::BigDecimal(number) => {
            let text = number.to_string();
            Literal::Float(text.parse().map_err(|_| ExecError::evaluation(format!("{text} is too large a number")))?)
        }
        Value::String(text) => Literal::Text(Cow::Owned(text.to_string())),
        Value::Char(character) => Literal::Text(Cow::Owned(character.to_string())),
        Value::Uuid(bits) => Literal::Text(Cow::Owned(format!("{bits:032x}"))),
        Value::DateTime(moment) => {
            let since = moment.since_epoch();
            Literal::Integer(
                since.seconds.saturating_mul(1000).saturating_add(i64::from(since.nanoseconds / 1_000_000)),
            )
        }
        Value::List(items) => Literal::Array(items.iter().map(literal).collect::<Result<_>>()?),
        Value::Set(items) => Literal::Array(items.iter().map(literal).collect::<Result<_>>()?),
        other => match other.as_i64() {
            Some(number) => Literal::Integer(number),
            None => {
                let kind = other.kind();
                return Err(ExecError::evaluation(format!(
                    "Property value [{kind}] is of a type that is not supported"
                )));
            }
        },
    })
}

/// A stored value as a client would send it.
fn stored_literal(value: &graph_model::Value) -> Literal<'static> {
    use graph_model::Value as Stored;
    match value {
        Stored::Object(text) => Literal::Object(Cow::Owned(text.to_string())),
        Stored::Boolean(flag) => Literal::Boolean(*flag),
        Stored::Byte(number) => Literal::Integer((*number).into()),
        Stored::Int(number) => Literal::Integer((*number).into()),
        Stored::Long(number) | Stored::Date(number) => Literal::Integer(*number),
        Stored::Float(number) => Literal::Float((*number).into()),
        Stored::Double(number) => Literal::Float(*number),
        Stored::Text(text) => Literal::Text(Cow::Owned(text.to_string())),
        Stored::Blob(bytes) => {
            Literal::Array(bytes.iter().map(|byte| Literal::Integer(i8::from_ne_bytes([*byte]).into())).collect())
        }
        Stored::Uuid(bits) => Literal::Text(Cow::Owned(format!("{bits:032x}"))),
        Stored::Any(tagged) => Literal::Tagged(Cow::Owned(tagged.to_vec())),
        Stored::List(items) | Stored::Set(items) => Literal::Array(items.iter().map(stored_literal).collect()),
    }
}

type Literals = Vec<(Cow<'static, str>, Literal<'static>)>;

/// Properties as they will be: those stored, and those given. A null removes a property.
fn merged(cx: &Cx<'_>, stored: &Properties, given: &[NewProperty]) -> Result<Literals> {
    let mut all: Literals = Vec::new();
    for (key, value) in stored.iter() {
        if let Some(key) = cx.catalogue.property_key(key) {
            all.push((Cow::Owned(key.name.clone()), stored_literal(value)));
        }
    }
    for property in given {
        if property.id.is_some() {
            return Err(ExecError::unsupported("User supplied identifiers for vertex properties are not supported"));
        }
        if !property.meta.is_empty() {
            return Err(ExecError::unsupported("Properties on a vertex property is not supported"));
        }
        let at = all.iter().position(|(key, _)| *key == property.key.as_str());
        if property.value == Value::Null {
            at.map(|at| all.remove(at));
            continue;
        }
        let value = literal(&property.value)?;
        let key = cx.catalogue.property_key_named(&property.key);
        let is_single = key.is_none_or(|key| key.cardinality == graph_model::Cardinality::Single);
        let is_other = match (property.cardinality, key.map(|key| key.cardinality)) {
            (Some(Cardinality::List), Some(own)) => own != graph_model::Cardinality::List,
            (Some(Cardinality::Set), Some(own)) => own != graph_model::Cardinality::Set,
            _ => false,
        };
        if let (true, Some(key)) = (is_other, key) {
            let (own, name) = (key.cardinality.name().to_lowercase(), &property.key);
            let text = format!("property key '{name}' has the cardinality {own}: another one cannot be given");
            return Err(ExecError::evaluation(text));
        }
        match at.and_then(|at| all.get_mut(at)) {
            Some((_, Literal::Array(items))) if !is_single && property.cardinality != Some(Cardinality::Single) => {
                match value {
                    Literal::Array(more) => items.extend(more),
                    one => items.push(one),
                }
            }
            Some((_, slot)) => *slot = value,
            None => all.push((Cow::Owned(property.key.to_string()), value)),
        }
    }
    Ok(all)
}

/// Adds a vertex.
pub fn add_vertex(cx: &mut Cx<'_>, label: Option<&Text>, id: Option<&Value>, given: &[NewProperty]) -> Result<Value> {
    if cx.catalogue.is_auto() {
        return auto_write::add_vertex(cx, label, id, given);
    }
    let properties = merged(cx, &Properties::new(), given)?;
    let id = id.map(literal).transpose()?;
    let label = label.map_or("vertex", Text::as_str);
    let new = NewVertex { label: Some(Cow::Borrowed(label)), id, properties };
    let vertex = cx.write()?.insert_vertex(&new)?;
    Ok(vertex_value(&cx.catalogue, &vertex))
}

/// Adds an edge between two vertices.
pub fn add_edge(
    cx: &mut Cx<'_>,
    label: &Text,
    id: Option<&Value>,
    ends: (&Value, &Value),
    given: &[NewProperty],
) -> Result<Value> {
    if cx.catalogue.is_auto() {
        return auto_write::add_edge(cx, label, id, ends, given);
    }
    if id.is_some() {
        return Err(ExecError::unsupported("Edge does not support user supplied identifiers"));
    }
    let properties = merged(cx, &Properties::new(), given)?;
    let end = |value: &Value| value.element_id().map_or_else(|| literal(value), literal).map(Some);
    let new = NewEdge {
        label: Some(Cow::Owned(label.to_string())),
        source: end(ends.0)?,
        source_label: None,
        target: end(ends.1)?,
        target_label: None,
        properties,
    };
    let edge = cx.write()?.insert_edge(&new)?;
    Ok(edge_value(&cx.catalogue, &edge))
}

/// Sets properties of an element, or of a property of a vertex. Answers it as it is then.
pub fn set_property(cx: &mut Cx<'_>, element: &Value, given: &[NewProperty]) -> Result<Value> {
    if cx.catalogue.is_auto() {
        return auto_write::set_property(cx, element, given);
    }
    let gone = || ExecError::evaluation("the element does not exist any more");
    match element {
        Value::Vertex(_) => {
            let id = vertex_id(element).ok_or_else(gone)?;
            let stored = cx.read().vertices(std::slice::from_ref(&id))?.pop().flatten().ok_or_else(gone)?;
            let properties = merged(cx, &stored.properties, given)?;
            let label = vertex_label(&cx.catalogue, stored.label);
            let is_keyed = cx
                .catalogue
                .vertex_label(stored.label)
                .is_some_and(|label| label.id_strategy == graph_model::IdStrategy::PrimaryKey);
            let id = id_value(&cx.catalogue, &id);
            let new = NewVertex {
                label: Some(Cow::Borrowed(&label)),
                id: if is_keyed { None } else { Some(literal(&id)?) },
                properties,
            };
            cx.write()?.replace_vertex(&new)?;
        }
        Value::Edge(_) => {
            let id = edge_id(element).ok_or_else(gone)?;
            let stored = cx.read().edges(std::slice::from_ref(&id))?.pop().flatten().ok_or_else(gone)?;
            let properties = merged(cx, &stored.properties, given)?;
            let label = edge_label(&cx.catalogue, id.label);
            let new = NewEdge {
                label: Some(Cow::Borrowed(&label)),
                source: Some(literal(&id_value(&cx.catalogue, &id.source))?),
                source_label: None,
                target: Some(literal(&id_value(&cx.catalogue, &id.target))?),
                target_label: None,
                properties,
            };
            cx.write()?.insert_edge(&new)?;
        }
        other => {
            let message = format!("The incoming object is not an element: {} has no properties to set", other.kind());
            return Err(ExecError::evaluation(message));
        }
    }
    Ok(element.clone())
}

/// Removes an element or a property; nothing where it is not there any more.
pub fn drop_value(cx: &mut Cx<'_>, value: &Value) -> Result<()> {
    match value {
        Value::Vertex(_) => {
            let Some(id) = vertex_id(value) else { return Ok(()) };
            if cx.read().vertices(std::slice::from_ref(&id))?.iter().any(Option::is_some) {
                cx.write()?.delete_vertex(&id)?;
            }
            Ok(())
        }
        Value::Edge(_) => {
            if let Some(edge) = read_edges(cx, &[value])?.pop().flatten() {
                cx.write()?.delete_edge(&edge.id)?;
            }
            Ok(())
        }
        Value::VertexProperty(_) | Value::Property(_) if cx.catalogue.is_auto() => auto_write::drop_property(cx, value),
        Value::VertexProperty(property) => {
            let owner = property.owner.as_ref().map(|owner| owner.to_value());
            owner.map_or(Ok(()), |owner| drop_property(cx, &owner, &property.key))
        }
        Value::Property(property) => {
            property.owner.as_ref().map_or(Ok(()), |owner| drop_property(cx, owner, &property.key))
        }
        other => Err(ExecError::evaluation(format!("drop() takes elements and properties, found {}", other.kind()))),
    }
}

fn drop_property(cx: &mut Cx<'_>, owner: &Value, key: &Text) -> Result<()> {
    let removed = NewProperty { key: key.clone(), id: None, value: Value::Null, cardinality: None, meta: Vec::new() };
    set_property(cx, owner, &[removed]).map(|_| ())
}
