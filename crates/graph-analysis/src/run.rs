//! Running an analysis to its end, and what it would take.

use std::time::{Duration, Instant};

use analytics::algorithms::{Algorithm, Size};
use analytics::{AnalyticsError, Params, Run, Stop, Value, algorithms};
use graph_store::Graph;
use serde_json::{Value as Json, json};

use crate::AnalysisError;
use crate::answer::{self, Rows};
use crate::found::Found;
use crate::projection::{Projection, count};
use crate::request::{Analysis, Work};
use crate::state::{JobState, Ready, describe};
use crate::watch::{Observer, Unobserved, Watching};
use crate::write_back::{Written, write};

/// What a run would take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Vertices that pass.
    pub vertices: u64,
    /// Edges that pass, those to vertices that do not included.
    pub edges: u64,
    /// Bytes of the copy of the graph, while it is made.
    pub projection_bytes: u64,
    /// Bytes of the algorithm, its result included.
    pub run_bytes: u64,
    /// Bytes that may be taken now.
    pub free_bytes: u64,
}

impl Estimate {
    /// Whether there is room for it.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.projection_bytes.saturating_add(self.run_bytes) <= self.free_bytes
    }
}

/// Runs an analysis to its end, with threads of its own; for programs that have no tasks.
///
/// # Errors
/// [`AnalysisError`].
pub fn run_analysis(graph: &Graph, analysis: &Analysis, state: &JobState) -> Result<Json, AnalysisError> {
    run_observed(graph, analysis, state, &Unobserved)
}

/// The same, with somebody who may stop it and is told how far it is.
///
/// # Errors
/// [`AnalysisError`].
pub fn run_observed(
    graph: &Graph,
    analysis: &Analysis,
    state: &JobState,
    observer: &dyn Observer,
) -> Result<Json, AnalysisError> {
    if analysis.parameters.flag("estimate")? {
        let found = estimate(graph, analysis, state, observer)?;
        return Ok(json!({
            "vertices": found.vertices, "edges": found.edges, "projection_bytes": found.projection_bytes,
            "run_bytes": found.run_bytes, "bytes_max": state.bytes_max(), "fits": found.fits(),
        }));
    }
    match &analysis.work {
        Work::Projections => Ok(state.list(graph)),
        Work::DropProjection => {
            let name = analysis.parameters.text("projection")?.unwrap_or_default();
            Ok(json!({ "dropped": state.drop_kept(graph, name) }))
        }
        Work::Project => with_threads(analysis, state, observer, |run| {
            let began = Instant::now();
            let ready = state.projection(graph, analysis, observer, run)?;
            let mut answer = describe(&ready.projection);
            if let Json::Object(fields) = &mut answer {
                fields.insert("load_ms".to_owned(), Json::from(millis(began)));
            }
            Ok(answer)
        }),
        Work::HugeGraph(huge) => with_threads(analysis, state, observer, |run| {
            let Ready { projection, reserved: _copy } = state.projection(graph, analysis, observer, run)?;
            let both = Params::new().with(algorithms::DIRECTION, Value::Text("both".to_owned()));
            let needed = bytes_of(algorithms::find(huge.own_name())?, &projection, &both, run);
            let _run = state.reserve(&format!("{} over this graph", analysis.name), needed)?;
            let (answer, written) = huge.run(&analysis.parameters, &projection, &graph.catalogue(), run)?;
            if let Some(written) = written {
                write(graph, &written, &projection, observer)?;
            }
            Ok(answer)
        }),
        Work::Own(_) => {
            let found = find(graph, analysis, state, observer)?;
            let rows = match analysis.parameters.count("top")? {
                Some(top) => Rows::Greatest(top),
                None => Rows::First(analysis.rows_max()?),
            };
            let mut answer = answer::of_found(&found, &rows);
            let (vertices, edges) = found.size();
            answer.insert("vertices".to_owned(), Json::from(vertices));
            answer.insert("edges".to_owned(), Json::from(edges));
            answer.insert("load_ms".to_owned(), Json::from(found.load_ms));
            answer.insert("compute_ms".to_owned(), Json::from(found.compute_ms));
            answer.insert("memory_bytes".to_owned(), Json::from(found.memory_bytes));
            if let Some(property) = analysis.parameters.text("write_property")? {
                let began = Instant::now();
                let count = write_found(graph, found, property, observer)?;
                answer.insert("written".to_owned(), Json::from(count));
                answer.insert("write_ms".to_owned(), Json::from(millis(began)));
            }
            Ok(Json::Object(answer))
        }
    }
}

/// Runs one of our own algorithms, and gives its whole result.
///
/// # Errors
/// [`AnalysisError`]; [`AnalysisError::Parameter`] for names of HugeGraph's and for what is no algorithm.
pub fn find(
    graph: &Graph,
    analysis: &Analysis,
    state: &JobState,
    observer: &dyn Observer,
) -> Result<Found, AnalysisError> {
    let Work::Own(name) = &analysis.work else {
        let text = format!("'{}' has an answer, but no rows; algorithms of this server have", analysis.name);
        return Err(AnalysisError::Parameter(text));
    };
    let algorithm = algorithms::find(name)?;
    with_threads(analysis, state, observer, |run| {
        let began = Instant::now();
        let Ready { projection, reserved } = state.projection(graph, analysis, observer, run)?;
        let load_ms = millis(began);
        let began = Instant::now();
        let params = analysis.params(algorithm, graph, &projection, observer)?;
        let needed = bytes_of(algorithm, &projection, &params, run);
        let own = state.reserve(&format!("{name} over this graph"), needed)?;
        let table = algorithm.run(projection.graph(), &params, run)?;
        let memory_bytes = projection.bytes() + needed;
        let reserved = reserved.into_iter().chain([own]).collect();
        Ok(Found { projection, table, memory_bytes, load_ms, compute_ms: millis(began), reserved })
    })
}

/// What a run would take, by counting what is stored.
///
/// # Errors
/// [`AnalysisError`].
pub fn estimate(
    graph: &Graph,
    analysis: &Analysis,
    state: &JobState,
    observer: &dyn Observer,
) -> Result<Estimate, AnalysisError> {
    let spec = analysis.spec(&graph.catalogue())?;
    let _alone = state.make(observer)?;
    let counts = count(graph, &spec, &state.wanted(observer))?;
    let (vertices, edges) = (counts.all_vertices(), counts.all_edges());
    let projection_bytes = Projection::estimate(&counts, spec.is_weighted(), state.threads());
    let size = Size { vertices, edges, is_weighted: spec.is_weighted(), threads: state.threads() };
    let run_bytes = match &analysis.work {
        Work::Own(name) => {
            let algorithm = algorithms::find(name)?;
            algorithm.estimate(size, &analysis.plain_params(algorithm)).run_bytes
        }
        Work::HugeGraph(huge) => {
            let both = Params::new().with(algorithms::DIRECTION, Value::Text("both".to_owned()));
            algorithms::find(huge.own_name())?.estimate(size, &both).run_bytes
        }
        _ => 0,
    };
    Ok(Estimate { vertices, edges, projection_bytes, run_bytes, free_bytes: state.free() })
}

fn bytes_of(algorithm: &Algorithm, projection: &Projection, params: &Params, run: &Run<'_>) -> u64 {
    let graph = projection.graph();
    let (vertices, edges) = (graph.vertices() as u64, graph.edges() as u64);
    let size = Size { vertices, edges, is_weighted: graph.out().is_weighted(), threads: run.threads() };
    algorithm.estimate(size, params).run_bytes
}

fn millis(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Does work with the threads of a run; errors of one that was stopped say why.
fn with_threads<T>(
    analysis: &Analysis,
    state: &JobState,
    observer: &dyn Observer,
    work: impl FnOnce(&Run<'_>) -> Result<T, AnalysisError>,
) -> Result<T, AnalysisError> {
    observer.check()?;
    let pool = state.pool()?;
    let watching = Watching::new(observer);
    let run = Run::new(Some(&pool), &watching);
    let run = match analysis.parameters.count("timeout_ms")? {
        Some(limit_ms) => run.within(Duration::from_millis(limit_ms as u64)),
        None => run,
    };
    work(&run).map_err(|error| match error {
        AnalysisError::Algorithm(AnalyticsError::Stopped(Stop::Cancelled)) => watching.explained(error),
        other => other,
    })
}

/// Writes the value of each vertex of a result to a property; answers how many were written.
///
/// # Errors
/// [`AnalysisError`]; where the result has no value for each vertex.
pub fn write_found(graph: &Graph, found: Found, property: &str, observer: &dyn Observer) -> Result<u64, AnalysisError> {
    let Found { projection, table, reserved: _until_written, .. } = found;
    let column = table.columns.into_iter().next().filter(|_| table.is_per_vertex);
    let Some(column) = column else {
        let text = "'write_property' needs a value for each vertex, which this algorithm has not";
        return Err(AnalysisError::parameter(text));
    };
    write(graph, &Written { property: property.to_owned(), values: column.values }, &projection, observer)
}
