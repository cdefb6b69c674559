//! Elements of graphs, and what traversals make of them: paths, trees, subgraphs.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::value::{Text, Value};

/// The kinds of elements that can be referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A vertex.
    Vertex,
    /// An edge.
    Edge,
    /// A property of a vertex.
    VertexProperty,
}

impl ElementKind {
    /// The class's name as scripts write it.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Vertex => "Vertex",
            Self::Edge => "Edge",
            Self::VertexProperty => "VertexProperty",
        }
    }
}

/// An element named by its id.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What it is.
    pub kind: ElementKind,
    /// Its id.
    pub id: Value,
    /// Its label; the key of a property.
    pub label: Text,
}

/// A vertex. Equal to another by its id.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// The id.
    pub id: Value,
    /// The label.
    pub label: Text,
    /// The properties, the values of one key together; none if they have not been read.
    pub properties: Option<Arc<Vec<VertexProperty>>>,
}

/// An edge. Equal to another by its id.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The id.
    pub id: Value,
    /// The label.
    pub label: Text,
    /// The vertex it comes from.
    pub source: Reference,
    /// The vertex it goes to.
    pub target: Reference,
    /// The properties; none if they have not been read.
    pub properties: Option<Arc<Vec<Property>>>,
}

/// A property of a vertex, with an id and properties of its own. Equal to another by its id.
#[derive(Clone, Debug)]
pub struct VertexProperty {
    /// The id.
    pub id: Value,
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Value,
    /// Properties of the property.
    pub meta: Vec<Property>,
    /// The vertex; none if it came in a message.
    pub owner: Option<Arc<Reference>>,
}

/// A property of an edge or of a property. Equal to another by key and value.
#[derive(Clone, Debug)]
pub struct Property {
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Value,
    /// The edge or property; none if it came in a message.
    pub owner: Option<Arc<Reference>>,
}

/// A path: what a traverser visited, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    /// The objects.
    pub objects: Vec<Value>,
    /// The labels of each object: as many sets as objects.
    pub labels: Vec<Vec<Text>>,
}

/// A tree: keys in the order of their first appearance, each with its subtree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(pub IndexMap<Value, Self>);

/// A part of a graph, each element once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subgraph {
    /// Vertices by id.
    pub vertices: IndexMap<Value, Arc<Vertex>>,
    /// Edges by id.
    pub edges: IndexMap<Value, Arc<Edge>>,
}

impl Reference {
    /// A reference to a vertex.
    #[must_use]
    pub fn vertex(id: Value, label: Text) -> Self {
        Self { kind: ElementKind::Vertex, id, label }
    }

    /// The element without properties; the ends of an edge and the value of a property are null.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let (id, label) = (self.id.clone(), self.label.clone());
        match self.kind {
            ElementKind::Vertex => Value::Vertex(Arc::new(Vertex { id, label, properties: None })),
            ElementKind::Edge => {
                let end = Self::vertex(Value::Null, Text::default());
                let (source, target) = (end.clone(), end);
                Value::Edge(Arc::new(Edge { id, label, source, target, properties: None }))
            }
            ElementKind::VertexProperty => {
                let (value, meta) = (Value::Null, Vec::new());
                Value::VertexProperty(Arc::new(VertexProperty { id, key: label, value, meta, owner: None }))
            }
        }
    }
}

impl Path {
    /// Appends an object with its labels.
    pub fn push(&mut self, object: Value, labels: Vec<Text>) {
        self.objects.push(object);
        self.labels.push(labels);
    }

    /// Objects with a label, in order.
    pub fn labelled<'p>(&'p self, label: &'p str) -> impl DoubleEndedIterator<Item = &'p Value> {
        let pairs = self.objects.iter().zip(&self.labels);
        pairs.filter(move |(_, labels)| labels.iter().any(|own| own == label)).map(|(object, _)| object)
    }

    /// Whether no object occurs twice.
    #[must_use]
    pub fn is_simple(&self) -> bool {
        let mut seen = std::collections::HashSet::with_capacity(self.objects.len());
        self.objects.iter().all(|object| seen.insert(object))
    }
}
