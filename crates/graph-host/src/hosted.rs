//! A graph and the store that keeps it; the graphs in memory, and how they follow those in the store.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use graph_access::{Budget, WriteCheck};
use graph_model::{Properties, Vertex, VertexId};
use graph_schema::Catalogue;
use graph_store::graph_version::read_versions;
use graph_store::{Encoder, Graph, Pending, Reader, Schema, StoreError, Transaction, Wait, Writer};
use key_codec::GraphNumber;
use parking_lot::RwLock;

use crate::host::Host;
use crate::jobs::Jobs;
use crate::jobs::records::next_task;
use crate::lists::read_graphs;
use crate::variables::Variables;

/// The graphs of a store by name, shared with the threads that look after them.
pub(crate) type Graphs = Arc<RwLock<BTreeMap<String, Arc<HostedGraph>>>>;

/// A graph kept by a store: everything a [`Graph`] is, and the jobs on it.
pub struct HostedGraph {
    graph: Graph,
    host: Arc<Host>,
    /// No task had this number, nor a higher one, when the graph was opened.
    first_task: u64,
}

impl HostedGraph {
    /// A graph that is new.
    pub(crate) fn fresh(host: &Arc<Host>, name: String, number: GraphNumber, catalogue: Catalogue) -> Self {
        let graph = Graph::new(name, number, Arc::clone(&host.graphs_share), catalogue);
        Self { graph, host: Arc::clone(host), first_task: 1 }
    }

    /// A graph as it is stored.
    pub(crate) fn open(host: &Arc<Host>, name: String, number: GraphNumber) -> Result<Self, StoreError> {
        let lane = host.lane();
        let graph = Graph::open(name, number, Arc::clone(&host.graphs_share), lane)?;
        let first_task = next_task(lane, number)?;
        Ok(Self { graph, host: Arc::clone(host), first_task })
    }

    /// To read elements.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(&self.graph)
    }

    /// To write elements.
    #[must_use]
    pub fn writer(&self) -> Writer<'_> {
        Writer::new(&self.graph)
    }

    /// Sets values of analytical property keys: see [`graph_maintenance::set_analytical`].
    ///
    /// # Errors
    /// Those of [`graph_maintenance::set_analytical`].
    pub fn set_analytical(
        &self,
        values: &[(VertexId, Properties)],
        check: Option<&dyn WriteCheck>,
        wait: Wait,
    ) -> Result<Pending<Vec<Vertex>>, StoreError> {
        graph_maintenance::set_analytical(&self.graph, values, check, wait)
    }

    /// To write several elements that become visible together, by the schema as it is now.
    #[must_use]
    pub fn transaction<'g>(&'g self, budget: &'g Budget) -> Transaction<'g> {
        Transaction::new(&self.graph, budget)
    }

    /// To change the schema.
    #[must_use]
    pub fn schema(&self) -> Schema<'_> {
        Schema::new(&self.graph)
    }

    /// To read and write variables.
    #[must_use]
    pub fn variables(&self) -> Variables<'_> {
        Variables::new(&self.graph)
    }

    /// To make rows of elements for an ingest, with the schema as it is now.
    ///
    /// # Errors
    /// Those of storage.
    pub fn encoder(&self) -> Result<Encoder<'_>, StoreError> {
        Encoder::new(&self.graph)
    }

    /// The jobs on it.
    #[must_use]
    pub fn jobs(&self) -> Jobs<'_> {
        Jobs::new(&self.graph, &self.host.scheduler, self.first_task)
    }
}

impl Deref for HostedGraph {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.graph
    }
}

/// Brings the graphs in memory in line with those in the store. Nothing else may do so at the same time: the caller
/// holds the right to change, or what it is made with. A round waits for this, and a server whose rounds take too long
/// refuses to write: so it does not wait behind the requests of a load.
pub(crate) fn reload(host: &Arc<Host>, graphs: &Graphs) -> Result<(), StoreError> {
    let engine = host.lane();
    let listed: BTreeMap<String, GraphNumber> = read_graphs(engine)?.into_iter().collect();
    let versions = read_versions(engine)?;
    let current: Vec<Arc<HostedGraph>> = graphs.read().values().cloned().collect();
    for graph in &current {
        if listed.get(graph.name()) == Some(&graph.number()) {
            if let Some(version) = versions.get(&graph.number()) {
                graph.follow(engine, *version)?;
            }
        } else if !listed.contains_key(graph.name()) {
            graph.mark_cleared();
            graphs.write().remove(graph.name());
        }
    }
    for (name, number) in listed {
        let old = graphs.read().get(&name).cloned();
        if old.as_ref().is_some_and(|old| old.number() == number) {
            continue;
        }
        let graph = HostedGraph::open(host, name.clone(), number)?;
        if let Some(old) = old {
            graph.replace(&old);
            old.mark_cleared();
        }
        if let Some(version) = versions.get(&number) {
            graph.set_version(*version);
        }
        graphs.write().insert(name, Arc::new(graph));
    }
    Ok(())
}
