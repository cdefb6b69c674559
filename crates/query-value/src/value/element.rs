//! References to elements, and paths.

use std::sync::Arc;

use super::{Edge, Path, Reference, Text, Value, Vertex, VertexProperty};
use crate::enums::ElementKind;

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
