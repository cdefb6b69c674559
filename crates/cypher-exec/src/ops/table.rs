//! Nodes by the values of some of their properties: found by an index of a strict graph, or in a table that is made
//! once for many rows.

use std::sync::Arc;

use cypher_value::{Elements as _, Node, Text, Value};
use graph_access::Lookup;
use graph_model::{Cardinality, ErrorKind, LabelId};
use graph_schema::{Condition, Conditions, Predicate};
use rustc_hash::FxHashMap;

use crate::Result;
use crate::eval::Cx;
use crate::row::Row;
use crate::store::{node, vertex_id};
use cypher_plan::{Ex, Labels, Scan};

/// Rows from which on a table is made: reading all nodes of a label pays for itself soon.
pub(super) const ROWS_MIN: usize = 3;

/// Whether a scan can be answered by a table: its labels are the same for all rows.
pub(super) fn is_constant(labels: Option<&Labels>) -> bool {
    fn is_dynamic(labels: &Labels) -> bool {
        match labels {
            Labels::Name(_) | Labels::Any => false,
            Labels::Dynamic(_) => true,
            Labels::Not(inner) => is_dynamic(inner),
            Labels::And(all) | Labels::Or(all) => all.iter().any(is_dynamic),
        }
    }
    !labels.is_some_and(is_dynamic)
}

/// The values that a scan asks for; none where one of them equals nothing.
pub(super) fn wanted(cx: &Cx<'_, '_>, equal: &[(Text, Ex)], row: &mut Row) -> Result<Option<Vec<Value>>> {
    let mut values = Vec::with_capacity(equal.len());
    for (_, ex) in equal {
        match cx.eval(ex, row)? {
            Value::Null => return Ok(None),
            value => values.push(value),
        }
    }
    Ok(Some(values))
}

/// Nodes by values of their properties.
#[derive(Default)]
pub(super) struct Table {
    nodes: FxHashMap<Vec<Value>, Vec<Arc<Node>>>,
}

impl Table {
    /// Reads all nodes that a scan is about.
    pub(super) fn read(cx: &Cx<'_, '_>, scan: &Scan, row: &mut Row) -> Result<Self> {
        let labels = match &scan.labels {
            Some(labels) => cx.vertex_labels(labels, row)?,
            None => None,
        };
        let labels: Vec<Option<LabelId>> = match labels {
            Some(labels) => labels.into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut table = Self::default();
        for label in labels {
            let ids = cx.store.with_read(|graph| {
                let mut ids = Vec::new();
                let mut cursor = graph.scan_vertices(label)?;
                graph_access::drain(&mut *cursor, |vertex| {
                    ids.push(vertex.id);
                    Ok(())
                })?;
                Ok(ids)
            })?;
            for chunk in ids.chunks(crate::limits::BATCH) {
                let nodes: Vec<Arc<Node>> = chunk.iter().map(node).collect();
                cx.store.load_nodes(nodes.iter())?;
                cx.store.tick(nodes.len())?;
                for node in nodes {
                    if !cx.store.is_deleted_node(&vertex_id(&node.id)) {
                        table.add(cx, scan, node)?;
                    }
                }
            }
        }
        Ok(table)
    }

    /// The values by which a node is found; none where it lacks one.
    fn key(cx: &Cx<'_, '_>, scan: &Scan, node: &Node) -> Result<Option<Vec<Value>>> {
        let mut key = Vec::with_capacity(scan.equal.len());
        for (name, _) in &scan.equal {
            match cx.store.node_property(node, name)? {
                Value::Null => return Ok(None),
                value => key.push(value),
            }
        }
        Ok(Some(key))
    }

    /// Adds a node, unless it is there.
    pub(super) fn add(&mut self, cx: &Cx<'_, '_>, scan: &Scan, node: Arc<Node>) -> Result<()> {
        let Some(key) = Self::key(cx, scan, &node)? else { return Ok(()) };
        cx.store.hold(crate::limits::VALUE_BYTES * 2)?;
        let own = self.nodes.entry(key).or_default();
        if !own.contains(&node) {
            own.push(node);
        }
        Ok(())
    }

    pub(super) fn get(&self, values: &[Value]) -> &[Arc<Node>] {
        self.nodes.get(values).map_or(&[], Vec::as_slice)
    }
}

/// The nodes that an index or the primary keys of a strict graph lead to; none where there is no such index.
pub(super) fn by_index(
    cx: &Cx<'_, '_>,
    scan: &Scan,
    values: &[Value],
    row: &mut Row,
) -> Result<Option<Vec<Arc<Node>>>> {
    let Some(labels) = &scan.labels else { return Ok(None) };
    if cx.store.is_auto() {
        return Ok(None);
    }
    let Some(labels) = cx.vertex_labels(labels, row)? else { return Ok(None) };
    let mut found = Vec::new();
    for label in labels {
        let conditions = conditions(cx, scan, values, label);
        if conditions.is_empty() {
            return Ok(None);
        }
        let lookup = Lookup { label: Some(label), conditions, ..Lookup::default() };
        let nodes = cx.store.with_read(|graph| {
            let mut vertices = Vec::new();
            match graph.find_vertices(lookup) {
                Ok(mut cursor) => graph_access::drain(&mut *cursor, |vertex| {
                    vertices.push(vertex);
                    Ok(())
                })?,
                Err(error) if error.kind == ErrorKind::NoIndex => return Ok(None),
                Err(error) => return Err(error),
            }
            Ok(Some(vertices))
        })?;
        let Some(vertices) = nodes else { return Ok(None) };
        for vertex in vertices {
            let node = node(&vertex.id);
            cx.store.keep(vertex);
            found.push(node);
        }
    }
    Ok(Some(found))
}

/// Conditions that an index could serve. What they let pass is tested again, so one may be left out.
fn conditions(cx: &Cx<'_, '_>, scan: &Scan, values: &[Value], label: LabelId) -> Conditions {
    let catalogue = cx.store.catalogue();
    let has_key = |key| catalogue.vertex_label(label).is_some_and(|label| label.properties.contains(&key));
    let condition = |((name, _), value): (&(Text, Ex), &Value)| {
        let key = catalogue.property_key_named(name)?;
        if key.cardinality != Cardinality::Single || !has_key(key.id) {
            return None;
        }
        Some(Condition { key: key.id, predicate: Predicate::Equal(stored(key.data_type, value)?) })
    };
    scan.equal.iter().zip(values).filter_map(condition).collect()
}

/// A value of a key's type that equals the given one; none if there is none that is sure to.
fn stored(data_type: graph_model::DataType, value: &Value) -> Option<graph_model::Value> {
    use graph_model::{DataType, Value as Stored};
    match (data_type, value) {
        (DataType::Text, Value::String(text)) => Some(Stored::Text(text.as_str().into())),
        (DataType::Boolean, Value::Boolean(fact)) => Some(Stored::Boolean(*fact)),
        (DataType::Byte, Value::Integer(number)) => i8::try_from(*number).ok().map(Stored::Byte),
        (DataType::Int, Value::Integer(number)) => i32::try_from(*number).ok().map(Stored::Int),
        (DataType::Long, Value::Integer(number)) => Some(Stored::Long(*number)),
        (DataType::Double, Value::Float(number)) => Some(Stored::Double(*number)),
        _ => None,
    }
}
