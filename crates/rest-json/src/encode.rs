//! Writing answers: every writer appends to a `Vec<u8>`, field by field in HugeGraph's order, without a tree in
//! between.
//!
//! `element.rs` writes vertices, edges, ids and lists of them, `value.rs` property values, `schema.rs` definitions,
//! `service.rs` what belongs to neither: errors, versions, tasks. `traverser.rs` and `score.rs` write answers of
//! traversers.

mod any;
mod cypher;
mod element;
mod gremlin;
mod schema;
mod score;
mod service;
mod task_class;
mod traverser;
mod value;

pub use cypher::{CypherAnswer, cypher_failure, cypher_parameter};
pub use element::{
    EncodeOptions, UNDEFINED, write_edge, write_edge_id, write_edge_ids, write_edges_list, write_vertex,
    write_vertex_id, write_vertex_ids, write_vertices_list,
};
pub use gremlin::write_gremlin_answer;
pub use schema::{
    Dialect, write_edge_label, write_edge_labels, write_index_label, write_index_label_with_task, write_index_labels,
    write_property_key, write_property_key_with_task, write_property_keys, write_schema, write_task_id,
    write_vertex_label, write_vertex_labels,
};
pub use score::{SimilarView, write_score_layers, write_similars};
pub use service::{ErrorBody, TaskView, VERSIONS_BEFORE_15_JSON, VERSIONS_JSON, write_shards, write_tasks_list};
pub use task_class::task_class;
pub use traverser::{PathView, TraverserAnswer, write_scores};
pub use value::write_value;
