//! Plans and what they consist of.

use query_value::{Operator, Value};

use crate::Text;
use crate::limits::OPERATORS_MAX;
use crate::needs::{OpFacts as _, PipelineFacts as _};
use crate::op::Pipeline;
use crate::paths::Paths;

/// A query ready to be carried out.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What is done.
    pub root: Pipeline,
    /// What each traverser carries from the start.
    pub sack: Option<Sack>,
    /// Side effects with the value they begin with.
    pub side_effects: Vec<SideEffectSeed>,
    /// What is kept of the way a traverser came.
    pub paths: Paths,
    /// Whether it writes to the graph.
    pub is_write: bool,
    /// Whether equal traversers may be counted instead of kept (`withBulk(false)` forbids it).
    pub is_bulked: bool,
    /// Whether effects of single traversers can be observed, so that they must be taken one after the other.
    pub is_lazy: bool,
    /// What random choices begin with.
    pub seed: Option<i64>,
    /// Whether results carry properties.
    pub is_materialized: bool,
    /// Rules that changed the plan.
    pub rules: Vec<&'static str>,
}

/// What each traverser carries from the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Sack {
    /// The first value.
    pub seed: Value,
    /// What sacks become when traversers are merged; none: traversers with different sacks are not.
    pub merge: Option<Operator>,
}

/// A side effect that the query declares.
#[derive(Clone, Debug, PartialEq)]
pub struct SideEffectSeed {
    /// Its name.
    pub key: Text,
    /// Its first value.
    pub value: Value,
    /// How values are added to it; none: as the operator that adds them does.
    pub reducer: Option<Operator>,
}

/// An operator on two values, for [`SideEffectSeed::reducer`] and sacks.
pub type Reducer = Operator;

/// A query that no plan can be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// What is wrong, in words fit for the user.
    pub message: String,
}

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PlanError {}

impl PlanError {
    /// An error with a text.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl Plan {
    /// A plan of a pipeline; what the pipeline needs is worked out by [`Self::finish`].
    #[must_use]
    pub fn new(root: Pipeline) -> Self {
        Self { root, is_bulked: true, is_materialized: true, ..Self::default() }
    }

    /// Works out what an executor must keep.
    ///
    /// # Errors
    /// More than [`OPERATORS_MAX`] operators.
    pub fn finish(&mut self) -> Result<(), PlanError> {
        let count = self.root.operators();
        if count > OPERATORS_MAX {
            let message = format!("the query has {count} operators, the limit is {OPERATORS_MAX} (OPERATORS_MAX)");
            return Err(PlanError::new(message));
        }
        self.paths = self.paths.max(self.root.paths());
        self.is_write = self.root.any(&mut |node| node.op.is_write());
        self.is_lazy = self.root.any(&mut |node| node.op.has_effect());
        Ok(())
    }
}
