//! The procedures of the product, carried out.

mod show;

use cypher_graph::{JOINT, defect};
use cypher_value::{Detail, Error, ErrorKind, Map, Text, Value, function};
use graph_schema::IndexType;

use crate::Result;
use crate::eval::Cx;
use crate::procedures::Rows;

/// The rows of a procedure.
pub(crate) fn call(cx: &Cx<'_, '_>, name: &str, arguments: &[Value]) -> Result<Rows> {
    if let Some(hosted) = cx.procedures.hosted(name) {
        let host = cx.host.ok_or_else(|| defect("nobody carries its procedures out"))?;
        return host.call(&hosted.name, arguments);
    }
    Ok(Box::new(own(cx, name, arguments)?.into_iter().map(Ok)))
}

fn own(cx: &Cx<'_, '_>, name: &str, arguments: &[Value]) -> Result<Vec<Vec<Value>>> {
    if let Some(table) = cx.procedures.tables.iter().find(|table| table.name == name) {
        let rows = table.rows.iter().filter(|(own, _)| own.as_slice() == arguments);
        return Ok(rows.map(|(_, columns)| columns.clone()).collect());
    }
    if name.starts_with('~') {
        return Ok(show::rows(cx, name));
    }
    let one = |name: &str| vec![text(name)];
    Ok(match name.to_lowercase().as_str() {
        "db.labels" => labels(cx)?.iter().map(|name| one(name)).collect(),
        "db.relationshiptypes" => types(cx)?.iter().map(|name| one(name)).collect(),
        "db.propertykeys" => {
            let catalogue = cx.store.catalogue();
            catalogue.property_keys().map(|key| one(&key.name)).collect()
        }
        "db.ping" => vec![vec![Value::Boolean(true)]],
        "dbms.components" => {
            let versions = Value::list(vec![text("5.26.0")]);
            vec![vec![text("Neo4j Kernel"), versions, text("community")]]
        }
        "dbms.procedures" => {
            cx.procedures.signatures().map(|(name, signature)| vec![text(name), text(&signature)]).collect()
        }
        "dbms.functions" => {
            let all = function::all().map(|own| vec![text(own.name), text(&own.signature()), text(own.description)]);
            all.collect()
        }
        "apoc.meta.data" => meta(cx)?,
        "apoc.meta.schema" => vec![vec![Value::map(Map::default())]],
        "apoc.schema.nodes" => indexes(cx)?,
        _ => {
            let message = format!("There is no procedure with the name `{name}`");
            return Err(Error::new(ErrorKind::ProcedureError, Detail::ProcedureNotFound, message));
        }
    })
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

/// The labels that nodes have.
fn labels(cx: &Cx<'_, '_>) -> Result<Vec<String>> {
    let catalogue = std::sync::Arc::clone(&cx.store.catalogue());
    let mut names: Vec<String> = Vec::new();
    for label in catalogue.vertex_labels() {
        let is_used = cx.store.with_read(|graph| {
            let mut cursor = graph.scan_vertices(Some(label.id))?;
            let mut batch = Vec::new();
            cursor.next_batch(&mut batch, 1)?;
            Ok(!batch.is_empty())
        })?;
        if is_used {
            let joint = if cx.store.is_auto() { JOINT } else { "\0" };
            names.extend(label.name.split(joint).filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// The types that relationships have.
fn types(cx: &Cx<'_, '_>) -> Result<Vec<String>> {
    let catalogue = std::sync::Arc::clone(&cx.store.catalogue());
    let mut names = Vec::new();
    for label in catalogue.edge_labels() {
        let is_used = cx.store.with_read(|graph| {
            let mut cursor = graph.scan_edges(Some(label.id))?;
            let mut batch = Vec::new();
            cursor.next_batch(&mut batch, 1)?;
            Ok(!batch.is_empty())
        })?;
        if is_used {
            names.push(label.name.clone());
        }
    }
    Ok(names)
}

/// `apoc.schema.nodes()`: the indexes of nodes, with how many nodes have their label, and how many values differ of
/// these where that is sure.
fn indexes(cx: &Cx<'_, '_>) -> Result<Vec<Vec<Value>>> {
    let catalogue = std::sync::Arc::clone(&cx.store.catalogue());
    let mut rows = Vec::new();
    for index in catalogue.index_labels().filter(|index| index.on_vertices) {
        let Some(label) = catalogue.vertex_label(index.base) else { continue };
        let keys = index.fields.iter().filter_map(|key| catalogue.property_key(*key)).map(|key| text(&key.name));
        let count = cx.store.with_read(|graph| graph.count_vertices(Some(label.id)))?;
        let is_unique = index.index_type == IndexType::Unique;
        rows.push(vec![
            text(&index.name),
            text(&label.name),
            Value::list(keys.collect()),
            text(if index.complete { "ONLINE" } else { "POPULATING" }),
            text("RANGE"),
            Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)),
            if is_unique { Value::Float(1.0) } else { Value::Null },
        ]);
    }
    Ok(rows)
}

/// Nodes and relationships that are looked at for what properties they have.
const SAMPLE: usize = 1000;

/// What a value's type is called in `apoc.meta.data`.
fn meta_type(value: &Value) -> (&'static str, bool) {
    match value {
        Value::List(items) => (items.first().map_or("ANY", |item| meta_type(item).0), true),
        Value::Boolean(_) => ("BOOLEAN", false),
        Value::Integer(_) => ("INTEGER", false),
        Value::Float(_) => ("FLOAT", false),
        Value::Date(_) => ("DATE", false),
        Value::LocalTime(_) => ("LOCAL_TIME", false),
        Value::Time(_) => ("TIME", false),
        Value::LocalDateTime(_) => ("LOCAL_DATE_TIME", false),
        Value::DateTime(_) => ("DATE_TIME", false),
        Value::Duration(_) => ("DURATION", false),
        Value::Point(_) => ("POINT", false),
        _ => ("STRING", false),
    }
}

fn meta_row(label: &str, property: &str, of: (&str, bool), other: &[Text], element: &str) -> Vec<Value> {
    let labels = Value::list(other.iter().cloned().map(Value::String).collect());
    let (of, is_array) = of;
    vec![
        text(label),
        text(property),
        Value::Integer(0),
        Value::Boolean(false),
        Value::Boolean(false),
        Value::Boolean(false),
        text(of),
        Value::Boolean(is_array),
        Value::Integer(0),
        Value::Integer(0),
        labels,
        Value::list(Vec::new()),
        text(element),
    ]
}

/// `apoc.meta.data()`: what a sample of nodes and relationships looks like.
fn meta(cx: &Cx<'_, '_>) -> Result<Vec<Vec<Value>>> {
    use std::collections::{BTreeMap, BTreeSet};
    let sample = cx.store.with_read(|graph| {
        let mut edges = Vec::new();
        let mut cursor = graph.scan_edges(None)?;
        cursor.next_batch(&mut edges, SAMPLE)?;
        drop(cursor);
        let mut vertices = Vec::new();
        let mut cursor = graph.scan_vertices(None)?;
        cursor.next_batch(&mut vertices, SAMPLE)?;
        Ok((vertices, edges))
    })?;
    let mut rows = Vec::new();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for vertex in sample.0 {
        let labels = cx.store.labels_of(vertex.label);
        let node = cx.store.complete_node(&cypher_graph::node(&vertex.id))?;
        for (key, value) in node.properties().into_iter().flatten() {
            for label in labels.iter() {
                if seen.insert((label.to_string(), key.to_string())) {
                    rows.push(meta_row(label, key, meta_type(value), &[], "node"));
                }
            }
        }
    }
    let mut links: BTreeMap<(Text, Text), BTreeSet<Text>> = BTreeMap::new();
    for edge in sample.1 {
        let relationship = cx.store.complete_relationship(&cx.store.relationship(&edge.id))?;
        let (start, end) = (cx.store.complete_node(&relationship.start)?, cx.store.complete_node(&relationship.end)?);
        for label in start.labels() {
            let ends = links.entry((label.clone(), relationship.kind.clone())).or_default();
            ends.extend(end.labels().iter().cloned());
        }
        for (key, value) in relationship.properties().into_iter().flatten() {
            if seen.insert((format!("~{}", relationship.kind), key.to_string())) {
                rows.push(meta_row(&relationship.kind, key, meta_type(value), &[], "relationship"));
            }
        }
    }
    for ((label, kind), ends) in links {
        let ends: Vec<Text> = ends.into_iter().collect();
        rows.push(meta_row(&label, &kind, ("RELATIONSHIP", false), &ends, "node"));
    }
    Ok(rows)
}
