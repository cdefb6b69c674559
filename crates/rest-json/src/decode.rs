//! Reading request bodies.
//!
//! Elements (`element.rs`) are read in one pass without a tree in between: texts borrow from the body, and reading
//! stops at the first element beyond the limit. Schema bodies (`schema.rs`) are small and go through one struct with
//! every field.

mod batch_update;
mod borrowed_text;
mod compact;
mod condition;
mod element;
mod literal;
mod number;
mod schema;
mod tagged;
mod trace;
mod traverser;

pub use batch_update::{BatchUpdate, decode_edge_updates, decode_vertex_updates};
pub use condition::{decode_conditions, parse_predicate, predicate, selecting_predicate};
pub use element::{PropertyUpdate, decode_edge, decode_edges, decode_property_update, decode_vertex, decode_vertices};
pub use number::{IntBody, RealBody};
pub use schema::{
    decode_new_edge_label, decode_new_index_label, decode_new_property_key, decode_new_vertex_label,
    decode_update_edge_label, decode_update_index_label, decode_update_property_key, decode_update_vertex_label,
};
pub use tagged::tag_objects;
pub use traverser::{
    IdBody, LabelStepBody, PropertiesBody, StepBody, VertexEdgeStepsBody, VerticesBody, decode_body, list_of_at_most,
    property_conditions, required,
};
