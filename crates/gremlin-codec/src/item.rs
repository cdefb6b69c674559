//! What messages consist of: values of the language, elements, and what traversals yield.

use gremlin::{ElementReference, Text, Value};
use query_value::ElementKind;

use crate::error::CodecError;

/// A value of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A value that is not a list, a set or a map.
    Value(Value),
    /// Items in order.
    List(Vec<Self>),
    /// Different items.
    Set(Vec<Self>),
    /// Pairs of key and value, in order.
    Map(Vec<(Self, Self)>),
    /// A vertex.
    Vertex(Box<Vertex>),
    /// An edge.
    Edge(Box<Edge>),
    /// A property of a vertex.
    VertexProperty(Box<VertexProperty>),
    /// A property of an edge or of a property.
    Property(Box<Property>),
    /// A path.
    Path(Box<Path>),
    /// A result with how many times it occurred.
    Traverser {
        /// How many times.
        bulk: i64,
        /// The result.
        item: Box<Self>,
    },
    /// Items with how many times each occurred.
    BulkSet(Vec<(Self, i64)>),
    /// A tree of paths.
    Tree(Tree),
    /// The profile of a step.
    Metrics(Box<Metrics>),
    /// The profile of a traversal.
    TraversalMetrics(Box<TraversalMetrics>),
}

/// A vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The id.
    pub id: Item,
    /// The label.
    pub label: Text,
    /// The properties; empty also where only a reference was sent.
    pub properties: Vec<VertexProperty>,
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The id.
    pub id: Item,
    /// The label.
    pub label: Text,
    /// The id of the vertex it comes from.
    pub out_id: Item,
    /// The label of that vertex.
    pub out_label: Text,
    /// The id of the vertex it goes to.
    pub in_id: Item,
    /// The label of that vertex.
    pub in_label: Text,
    /// The properties; empty also where only a reference was sent.
    pub properties: Vec<Property>,
}

/// A property of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexProperty {
    /// The id.
    pub id: Item,
    /// The key.
    pub label: Text,
    /// The value.
    pub value: Item,
    /// Properties of the property.
    pub properties: Vec<Property>,
}

/// A property of an edge or of a property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Item,
}

/// A path: what a traverser visited.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The labels of each object.
    pub labels: Vec<Vec<Text>>,
    /// The objects, as many as sets of labels.
    pub objects: Vec<Item>,
}

/// A tree: keys in order, each with its subtree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree(pub Vec<(Item, Tree)>);

/// The profile of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Metrics {
    /// The id of the step.
    pub id: Text,
    /// The name of the step.
    pub name: Text,
    /// Nanoseconds.
    pub nanoseconds: i64,
    /// Counts by name, such as `traverserCount`.
    pub counts: Vec<(Text, i64)>,
    /// Further facts by name, such as `percentDur`.
    pub annotations: Vec<(Text, Item)>,
    /// Profiles of the step's own traversals.
    pub nested: Vec<Metrics>,
}

/// The profile of a traversal.
#[derive(Clone, Debug, PartialEq)]
pub struct TraversalMetrics {
    /// Nanoseconds.
    pub nanoseconds: i64,
    /// The profiles of its steps.
    pub steps: Vec<Metrics>,
}

impl From<Value> for Item {
    fn from(value: Value) -> Self {
        let items = |items: Vec<Value>| items.into_iter().map(Self::from).collect();
        match value {
            Value::List(list) => Self::List(items(list)),
            Value::Set(set) => Self::Set(items(set)),
            Value::Map(pairs) => Self::Map(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect()),
            other => Self::Value(other),
        }
    }
}

impl Item {
    /// A text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Value(Value::Text(text.into()))
    }

    /// The item as an argument of a traversal. Elements become references.
    ///
    /// # Errors
    /// The item is a result that no step takes, such as a path.
    pub fn into_value(self) -> Result<Value, CodecError> {
        let values = |items: Vec<Self>| items.into_iter().map(Self::into_value).collect::<Result<_, _>>();
        let element = |kind, id: Self, label| {
            Ok(Value::Element(Box::new(ElementReference { kind, id: id.into_value()?, label })))
        };
        match self {
            Self::Value(value) => Ok(value),
            Self::List(items) => values(items).map(Value::List),
            Self::Set(items) => values(items).map(Value::Set),
            Self::Map(pairs) => {
                let pairs = pairs.into_iter().map(|(key, value)| Ok((key.into_value()?, value.into_value()?)));
                pairs.collect::<Result<_, _>>().map(Value::Map)
            }
            Self::Vertex(vertex) => element(ElementKind::Vertex, vertex.id, vertex.label),
            Self::Edge(edge) => element(ElementKind::Edge, edge.id, edge.label),
            Self::VertexProperty(property) => element(ElementKind::VertexProperty, property.id, property.label),
            Self::Traverser { item, .. } => item.into_value(),
            Self::BulkSet(_) | Self::Tree(_) | Self::Property(_) | Self::Path(_) => {
                Err(CodecError::Misplaced { what: "a result", done: "an argument" })
            }
            Self::Metrics(_) | Self::TraversalMetrics(_) => {
                Err(CodecError::Misplaced { what: "a profile", done: "an argument" })
            }
        }
    }

    /// The text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Value(value) = self { value.as_text() } else { None }
    }

    /// The value of a map's text key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find(|(entry, _)| entry.as_text() == Some(key)).map(|(_, value)| value)
    }
}

/// An element without properties, for a reference to one.
pub(crate) fn reference(element: &ElementReference) -> Item {
    let (id, label) = (Item::from(element.id.clone()), element.label.clone());
    match element.kind {
        ElementKind::Vertex => Item::Vertex(Box::new(Vertex { id, label, properties: Vec::new() })),
        ElementKind::Edge => Item::Edge(Box::new(Edge {
            id,
            label,
            out_id: Item::Value(Value::Null),
            out_label: Text::default(),
            in_id: Item::Value(Value::Null),
            in_label: Text::default(),
            properties: Vec::new(),
        })),
        ElementKind::VertexProperty => {
            let value = Item::Value(Value::Null);
            Item::VertexProperty(Box::new(VertexProperty { id, label, value, properties: Vec::new() }))
        }
    }
}
