//! The unit of reads and writes of a request, or of a session until it commits.

use std::sync::Arc;

use auth::Caller;
use graph_access::{Budget, Committing, GraphRights, GraphWrite, Guarded, GuardedWrite};
use graph_host::HostedGraph;
use graph_store::GraphReader;
use query_exec::{Execution, Settings};
use query_plan::Plan;
use query_value::Value;

use crate::error::QueryError;
use crate::limits::ROWS_PER_BATCH;

/// Whether more results are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Stop,
}

/// Takes results in batches.
pub(crate) type Take<'t> = dyn FnMut(Vec<(Value, u64)>) -> Result<Flow, QueryError> + 't;

/// A graph as a request works on it: it reads what is stored, and from its first write on what it has written.
pub(crate) struct Unit<'g> {
    graph: &'g HostedGraph,
    budget: &'g Budget,
    settings: Settings,
    open: Option<Box<dyn GraphWrite + 'g>>,
    /// What may be read and written; `None`: everything.
    rights: Option<Arc<GraphRights>>,
}

impl<'g> Unit<'g> {
    pub(crate) fn new(graph: &'g HostedGraph, budget: &'g Budget, settings: Settings) -> Self {
        Self { graph, budget, settings, open: None, rights: None }
    }

    pub(crate) fn graph(&self) -> &'g HostedGraph {
        self.graph
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// From now on works with the rights of a caller. What was written with others cannot be gone on with.
    pub(crate) fn act_for(&mut self, caller: &Caller) -> Result<(), QueryError> {
        let rights = caller.rights(self.graph);
        if self.open.is_some() && rights != self.rights {
            self.roll_back();
            self.rights = rights;
            let message = "rights have changed since the transaction began; it was rolled back";
            return Err(QueryError::access(graph_model::ErrorKind::NotAllowed, message));
        }
        self.rights = rights;
        Ok(())
    }

    fn reader(&self) -> GraphReader<'g> {
        GraphReader::new(self.graph, &self.graph.catalogue(), self.budget)
    }

    /// A unit of writes, behind the rights where there are any.
    fn begin(&self) -> Box<dyn GraphWrite + 'g> {
        let transaction = self.graph.transaction(self.budget);
        match &self.rights {
            None => Box::new(transaction),
            Some(rights) => Box::new(GuardedWrite::new(transaction, self.reader(), Arc::clone(rights))),
        }
    }

    /// Whether the next queries' elements carry their properties.
    pub(crate) fn materialize(&mut self, is_wanted: bool) {
        self.settings.materialize = is_wanted;
    }

    /// Carries a plan out; `first_max` is how many results are asked for at once.
    pub(crate) fn run(&mut self, plan: &Plan, batch_max: usize, take: &mut Take<'_>) -> Result<(), QueryError> {
        self.budget.check().map_err(graph_store::StoreError::from)?;
        if plan.is_write {
            if self.open.is_none() {
                self.open = Some(self.begin());
            }
            if let Some(open) = &mut self.open {
                return pull(Execution::writing(plan, &mut **open, &self.settings)?, batch_max, take);
            }
        }
        if let Some(open) = &self.open {
            return pull(Execution::reading(plan, &**open, &self.settings)?, batch_max, take);
        }
        let reader = self.reader();
        match &self.rights {
            None => pull(Execution::reading(plan, &reader, &self.settings)?, batch_max, take),
            Some(rights) => {
                let guarded = Guarded::new(reader, Arc::clone(rights));
                pull(Execution::reading(plan, &guarded, &self.settings)?, batch_max, take)
            }
        }
    }

    /// All results of a plan, at most `max` of them; more are an error.
    pub(crate) fn collect(&mut self, plan: &Plan, max: usize) -> Result<Vec<(Value, u64)>, QueryError> {
        let mut all = Vec::new();
        self.run(plan, ROWS_PER_BATCH, &mut |mut rows| {
            all.append(&mut rows);
            if all.len() > max {
                let message = format!(
                    "a list of a script may have {max} items (LIST_ITEMS_MAX); let the traversal be the last statement \
                     instead, or give it a limit()"
                );
                return Err(QueryError::access(graph_model::ErrorKind::LimitExceeded, message));
            }
            Ok(Flow::Continue)
        })?;
        Ok(all)
    }

    /// Up to `count` results, counting repetitions; nothing is done for further ones.
    pub(crate) fn first(&mut self, plan: &Plan, count: usize) -> Result<Vec<Value>, QueryError> {
        let mut found = Vec::new();
        if count == 0 {
            return Ok(found);
        }
        self.run(plan, count.min(ROWS_PER_BATCH), &mut |rows| {
            for (value, times) in rows {
                let left = count.saturating_sub(found.len());
                let times = usize::try_from(times).unwrap_or(usize::MAX).min(left);
                found.extend(std::iter::repeat_n(value, times));
            }
            Ok(if found.len() < count { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(found)
    }

    /// Makes what was written visible to all.
    pub(crate) fn commit(&mut self) -> Result<(), QueryError> {
        match self.open.take() {
            Some(open) => Ok(open.commit()?),
            None => Ok(()),
        }
    }

    /// As [`Self::commit`], for a thread that must not wait; `None` where it would have to, and nothing is written.
    pub(crate) fn submit(&mut self) -> Result<Option<Committing>, QueryError> {
        match self.open.take() {
            Some(open) => Ok(open.submit()?),
            None => Ok(Some(Box::pin(std::future::ready(Ok(()))))),
        }
    }

    /// Forgets what was written.
    pub(crate) fn roll_back(&mut self) {
        self.open = None;
    }
}

fn pull(mut execution: Execution<'_>, batch_max: usize, take: &mut Take<'_>) -> Result<(), QueryError> {
    loop {
        let mut batch = Vec::new();
        execution.next_batch(&mut batch, batch_max)?;
        if batch.is_empty() || take(batch)? == Flow::Stop {
            return Ok(());
        }
    }
}
