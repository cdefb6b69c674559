//! Vertices and edges with names instead of numbers, and their insertion.

use std::borrow::Cow;
use std::collections::BTreeMap;

use graph_model::{Properties, Value, VertexId};
use graph_schema::{Catalogue, Literal, NewEdge, NewVertex};
use graph_store::Wait;

use crate::embedded::{Error, Graph};

/// What can be given as the value of a property or as an id.
pub trait IntoLiteral {
    /// The value as the schema checks take it.
    fn into_literal(self) -> Literal<'static>;
}

macro_rules! into_literal {
    ($($source:ty => |$value:ident| $literal:expr;)*) => {$(
        impl IntoLiteral for $source {
            fn into_literal(self) -> Literal<'static> {
                let $value = self;
                $literal
            }
        }
    )*};
}

into_literal! {
    bool => |value| Literal::Boolean(value);
    i8 => |value| Literal::Integer(value.into());
    i16 => |value| Literal::Integer(value.into());
    i32 => |value| Literal::Integer(value.into());
    i64 => |value| Literal::Integer(value);
    u8 => |value| Literal::Integer(value.into());
    u16 => |value| Literal::Integer(value.into());
    u32 => |value| Literal::Integer(value.into());
    f32 => |value| Literal::Float(value.into());
    f64 => |value| Literal::Float(value);
    &str => |value| Literal::Text(Cow::Owned(value.to_owned()));
    String => |value| Literal::Text(Cow::Owned(value));
    &VertexId => |id| match id {
        VertexId::Number(number) => Literal::Integer(*number),
        VertexId::String(text) => Literal::Text(Cow::Owned(text.to_string())),
        VertexId::Uuid(bits) => Literal::Text(Cow::Owned(format!("{bits:032x}"))),
    };
}

impl<T: IntoLiteral> IntoLiteral for Vec<T> {
    fn into_literal(self) -> Literal<'static> {
        Literal::Array(self.into_iter().map(IntoLiteral::into_literal).collect())
    }
}

/// A vertex as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// Its id.
    pub id: VertexId,
    /// Name of its label.
    pub label: String,
    /// Its properties by name.
    pub properties: BTreeMap<String, Value>,
}

impl Vertex {
    pub(crate) fn new(catalogue: &Catalogue, vertex: graph_model::Vertex) -> Self {
        let label = catalogue.vertex_label(vertex.label).map_or_else(String::new, |label| label.name.clone());
        Self { id: vertex.id, label, properties: named(catalogue, &vertex.properties) }
    }

    /// The value of a text property.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        text(&self.properties, name)
    }
}

/// An edge as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Name of its label.
    pub label: String,
    /// Where it starts.
    pub source: VertexId,
    /// Where it ends.
    pub target: VertexId,
    /// Its properties by name.
    pub properties: BTreeMap<String, Value>,
}

impl Edge {
    pub(crate) fn new(catalogue: &Catalogue, edge: graph_model::Edge) -> Self {
        let label = catalogue.edge_label(edge.id.label).map_or_else(String::new, |label| label.name.clone());
        let properties = named(catalogue, &edge.properties);
        Self { label, source: edge.id.source, target: edge.id.target, properties }
    }

    /// The value of a text property.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        text(&self.properties, name)
    }
}

fn named(catalogue: &Catalogue, properties: &Properties) -> BTreeMap<String, Value> {
    properties
        .iter()
        .filter_map(|(key, value)| Some((catalogue.property_key(key)?.name.clone(), value.clone())))
        .collect()
}

fn text<'a>(properties: &'a BTreeMap<String, Value>, name: &str) -> Option<&'a str> {
    match properties.get(name) {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// A vertex in the making.
#[must_use = "nothing is stored before insert()"]
pub struct VertexBuilder<'db> {
    graph: Graph<'db>,
    new: NewVertex<'static>,
}

impl<'db> VertexBuilder<'db> {
    pub(crate) fn new(graph: Graph<'db>, label: &str) -> Self {
        let new = NewVertex { label: Some(Cow::Owned(label.to_owned())), id: None, properties: Vec::new() };
        Self { graph, new }
    }

    /// Its id, for labels whose ids are given.
    pub fn id(mut self, id: impl IntoLiteral) -> Self {
        self.new.id = Some(id.into_literal());
        self
    }

    /// Sets a property.
    pub fn set(mut self, name: &str, value: impl IntoLiteral) -> Self {
        self.new.properties.push((Cow::Owned(name.to_owned()), value.into_literal()));
        self
    }

    /// Stores the vertex, replacing one of the same id, and returns its id.
    pub fn insert(self) -> Result<VertexId, Error> {
        Ok(self.graph.inner()?.writer().insert_vertex(&self.new, Wait::Allowed)?.wait()?.id)
    }
}

/// An edge in the making.
#[must_use = "nothing is stored before insert()"]
pub struct EdgeBuilder<'db> {
    graph: Graph<'db>,
    new: NewEdge<'static>,
}

impl<'db> EdgeBuilder<'db> {
    pub(crate) fn new(graph: Graph<'db>, label: &str, source: &VertexId, target: &VertexId) -> Self {
        let new = NewEdge {
            label: Some(Cow::Owned(label.to_owned())),
            source: Some(source.into_literal()),
            source_label: None,
            target: Some(target.into_literal()),
            target_label: None,
            properties: Vec::new(),
        };
        Self { graph, new }
    }

    /// Sets a property.
    pub fn set(mut self, name: &str, value: impl IntoLiteral) -> Self {
        self.new.properties.push((Cow::Owned(name.to_owned()), value.into_literal()));
        self
    }

    /// Stores the edge, replacing the same one. Both ends must exist.
    pub fn insert(self) -> Result<(), Error> {
        self.graph.inner()?.writer().insert_edge(&self.new, Wait::Allowed)?.wait()?;
        Ok(())
    }
}
