//! How elements are found: by ids, and by conditions as the graph's indexes take them.

use std::hash::Hash;
use std::ops::Bound;

use auto_graph::ids;
use graph_model::{Cardinality, DataType, Edge, Vertex, VertexId};
use graph_schema::{Condition, Conditions, Interval as Bounds, PropertyKey};
use query_plan::Target;
use query_value::{Comparison, Interval, Predicate, Value};
use rustc_hash::FxHashSet;

use super::convert::{edge_id, vertex_id};
use crate::context::Cx;
use crate::error::Result;

/// The vertices with these ids; with `once` each at most once.
pub fn vertices_by_ids(cx: &Cx<'_>, ids: &[Value], once: bool) -> Result<Vec<Vertex>> {
    let mut wanted = Vec::with_capacity(ids.len());
    for id in ids {
        wanted.extend(vertex_id(id));
        if cx.catalogue.is_auto() {
            wanted.extend(meant(id).as_ref().and_then(vertex_id));
        }
    }
    keep_first(&mut wanted, once);
    Ok(cx.read().vertices(&wanted)?.into_iter().flatten().collect())
}

/// The edges with these ids; with `once` each at most once.
pub fn edges_by_ids(cx: &Cx<'_>, ids: &[Value], once: bool) -> Result<Vec<Edge>> {
    if !cx.catalogue.is_auto() {
        let mut wanted: Vec<_> = ids.iter().filter_map(edge_id).collect();
        keep_first(&mut wanted, once);
        return Ok(cx.read().edges(&wanted)?.into_iter().flatten().collect());
    }
    let mut wanted = Vec::with_capacity(ids.len());
    for id in ids {
        wanted.extend(ids::edge_key(id));
        wanted.extend(meant(id).as_ref().and_then(ids::edge_key));
    }
    keep_first(&mut wanted, once);
    Ok(cx.read().edges_by_key(&wanted)?.into_iter().flatten().collect())
}

fn keep_first<I: Clone + Hash + Eq>(ids: &mut Vec<I>, once: bool) {
    if once {
        let mut seen = FxHashSet::default();
        ids.retain(|id| seen.insert(id.clone()));
    }
}

/// The number or the UUID that a text shows: TinkerPop compares ids with a text by their texts.
fn meant(id: &Value) -> Option<Value> {
    let Value::String(text) = id else { return None };
    let number = text.parse::<i64>().ok().filter(|number| number.to_string() == text.as_str());
    number.map(Value::Long).or_else(|| match VertexId::parse_uuid(text) {
        Ok(VertexId::Uuid(bits)) => Some(Value::Uuid(bits)),
        _ => None,
    })
}

/// Whether an element's id passes a test. Of an auto graph, it is compared as a text with texts.
pub fn id_passes(cx: &Cx<'_>, predicate: &Predicate, id: &Value) -> bool {
    let is_text = |value: &Value| matches!(value, Value::String(_) | Value::Null);
    let are_texts = match predicate {
        Predicate::Compare(_, value) => matches!(value, Value::String(_)),
        Predicate::Within(values) | Predicate::Without(values) => values.iter().len() > 0 && values.iter().all(is_text),
        Predicate::Text(..) | Predicate::Regex(..) => true,
        _ => false,
    };
    if are_texts && !is_text(id) && cx.catalogue.is_auto() {
        return predicate.test(&Value::from(id_text(id)));
    }
    predicate.test(id)
}

/// The text of an id, and of other values for errors.
pub fn id_text(id: &Value) -> String {
    match id {
        Value::String(text) => text.to_string(),
        Value::Uuid(bits) => VertexId::Uuid(*bits).to_string(),
        other => match other.as_i64() {
            Some(number) => number.to_string(),
            None => format!("{other:?}"),
        },
    }
}

/// Those conditions that an index could serve. What they let pass is tested again, so a condition may be left out.
pub fn conditions(cx: &Cx<'_>, given: &[(Target, Predicate)]) -> Conditions {
    let is_auto = cx.catalogue.is_auto();
    if is_auto && cx.catalogue.index_labels().next().is_none() {
        return Conditions::default();
    }
    let condition = |(target, predicate): &(Target, Predicate)| {
        let Target::Property(key) = target else { return None };
        let key = cx.catalogue.property_key_named(key)?;
        if is_auto {
            return Some(Condition { key: key.id, predicate: auto_graph::indexed(predicate)? });
        }
        if key.cardinality != Cardinality::Single {
            return None;
        }
        Some(Condition { key: key.id, predicate: self::predicate(key, predicate)? })
    };
    given.iter().filter_map(condition).collect()
}

fn predicate(key: &PropertyKey, predicate: &Predicate) -> Option<graph_schema::Predicate> {
    use graph_schema::Predicate as Stored;
    Some(match predicate {
        Predicate::Compare(comparison, value) => {
            let value = stored(key, value)?;
            let range = |low, high| Some(Stored::Range(Bounds { low, high }));
            let is_ordered = is_ordered(key);
            match comparison {
                Comparison::Eq => Stored::Equal(value),
                Comparison::Gt if is_ordered => range(Bound::Excluded(value), Bound::Unbounded)?,
                Comparison::Gte if is_ordered => range(Bound::Included(value), Bound::Unbounded)?,
                Comparison::Lt if is_ordered => range(Bound::Unbounded, Bound::Excluded(value))?,
                Comparison::Lte if is_ordered => range(Bound::Unbounded, Bound::Included(value))?,
                _ => return None,
            }
        }
        Predicate::Range(interval, low, high) if is_ordered(key) => {
            let (low, high) = (stored(key, low)?, stored(key, high)?);
            match interval {
                Interval::Inside => Stored::Range(Bounds { low: Bound::Excluded(low), high: Bound::Excluded(high) }),
                Interval::Between => Stored::Range(Bounds { low: Bound::Included(low), high: Bound::Excluded(high) }),
                Interval::Outside => return None,
            }
        }
        Predicate::Within(values) if values.iter().len() > 0 => {
            Stored::OneOf(values.iter().map(|value| stored(key, value)).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// Whether values of the key have the order in the store that they have in queries.
fn is_ordered(key: &PropertyKey) -> bool {
    key.data_type.is_number() || key.data_type == DataType::Date
}

/// A value of the key's type that equals the given one; none if there is none.
fn stored(key: &PropertyKey, value: &Value) -> Option<graph_model::Value> {
    use graph_model::Value as Stored;
    match key.data_type {
        DataType::Text => value.as_text().map(|text| Stored::Text(text.into())),
        DataType::Boolean => {
            if let Value::Bool(flag) = value {
                Some(Stored::Boolean(*flag))
            } else {
                None
            }
        }
        DataType::Byte => i8::try_from(value.as_i64()?).ok().map(Stored::Byte),
        DataType::Int => i32::try_from(value.as_i64()?).ok().map(Stored::Int),
        DataType::Long => value.as_i64().map(Stored::Long),
        DataType::Uuid => {
            if let Value::Uuid(bits) = value {
                Some(Stored::Uuid(*bits))
            } else {
                None
            }
        }
        DataType::Double => {
            if let Value::Double(number) = value {
                Some(Stored::Double(*number))
            } else {
                // Whole numbers that every float of this size has.
                let number = i32::try_from(value.as_i64()?).ok()?;
                Some(Stored::Double(number.into()))
            }
        }
        DataType::Date => {
            let Value::DateTime(moment) = value else { return None };
            let since = moment.since_epoch();
            let milliseconds = since.seconds.checked_mul(1_000)?.checked_add((since.nanoseconds / 1_000_000).into())?;
            // Stored moments have no fractions of milliseconds.
            (since.nanoseconds % 1_000_000 == 0).then_some(Stored::Date(milliseconds))
        }
        _ => None,
    }
}
