//! What an algorithm is to those who call it by name.

use crate::graph::{Graph, View};
use crate::run::Run;
use crate::table::{Params, Table};
use crate::{AnalyticsError, Result, limits};

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
    /// A property of the vertices, whose equal values make a group; here [`crate::Value::Groups`].
    Property,
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
    /// Bytes for each vertex, for each edge, and for each vertex and thread while it works, besides the view.
    pub state: (u64, u64, u64),
    pub(super) work: fn(&Graph, &Params, &Run<'_>) -> Result<Table>,
}

/// What decides how much memory a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Vertices of the graph.
    pub vertices: u64,
    /// Its edges.
    pub edges: u64,
    /// Whether edges have weights.
    pub is_weighted: bool,
    /// Threads of the run.
    pub threads: usize,
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

/// First columns of results that have other rows than one for each vertex.
const OTHER_ROWS: [&str; 5] = [crate::table::VERTEX, "source", "path", "cycle", "walk"];

impl Algorithm {
    /// Whether the result has one row for each vertex, in the order of their numbers.
    #[must_use]
    pub fn is_per_vertex(&self) -> bool {
        self.columns.first().is_some_and(|first| !OTHER_ROWS.contains(first))
    }

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

    /// What a run over so many vertices and edges takes on so many threads.
    #[must_use]
    pub fn estimate(&self, size: Size, params: &Params) -> Estimate {
        let Size { vertices, edges, is_weighted, threads } = size;
        let (per_vertex, per_edge, per_thread) = self.state;
        let per_vertex = per_vertex.saturating_add(self.by_params(params));
        let is_both = params.get(DIRECTION) == Some(&crate::Value::Text("both".to_owned()));
        let view = if is_both && self.view != View::Plain { View::Plain } else { self.view };
        let view = view.estimate(vertices, edges, is_weighted);
        let per_vertex = per_vertex.saturating_add(per_thread.saturating_mul(threads as u64));
        let state = vertices.saturating_mul(per_vertex).saturating_add(edges.saturating_mul(per_edge));
        Estimate {
            graph_bytes: Graph::estimate(vertices, edges, is_weighted),
            run_bytes: view.making.max(view.made.saturating_add(state)),
        }
    }

    /// Bytes for each vertex that depend on the parameters.
    fn by_params(&self, params: &Params) -> u64 {
        let has = |name: &str| self.parameters.iter().any(|own| own.name == name);
        let count = |name: &str, default| params.get(name).and_then(crate::Value::as_count).unwrap_or(default);
        // So many results of 16 bytes for each vertex, and once more as columns; for one vertex they do not count.
        let is_of_each = has("top_k") && !has("targets");
        let results = |times: u64| if is_of_each { count("top_k", 10).saturating_mul(16 * times) } else { 0 };
        if has("damping") {
            let tolerance = params.get("tolerance").and_then(crate::Value::as_float);
            let is_sharp = tolerance.is_some_and(|tolerance| tolerance < limits::RANK_TOLERANCE_OF_32_BITS);
            return if is_sharp { 8 } else { 0 } + if params.get("sources").is_some() { 8 } else { 0 };
        }
        if has("dimensions") {
            // Three vectors while they are made; then these, and scaled to one length; then these and the results.
            let of = |vectors: u64| count("dimensions", 128).saturating_mul(4 * vectors);
            return of(3).max(of(2).saturating_add(results(1))).max(of(1).saturating_add(results(2)));
        }
        results(2)
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
