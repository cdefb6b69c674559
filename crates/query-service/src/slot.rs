//! What a name or an expression of a script can stand for.

use std::collections::HashMap;
use std::sync::Arc;

use gremlin::Text;
use query_plan::Plan;
use query_value::Value;

use crate::error::QueryError;
use crate::limits::VARIABLES_MAX;

/// What an expression yields.
#[derive(Clone)]
pub(crate) enum Slot {
    /// A value.
    Value(Value),
    /// What only steps can take: a predicate, a nested traversal, a strategy.
    Argument(gremlin::Value),
    /// A traversal that has not run.
    Query(Arc<Plan>),
    /// The traversal source of the script's graph.
    Source,
    /// The script's graph.
    Graph,
    /// The schema of the script's graph.
    Schema,
}

impl Slot {
    /// What it is, for errors.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Value(value) => value.kind(),
            Self::Argument(value) => value.kind(),
            Self::Query(_) => "a traversal",
            Self::Source => "a traversal source",
            Self::Graph => "a graph",
            Self::Schema => "a schema",
        }
    }
}

/// Variables of a script, or of a session.
#[derive(Default)]
pub(crate) struct Variables(HashMap<Text, Slot>);

impl Variables {
    pub(crate) fn get(&self, name: &str) -> Option<&Slot> {
        self.0.get(name)
    }

    pub(crate) fn set(&mut self, name: &Text, slot: Slot) -> Result<(), QueryError> {
        if self.0.len() >= VARIABLES_MAX && !self.0.contains_key(name) {
            return Err(QueryError::evaluation(format!("more than {VARIABLES_MAX} variables (VARIABLES_MAX)")));
        }
        self.0.insert(name.clone(), slot);
        Ok(())
    }
}
