//! What all translating functions share.

use gremlin::{Step, Traversal};
use query_plan::{Pipeline, PlanError};

use crate::strategy::Strategies;

/// Turns steps into operators.
pub(crate) struct Translator<'s> {
    pub(crate) strategies: &'s Strategies,
    /// Makes the operators of steps; true: they begin the query.
    pub(crate) pipeline: fn(&Translator<'_>, &[Step], bool) -> Result<Pipeline, PlanError>,
}

impl Translator<'_> {
    /// A nested traversal.
    pub(crate) fn child(&self, traversal: &Traversal) -> Result<Pipeline, PlanError> {
        self.pipeline(&traversal.steps, false)
    }

    pub(crate) fn pipeline(&self, steps: &[Step], is_root: bool) -> Result<Pipeline, PlanError> {
        (self.pipeline)(self, steps, is_root)
    }
}
