//! Reading elements: ids and values of the language, stored elements behind them.

use std::sync::Arc;

use cypher_value::{Detail, ElementId, Elements, Error, Map, Node, Relationship, Text, Value};
use graph_model::{Edge, EdgeId, EdgeIdText, Vertex, VertexId};
use graph_schema::{edge_id_key, edge_id_text, read_edge_id_text};
use tagged_value::Token;

use super::Store;
use crate::Result;

/// The stored id of a node.
pub fn vertex_id(id: &ElementId) -> VertexId {
    match id {
        ElementId::Number(number) => VertexId::Number(*number),
        ElementId::Text(text) => VertexId::String(text.as_str().into()),
        ElementId::Uuid(bits) => VertexId::Uuid(*bits),
    }
}

/// The id of a node as the language has it.
pub(crate) fn element_id(id: &VertexId) -> ElementId {
    match id {
        VertexId::Number(number) => ElementId::Number(*number),
        VertexId::String(text) => ElementId::Text(text.as_str().into()),
        VertexId::Uuid(bits) => ElementId::Uuid(*bits),
    }
}

/// A node of which only the id is known.
pub fn node(id: &VertexId) -> Arc<Node> {
    Arc::new(Node::reference(element_id(id)))
}

/// The same, with its number in the graph that is read.
pub fn numbered_node(id: &VertexId, number: u32) -> Arc<Node> {
    Arc::new(Node { number: Some(number), ..Node::reference(element_id(id)) })
}

/// Makes a node that nobody else holds another one, of which only the id and the number are known; else a new one. Its
/// id as text stays as it was: it is for looking at what is stored, not to be kept.
pub fn become_node(node: &mut Arc<Node>, id: &VertexId, number: u32) {
    match Arc::get_mut(node) {
        Some(own) => {
            own.id = element_id(id);
            own.number = Some(number);
        }
        None => *node = numbered_node(id, number),
    }
}

fn deleted(what: &str) -> Error {
    Error::deleted(format!("The {what} has been deleted in this transaction"))
}

impl Store<'_> {
    /// A relationship of which no properties are known.
    pub fn relationship(&self, id: &EdgeId) -> Arc<Relationship> {
        self.relationship_between(id, &node(&id.source), &node(&id.target), true)
    }

    /// A relationship between nodes that are at hand.
    pub fn relationship_between(
        &self,
        id: &EdgeId,
        owner: &Arc<Node>,
        other: &Arc<Node>,
        is_outgoing: bool,
    ) -> Arc<Relationship> {
        let (start, end) = if is_outgoing { (owner, other) } else { (other, owner) };
        let catalogue = self.catalogue();
        let label = catalogue.edge_label(id.label);
        let kind = label.map(|label| Text::from(label.name.as_str())).unwrap_or_default();
        let own = if self.is_auto() {
            let bytes = read_edge_id_text(&id.sort_values);
            let token = bytes.as_ref().and_then(|bytes| tagged_value::read(bytes).ok());
            match token {
                Some(Token::Byte(number)) => ElementId::Number(number.into()),
                Some(Token::Short(number)) => ElementId::Number(number.into()),
                Some(Token::Int(number)) => ElementId::Number(number.into()),
                Some(Token::Long(number)) => ElementId::Number(number),
                Some(Token::Uuid(bits)) => ElementId::Uuid(bits),
                Some(Token::String(text)) => ElementId::Text(text.into()),
                _ => ElementId::Text(id.sort_values.as_str().into()),
            }
        } else {
            let parent = label.map_or(id.label, |label| label.parent_or_self());
            ElementId::Text(id.text(parent).to_string().as_str().into())
        };
        Arc::new(Relationship {
            element_id: own.text(),
            id: own,
            kind,
            start: Arc::clone(start),
            end: Arc::clone(end),
            properties: None,
        })
    }

    /// The stored id of a relationship, as most have it.
    fn edge_id(&self, relationship: &Relationship) -> Option<EdgeId> {
        if !self.is_auto() {
            let ElementId::Text(text) = &relationship.id else { return None };
            return EdgeIdText::parse(text).ok().map(|text| text.id);
        }
        let label = self.catalogue().edge_label_named(&relationship.kind)?.id;
        let sort_values = edge_id_text(self.edge_token(&relationship.id))?;
        let (source, target) = (vertex_id(&relationship.start.id), vertex_id(&relationship.end.id));
        Some(EdgeId { label, source, sort_values, target })
    }

    fn edge_token<'t>(&self, id: &'t ElementId) -> Token<'t> {
        match id {
            ElementId::Number(number) => Token::Long(*number),
            ElementId::Text(text) => Token::String(text),
            ElementId::Uuid(bits) => Token::Uuid(*bits),
        }
    }

    /// Whether the query has deleted a node.
    pub fn is_deleted_node(&self, id: &VertexId) -> bool {
        self.deleted.borrow().nodes.contains(id)
    }

    /// Whether the query has deleted a relationship.
    pub fn is_deleted_relationship(&self, id: &ElementId) -> bool {
        self.deleted.borrow().relationships.contains(id)
    }

    /// Whether the query has deleted anything.
    pub fn has_deleted(&self) -> bool {
        let deleted = self.deleted.borrow();
        !deleted.nodes.is_empty() || !deleted.relationships.is_empty()
    }

    /// Reads nodes that are not known yet, all at once.
    pub fn load_nodes<'v>(&self, nodes: impl Iterator<Item = &'v Arc<Node>>) -> Result<()> {
        let mut wanted = Vec::new();
        {
            let known = self.vertices.borrow();
            for node in nodes {
                let id = vertex_id(&node.id);
                if !known.contains_key(&id) {
                    wanted.push(id);
                }
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        wanted.sort();
        wanted.dedup();
        self.make_room(wanted.len());
        let found = self.with_read(|graph| graph.vertices(&wanted))?;
        let mut known = self.vertices.borrow_mut();
        for (id, vertex) in wanted.into_iter().zip(found) {
            known.insert(id, vertex.map(Arc::new));
        }
        Ok(())
    }

    /// Keeps a vertex that was read.
    pub fn keep(&self, vertex: Vertex) {
        self.make_room(1);
        self.vertices.borrow_mut().insert(vertex.id.clone(), Some(Arc::new(vertex)));
    }

    /// The stored vertex of a node.
    pub fn vertex(&self, node: &Node) -> Result<Option<Arc<Vertex>>> {
        let id = vertex_id(&node.id);
        if let Some(known) = self.vertices.borrow().get(&id) {
            return Ok(known.clone());
        }
        let found = self.with_read(|graph| graph.vertices(std::slice::from_ref(&id)))?.pop().flatten().map(Arc::new);
        self.make_room(1);
        self.vertices.borrow_mut().insert(id, found.clone());
        Ok(found)
    }

    /// Reads relationships that are not known yet, all at once.
    pub fn load_relationships<'v>(&self, relationships: impl Iterator<Item = &'v Arc<Relationship>>) -> Result<()> {
        let mut wanted: Vec<(ElementId, EdgeId)> = Vec::new();
        let mut unknown: Vec<ElementId> = Vec::new();
        {
            let known = self.edges.borrow();
            for relationship in relationships.filter(|relationship| !known.contains_key(&relationship.id)) {
                match self.edge_id(relationship) {
                    Some(id) => wanted.push((relationship.id.clone(), id)),
                    None => unknown.push(relationship.id.clone()),
                }
            }
        }
        self.make_room(wanted.len());
        let ids: Vec<EdgeId> = wanted.iter().map(|(_, id)| id.clone()).collect();
        let found = if ids.is_empty() { Vec::new() } else { self.with_read(|graph| graph.edges(&ids))? };
        for ((own, _), edge) in wanted.into_iter().zip(found) {
            match edge {
                Some(edge) => {
                    self.edges.borrow_mut().insert(own, Some(Arc::new(edge)));
                }
                None => unknown.push(own),
            }
        }
        // An id that a client gave as a number of another width.
        for own in unknown {
            let edge = if self.is_auto() { self.edge_by_key(&own)? } else { None };
            self.edges.borrow_mut().insert(own, edge.map(Arc::new));
        }
        Ok(())
    }

    /// An edge of an auto graph by its id alone.
    pub fn edge_by_key(&self, id: &ElementId) -> Result<Option<Edge>> {
        let Some(text) = edge_id_text(self.edge_token(id)) else { return Ok(None) };
        Ok(self.with_read(|graph| graph.edges_by_key(&[edge_id_key(&text)]))?.pop().flatten())
    }

    /// The stored edge of a relationship.
    pub fn edge(&self, relationship: &Arc<Relationship>) -> Result<Option<Arc<Edge>>> {
        self.load_relationships(std::iter::once(relationship))?;
        Ok(self.edges.borrow().get(&relationship.id).cloned().flatten())
    }

    /// Keeps an edge that was read.
    pub fn keep_edge(&self, id: ElementId, edge: Edge) {
        self.make_room(1);
        self.edges.borrow_mut().insert(id, Some(Arc::new(edge)));
    }

    fn properties(&self, stored: &graph_model::Properties, is_vertex: bool) -> Result<Arc<Map>> {
        let mut map = Map::default();
        let catalogue = Arc::clone(&self.catalogue());
        for (key, value) in stored.iter() {
            if let Some(key) = catalogue.shown_key(key) {
                map.insert(key.name.as_str().into(), cypher_stored::value(value, is_vertex)?);
            }
        }
        Ok(Arc::new(map))
    }

    fn property(&self, stored: &graph_model::Properties, name: &str, is_vertex: bool) -> Result<Value> {
        let key = self.catalogue().shown_key_named(name).map(|key| key.id);
        match key.and_then(|key| stored.get(key)) {
            Some(value) => cypher_stored::value(value, is_vertex),
            None => Ok(Value::Null),
        }
    }

    fn live_vertex(&self, node: &Node) -> Result<Option<Arc<Vertex>>> {
        let found = self.vertex(node)?;
        if self.is_deleted_node(&vertex_id(&node.id)) { Err(deleted("node")) } else { Ok(found) }
    }

    fn live_edge(&self, relationship: &Relationship) -> Result<Option<Arc<Edge>>> {
        if self.is_deleted_relationship(&relationship.id) {
            return Err(deleted("relationship"));
        }
        if let Some(known) = self.edges.borrow().get(&relationship.id) {
            return Ok(known.clone());
        }
        self.edge(&Arc::new(relationship.clone()))
    }

    /// The node with its content; without where it was deleted.
    pub fn complete_node(&self, node: &Arc<Node>) -> Result<Arc<Node>> {
        let is_deleted = self.has_deleted() && self.is_deleted_node(&vertex_id(&node.id));
        let vertex = if is_deleted { None } else { self.vertex(node)? };
        let content = match vertex {
            Some(vertex) => cypher_value::NodeContent {
                labels: self.labels_of(vertex.label),
                properties: self.properties(&vertex.properties, true)?,
            },
            None => cypher_value::NodeContent::default(),
        };
        Ok(Arc::new(Node { content: Some(content), ..(**node).clone() }))
    }

    /// The relationship with its properties; without where it was deleted.
    pub fn complete_relationship(&self, relationship: &Arc<Relationship>) -> Result<Arc<Relationship>> {
        let is_deleted = self.has_deleted() && self.is_deleted_relationship(&relationship.id);
        let edge = if is_deleted { None } else { self.edge(relationship)? };
        let properties = match edge {
            Some(edge) => self.properties(&edge.properties, false)?,
            None => Arc::default(),
        };
        Ok(Arc::new(Relationship { properties: Some(properties), ..(**relationship).clone() }))
    }
}

impl Elements for Store<'_> {
    fn labels(&self, node: &Node) -> Result<Arc<[Text]>> {
        if let Some(labels) = self.labels_in_memory(node) {
            return Ok(labels);
        }
        Ok(self.live_vertex(node)?.map_or_else(|| Arc::from([]), |vertex| self.labels_of(vertex.label)))
    }

    fn node_properties(&self, node: &Node) -> Result<Arc<Map>> {
        match self.live_vertex(node)? {
            Some(vertex) => self.properties(&vertex.properties, true),
            None => Ok(Arc::default()),
        }
    }

    fn relationship_properties(&self, relationship: &Relationship) -> Result<Arc<Map>> {
        match self.live_edge(relationship)? {
            Some(edge) => self.properties(&edge.properties, false),
            None => Ok(Arc::default()),
        }
    }

    fn node_property(&self, node: &Node, name: &str) -> Result<Value> {
        if let Some(value) = self.property_in_memory(node, name)? {
            return Ok(value);
        }
        match self.live_vertex(node)? {
            Some(vertex) => self.property(&vertex.properties, name, true),
            None => Ok(Value::Null),
        }
    }

    fn relationship_property(&self, relationship: &Relationship, name: &str) -> Result<Value> {
        match self.live_edge(relationship)? {
            Some(edge) => self.property(&edge.properties, name, false),
            None => Ok(Value::Null),
        }
    }
}

/// An element that is not there.
pub(crate) fn missing(what: &str) -> Error {
    Error::new(cypher_value::ErrorKind::EntityNotFound, Detail::None, format!("the {what} does not exist any more"))
}
