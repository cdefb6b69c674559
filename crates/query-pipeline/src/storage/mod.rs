//! Elements of the graph as values, and back: the only place that knows how a graph's mode stores them.
//!
//! In a plan a vertex or an edge is a value with its id; its label is empty and its properties are missing until they
//! are asked for. What was read of it travels in the traverser as the stored element.

use query_value::{Cardinality, Text, Value};

mod auto_read;
mod auto_write;
mod complete;
mod convert;
mod load;
mod lookup;
mod read;
mod write;

pub use auto_read::given_id;
pub use complete::complete;
pub use convert::{edge_value, end_value, owner_value, property_value, vertex_id, vertex_ref, vertex_value};
pub use load::{load_queue, load_value};
pub use lookup::{conditions, edges_by_ids, id_passes, id_text, vertices_by_ids};
pub use read::{label_of, properties, properties_map};
pub use write::{add_edge, add_vertex, drop_value, set_property};

/// What is wanted of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Their values.
    Values,
    /// Themselves.
    Properties,
}

/// A property to be written.
#[derive(Clone, Debug)]
pub struct NewProperty {
    /// The key.
    pub key: Text,
    /// The id that a property of a vertex is to have; graphs with a strict schema have none.
    pub id: Option<Value>,
    /// The value.
    pub value: Value,
    /// How the value joins those already there; none: as the graph does.
    pub cardinality: Option<Cardinality>,
    /// Properties of the property.
    pub meta: Vec<(Text, Value)>,
}
