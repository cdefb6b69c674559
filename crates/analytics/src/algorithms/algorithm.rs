//! What an algorithm is to those who call it by name.

use crate::graph::{Graph, View};
use crate::run::Run;
use crate::table::{Params, Table};
use crate::{AnalyticsError, Result};

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number of 0 or more.
    Count,
    /// A number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A text.
    Text,
    /// A list of numbers.
    Numbers,
    /// A vertex: its number here, its id for those who ask a database.
    Vertex,
    /// Vertices.
    Vertices,
}

/// A parameter of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// What it is where it is not given; "required" where it must be.
    pub default: &'static str,
}

/// An algorithm that can be called by name.
#[derive(Clone, Copy)]
pub struct Algorithm {
    /// Its name.
    pub name: &'static str,
    /// What it finds, in a sentence.
    pub summary: &'static str,
    /// Which edges count, where `direction` is not given.
    pub view: View,
    /// Its own parameters; all take `direction` (`out`, `in`, `both`) where the view has directions.
    pub parameters: &'static [Parameter],
    /// The columns of its result, behind `vertex` where there is a row for each.
    pub columns: &'static [&'static str],
    /// Bytes for each vertex and for each edge while it works, besides the view.
    pub state: (u64, u64),
    pub(super) work: fn(&Graph, &Params, &Run<'_>) -> Result<Table>,
}

/// What a run takes in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The graph itself.
    pub graph_bytes: u64,
    /// What the algorithm has besides, its result included.
    pub run_bytes: u64,
}

pub(super) const fn parameter(name: &'static str, kind: Kind, default: &'static str) -> Parameter {
    Parameter { name, kind, default }
}

/// The parameter that all algorithms with directions take.
pub const DIRECTION: &str = "direction";

impl Algorithm {
    /// Refuses parameters that it does not have.
    ///
    /// # Errors
    /// [`AnalyticsError::Parameter`].
    pub fn check(&self, params: &Params) -> Result<()> {
        let is_known = |name: &str| {
            name == DIRECTION && self.view != View::Plain || self.parameters.iter().any(|own| own.name == name)
        };
        if let Some(name) = params.names().find(|name| !is_known(name)) {
            let known: Vec<&str> = self.parameters.iter().map(|own| own.name).collect();
            let text = format!("{} has no parameter '{name}'; it has: {}", self.name, known.join(", "));
            return Err(AnalyticsError::Parameter(text));
        }
        for required in self.parameters.iter().filter(|own| own.default == "required") {
            if params.get(required.name).is_none() {
                return Err(AnalyticsError::Parameter(format!("Must pass parameter '{}'", required.name)));
            }
        }
        Ok(())
    }

    /// What a run over so many vertices and edges takes.
    #[must_use]
    pub fn estimate(&self, vertices: u64, edges: u64, is_weighted: bool, params: &Params) -> Estimate {
        let (per_vertex, per_edge) = self.state;
        let mut per_vertex = per_vertex;
        if let Some(dimensions) = params.get("dimensions").and_then(crate::Value::as_count) {
            per_vertex += dimensions.saturating_mul(12);
        } else if self.parameters.iter().any(|own| own.name == "dimensions") {
            per_vertex += 128 * 12;
        }
        let is_both = params.get(DIRECTION) == Some(&crate::Value::Text("both".to_owned()));
        let view = if is_both && self.view != View::Plain { View::Plain } else { self.view };
        let state = vertices.saturating_mul(per_vertex).saturating_add(edges.saturating_mul(per_edge));
        Estimate {
            graph_bytes: Graph::estimate(vertices, edges, is_weighted),
            run_bytes: view.estimate(vertices, edges, is_weighted).saturating_add(state),
        }
    }

    /// Runs it over a graph with all its edges.
    ///
    /// # Errors
    /// [`AnalyticsError`].
    pub fn run(&self, graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
        self.check(params)?;
        let seen = match (self.view, params.text(DIRECTION, "out")?) {
            (View::Plain, _) | (View::Simple, "both") => Graph::without_directions(graph.plain(run)?),
            (View::Simple, "out") => graph.simple(run)?,
            (View::Simple, "in") => graph.simple(run)?.reversed(),
            (View::Multi, "out") => graph.clone(),
            (View::Multi, "in") => graph.reversed(),
            (View::Multi, "both") => graph.both(run)?,
            (_, other) => {
                let text = format!("the value of direction must be one of out, in, both, but got '{other}'");
                return Err(AnalyticsError::Parameter(text));
            }
        };
        (self.work)(&seen, params, run)
    }
}
