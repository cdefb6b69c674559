//! Analyses as tasks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use analytics::{Run, Stop, Watch, algorithms};
use graph_host::{Job, JobContext};
use graph_maintenance::Progress as _;
use graph_model::ErrorKind;
use graph_store::{Graph, StoreError};
use parking_lot::Mutex;
use serde_json::{Map, Value as Json, json};

use crate::answer::{self, Rows};
use crate::projection::{Projection, Spec, Wanted, count, project, too_large};
use crate::request::{Analysis, Work};
use crate::write_back::{Written, write};
use crate::{AnalysisError, limits};

/// The type of tasks that run algorithms, HugeGraph's name for it.
pub const JOB_KIND: &str = "algorithm";

/// The type of tasks that HugeGraph's computer would run.
pub const COMPUTER_KIND: &str = "computer";

/// How often a running job looks whether it is to stop, and says how far it is.
const LOOK: Duration = Duration::from_millis(200);

/// What analyses share: their limit of memory, and the projections kept under names.
pub struct JobState {
    bytes_max: u64,
    threads: usize,
    kept: Mutex<BTreeMap<(u32, String), Kept>>,
}

struct Kept {
    projection: Arc<Projection>,
    spec: Spec,
    made: Instant,
}

impl JobState {
    /// With so much memory for projections and runs, and so many threads for each; 0: one for each processor.
    #[must_use]
    pub fn new(bytes_max: u64, threads: usize) -> Self {
        let threads = match threads {
            0 => threads::processors().len().clamp(1, limits::THREADS_MAX),
            given => given.min(limits::THREADS_MAX),
        };
        Self { bytes_max, threads, kept: Mutex::new(BTreeMap::new()) }
    }

    fn kept_bytes(&self) -> u64 {
        self.kept.lock().values().map(|kept| kept.projection.bytes()).sum()
    }
}

/// What the thread that works and the one that watches it share.
#[derive(Default)]
struct Signals {
    stop: AtomicBool,
    /// Rows read.
    rows: AtomicU64,
    /// Steps done since.
    steps: AtomicU64,
}

impl Watch for Signals {
    fn check(&self) -> Result<(), Stop> {
        if self.stop.load(Ordering::Relaxed) { Err(Stop::Cancelled) } else { Ok(()) }
    }

    fn progress(&self, _: analytics::Progress) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

impl Signals {
    fn check_store(&self) -> Result<(), StoreError> {
        if self.stop.load(Ordering::Relaxed) { Err(StoreError::Cancelled) } else { Ok(()) }
    }
}

/// Runs algorithms as tasks.
pub struct AnalysisJob {
    state: Arc<JobState>,
    kind: &'static str,
}

impl AnalysisJob {
    /// Of tasks of a type: [`JOB_KIND`] or [`COMPUTER_KIND`].
    #[must_use]
    pub fn new(kind: &'static str, state: Arc<JobState>) -> Self {
        Self { state, kind }
    }
}

/// A task's input: what HugeGraph keeps of such a task.
fn read_input(input: &[u8]) -> Option<Result<Analysis, AnalysisError>> {
    let Json::Object(mut fields) = serde_json::from_slice(input).ok()? else { return None };
    let parameters = match fields.remove("parameters") {
        Some(Json::Object(parameters)) => parameters,
        _ => Map::new(),
    };
    let name = |kind| fields.get(kind).and_then(Json::as_str);
    match name(COMPUTER_KIND) {
        Some(name) => Some(Analysis::computer(name, parameters)),
        None => Some(Analysis::new(name(JOB_KIND)?, parameters)),
    }
}

impl Job for AnalysisJob {
    fn kind(&self) -> &str {
        self.kind
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        let task = context.task();
        let analysis = read_input(&task.input).ok_or(StoreError::TaskNotFound { id: task.id })??;
        let (signals, graph, state) = (Signals::default(), context.graph(), &*self.state);
        let mut stopped = Ok(());
        let mut reported = 0;
        let waiting = thread::current();
        let outcome = thread::scope(|scope| {
            let work = scope.spawn(|| {
                let found = run(graph, &analysis, state, &signals);
                waiting.unpark();
                found
            });
            while !work.is_finished() {
                thread::park_timeout(LOOK);
                if stopped.is_ok() {
                    let done = signals.rows.load(Ordering::Relaxed) + signals.steps.load(Ordering::Relaxed);
                    let more = usize::try_from(done - reported).unwrap_or(usize::MAX);
                    stopped = if more > 0 { context.advance(more) } else { context.check() };
                    reported = done;
                    if stopped.is_err() {
                        signals.stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            work.join()
        });
        stopped?;
        let panicked = |_| {
            let message = "the algorithm panicked; the log has details".to_owned();
            Err(AnalysisError::Store(StoreError::JobFailed { kind: ErrorKind::Internal, message }))
        };
        let answer = outcome.unwrap_or_else(panicked).map_err(StoreError::from)?;
        answer::text(&answer).map(Some)
    }
}

/// Runs an analysis to its end, with threads of its own; for programs that have no tasks.
///
/// # Errors
/// [`AnalysisError`].
pub fn run_analysis(graph: &Graph, analysis: &Analysis, state: &JobState) -> Result<Json, AnalysisError> {
    run(graph, analysis, state, &Signals::default())
}

fn run(graph: &Graph, analysis: &Analysis, state: &JobState, signals: &Signals) -> Result<Json, AnalysisError> {
    match &analysis.work {
        Work::Projections => return Ok(list(graph, state)),
        Work::DropProjection => {
            let name = analysis.parameters.text("projection")?.unwrap_or_default().to_owned();
            let dropped = state.kept.lock().remove(&(graph.number().0, name)).is_some();
            return Ok(json!({ "dropped": dropped }));
        }
        _ => {}
    }
    let start = |_| threads::run_anywhere();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(state.threads).start_handler(start).build();
    let pool = pool.map_err(|error| AnalysisError::Parameter(format!("threads could not be started: {error}")))?;
    let run = Run::new(Some(&pool), signals);
    let run = match analysis.parameters.count("timeout_ms")? {
        Some(limit_ms) => run.within(Duration::from_millis(limit_ms as u64)),
        None => run,
    };
    let began = Instant::now();
    if analysis.parameters.flag("estimate")? {
        return estimate(graph, analysis, state, signals);
    }
    let projection = projection(graph, analysis, state, signals, &run)?;
    let load_ms = began.elapsed().as_millis();
    let (vertices, edges) = (projection.graph().vertices() as u64, projection.graph().edges() as u64);
    let began = Instant::now();
    let (mut answer, written, is_own) = match &analysis.work {
        Work::HugeGraph(huge) => {
            let own = algorithms::find(huge.own_name())?;
            let both = analytics::Params::new().with("direction", analytics::Value::Text("both".to_owned()));
            let estimate = own.estimate(vertices, edges, projection.graph().out().is_weighted(), &both);
            let needed = projection.bytes() + estimate.run_bytes;
            if needed > state.bytes_max {
                return Err(too_large(&format!("{} over this graph", analysis.name), needed, state.bytes_max));
            }
            let (answer, written) = huge.run(&analysis.parameters, &projection, &graph.catalogue(), &run)?;
            (answer, written, false)
        }
        Work::Own(name) => {
            let algorithm = algorithms::find(name)?;
            let params = analysis.params(algorithm, &projection)?;
            let estimate = algorithm.estimate(vertices, edges, projection.graph().out().is_weighted(), &params);
            let needed = projection.bytes() + estimate.run_bytes;
            if needed > state.bytes_max {
                return Err(too_large(&format!("{name} over this graph"), needed, state.bytes_max));
            }
            let table = algorithm.run(projection.graph(), &params, &run)?;
            let rows = match analysis.parameters.count("top")? {
                Some(top) => Rows::Greatest(top),
                None => Rows::First(analysis.rows_max()?),
            };
            let mut answer = answer::of_table(&table, &rows, &projection)?;
            answer.insert("memory_bytes".to_owned(), Json::from(needed));
            let written = match analysis.parameters.text("write_property")? {
                Some(_) if !table.is_per_vertex => {
                    let text = format!("'write_property' needs a value for each vertex, which {name} has not");
                    return Err(AnalysisError::Parameter(text));
                }
                Some(property) => table
                    .columns
                    .into_iter()
                    .next()
                    .map(|column| Written { property: property.to_owned(), values: column.values }),
                None => None,
            };
            (Json::Object(answer), written, true)
        }
        Work::Project => (describe(&projection), None, true),
        Work::Projections | Work::DropProjection => (Json::Null, None, false),
    };
    let compute_ms = began.elapsed().as_millis();
    let began = Instant::now();
    let count = match &written {
        Some(written) => Some(write(graph, written, &projection, &|| signals.check_store())?),
        None => None,
    };
    if let Json::Object(fields) = &mut answer
        && is_own
    {
        let millis = |value: u128| Json::from(u64::try_from(value).unwrap_or(u64::MAX));
        fields.insert("vertices".to_owned(), Json::from(vertices));
        fields.insert("edges".to_owned(), Json::from(edges));
        fields.insert("load_ms".to_owned(), millis(load_ms));
        fields.insert("compute_ms".to_owned(), millis(compute_ms));
        if let Some(count) = count {
            fields.insert("written".to_owned(), Json::from(count));
            fields.insert("write_ms".to_owned(), millis(began.elapsed().as_millis()));
        }
    }
    Ok(answer)
}

fn wanted<'a>(
    state: &JobState,
    signals: &'a Signals,
    check: &'a (dyn Fn() -> Result<(), StoreError> + Sync),
    taken: u64,
) -> Wanted<'a> {
    let bytes_max = state.bytes_max.saturating_sub(taken);
    Wanted { threads: state.threads, bytes_max, check, rows: &signals.rows }
}

/// The projection that an analysis works on: a new one, or that kept under the name it gives.
fn projection(
    graph: &Graph,
    analysis: &Analysis,
    state: &JobState,
    signals: &Signals,
    run: &Run<'_>,
) -> Result<Arc<Projection>, AnalysisError> {
    let spec = analysis.spec(&graph.catalogue())?;
    let check = || signals.check_store();
    let name = analysis.parameters.text("projection")?;
    let key = name.map(|name| (graph.number().0, name.to_owned()));
    if let Some(key) = &key {
        let refresh = analysis.parameters.flag("refresh")? || matches!(analysis.work, Work::Project);
        let kept = state.kept.lock();
        match kept.get(key) {
            Some(kept) if !refresh && (kept.spec == spec || spec == Spec::default()) => {
                return Ok(Arc::clone(&kept.projection));
            }
            Some(kept) if !refresh => {
                let made = kept.made.elapsed().as_secs();
                let text = format!(
                    "the projection '{}' was made {made} s ago of other labels or another weight; give 'refresh': true \
                     to make it again, or another name",
                    key.1
                );
                return Err(AnalysisError::Parameter(text));
            }
            None if kept.len() >= limits::PROJECTIONS_MAX => {
                let text = format!("{} projections are kept, the limit; drop one first", limits::PROJECTIONS_MAX);
                return Err(AnalysisError::Parameter(text));
            }
            _ => {}
        }
    }
    if let Some(key) = &key {
        // The one it replaces gives its memory back first.
        state.kept.lock().remove(key);
    }
    let wanted = wanted(state, signals, &check, state.kept_bytes());
    let made = Arc::new(project(graph, &spec, &wanted, run)?);
    if let Some(key) = key {
        state.kept.lock().insert(key, Kept { projection: Arc::clone(&made), spec, made: Instant::now() });
    }
    Ok(made)
}

fn describe(projection: &Projection) -> Json {
    json!({
        "vertices": projection.graph().vertices(), "edges": projection.graph().edges(), "bytes": projection.bytes(),
        "weighted": projection.graph().out().is_weighted(), "one_moment": projection.is_of_one_moment(),
    })
}

fn list(graph: &Graph, state: &JobState) -> Json {
    let kept = state.kept.lock();
    let own = kept.iter().filter(|((number, _), _)| *number == graph.number().0);
    let each = own.map(|((_, name), kept)| {
        let mut one = describe(&kept.projection);
        if let Json::Object(fields) = &mut one {
            fields.insert("projection".to_owned(), Json::from(name.as_str()));
            fields.insert("age_ms".to_owned(), Json::from(u64::try_from(kept.made.elapsed().as_millis()).unwrap_or(0)));
        }
        one
    });
    json!({ "projections": each.collect::<Vec<_>>(), "bytes_max": state.bytes_max })
}

/// What a run would take, by counting.
fn estimate(graph: &Graph, analysis: &Analysis, state: &JobState, signals: &Signals) -> Result<Json, AnalysisError> {
    let spec = analysis.spec(&graph.catalogue())?;
    let check = || signals.check_store();
    let counts = count(graph, &spec, &wanted(state, signals, &check, 0))?;
    let projection_bytes = Projection::estimate(&counts, spec.is_weighted());
    let run_bytes = match &analysis.work {
        Work::Own(name) => {
            let algorithm = algorithms::find(name)?;
            let params = analytics::Params::new();
            let (vertices, edges) = (counts.all_vertices(), counts.all_edges());
            algorithm.estimate(vertices, edges, spec.is_weighted(), &params).run_bytes
        }
        _ => 0,
    };
    Ok(json!({
        "vertices": counts.all_vertices(), "edges": counts.all_edges(), "projection_bytes": projection_bytes,
        "run_bytes": run_bytes, "bytes_max": state.bytes_max,
        "fits": projection_bytes + run_bytes <= state.bytes_max.saturating_sub(state.kept_bytes()),
    }))
}
