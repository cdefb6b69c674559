//! A graph and the store that keeps it.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use graph_schema::Catalogue;
use graph_store::{Graph, StoreError};
use key_codec::GraphNumber;
use parking_lot::RwLock;

use crate::host::Host;
use crate::jobs::Jobs;
use crate::jobs::task::next_task;

/// The graphs of a store by name, shared with the threads that look after them.
pub(crate) type Graphs = Arc<RwLock<BTreeMap<String, Arc<HostedGraph>>>>;

/// A graph kept by a store: everything a [`Graph`] is, and the jobs on it.
pub struct HostedGraph {
    graph: Graph,
    pub(crate) host: Arc<Host>,
    /// No task had this number, nor a higher one, when the graph was opened.
    pub(crate) first_task: u64,
}

impl HostedGraph {
    /// A graph that is new.
    pub(crate) fn fresh(host: &Arc<Host>, name: String, number: GraphNumber, catalogue: Catalogue) -> Self {
        let graph = Graph::new(name, number, Arc::clone(&host.graphs_share), catalogue);
        Self { graph, host: Arc::clone(host), first_task: 1 }
    }

    /// A graph as it is stored.
    pub(crate) fn open(host: &Arc<Host>, name: String, number: GraphNumber) -> Result<Self, StoreError> {
        let graph = Graph::open(name, number, Arc::clone(&host.graphs_share))?;
        let first_task = next_task(&*host.engine, number)?;
        Ok(Self { graph, host: Arc::clone(host), first_task })
    }

    /// The jobs on it.
    #[must_use]
    pub fn jobs(&self) -> Jobs<'_> {
        Jobs::new(self)
    }
}

impl Deref for HostedGraph {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.graph
    }
}
