//! The JSON shapes of HugeGraph 1.7.
//!
//! What it is: bodies of requests to what the schema checks ([`decode_vertices`], [`decode_new_vertex_label`], ...),
//! and stored elements and definitions to answers ([`write_vertex`], [`write_vertex_label`], ...), field by field in
//! HugeGraph's order. What it is not: it knows no HTTP, checks no schema rules and stores nothing.
//!
//! Invariants: decoding never panics and never reads beyond the limit it is given; what is written is always valid
//! JSON.
//!
//! Start reading at `decode.rs` and `encode.rs`.

mod decode;
mod encode;
mod error;
pub mod limits;
mod names;
mod text;

pub use decode::{
    BatchUpdate, IdBody, IntBody, LabelStepBody, PropertiesBody, PropertyUpdate, RealBody, StepBody,
    VertexEdgeStepsBody, VerticesBody, decode_body, decode_conditions, decode_edge, decode_edge_updates, decode_edges,
    decode_new_edge_label, decode_new_index_label, decode_new_property_key, decode_new_vertex_label,
    decode_property_update, decode_update_edge_label, decode_update_index_label, decode_update_property_key,
    decode_update_vertex_label, decode_vertex, decode_vertex_updates, decode_vertices, list_of_at_most,
    parse_predicate, predicate, property_conditions, required, selecting_predicate, tag_objects,
};
pub use encode::{
    CypherAnswer, Dialect, EncodeOptions, ErrorBody, PathView, SimilarView, TaskView, TraverserAnswer, UNDEFINED,
    VERSIONS_BEFORE_15_JSON, VERSIONS_JSON, cypher_failure, cypher_parameter, task_class, write_edge, write_edge_id,
    write_edge_ids, write_edge_label, write_edge_labels, write_edges_list, write_gremlin_answer, write_index_label,
    write_index_label_with_task, write_index_labels, write_property_key, write_property_key_with_task,
    write_property_keys, write_schema, write_score_layers, write_scores, write_shards, write_similars, write_task_id,
    write_tasks_list, write_value, write_vertex, write_vertex_id, write_vertex_ids, write_vertex_label,
    write_vertex_labels, write_vertices_list,
};
pub use error::DecodeError;
