//! Elements: what a client sent in, a checked vertex or edge out.
//!
//! Nothing is read from the store here: whether the ends of an edge exist and have the labels it names is the caller's
//! to check. Start reading at [`Catalogue::check_vertex`] (in `vertex.rs`), [`Catalogue::check_edge`] (in `edge.rs`),
//! and [`Catalogue::append_vertex_properties`] (in `update.rs`).

pub(crate) mod auto;
pub(crate) mod auto_id;
mod edge;
mod id;
mod merge;
mod properties;
mod record;
mod update;
mod vertex;

#[cfg(test)]
mod tests;

pub use merge::{UpdateStrategies, UpdateStrategy};

use graph_model::{LabelId, Properties, VertexId};
use jiff::tz::TimeZone;

#[cfg(doc)]
use crate::Catalogue;
use crate::change::GraphMode;

/// What the checks depend on in addition to the catalogue and the request.
#[derive(Clone, Copy, Debug)]
pub struct ElementRules<'a> {
    /// The mode of the graph.
    pub mode: GraphMode,
    /// The zone in which dates are read.
    pub zone: &'a TimeZone,
    /// The moment of writing, in milliseconds since 1970 UTC.
    pub now_ms: i64,
    /// Whether numbers and dates in primary-key ids are written in their sortable code.
    pub encode_primary_key_number: bool,
}

/// A checked vertex that may still lack its id.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexDraft {
    /// Its vertex label.
    pub label: LabelId,
    /// Its id; `None`: the server makes one.
    pub id: Option<VertexId>,
    /// Its properties.
    pub properties: Properties,
    /// When it ceases to exist, in milliseconds since 1970 UTC; `None`: never.
    pub expires_at_ms: Option<i64>,
}

/// Whether an edge must name the labels of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndLabels {
    /// Both or neither.
    Optional,
    /// Both.
    Required,
}
