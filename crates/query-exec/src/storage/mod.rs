//! Elements of the graph as values, and back: the only place that knows how a graph's mode stores them.
//!
//! In a plan a vertex or an edge is a value with its id; its label is empty and its properties are missing until they
//! are asked for. What was read of it travels in the traverser as the stored element.

mod convert;
mod lookup;
mod read;
mod write;

pub(crate) use convert::{edge_id, edge_value, end_value, vertex_id, vertex_ref, vertex_value};
pub(crate) use lookup::conditions;
pub(crate) use read::{Wanted, complete, label_of, load_queue, load_value, properties, properties_map};
pub(crate) use write::{NewProperty, add_edge, add_vertex, drop_value, set_property};
