//! An execution: results of a plan, pulled in batches.

use std::time::Instant;

use graph_access::{GraphRead, GraphWrite};
use query_plan::{PipelineFacts as _, Plan};
use query_value::{TraversalMetrics, Value};

use crate::context::{Access, Build, Cx};
use crate::error::{ExecError, ExecErrorKind, Result};
use crate::pipe::Pipe;
use crate::settings::Settings;
use crate::traverser::Traverser;
use crate::{limits, steps, storage};

/// A plan that is being carried out.
pub struct Execution<'g> {
    cx: Cx<'g>,
    pipe: Pipe<'g>,
    materialize: bool,
    started: Instant,
    is_failed: bool,
}

impl<'g> Execution<'g> {
    /// Carries out a plan that only reads.
    ///
    /// # Errors
    /// The plan writes, or contains what is not supported.
    pub fn reading(plan: &Plan, graph: &'g dyn GraphRead, settings: &Settings) -> Result<Self> {
        if plan.is_write {
            return Err(ExecError {
                kind: ExecErrorKind::Access(graph_model::ErrorKind::NotAllowed),
                message: "the query writes, but the graph is open for reading only".to_owned(),
                step: None,
            });
        }
        Self::over(plan, Access::Read(graph), settings)
    }

    /// Carries out a plan within a unit of writes; the caller commits the unit.
    ///
    /// # Errors
    /// The plan contains what is not supported.
    pub fn writing(plan: &Plan, graph: &'g mut dyn GraphWrite, settings: &Settings) -> Result<Self> {
        Self::over(plan, Access::Write(graph), settings)
    }

    fn over(plan: &Plan, graph: Access<'g>, settings: &Settings) -> Result<Self> {
        let mut cx = Cx::new(plan, graph, settings, Build(steps::stage));
        cx.is_profiled |= plan.root.any(&mut |node| matches!(node.op, query_plan::Op::Profile(_)));
        let pipe = Pipe::new(&plan.root, cx.build)?;
        let materialize = settings.materialize && plan.is_materialized;
        Ok(Self { cx, pipe, materialize, started: Instant::now(), is_failed: false })
    }

    /// Replaces the content of `batch` with the next results, each with the number of times it occurs: at least one and
    /// at most `rows_max` (0 counts as 1), or none at the end.
    ///
    /// # Errors
    /// What the query fails with. `batch` is empty then, and every further call gives an empty one.
    pub fn next_batch(&mut self, batch: &mut Vec<(Value, u64)>, rows_max: usize) -> Result<()> {
        batch.clear();
        if self.is_failed {
            return Ok(());
        }
        let outcome = self.fill(batch, rows_max.max(1));
        if outcome.is_err() {
            batch.clear();
            self.is_failed = true;
        }
        outcome
    }

    fn fill(&mut self, batch: &mut Vec<(Value, u64)>, rows_max: usize) -> Result<()> {
        let mut values = Vec::new();
        let (mut bulks, mut read) = (Vec::new(), Vec::new());
        while values.len() < rows_max {
            let Some(Traverser { value, bulk, stored, .. }) = self.pipe.next(&mut self.cx)? else { break };
            values.push(value);
            bulks.push(bulk);
            read.push(stored);
        }
        storage::complete(&self.cx, &mut values, &read, self.materialize)?;
        batch.extend(values.into_iter().zip(bulks));
        Ok(())
    }

    /// All results that are left.
    ///
    /// # Errors
    /// As [`Self::next_batch`].
    pub fn collect(&mut self) -> Result<Vec<(Value, u64)>> {
        let (mut all, mut batch) = (Vec::new(), Vec::new());
        loop {
            self.next_batch(&mut batch, limits::BATCH)?;
            if batch.is_empty() {
                return Ok(all);
            }
            all.append(&mut batch);
        }
    }

    /// What was measured; useful with [`Settings::profile`].
    #[must_use]
    pub fn metrics(&self) -> TraversalMetrics {
        self.pipe.metrics(i64::try_from(self.started.elapsed().as_nanos()).unwrap_or(i64::MAX))
    }
}
