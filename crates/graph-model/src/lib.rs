//! The vocabulary of a property graph: ids, values, data types, vertices and edges.
//!
//! What it is: plain data every other crate speaks of, and the text forms HugeGraph's clients know (vertex ids, edge
//! ids, dates, sortable numbers). What it is not: it knows no schema rules, no JSON, no bytes on disk and does no I/O.
//!
//! Start reading at [`VertexId`], [`EdgeId`] and [`Value`].

pub mod automatic_id;
mod date;
mod element;
mod error_kind;
mod id;
pub mod limits;
mod number_code;
mod primary_key;
mod task;
mod value;

pub use date::{DateError, format_date, parse_date};
pub use element::{Direction, Edge, Properties, Vertex};
pub use error_kind::ErrorKind;
pub use id::edge_text::EdgeIdText;
pub use id::{
    EdgeId, ElementId, ElementRef, IdError, IdKind, IdStrategy, LabelId, PropertyKeyId, VertexId, VertexIdRef,
};
pub use number_code::{decode_number, encode_double, encode_float, encode_number};
pub use primary_key::{join_primary_key, join_values, split_primary_key_label, value_text};
pub use task::{Task, TaskStatus};
pub use value::{Cardinality, DataType, Value};
