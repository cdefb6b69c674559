//! Writing elements.

use std::borrow::Cow;
use std::sync::Arc;

use cypher_stored::{encode, literal, storable, stored_literal};
use cypher_value::{Detail, ElementId, Error, ErrorKind, Node, Relationship, Text, Value};
use graph_access::EdgeRead;
use graph_model::{Direction, Edge, IdStrategy, Vertex, VertexId};
use graph_schema::{
    Declaration, EDGE_ID, Literal, NewEdge, NewVertex, auto_vertex_id_value, natural_id, read_edge_id_text,
};
use tagged_value::{Entry, EntryId, Meta, put_entries};

use super::labels::SetOfLabels;
use super::read::{missing, node, vertex_id};
use super::{Store, read};
use crate::Result;
use crate::error::defect;

/// Properties by their names, as the graph takes them.
type Literals<'a> = Vec<(Cow<'a, str>, Literal<'a>)>;

/// What a node is made with: its labels and its properties.
pub type NodeContent = (Vec<Text>, Vec<(Text, Value)>);

/// What a relationship is made with.
pub struct RelationshipContent {
    /// Its type.
    pub kind: Text,
    /// Where it starts.
    pub source: Arc<Node>,
    /// Where it ends.
    pub target: Arc<Node>,
    /// Its properties by their names.
    pub properties: Vec<(Text, Value)>,
}

fn tagged(bytes: Box<[u8]>) -> Literal<'static> {
    Literal::Tagged(Cow::Owned(bytes.into()))
}

/// Sets or removes a property.
fn put<'a>(all: &mut Literals<'a>, key: &'a str, value: Option<Literal<'a>>) {
    let at = all.iter().position(|(own, _)| own == key);
    match (at, value) {
        (Some(at), Some(value)) => {
            if let Some(slot) = all.get_mut(at) {
                slot.1 = value;
            }
        }
        (Some(at), None) => {
            all.remove(at);
        }
        (None, Some(value)) => all.push((key.into(), value)),
        (None, None) => {}
    }
}

impl Store<'_> {
    /// A value of a property as the graph takes it; none for null, which removes.
    fn property_literal<'a>(&self, value: &'a Value, is_vertex: bool) -> Result<Option<Literal<'a>>> {
        if value.is_null() {
            return Ok(None);
        }
        let value = storable(value)?;
        if !self.is_auto() {
            return match value {
                Cow::Borrowed(value) => literal(value).map(Some),
                // Numbers of one type.
                Cow::Owned(value) => literal(&value).map(|literal| Some(literal.into_owned())),
            };
        }
        let bytes = encode(&value)?;
        if !is_vertex {
            return Ok(Some(tagged(bytes)));
        }
        let entry = Entry { id: EntryId::Ordinal(0), value: &bytes, meta: Meta::new(&[]) };
        let bytes = put_entries([entry]).map_err(|error| defect(&error.to_string()))?;
        Ok(Some(tagged(bytes)))
    }

    /// The name of the stored label of some labels.
    fn label_name(&self, labels: &SetOfLabels) -> Result<String> {
        if self.is_auto() {
            return labels.stored();
        }
        match labels.names() {
            [only] => {
                if self.catalogue().vertex_label_named(only).is_none() {
                    let message = format!(
                        "the vertex label '{only}' does not exist, and the graph has a strict schema: create the label \
                         first, or use a graph that was created with schema.mode=auto"
                    );
                    return Err(schema_error(message));
                }
                Ok(only.to_string())
            }
            [] => Err(schema_error(
                "the graph has a strict schema, so a node needs a label that was declared: write (n:LABEL), or use a \
                 graph that was created with schema.mode=auto"
                    .to_owned(),
            )),
            several => Err(schema_error(format!(
                "the graph has a strict schema, in which a node has exactly one label, but {} are given; use a graph \
                 that was created with schema.mode=auto",
                several.len()
            ))),
        }
    }

    fn declare(&self, label: &str, is_vertex: bool, properties: &Literals<'_>) -> Result<()> {
        if !self.is_auto() {
            return Ok(());
        }
        let keys: Vec<&str> = properties.iter().map(|(key, _)| &**key).filter(|key| *key != EDGE_ID).collect();
        let labels = [label];
        let names = Declaration {
            vertex_labels: if is_vertex { &labels } else { &[] },
            edge_labels: if is_vertex { &[] } else { &labels },
            property_keys: &keys,
        };
        self.with_write(|graph| graph.declare(&names))
    }

    /// Makes the names known that an element of an auto graph has, with all others that are in use by now.
    pub fn declare_names(&self, is_node: bool, labels: Vec<Text>, keys: &[Text]) -> Result<()> {
        if !self.is_auto() {
            return Ok(());
        }
        let label = match (is_node, labels.as_slice()) {
            (false, [kind]) => kind.as_str().into(),
            (false, _) => return Ok(()),
            (true, _) => self.label_name(&SetOfLabels::new(labels))?,
        };
        let (label, keys): ([&str; 1], Vec<&str>) = ([&label], keys.iter().map(Text::as_str).collect());
        let (vertex_labels, edge_labels): (&[&str], &[&str]) = if is_node { (&label, &[]) } else { (&[], &label) };
        self.with_write(|graph| graph.declare(&Declaration { vertex_labels, edge_labels, property_keys: &keys }))
    }

    /// Makes nodes.
    pub fn create_nodes(&self, all: &[NodeContent]) -> Result<Vec<Arc<Node>>> {
        let mut new = Vec::with_capacity(all.len());
        let (mut labels_added, mut properties_set) = (0, 0);
        for (labels, properties) in all {
            let labels = SetOfLabels::new(labels.iter().cloned());
            let label = self.label_name(&labels)?;
            let mut own = Literals::with_capacity(properties.len());
            for (key, value) in properties {
                put(&mut own, key, self.property_literal(value, true)?);
            }
            let id = if self.is_auto() { None } else { self.given_id(&label, &mut own)? };
            self.declare(&label, true, &own)?;
            labels_added += count(labels.names().len());
            properties_set += count(own.len());
            new.push(NewVertex { label: Some(Cow::Owned(label)), id, properties: own });
        }
        let vertices = self.with_write(|graph| graph.insert_vertices(&new))?;
        let mut counters = self.counters.borrow_mut();
        counters.nodes_created += count(vertices.len());
        counters.labels_added += labels_added;
        counters.properties_set += properties_set;
        drop(counters);
        let made = vertices.iter().map(|vertex| node(&vertex.id)).collect();
        vertices.into_iter().for_each(|vertex| self.keep(vertex));
        Ok(made)
    }

    /// The id of a node whose label leaves it to the client: its property `id`.
    fn given_id<'a>(&self, label: &str, own: &mut Literals<'a>) -> Result<Option<Literal<'a>>> {
        let catalogue = self.catalogue();
        let Some(definition) = catalogue.vertex_label_named(label) else { return Ok(None) };
        if matches!(definition.id_strategy, IdStrategy::Automatic | IdStrategy::PrimaryKey) {
            return Ok(None);
        }
        match own.iter().position(|(key, _)| key == "id") {
            Some(at) => {
                let is_declared = catalogue.property_key_named("id").is_some();
                let id = own.get(at).map(|(_, id)| id.clone());
                if !is_declared {
                    own.remove(at);
                }
                Ok(id)
            }
            None => Err(schema_error(format!(
                "vertices of the label '{label}' have ids that the client gives: write (:{label} {{id: ..}})"
            ))),
        }
    }

    /// Makes relationships.
    pub fn create_relationships(&self, all: &[RelationshipContent]) -> Result<Vec<Arc<Relationship>>> {
        let mut new = Vec::with_capacity(all.len());
        let mut properties_set = 0;
        for RelationshipContent { kind, source, target, properties } in all {
            let mut own = Literals::with_capacity(properties.len());
            for (key, value) in properties {
                put(&mut own, key, self.property_literal(value, false)?);
            }
            if !self.is_auto() && self.catalogue().edge_label_named(kind).is_none() {
                return Err(schema_error(format!(
                    "the edge label '{kind}' does not exist, and the graph has a strict schema: create the label \
                     first, or use a graph that was created with schema.mode=auto"
                )));
            }
            self.declare(kind, false, &own)?;
            properties_set += count(own.len());
            new.push(self.new_edge(kind, &vertex_id(&source.id), &vertex_id(&target.id), own));
        }
        let edges = self.with_write(|graph| graph.insert_edges(&new))?;
        let mut counters = self.counters.borrow_mut();
        counters.relationships_created += count(edges.len());
        counters.properties_set += properties_set;
        drop(counters);
        let made = all.iter().zip(edges).map(|(content, edge)| {
            let made = self.relationship_between(&edge.id, &content.source, &content.target, true);
            self.keep_edge(made.id.clone(), edge);
            made
        });
        Ok(made.collect())
    }

    fn new_edge<'a>(&self, label: &'a str, source: &VertexId, target: &VertexId, own: Literals<'a>) -> NewEdge<'a> {
        let end = |id: &VertexId| {
            if self.is_auto() {
                return tagged(natural_id(id));
            }
            match id {
                VertexId::Number(number) => Literal::Integer(*number),
                VertexId::String(text) => Literal::Text(text.to_string().into()),
                VertexId::Uuid(bits) => Literal::Text(format!("{bits:032x}").into()),
            }
        };
        NewEdge {
            label: Some(Cow::Borrowed(label)),
            source: Some(end(source)),
            source_label: None,
            target: Some(end(target)),
            target_label: None,
            properties: own,
        }
    }

    /// The properties of an element as the graph takes them, with its id where it is one of them.
    fn stored_properties(&self, stored: &graph_model::Properties) -> Literals<'static> {
        let catalogue = self.catalogue();
        let known = stored.iter().filter_map(|(key, value)| Some((catalogue.property_key(key)?, value)));
        known.map(|(key, value)| (Cow::Owned(key.name.clone()), stored_literal(value))).collect()
    }

    /// Changes properties of an element. `is_replaced`: others go.
    pub fn set_properties(&self, element: &Value, changes: &[(Text, Value)], is_replaced: bool) -> Result<()> {
        match element {
            Value::Node(node) => self.change_node(node, changes, is_replaced, None),
            Value::Relationship(relationship) => self.change_relationship(relationship, changes, is_replaced),
            Value::Null => Ok(()),
            other => Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("SET and REMOVE take a NODE or RELATIONSHIP, not {}", other.type_name()),
            )),
        }
    }

    fn apply<'a>(
        &self,
        own: &mut Literals<'a>,
        changes: &'a [(Text, Value)],
        is_replaced: bool,
        is_vertex: bool,
    ) -> Result<u64> {
        let mut touched = 0;
        if is_replaced {
            let before = own.len();
            own.retain(|(key, _)| changes.iter().any(|(new, value)| new == &**key && !value.is_null()));
            touched += count(before - own.len());
        }
        for (key, value) in changes {
            let value = self.property_literal(value, is_vertex)?;
            let is_there = own.iter().any(|(own, _)| own == key.as_str());
            if value.is_some() || is_there {
                touched += 1;
            }
            put(own, key, value);
        }
        Ok(touched)
    }

    fn change_node(
        &self,
        node: &Arc<Node>,
        changes: &[(Text, Value)],
        is_replaced: bool,
        labels: Option<&SetOfLabels>,
    ) -> Result<()> {
        let vertex = self.vertex(node)?.filter(|vertex| !self.is_deleted_node(&vertex.id));
        let Some(vertex) = vertex else { return Err(missing("node")) };
        self.with_write(|graph| graph.see_new_names())?;
        let mut own = self.stored_properties(&vertex.properties);
        let touched = self.apply(&mut own, changes, is_replaced, true)?;
        let label = match labels {
            Some(labels) => self.label_name(labels)?,
            None => {
                let catalogue = self.catalogue();
                catalogue.vertex_label(vertex.label).map(|label| label.name.clone()).unwrap_or_default()
            }
        };
        self.declare(&label, true, &own)?;
        let id = self.vertex_literal(&vertex);
        let new = NewVertex { label: Some(Cow::Borrowed(&label)), id, properties: own };
        let written = self.with_write(|graph| graph.replace_vertex(&new))?;
        if written.id != vertex.id {
            let message = "a value of a primary key cannot be changed: it is a part of the node's id".to_owned();
            return Err(schema_error(message));
        }
        self.counters.borrow_mut().properties_set += touched;
        self.keep(written);
        Ok(())
    }

    fn vertex_literal(&self, vertex: &Vertex) -> Option<Literal<'static>> {
        if self.is_auto() {
            return Some(tagged(auto_vertex_id_value(&vertex.id, &vertex.properties)));
        }
        let catalogue = self.catalogue();
        let strategy = catalogue.vertex_label(vertex.label).map(|label| label.id_strategy);
        match (&vertex.id, strategy) {
            (_, Some(IdStrategy::PrimaryKey)) => None,
            (VertexId::Number(number), _) => Some(Literal::Integer(*number)),
            (VertexId::String(text), _) => Some(Literal::Text(text.to_string().into())),
            (VertexId::Uuid(bits), _) => Some(Literal::Text(format!("{bits:032x}").into())),
        }
    }

    fn change_relationship(
        &self,
        relationship: &Arc<Relationship>,
        changes: &[(Text, Value)],
        is_replaced: bool,
    ) -> Result<()> {
        let edge = if self.is_deleted_relationship(&relationship.id) { None } else { self.edge(relationship)? };
        let Some(edge) = edge else { return Err(missing("relationship")) };
        self.with_write(|graph| graph.see_new_names())?;
        let mut own = self.stored_properties(&edge.properties);
        let touched = self.apply(&mut own, changes, is_replaced, false)?;
        self.declare(&relationship.kind, false, &own)?;
        if self.is_auto()
            && let Some(id) = read_edge_id_text(&edge.id.sort_values)
        {
            own.push((EDGE_ID.into(), tagged(id)));
        }
        let new = self.new_edge(&relationship.kind, &edge.id.source, &edge.id.target, own);
        let written = self.with_write(|graph| graph.insert_edge(&new))?;
        self.counters.borrow_mut().properties_set += touched;
        self.keep_edge(relationship.id.clone(), written);
        Ok(())
    }

    /// Adds labels to a node, or takes some away.
    pub fn change_labels(&self, value: &Value, labels: Vec<Text>, is_added: bool) -> Result<()> {
        let node = match value {
            Value::Node(node) => node,
            Value::Null => return Ok(()),
            other => {
                let message = format!("labels are of a NODE, not of a {}", other.type_name());
                return Err(Error::type_error(Detail::InvalidArgumentType, message));
            }
        };
        let vertex = self.vertex(node)?.filter(|vertex| !self.is_deleted_node(&vertex.id));
        let Some(vertex) = vertex else { return Err(missing("node")) };
        let mut all = SetOfLabels::new(self.labels_of(vertex.label).iter().cloned());
        let changed = if is_added { all.add(labels) } else { all.remove(&labels) };
        if changed == 0 {
            return Ok(());
        }
        if !self.is_auto() {
            let message = "the graph has a strict schema, in which the label of a node cannot be changed".to_owned();
            return Err(schema_error(message));
        }
        self.change_node(node, &[], false, Some(&all))?;
        let mut counters = self.counters.borrow_mut();
        if is_added {
            counters.labels_added += changed;
        } else {
            counters.labels_removed += changed;
        }
        Ok(())
    }

    /// Removes a relationship.
    pub fn delete_relationship(&self, relationship: &Arc<Relationship>) -> Result<()> {
        if self.is_deleted_relationship(&relationship.id) {
            return Ok(());
        }
        let Some(edge) = self.edge(relationship)? else { return Ok(()) };
        self.with_write(|graph| graph.delete_edge(&edge.id))?;
        self.forget_relationship(relationship.id.clone());
        Ok(())
    }

    fn forget_relationship(&self, id: ElementId) {
        self.edges.borrow_mut().remove(&id);
        if self.deleted.borrow_mut().relationships.insert(id) {
            self.counters.borrow_mut().relationships_deleted += 1;
        }
    }

    /// Removes nodes whose relationships that were to be removed are gone. With relationships left, they are removed
    /// too (`is_detach`), or must be gone by the end of the query.
    pub fn delete_nodes(&self, nodes: &[Arc<Node>], is_detach: bool) -> Result<()> {
        for node in nodes {
            let id = vertex_id(&node.id);
            if self.is_deleted_node(&id) || self.vertex(node)?.is_none() {
                continue;
            }
            self.counters.borrow_mut().nodes_deleted += 1;
            let edges = self.edges_at(&id)?;
            if is_detach {
                let all: Vec<ElementId> = edges.iter().map(|edge| self.relationship(&edge.id).id.clone()).collect();
                all.into_iter().for_each(|own| self.forget_relationship(own));
            }
            let mut deleted = self.deleted.borrow_mut();
            deleted.nodes.insert(id.clone());
            if edges.is_empty() || is_detach {
                drop(deleted);
                self.with_write(|graph| graph.delete_vertex(&id))?;
            } else {
                deleted.pending.push(id.clone());
            }
            self.vertices.borrow_mut().remove(&id);
        }
        Ok(())
    }

    fn edges_at(&self, id: &VertexId) -> Result<Vec<Edge>> {
        let read = EdgeRead { direction: Direction::Both, labels: None, limit: None, properties: false };
        self.with_read(|graph| {
            let owners = [id];
            let mut edges = Vec::new();
            let mut cursor = graph.edges_of(&owners, read)?;
            graph_access::drain(&mut *cursor, |row| {
                edges.push(row.into_edge(id.clone()));
                Ok(())
            })?;
            Ok(edges)
        })
    }

    /// Removes what was to be removed at the end of the query.
    pub fn finish(&self) -> Result<()> {
        let pending = std::mem::take(&mut self.deleted.borrow_mut().pending);
        for id in pending {
            if !self.edges_at(&id)?.is_empty() {
                let message = format!(
                    "Cannot delete node<{}>, because it still has relationships. To delete this node, you must first \
                     delete its relationships, or use DETACH DELETE.",
                    read::element_id(&id)
                );
                let kind = ErrorKind::ConstraintVerificationFailed;
                return Err(Error::new(kind, Detail::DeleteConnectedNode, message));
            }
            self.with_write(|graph| graph.delete_vertex(&id))?;
        }
        Ok(())
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn schema_error(message: String) -> Error {
    Error::new(ErrorKind::ConstraintVerificationFailed, Detail::None, message)
}
