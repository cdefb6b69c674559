//! Analyses as tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use graph_access::{AccessError, GraphRights};
use graph_host::{Job, JobContext};
use graph_maintenance::Progress as _;
use graph_model::ErrorKind;
use graph_store::{Graph, StoreError};
use serde_json::{Map, Value as Json, json};

use crate::AnalysisError;
use crate::answer;
use crate::request::Analysis;
use crate::run::run_observed;
use crate::state::JobState;
use crate::watch::Observer;

/// The type of tasks that run algorithms, HugeGraph's name for it.
pub const JOB_KIND: &str = "algorithm";

/// The type of tasks that HugeGraph's computer would run.
pub const COMPUTER_KIND: &str = "computer";

/// How often a running job looks whether it is to stop, and says how far it is.
const LOOK: Duration = Duration::from_millis(200);

/// What the thread that works and the one that watches it share.
#[derive(Default)]
struct Signals {
    stop: AtomicBool,
    /// Rows read.
    rows: AtomicU64,
    /// Steps done since.
    steps: AtomicU64,
}

impl Observer for Signals {
    fn check(&self) -> Result<(), StoreError> {
        if self.stop.load(Ordering::Relaxed) { Err(StoreError::Cancelled) } else { Ok(()) }
    }

    fn rows(&self, more: u64) {
        self.rows.fetch_add(more, Ordering::Relaxed);
    }

    fn progress(&self, _: analytics::Progress) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a user who has started a task may do with a graph when it runs; `None` as the user: nobody is known. `None` as
/// the answer: everything.
pub type RightsOf = dyn Fn(Option<&str>, &Graph) -> Result<Option<Arc<GraphRights>>, StoreError> + Send + Sync;

/// What is kept with a task of an algorithm.
#[derive(Clone, Debug)]
pub struct JobInput {
    /// The name of the algorithm.
    pub name: String,
    /// Its parameters.
    pub parameters: Map<String, Json>,
    /// The user who has started it; none on a server without users.
    pub user: Option<String>,
}

impl JobInput {
    /// As it is kept with a task of a kind: what HugeGraph keeps of such a task, and the user.
    #[must_use]
    pub fn to_bytes(&self, kind: &str) -> Vec<u8> {
        let Self { name, parameters, user } = self;
        let mut all = json!({ kind: name, "parameters": parameters });
        if let (Some(user), Some(fields)) = (user, all.as_object_mut()) {
            fields.insert("user".to_owned(), Json::from(user.as_str()));
        }
        all.to_string().into_bytes()
    }

    /// What is kept with a task of a kind; none where it is not what [`Self::to_bytes`] makes.
    #[must_use]
    pub fn from_bytes(kind: &str, bytes: &[u8]) -> Option<Self> {
        let Json::Object(mut fields) = serde_json::from_slice(bytes).ok()? else { return None };
        let parameters = match fields.remove("parameters") {
            Some(Json::Object(parameters)) => parameters,
            _ => Map::new(),
        };
        let text = |name| fields.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Self { name: text(kind)?, parameters, user: text("user") })
    }
}

/// Runs algorithms as tasks.
pub struct AnalysisJob {
    state: Arc<JobState>,
    kind: &'static str,
    rights: Option<Arc<RightsOf>>,
}

impl AnalysisJob {
    /// Of tasks of a type: [`JOB_KIND`] or [`COMPUTER_KIND`].
    #[must_use]
    pub fn new(kind: &'static str, state: Arc<JobState>) -> Self {
        Self { state, kind, rights: None }
    }

    /// The same on a server with users: a task has the rights of who has started it at the time it runs. Without this,
    /// tasks of users do not run.
    #[must_use]
    pub fn with_rights(mut self, rights: Arc<RightsOf>) -> Self {
        self.rights = Some(rights);
        self
    }

    /// What a task is to do, with the rights of who has started it.
    fn analysis(&self, context: &JobContext<'_>) -> Result<Analysis, AnalysisError> {
        let (task, graph) = (context.task(), context.graph());
        let input = JobInput::from_bytes(self.kind, &task.input).ok_or(StoreError::TaskNotFound { id: task.id })?;
        let rights = match (&self.rights, &input.user) {
            (Some(rights), user) => rights(user.as_deref(), graph)?,
            (None, None) => None,
            (None, Some(user)) => {
                let text = format!("Permission denied: '{user}' has started the task, and this server has no users");
                return Err(AccessError::new(ErrorKind::Forbidden, text).into());
            }
        };
        let read = if self.kind == COMPUTER_KIND { Analysis::computer } else { Analysis::new };
        read(&input.name, input.parameters)?.on_behalf_of(rights, graph)
    }
}

impl Job for AnalysisJob {
    fn kind(&self) -> &str {
        self.kind
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        let analysis = self.analysis(context)?;
        let (signals, graph, state) = (Signals::default(), context.graph(), &*self.state);
        let mut stopped = Ok(());
        let mut reported = 0;
        let waiting = thread::current();
        let outcome = thread::scope(|scope| {
            let work = scope.spawn(|| {
                let found = run_observed(graph, &analysis, state, &signals);
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
