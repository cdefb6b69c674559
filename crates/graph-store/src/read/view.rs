//! What a graph is read from: the engine as it is now, or one moment of it, with what a unit has written over it.

use std::sync::Arc;

use edge_rows::Rows;
use graph_access::Budget;
use graph_model::LabelId;
use graph_schema::{Catalogue, EdgeLabelKind};
use kv::{Overlay, Read, UnitRows};

use crate::core::graph::Graph;
use crate::{StoreError, limits};

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

    /// The moment at which indexes are read, with the rows of the unit over it.
    pub(crate) fn moment(&self) -> Result<Moment<'a>, StoreError> {
        let moment = Moment::now(self.graph)?;
        let Some(unit) = self.unit else { return Ok(moment) };
        // The unit has index entries by its own catalogue.
        if !Arc::ptr_eq(&moment.catalogue, self.catalogue) && !moment.catalogue.extends(self.catalogue) {
            return Err(StoreError::SchemaChanged);
        }
        Ok(Moment { read: Box::new(Overlay::new(moment.read, unit)), ..moment })
    }
}
