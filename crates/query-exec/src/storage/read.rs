//! Reading elements and their properties, a block at a time.

use std::collections::VecDeque;
use std::sync::Arc;

use graph_model::{EdgeId, Properties, VertexId};
use query_plan::Text;
use query_value::{ElementKind, Property, Reference, Value, VertexProperty};
use rustc_hash::FxHashMap;

use super::convert::{edge_id, property_value, vertex_id, vertex_label};
use crate::context::Cx;
use crate::error::Result;
use crate::traverser::{Stored, Traverser};

/// Reads the elements that traversers are at, unless it is known already.
pub(crate) fn load<'t>(cx: &Cx<'_>, traversers: impl Iterator<Item = &'t mut Traverser>) -> Result<()> {
    let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    for traverser in traversers {
        if traverser.stored.is_some() && !cx.has_written {
            continue;
        }
        match &traverser.value {
            Value::Vertex(_) => vertices.push(traverser),
            Value::Edge(_) => edges.push(traverser),
            _ => {}
        }
    }
    if !vertices.is_empty() {
        let ids: Vec<Option<VertexId>> = vertices.iter().map(|traverser| vertex_id(&traverser.value)).collect();
        let found = read_vertices(cx, &ids)?;
        for (traverser, found) in vertices.into_iter().zip(found) {
            traverser.stored = found.map(Stored::Vertex);
        }
    }
    if !edges.is_empty() {
        let ids: Vec<Option<EdgeId>> = edges.iter().map(|traverser| edge_id(&traverser.value)).collect();
        let found = read_edges(cx, &ids)?;
        for (traverser, found) in edges.into_iter().zip(found) {
            traverser.stored = found.map(Stored::Edge);
        }
    }
    Ok(())
}

/// [`load`] for what waits before a stage.
pub(crate) fn load_queue(cx: &Cx<'_>, queue: &mut VecDeque<Traverser>) -> Result<()> {
    load(cx, queue.iter_mut())
}

fn read_vertices(cx: &Cx<'_>, ids: &[Option<VertexId>]) -> Result<Vec<Option<Arc<graph_model::Vertex>>>> {
    let present: Vec<VertexId> = ids.iter().flatten().cloned().collect();
    let mut found = cx.read().vertices(&present)?.into_iter();
    Ok(ids.iter().map(|id| id.as_ref().and_then(|_| found.next().flatten()).map(Arc::new)).collect())
}

fn read_edges(cx: &Cx<'_>, ids: &[Option<EdgeId>]) -> Result<Vec<Option<Arc<graph_model::Edge>>>> {
    let present: Vec<EdgeId> = ids.iter().flatten().cloned().collect();
    let mut found = cx.read().edges(&present)?.into_iter();
    Ok(ids.iter().map(|id| id.as_ref().and_then(|_| found.next().flatten()).map(Arc::new)).collect())
}

/// Reads a single element.
pub(crate) fn load_value(cx: &Cx<'_>, value: &Value) -> Result<Option<Stored>> {
    let mut traverser = Traverser::new(value.clone());
    load(cx, std::iter::once(&mut traverser))?;
    Ok(traverser.stored)
}

/// The label of an element, which may have to be read.
pub(crate) fn label_of(cx: &Cx<'_>, value: &Value, stored: Option<&Stored>) -> Result<Option<Text>> {
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

/// What is wanted of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Values,
    Properties,
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
pub(crate) fn properties(
    cx: &Cx<'_>,
    value: &Value,
    stored: Option<&Stored>,
    keys: &[Text],
    wanted: Wanted,
    out: &mut Vec<Value>,
) {
    match value {
        Value::Vertex(_) | Value::Edge(_) => {
            let Some(properties) = stored_properties(stored) else { return };
            let owner = (wanted == Wanted::Properties).then(|| owner(cx, value, stored));
            let mut put = |key: &str, stored: &graph_model::Value| match &owner {
                None => out.push(property_value(stored)),
                Some(owner) => out.push(property(owner, key, stored)),
            };
            if keys.is_empty() {
                for (key, value) in properties.iter() {
                    if let Some(key) = cx.catalogue.property_key(key) {
                        put(&key.name, value);
                    }
                }
            } else {
                for key in keys {
                    let Some(key) = cx.catalogue.property_key_named(key) else { continue };
                    if let Some(value) = properties.get(key.id) {
                        put(&key.name, value);
                    }
                }
            }
        }
        Value::VertexProperty(property) => {
            for meta in &property.meta {
                if keys.is_empty() || keys.contains(&meta.key) {
                    out.push(match wanted {
                        Wanted::Values => meta.value.clone(),
                        Wanted::Properties => Value::Property(Arc::new(meta.clone())),
                    });
                }
            }
        }
        _ => {}
    }
}

/// Properties grouped by key, in the order of [`properties`].
pub(crate) fn properties_map(
    cx: &Cx<'_>,
    value: &Value,
    stored: Option<&Stored>,
    keys: &[Text],
    wanted: Wanted,
) -> Vec<(Text, Vec<Value>)> {
    let mut all = Vec::new();
    properties(cx, value, stored, keys, Wanted::Properties, &mut all);
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
    groups
}

/// A reference to an element, for its properties.
fn owner(cx: &Cx<'_>, value: &Value, stored: Option<&Stored>) -> Arc<Reference> {
    Arc::new(match (value, stored) {
        (Value::Edge(edge), _) => Reference { kind: ElementKind::Edge, id: edge.id.clone(), label: edge.label.clone() },
        (Value::Vertex(vertex), Some(Stored::Vertex(stored))) => {
            Reference::vertex(vertex.id.clone(), vertex_label(&cx.catalogue, stored.label))
        }
        (other, _) => Reference::vertex(other.element_id().cloned().unwrap_or_default(), Text::default()),
    })
}

fn property(owner: &Arc<Reference>, key: &str, stored: &graph_model::Value) -> Value {
    let value = property_value(stored);
    if owner.kind == ElementKind::Edge {
        return Value::Property(Arc::new(Property { key: key.into(), value, owner: Some(Arc::clone(owner)) }));
    }
    Value::VertexProperty(Arc::new(VertexProperty {
        id: property_id(&owner.id, key),
        key: key.into(),
        value,
        meta: Vec::new(),
        owner: Some(Arc::clone(owner)),
    }))
}

/// A property of a vertex has the id that HugeGraph gives it.
fn property_id(owner: &Value, key: &str) -> Value {
    let owner = match owner {
        Value::String(text) => text.to_string(),
        Value::Uuid(bits) => VertexId::Uuid(*bits).to_string(),
        other => other.as_i64().map(|number| number.to_string()).unwrap_or_default(),
    };
    Value::from(format!("{owner}>{key}"))
}

/// Results as clients get them: with labels, and with properties if they are wanted. Elements inside collections too.
pub(crate) fn complete(cx: &Cx<'_>, values: &mut [Value], with_properties: bool) -> Result<()> {
    let mut known = Known::default();
    for value in values.iter() {
        known.collect(value);
    }
    if known.is_empty() {
        return Ok(());
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

    fn read(&mut self, cx: &Cx<'_>, with_properties: bool) -> Result<()> {
        let ids: Vec<Value> = self.vertices.keys().cloned().collect();
        let stored: Vec<Option<VertexId>> = ids.iter().map(vertex_id).collect();
        for (id, found) in ids.into_iter().zip(read_vertices(cx, &stored)?) {
            let completed = found.map(|vertex| {
                let label = vertex_label(&cx.catalogue, vertex.label);
                let bare = Value::Vertex(Arc::new(query_value::Vertex { id: id.clone(), label, properties: None }));
                complete_vertex(cx, &bare, &Stored::Vertex(vertex), with_properties)
            });
            self.vertices.insert(id, completed);
        }
        let ids: Vec<Value> = self.edges.keys().cloned().collect();
        let stored: Vec<Option<EdgeId>> = ids.iter().map(edge_id).collect();
        let found = if with_properties { read_edges(cx, &stored)? } else { vec![None; ids.len()] };
        for (id, found) in ids.into_iter().zip(found) {
            let Some((bare, _)) = self.edges.get(&id) else { continue };
            let Value::Edge(edge) = bare else { continue };
            let label = |reference: &Reference| match self.vertices.get(&reference.id) {
                Some(Some(Value::Vertex(vertex))) => Reference { label: vertex.label.clone(), ..reference.clone() },
                _ => reference.clone(),
            };
            let mut edge =
                query_value::Edge { source: label(&edge.source), target: label(&edge.target), ..(**edge).clone() };
            if with_properties {
                let stored = found.map(Stored::Edge);
                let mut all = Vec::new();
                properties(cx, bare, stored.as_ref(), &[], Wanted::Properties, &mut all);
                let own = all.into_iter().filter_map(|property| match property {
                    Value::Property(property) => Some((*property).clone()),
                    _ => None,
                });
                edge.properties = Some(Arc::new(own.collect()));
            }
            let bare = bare.clone();
            self.edges.insert(id, (bare, Some(Value::Edge(Arc::new(edge)))));
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

fn complete_vertex(cx: &Cx<'_>, bare: &Value, stored: &Stored, with_properties: bool) -> Value {
    let Value::Vertex(vertex) = bare else { return bare.clone() };
    let mut vertex = (**vertex).clone();
    if with_properties {
        let mut all = Vec::new();
        properties(cx, bare, Some(stored), &[], Wanted::Properties, &mut all);
        let own = all.into_iter().filter_map(|property| match property {
            Value::VertexProperty(property) => Some((*property).clone()),
            _ => None,
        });
        vertex.properties = Some(Arc::new(own.collect()));
    }
    Value::Vertex(Arc::new(vertex))
}
