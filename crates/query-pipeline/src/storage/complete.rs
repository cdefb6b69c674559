//! Results as clients get them.

use std::sync::Arc;

use graph_model::VertexId;
use query_value::{Reference, Value};
use rustc_hash::FxHashMap;

use super::convert::{vertex_id, vertex_label};
use super::load::{read_edges, read_vertices};
use super::{Wanted, given_id, properties};
use crate::context::Cx;
use crate::error::Result;
use crate::traverser::Stored;

/// Results as clients get them: with labels, and with properties if they are wanted. Elements inside collections too.
/// `stored` is what was read of each of the values, as far as it was.
pub fn complete(cx: &Cx<'_>, values: &mut [Value], stored: &[Option<Stored>], with_properties: bool) -> Result<()> {
    let mut known = Known::default();
    for value in values.iter() {
        known.collect(value);
    }
    if known.is_empty() {
        return Ok(());
    }
    if !cx.has_written {
        for (value, stored) in values.iter().zip(stored) {
            known.take(cx, value, stored.as_ref(), with_properties)?;
        }
    }
    known.read(cx, with_properties)?;
    for value in values.iter_mut() {
        known.replace(value);
    }
    Ok(())
}

/// Elements in results, by their ids, as they will be sent.
#[derive(Default)]
struct Known {
    vertices: FxHashMap<Value, Option<Value>>,
    edges: FxHashMap<Value, (Value, Option<Value>)>,
}

impl Known {
    fn is_empty(&self) -> bool {
        self.vertices.is_empty() && self.edges.is_empty()
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Vertex(vertex) if vertex.properties.is_none() => {
                self.vertices.entry(vertex.id.clone()).or_default();
            }
            Value::Edge(edge) if edge.properties.is_none() => {
                for end in [&edge.source, &edge.target] {
                    if end.label.is_empty() {
                        self.vertices.entry(end.id.clone()).or_default();
                    }
                }
                self.edges.entry(edge.id.clone()).or_insert_with(|| (value.clone(), None));
            }
            Value::List(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Set(items) => items.iter().for_each(|item| self.collect(item)),
            Value::BulkSet(items) => items.keys().for_each(|item| self.collect(item)),
            Value::Map(pairs) => pairs.iter().for_each(|(key, value)| {
                self.collect(key);
                self.collect(value);
            }),
            Value::Entry(pair) => {
                self.collect(&pair.0);
                self.collect(&pair.1);
            }
            Value::Path(path) => path.objects.iter().for_each(|item| self.collect(item)),
            Value::Tree(tree) => {
                let mut trees = vec![&**tree];
                while let Some(tree) = trees.pop() {
                    for (key, inner) in &tree.0 {
                        self.collect(key);
                        trees.push(inner);
                    }
                }
            }
            Value::Graph(graph) => {
                graph.vertices.values().for_each(|vertex| self.collect(&Value::Vertex(Arc::clone(vertex))));
                graph.edges.values().for_each(|edge| self.collect(&Value::Edge(Arc::clone(edge))));
            }
            _ => {}
        }
    }

    /// A vertex that was read on the way here.
    fn take(&mut self, cx: &Cx<'_>, value: &Value, stored: Option<&Stored>, with_properties: bool) -> Result<()> {
        if let (Value::Vertex(vertex), Some(stored @ Stored::Vertex(_))) = (value, stored)
            && let Some(known @ None) = self.vertices.get_mut(&vertex.id)
        {
            *known = Some(complete_vertex(cx, &vertex.id, stored, with_properties)?);
        }
        Ok(())
    }

    fn read(&mut self, cx: &Cx<'_>, with_properties: bool) -> Result<()> {
        let unread = self.vertices.iter().filter(|(_, known)| known.is_none());
        let ids: Vec<Value> = unread.map(|(id, _)| id.clone()).collect();
        let stored: Vec<Option<VertexId>> = ids.iter().map(vertex_id).collect();
        for (id, found) in ids.into_iter().zip(read_vertices(cx, &stored)?) {
            let completed = found.map(|vertex| complete_vertex(cx, &id, &Stored::Vertex(vertex), with_properties));
            self.vertices.insert(id, completed.transpose()?);
        }
        let bare: Vec<&Value> = self.edges.values().map(|(bare, _)| bare).collect();
        let found = if with_properties { read_edges(cx, &bare)? } else { vec![None; bare.len()] };
        for ((bare, completed), found) in self.edges.values_mut().zip(found) {
            let Value::Edge(edge) = &*bare else { continue };
            let end = |reference: &Reference| match self.vertices.get(&reference.id) {
                Some(Some(Value::Vertex(vertex))) => Reference::vertex(vertex.id.clone(), vertex.label.clone()),
                _ => reference.clone(),
            };
            let mut edge =
                query_value::Edge { source: end(&edge.source), target: end(&edge.target), ..(**edge).clone() };
            if with_properties {
                let stored = found.map(Stored::Edge);
                let mut all = Vec::new();
                properties(cx, bare, stored.as_ref(), &[], Wanted::Properties, &mut all)?;
                let mut own = Vec::with_capacity(all.len());
                own.extend(all.into_iter().filter_map(|property| match property {
                    Value::Property(property) => Some(Arc::unwrap_or_clone(property)),
                    _ => None,
                }));
                edge.properties = Some(Arc::new(own));
            }
            *completed = Some(Value::Edge(Arc::new(edge)));
        }
        Ok(())
    }

    fn replace(&self, value: &mut Value) {
        match value {
            Value::Vertex(vertex) => {
                if let Some(Some(known)) = self.vertices.get(&vertex.id) {
                    *value = known.clone();
                }
            }
            Value::Edge(edge) => {
                if let Some((_, Some(known))) = self.edges.get(&edge.id) {
                    *value = known.clone();
                }
            }
            Value::List(items) => Arc::make_mut(items).iter_mut().for_each(|item| self.replace(item)),
            Value::Set(items) => *value = Value::set(items.iter().cloned().map(|item| self.replaced(item))),
            Value::BulkSet(items) => {
                let items = items.iter().map(|(item, count)| (self.replaced(item.clone()), *count));
                *value = Value::BulkSet(Arc::new(items.collect()));
            }
            Value::Map(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| (self.replaced(key.clone()), self.replaced(value.clone())));
                *value = Value::map(pairs.collect::<Vec<_>>());
            }
            Value::Entry(pair) => {
                let pair = Arc::make_mut(pair);
                self.replace(&mut pair.0);
                self.replace(&mut pair.1);
            }
            Value::Path(path) => Arc::make_mut(path).objects.iter_mut().for_each(|item| self.replace(item)),
            Value::Tree(tree) => *value = Value::Tree(Arc::new(self.tree(tree))),
            Value::Graph(graph) => {
                let graph = Arc::make_mut(graph);
                for vertex in graph.vertices.values_mut() {
                    if let Some(Some(Value::Vertex(known))) = self.vertices.get(&vertex.id) {
                        *vertex = Arc::clone(known);
                    }
                }
                for edge in graph.edges.values_mut() {
                    if let Some((_, Some(Value::Edge(known)))) = self.edges.get(&edge.id) {
                        *edge = Arc::clone(known);
                    }
                }
            }
            _ => {}
        }
    }

    fn replaced(&self, mut value: Value) -> Value {
        self.replace(&mut value);
        value
    }

    /// As deep as a tree of paths is, which a query's loops bound.
    fn tree(&self, tree: &query_value::Tree) -> query_value::Tree {
        query_value::Tree(tree.0.iter().map(|(key, inner)| (self.replaced(key.clone()), self.tree(inner))).collect())
    }
}

fn complete_vertex(cx: &Cx<'_>, id: &Value, stored: &Stored, with_properties: bool) -> Result<Value> {
    let Stored::Vertex(vertex) = stored else { return Ok(Value::Null) };
    let label = vertex_label(&cx.catalogue, vertex.label);
    let bare = Value::Vertex(Arc::new(query_value::Vertex { id: id.clone(), label: label.clone(), properties: None }));
    let id = given_id(cx, &bare, Some(stored))?.unwrap_or_default();
    let mut vertex = query_value::Vertex { id, label, properties: None };
    if with_properties {
        let mut all = Vec::new();
        properties(cx, &bare, Some(stored), &[], Wanted::Properties, &mut all)?;
        let mut own = Vec::with_capacity(all.len());
        own.extend(all.into_iter().filter_map(|property| match property {
            Value::VertexProperty(property) => Some(Arc::unwrap_or_clone(property)),
            _ => None,
        }));
        vertex.properties = Some(Arc::new(own));
    }
    Ok(Value::Vertex(Arc::new(vertex)))
}
