//! Nodes by the values of some of their properties: found by an index, or in a table that is made once for many rows.

use std::ops::Bound;
use std::sync::Arc;

use cypher_graph::{Accessed, node, vertex_id};
use cypher_value::{Elements as _, Node, Text, Value};
use graph_access::{Cursor, Lookup};
use graph_model::{ErrorKind, LabelId, PropertyKeyId, Vertex};
use graph_schema::{Catalogue, Condition, Conditions, IndexLabel, Interval, Predicate};
use rustc_hash::FxHashMap;

use crate::Result;
use crate::eval::Cx;
use crate::limits::LOOKED_UP_MAX;
use crate::row::Row;
use cypher_plan::{Ex, Labels, Scan, Side};

/// Rows from which on a table is made: reading all nodes of a label pays for itself soon.
pub(super) const ROWS_MIN: usize = 3;

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
        self.known(values).unwrap_or_default()
    }

    /// The nodes with values; none where it does not say which these are.
    pub(super) fn known(&self, values: &[Value]) -> Option<&[Arc<Node>]> {
        self.nodes.get(values).map(Vec::as_slice)
    }
}

/// The labels with indexes that lead to the nodes of a scan, and the first of these; with `bounds`, also those that do
/// so by bounds.
fn indexed<'c>(
    catalogue: &'c Catalogue,
    scan: &Scan,
    bounds: bool,
) -> impl Iterator<Item = (LabelId, &'c Arc<IndexLabel>)> {
    let names = scan.labels.as_ref().map(Labels::required).unwrap_or_default().into_iter();
    names.filter_map(move |name| {
        let label = catalogue.vertex_label_named(name)?.id;
        let is_known = |name: &str| {
            let is_bounded = bounds && scan.bounds.iter().any(|(key, ..)| key == name);
            is_bounded || scan.equal.iter().chain(&scan.within).any(|(key, _)| key == name)
        };
        Some((label, cypher_stored::serving_index(catalogue, label, is_known)?))
    })
}

/// Whether a scan of a query that only reads, or not, is read from an index as far as it is wanted.
fn takes_bounds(catalogue: &Catalogue, scan: &Scan, is_write: bool) -> bool {
    catalogue.is_auto() && !is_write && matches!(scan.labels, Some(Labels::Name(_)))
}

/// The name of the index that leads to the nodes of a scan, and its keys.
pub(crate) fn index_of(catalogue: &Catalogue, scan: &Scan, is_write: bool) -> Option<(String, Vec<String>)> {
    let (_, index) = indexed(catalogue, scan, takes_bounds(catalogue, scan, is_write)).next()?;
    let keys = index.fields.iter().filter_map(|key| catalogue.property_key(*key));
    Some((index.name.clone(), keys.map(|key| key.name.clone()).collect()))
}

/// The nodes that an index of an auto graph leads to, read as they are wanted: where the query only reads.
pub(super) fn index_cursor<'g>(
    cx: &Cx<'_, 'g>,
    scan: &Scan,
    values: &[Value],
    row: &mut Row,
) -> Result<Option<Box<dyn Cursor<Vertex> + 'g>>> {
    let catalogue = Arc::clone(&cx.store.catalogue());
    let Some(reader) = cx.store.reader().filter(|_| takes_bounds(&catalogue, scan, false)) else { return Ok(None) };
    let Some((label, _)) = indexed(&catalogue, scan, true).next() else { return Ok(None) };
    let mut all = bounds(cx, scan, row);
    all.extend(conditions(cx, scan, &each(values), None, row));
    let conditions: Conditions = all.into_iter().collect();
    if conditions.is_empty() {
        return Ok(None);
    }
    match reader.find_vertices(Lookup { label: Some(label), among_others: true, conditions, ..Lookup::default() }) {
        Err(error) if error.kind == ErrorKind::NoIndex => Ok(None),
        found => found.map(Some).accessed(),
    }
}

fn each(values: &[Value]) -> Vec<&[Value]> {
    values.iter().map(std::slice::from_ref).collect()
}

/// The nodes that an index or the primary keys lead to; none where there is no such index.
pub(super) fn by_index(
    cx: &Cx<'_, '_>,
    scan: &Scan,
    values: &[Value],
    row: &mut Row,
) -> Result<Option<Vec<Arc<Node>>>> {
    by_index_of_any(cx, scan, &each(values), row)
}

/// Whether the nodes of a scan can be looked up for many rows at once: they are by one key only, and by a value that an
/// index can have.
pub(super) fn takes_many(cx: &Cx<'_, '_>, scan: &Scan, values: &[Value]) -> bool {
    let is_constant = scan.labels.as_ref().is_some_and(Labels::is_constant);
    is_constant && scan.within.is_empty() && scan.bounds.is_empty() && can_be_looked_up(cx, scan, values)
}

fn can_be_looked_up(cx: &Cx<'_, '_>, scan: &Scan, values: &[Value]) -> bool {
    let ([(name, _)], [value]) = (scan.equal.as_slice(), values) else { return false };
    let catalogue = cx.store.catalogue();
    catalogue.property_key_named(name).is_some_and(|key| cypher_stored::looked_up(key, value).is_some())
}

/// The nodes that an index or the primary keys lead to, by some values for which a scan asks ([`takes_many`]), and how
/// many these are. None where there is no such index; a value is left out where it cannot be looked up.
pub(super) fn by_index_of_many(
    cx: &Cx<'_, '_>,
    scan: &Scan,
    values: impl Iterator<Item = Vec<Value>>,
    row: &mut Row,
) -> Result<Option<(Table, usize)>> {
    let mut table = Table::default();
    table.nodes.extend(values.filter(|values| can_be_looked_up(cx, scan, values)).map(|values| (values, Vec::new())));
    let values: Vec<Value> = table.nodes.keys().flatten().cloned().collect();
    let Some(nodes) = by_index_of_any(cx, scan, &[&values], row)? else { return Ok(None) };
    let found = nodes.len();
    for node in nodes {
        if let Some(own) = Table::key(cx, scan, &node)?.and_then(|key| table.nodes.get_mut(&key)) {
            own.push(node);
        }
    }
    Ok(Some((table, found)))
}

/// As [`by_index`], by any of several values of each key.
fn by_index_of_any(cx: &Cx<'_, '_>, scan: &Scan, values: &[&[Value]], row: &mut Row) -> Result<Option<Vec<Arc<Node>>>> {
    let Some(labels) = &scan.labels else { return Ok(None) };
    let mut found = Vec::new();
    if cx.store.is_auto() {
        let catalogue = Arc::clone(&cx.store.catalogue());
        for (label, _) in indexed(&catalogue, scan, false) {
            let lookup = Lookup { label: Some(label), among_others: true, ..Lookup::default() };
            let conditions = conditions(cx, scan, values, None, row).into_iter().collect();
            if let Some(vertices) = find(cx, Lookup { conditions, ..lookup })? {
                let meant = cx.each_vertex_label(labels, row)?;
                found.extend(vertices.into_iter().filter(|vertex| meant.contains(&vertex.label)));
                return kept(cx, found).map(Some);
            }
        }
        return Ok(None);
    }
    for label in cx.each_vertex_label(labels, row)? {
        let conditions = conditions(cx, scan, values, Some(label), row).into_iter().collect();
        match find(cx, Lookup { label: Some(label), conditions, ..Lookup::default() })? {
            Some(vertices) => found.extend(vertices),
            None => return Ok(None),
        }
    }
    kept(cx, found).map(Some)
}

fn kept(cx: &Cx<'_, '_>, vertices: Vec<Vertex>) -> Result<Vec<Arc<Node>>> {
    cx.store.hold(crate::limits::VALUE_BYTES.saturating_mul(u64::try_from(vertices.len()).unwrap_or(u64::MAX)))?;
    let keep = |vertex: Vertex| {
        let node = node(&vertex.id);
        cx.store.keep(vertex);
        node
    };
    Ok(vertices.into_iter().map(keep).collect())
}

fn find(cx: &Cx<'_, '_>, lookup: Lookup) -> Result<Option<Vec<Vertex>>> {
    if lookup.conditions.is_empty() {
        return Ok(None);
    }
    cx.store.with_read(|graph| {
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
    })
}

/// Conditions that an index could serve. What they let pass is tested again, so one may be left out.
fn conditions(
    cx: &Cx<'_, '_>,
    scan: &Scan,
    values: &[&[Value]],
    label: Option<LabelId>,
    row: &mut Row,
) -> Vec<Condition> {
    let catalogue = Arc::clone(&cx.store.catalogue());
    let label = label.and_then(|label| catalogue.vertex_label(label));
    let key_of = |name: &Text| {
        let key = catalogue.property_key_named(name)?;
        label.is_none_or(|label| label.properties.contains(&key.id)).then_some(key)
    };
    let mut all = Vec::new();
    // Of a strict graph indexes must serve for all of them.
    let within = if label.is_none() || scan.equal.is_empty() { scan.within.as_slice() } else { &[] };
    for (name, ex) in within {
        // What cannot be computed fails where it is tested.
        let (Some(key), Ok(Value::List(items))) = (key_of(name), cx.eval(ex, row)) else { continue };
        let known = items.iter().filter(|item| !item.is_null()).map(|item| cypher_stored::looked_up(key, item));
        if let Some(known) = known.collect::<Option<Vec<_>>>().filter(|known| known.len() <= LOOKED_UP_MAX) {
            all.push(Condition { key: key.id, predicate: Predicate::OneOf(known) });
        }
    }
    all.extend(scan.equal.iter().zip(values).filter_map(|((name, _), values)| {
        let key = key_of(name)?;
        let looked_up = |value: &Value| cypher_stored::looked_up(key, value);
        let predicate = match values {
            [value] => Predicate::Equal(looked_up(value)?),
            several => Predicate::OneOf(several.iter().map(looked_up).collect::<Option<_>>()?),
        };
        Some(Condition { key: key.id, predicate })
    }));
    all
}

/// Intervals between the bounds of keys.
fn bounds(cx: &Cx<'_, '_>, scan: &Scan, row: &mut Row) -> Vec<Condition> {
    let catalogue = Arc::clone(&cx.store.catalogue());
    let mut intervals: FxHashMap<PropertyKeyId, Interval> = FxHashMap::default();
    for (name, side, ex) in &scan.bounds {
        // What cannot be computed fails where it is tested.
        let (Some(key), Ok(value)) = (catalogue.property_key_named(name), cx.eval(ex, row)) else { continue };
        let Some(bound) = cypher_stored::looked_up(key, &value).map(Bound::Included) else { continue };
        let own = intervals.entry(key.id).or_insert(Interval::ALL);
        match (side, &value) {
            (Side::Below, _) => own.high = bound,
            (Side::Above, _) => own.low = bound,
            (Side::Start, Value::String(text)) => {
                let after = tagged_value::text_after(text).map(|text| Value::from(text.as_str()));
                let after = after.and_then(|after| cypher_stored::looked_up(key, &after));
                *own = Interval { low: bound, high: after.map_or(Bound::Unbounded, Bound::Excluded) };
            }
            (Side::Start, _) => {}
        }
    }
    intervals.into_iter().map(|(key, interval)| Condition { key, predicate: Predicate::Range(interval) }).collect()
}
