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

pub(crate) use auto_read::given_id;
pub(crate) use complete::complete;
pub(crate) use convert::{edge_value, end_value, owner_value, vertex_id, vertex_ref, vertex_value};
pub(crate) use load::{load_queue, load_value};
pub(crate) use lookup::{conditions, edges_by_ids, id_passes, id_text, vertices_by_ids};
pub(crate) use read::{label_of, properties, properties_map};
pub(crate) use write::{add_edge, add_vertex, drop_value, set_property};

/// What is wanted of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Values,
    Properties,
}

/// A property to be written.
#[derive(Clone, Debug)]
pub(crate) struct NewProperty {
    pub(crate) key: Text,
    /// The id that a property of a vertex is to have; graphs with a strict schema have none.
    pub(crate) id: Option<Value>,
    pub(crate) value: Value,
    pub(crate) cardinality: Option<Cardinality>,
    pub(crate) meta: Vec<(Text, Value)>,
}
