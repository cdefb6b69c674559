//! What a query knows of the columns of a graph.

use std::cell::RefCell;
use std::sync::Arc;

use adjacency::{Column, ColumnOf};
use cypher_value::Text;
use rustc_hash::FxHashMap;

/// What is read of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A property.
    Property(Text),
    /// The labels.
    Labels,
}

/// What a query knows of columns.
#[derive(Default)]
pub(crate) struct Columns {
    /// By the names of properties; none: the schema has no such property.
    pub(super) named: RefCell<FxHashMap<Text, Option<Known>>>,
    pub(super) labels: RefCell<Option<Known>>,
    /// Values that the graph does not keep.
    pub(super) left: RefCell<FxHashMap<(ColumnOf, u32), Option<graph_model::Value>>>,
}

#[derive(Clone)]
pub(super) struct Known {
    pub(super) of: ColumnOf,
    pub(super) column: Arc<Column>,
}

impl Columns {
    pub(crate) fn forget(&self) {
        self.left.borrow_mut().clear();
    }
}
