//! Changes: one catalogue in, the next one out, and which elements differ.
//!
//! The types are here; the changes themselves are methods of [`crate::Catalogue`], one file for each kind of element.

mod auto_index;
mod declare;
mod edge_label;
mod index_label;
mod label_parts;
mod life;
mod property_key;
mod required;
mod subject;
mod vertex_label;

#[cfg(test)]
mod index_tests;
#[cfg(test)]
mod series_tests;
#[cfg(test)]
mod tests;

use graph_model::{LabelId, PropertyKeyId};

use crate::definition::{EdgeLabel, IndexLabel, PropertyKey, VertexLabel};

/// The mode of a graph, set by loading and restoring tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GraphMode {
    /// Normal.
    #[default]
    None,
    /// Elements and schema come from a backup, with their ids.
    Restoring,
    /// Elements come from a backup, with their ids, into another schema.
    Merging,
    /// A bulk load: missing non-nullable properties are accepted.
    Loading,
}

impl GraphMode {
    /// Whether elements come with the ids they had elsewhere.
    #[must_use]
    pub fn is_restored(self) -> bool {
        matches!(self, Self::Restoring | Self::Merging)
    }
}

/// The kinds of schema elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaKind {
    /// Property keys.
    PropertyKey,
    /// Vertex labels.
    VertexLabel,
    /// Edge labels.
    EdgeLabel,
    /// Index labels.
    IndexLabel,
}

impl SchemaKind {
    /// The kind in lower case words, for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PropertyKey => "property key",
            Self::VertexLabel => "vertex label",
            Self::EdgeLabel => "edge label",
            Self::IndexLabel => "index label",
        }
    }
}

/// Which schema element: its kind and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaKey {
    /// A property key.
    PropertyKey(PropertyKeyId),
    /// A vertex label.
    VertexLabel(LabelId),
    /// An edge label.
    EdgeLabel(LabelId),
    /// An index label.
    IndexLabel(LabelId),
}

impl SchemaKey {
    /// The kind.
    #[must_use]
    pub fn kind(self) -> SchemaKind {
        match self {
            Self::PropertyKey(_) => SchemaKind::PropertyKey,
            Self::VertexLabel(_) => SchemaKind::VertexLabel,
            Self::EdgeLabel(_) => SchemaKind::EdgeLabel,
            Self::IndexLabel(_) => SchemaKind::IndexLabel,
        }
    }

    /// The number.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::PropertyKey(id) => id.0,
            Self::VertexLabel(id) | Self::EdgeLabel(id) | Self::IndexLabel(id) => id.0,
        }
    }
}

/// A schema element of any kind, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaElement {
    /// A property key.
    PropertyKey(PropertyKey),
    /// A vertex label.
    VertexLabel(VertexLabel),
    /// An edge label.
    EdgeLabel(EdgeLabel),
    /// An index label.
    IndexLabel(IndexLabel),
}

impl SchemaElement {
    /// Which element this is.
    #[must_use]
    pub fn key(&self) -> SchemaKey {
        match self {
            Self::PropertyKey(key) => SchemaKey::PropertyKey(key.id),
            Self::VertexLabel(label) => SchemaKey::VertexLabel(label.id),
            Self::EdgeLabel(label) => SchemaKey::EdgeLabel(label.id),
            Self::IndexLabel(label) => SchemaKey::IndexLabel(label.id),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::PropertyKey(key) => &key.name,
            Self::VertexLabel(label) => &label.name,
            Self::EdgeLabel(label) => &label.name,
            Self::IndexLabel(label) => &label.name,
        }
    }

    /// What is being done with it.
    #[must_use]
    pub fn status(&self) -> crate::Status {
        match self {
            Self::PropertyKey(key) => key.status,
            Self::VertexLabel(label) => label.status,
            Self::EdgeLabel(label) => label.status,
            Self::IndexLabel(label) => label.status,
        }
    }
}

/// What a change depends on in addition to the catalogue and the request.
#[derive(Clone, Copy, Debug)]
pub struct ChangeRules<'a> {
    /// The mode of the graph.
    pub mode: GraphMode,
    /// The moment of the change, in milliseconds since 1970 UTC.
    pub now_ms: i64,
    /// The zone in which dates are written and read.
    pub zone: &'a jiff::tz::TimeZone,
    /// How new search indexes cut texts.
    pub analyzer: text_analysis::Analyzer,
}

/// The result of a change: what to store, and the catalogue that is in force once it is stored.
#[derive(Clone, Debug)]
pub struct Change {
    /// The next catalogue.
    pub catalogue: crate::Catalogue,
    /// Elements to store, new or changed. Empty where nothing changed (creating what exists, with `check_exist` false).
    pub put: Vec<SchemaElement>,
    /// Elements to remove from the store.
    pub removed: Vec<SchemaKey>,
}

/// A change that made or found one element.
#[derive(Clone, Debug)]
pub struct Created<Id> {
    /// The number of the element in [`Change::catalogue`].
    pub id: Id,
    /// The change.
    pub change: Change,
}
