//! What a graph is read from: the engine as it is now, or one moment of it, with what a unit has written over it.

use std::sync::Arc;

use edge_rows::Rows;
use graph_access::Budget;
use graph_model::LabelId;
use graph_schema::{Catalogue, EdgeLabelKind};
use kv::{Overlay, Read, UnitRows};

use crate::core::graph::Graph;
use store_error::StoreError;

use crate::limits;

/// A graph as the cursors of one request read it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) graph: &'a Graph,
    /// Where its rows are.
    pub(crate) read: &'a (dyn Read + Sync),
    pub(crate) budget: &'a Budget,
    pub(crate) catalogue: &'a Arc<Catalogue>,
    /// All labels edges can have, in the order of their numbers.
    pub(crate) labels: &'a [LabelId],
    /// What is written over the graph and not yet stored, where that is read too.
    pub(crate) unit: Option<&'a UnitRows>,
    /// Whether what is written has its entries in all index labels of the catalogue.
    pub(crate) unit_has_entries: bool,
}

/// All labels edges can have, in the order of their numbers.
pub(crate) fn labels_of_edges(catalogue: &Catalogue) -> Vec<LabelId> {
    catalogue.edge_labels().filter(|label| label.kind != EdgeLabelKind::Parent).map(|label| label.id).collect()
}

/// The catalogue and the data of one moment: an index that is in use in the one has all its entries in the other.
pub(crate) struct Moment<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) read: Box<dyn Read + 'a>,
}

impl<'a> Moment<'a> {
    /// Now.
    pub(crate) fn now(graph: &'a Graph) -> Result<Self, StoreError> {
        for _ in 0..limits::CATALOGUE_RETRIES_MAX {
            let catalogue = graph.catalogue();
            let read = graph.engine().snapshot()?;
            if Arc::ptr_eq(&catalogue, &graph.load_catalogue()) {
                return Ok(Self { graph, catalogue, read });
            }
        }
        Err(StoreError::SchemaBusy)
    }
}

impl<'a> View<'a> {
    /// Where its edges are read.
    pub(crate) fn rows(&self) -> Rows<'a> {
        Rows { graph: self.graph.number, read: self.read, labels: self.labels, budget: self.budget }
    }

    /// The moment at which indexes are read, with the rows of the unit over it. Of an auto graph it has the catalogue
    /// of the view, whose indexes must still be those of the graph.
    pub(crate) fn moment(&self) -> Result<Moment<'a>, StoreError> {
        let mut moment = Moment::now(self.graph)?;
        if self.catalogue.is_auto() {
            if !(self.unit_has_entries && moment.catalogue.has_same_indexes(self.catalogue)) {
                let query = "finding elements by properties".to_owned();
                let hint = "an index has come or gone since the request or the transaction began".to_owned();
                return Err(StoreError::NoIndex { query, hint });
            }
            moment.catalogue = Arc::clone(self.catalogue);
        }
        let Some(unit) = self.unit else { return Ok(moment) };
        // The unit has index entries by its own catalogue.
        if !Arc::ptr_eq(&moment.catalogue, self.catalogue) {
            return Err(StoreError::SchemaChanged);
        }
        Ok(Moment { read: Box::new(Overlay::new(moment.read, unit)), ..moment })
    }
}
