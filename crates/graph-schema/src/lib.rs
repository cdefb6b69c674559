//! The schema of a graph: property keys, vertex labels, edge labels, index labels, and the rules they set for elements.
//!
//! What it is: an immutable [`Catalogue`] of definitions, changes that turn one catalogue into the next, and the checks
//! that turn what a client sent ([`NewVertex`], [`NewEdge`], [`Literal`]) into elements of the right types. What it is
//! not: it stores nothing, knows no JSON and no HTTP.
//!
//! Invariants: a catalogue is always consistent (every number it holds resolves); a change either gives a whole new
//! catalogue or an error, never something in between.
//!
//! Start reading at [`Catalogue`].

mod catalogue;
mod change;
mod coerce;
mod condition;
mod definition;
mod element;
mod error;
#[cfg(test)]
mod fixture;
mod input;
pub mod limits;

pub use catalogue::{Catalogue, NextIds};
pub use change::{Change, ChangeRules, Created, GraphMode, SchemaElement, SchemaKey, SchemaKind};
pub use coerce::coerce;
pub use condition::{Condition, ConditionError, Conditions, Interval, NewPredicate, Predicate, equal, order};
pub use definition::{
    AggregateType, CREATE_TIME, DEFAULT_VALUE, EdgeLabel, EdgeLabelKind, Frequency, IndexLabel, IndexType, LABEL_JOINT,
    PropertyKey, SchemaMode, Status, UserData, VertexLabel, WriteType,
};
pub use element::auto::{EDGE_ID, set_edge_id};
pub use element::auto_id::{
    auto_vertex_id_value, edge_id_key, edge_id_text, generated_edge_id, natural_id, read_edge_id_text,
};
pub use element::{ElementRules, EndLabels, UpdateStrategies, UpdateStrategy, VertexDraft};
pub use error::{ElementError, SchemaError, ValueError};
pub use input::{
    Alter, Declaration, EdgeLabelKindName, EdgeRecord, Literal, NewEdge, NewEdgeLabel, NewIndexLabel, NewPropertyKey,
    NewVertex, NewVertexLabel, UpdateEdgeLabel, UpdateIndexLabel, UpdatePropertyKey, UpdateVertexLabel,
};
pub use text_analysis::Analyzer;
