//! Vertices, edges and their properties.

use crate::{EdgeId, LabelId, PropertyKeyId, Value, VertexId};

/// Which end of its edges a vertex is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Edges that start at the vertex.
    Out,
    /// Edges that end at the vertex.
    In,
    /// Both; an edge from a vertex to itself appears twice.
    Both,
}

impl Direction {
    /// The same edges, as the vertices at their other ends have them.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }
}

/// Properties of one element, in the order of their keys' numbers, each key at most once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties(Vec<(PropertyKeyId, Value)>);

impl Properties {
    /// No properties.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No properties, with room for `capacity`.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }

    /// Number of properties.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: PropertyKeyId) -> Option<&Value> {
        let at = self.0.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// Sets a value and returns the one it replaces.
    pub fn insert(&mut self, key: PropertyKeyId, value: Value) -> Option<Value> {
        match self.0.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => self.0.get_mut(at).map(|slot| std::mem::replace(&mut slot.1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, key: PropertyKeyId) -> Option<Value> {
        let at = self.0.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(self.0.remove(at).1)
    }

    /// Keys and values in the order of the keys' numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (PropertyKeyId, &Value)> {
        self.0.iter().map(|(key, value)| (*key, value))
    }
}

impl FromIterator<(PropertyKeyId, Value)> for Properties {
    fn from_iter<I: IntoIterator<Item = (PropertyKeyId, Value)>>(items: I) -> Self {
        let mut properties = Self::new();
        for (key, value) in items {
            properties.insert(key, value);
        }
        properties
    }
}

impl IntoIterator for Properties {
    type Item = (PropertyKeyId, Value);
    type IntoIter = std::vec::IntoIter<(PropertyKeyId, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// Its id.
    pub id: VertexId,
    /// Its vertex label.
    pub label: LabelId,
    /// Its properties.
    pub properties: Properties,
    /// When it ceases to exist, in milliseconds since 1970 UTC; `None`: never.
    pub expires_at_ms: Option<i64>,
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Its id: label, both ends and sort values.
    pub id: EdgeId,
    /// Its properties, those of its sort keys included.
    pub properties: Properties,
    /// When it ceases to exist, in milliseconds since 1970 UTC; `None`: never.
    pub expires_at_ms: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_stay_in_the_order_of_their_keys() {
        let mut properties = Properties::new();
        assert_eq!(properties.insert(PropertyKeyId(3), Value::Int(3)), None);
        assert_eq!(properties.insert(PropertyKeyId(1), Value::Int(1)), None);
        assert_eq!(properties.insert(PropertyKeyId(3), Value::Int(4)), Some(Value::Int(3)));
        let keys: Vec<u32> = properties.iter().map(|(key, _)| key.0).collect();
        assert_eq!(keys, [1, 3]);
        assert_eq!(properties.get(PropertyKeyId(3)), Some(&Value::Int(4)));
        assert_eq!(properties.remove(PropertyKeyId(1)), Some(Value::Int(1)));
        assert_eq!(properties.len(), 1);
    }
}
