//! Plans that figures about a graph decide, kept for each graph.

use std::sync::Arc;

use cypher_exec::{Error, Prepared, Procedures, from_access};
use cypher_statistics::{GraphStatistics, Kept};
use cypher_value::Text;
use graph_access::GraphRead;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::limits::{GRAPH_PLANS_MAX, PLAN_TEXT_BYTES_MAX, PLANNED_GRAPHS_MAX};

/// The figures of a graph, and plans with the version of the figures they go by.
#[derive(Default)]
struct Planned {
    kept: Kept,
    plans: Mutex<FxHashMap<Text, (u64, Arc<Prepared>)>>,
}

/// Figures and plans of graphs.
#[derive(Default)]
pub(crate) struct GraphPlans(Mutex<FxHashMap<u64, Arc<Planned>>>);

impl GraphPlans {
    fn of(&self, graph: u64) -> Arc<Planned> {
        let mut all = self.0.lock();
        if all.len() >= PLANNED_GRAPHS_MAX && !all.contains_key(&graph) {
            all.clear();
        }
        Arc::clone(all.entry(graph).or_default())
    }

    /// The plan of a query by the figures of a graph, which has a number.
    ///
    /// # Errors
    /// Those of the query; the time was up before the figures were gathered.
    pub(crate) fn prepare(
        &self,
        graph: u64,
        text: &Text,
        reader: &dyn GraphRead,
        procedures: &Arc<Procedures>,
    ) -> Result<Arc<Prepared>, Error> {
        let own = self.of(graph);
        let version = own.kept.version();
        if let Some((planned, prepared)) = own.plans.lock().get(text)
            && *planned == version
        {
            return Ok(Arc::clone(prepared));
        }
        let prepared = Arc::new(Prepared::for_graph(text, procedures, &GraphStatistics::new(reader, &own.kept))?);
        // Where the time was up, figures are missing. A query that is only tried for a moment then gets the time to
        // gather them, once; what a moment gathers would be lost each time.
        reader.check().map_err(from_access)?;
        if text.len() <= PLAN_TEXT_BYTES_MAX {
            let mut plans = own.plans.lock();
            if plans.len() >= GRAPH_PLANS_MAX {
                plans.clear();
            }
            plans.insert(text.clone(), (version, Arc::clone(&prepared)));
        }
        Ok(prepared)
    }
}
