//! Cypher as a task: a query that runs in the background, whose result is kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;

use auth::Caller;
use cypher_value::{Map, Text, Value};
use graph_host::{Job, JobContext};
use graph_maintenance::Progress as _;
use graph_model::ErrorKind;
use graph_store::StoreError;
use rest_json::{CypherAnswer, cypher_parameter};
use serde_json::{Map as JsonMap, Value as Json, json};

use crate::failure::Failure;
use crate::graphs::GraphQueries;
use crate::limits::{JOB_LOOK, JOB_RESULT_BYTES_MAX, JOB_TIMEOUT};
use crate::port::{Begin, Client, Gone, Queries as _, Statement, Task};
use crate::summary::Summary;

/// The type of tasks that run Cypher, HugeGraph's name for it.
pub const JOB_KIND: &str = "cypher";

/// Where jobs find who carries queries out: it needs the store, which is opened with the jobs.
#[derive(Clone, Default)]
pub struct CypherJobs(Arc<OnceLock<Weak<GraphQueries>>>);

impl CypherJobs {
    /// Lets jobs run.
    pub fn connect(&self, queries: &Arc<GraphQueries>) {
        // The first one stays.
        drop(self.0.set(Arc::downgrade(queries)));
    }

    /// The job, to be registered with the store.
    #[must_use]
    pub fn job(&self) -> CypherJob {
        CypherJob(self.clone())
    }
}

/// Runs queries as tasks.
pub struct CypherJob(CypherJobs);

/// What a task runs.
#[derive(Clone, Debug, Default)]
pub struct JobRequest {
    /// The query.
    pub cypher: String,
    /// Values by names, as JSON.
    pub parameters: JsonMap<String, Json>,
    /// The user who has started it; none on a server without users.
    pub user: Option<String>,
}

impl JobRequest {
    /// As it is kept with the task.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { cypher, parameters, user } = self;
        json!({ "cypher": cypher, "parameters": parameters, "user": user }).to_string().into_bytes()
    }

    /// The user who has started what is kept so with a task; `None` where nobody is known.
    #[must_use]
    pub fn user_of(bytes: &[u8]) -> Option<String> {
        Self::from_bytes(bytes)?.user
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let Json::Object(mut fields) = serde_json::from_slice(bytes).ok()? else { return None };
        let cypher = fields.get("cypher")?.as_str()?.to_owned();
        let user = fields.get("user").and_then(Json::as_str).map(str::to_owned);
        let parameters = match fields.remove("parameters") {
            Some(Json::Object(parameters)) => parameters,
            _ => JsonMap::new(),
        };
        Some(Self { cypher, parameters, user })
    }
}

impl Job for CypherJob {
    fn kind(&self) -> &str {
        JOB_KIND
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        let queries = self.0.0.get().and_then(Weak::upgrade).ok_or(StoreError::Closing)?;
        let task = context.task();
        let request = JobRequest::from_bytes(&task.input).ok_or(StoreError::TaskNotFound { id: task.id })?;
        let interrupt = Arc::new(AtomicBool::new(false));
        let begin = Begin {
            database: context.graph().name().into(),
            caller: on_behalf_of(&queries, request.user.as_deref()),
            is_read: false,
            is_single: true,
            bookmarks: Vec::new(),
            metadata: Map::new(),
            timeout: Some(JOB_TIMEOUT),
            interrupt: Arc::clone(&interrupt),
        };
        let parameters = request.parameters.into_iter();
        let parameters = parameters.map(|(name, value)| (Text::from(name), cypher_parameter(value))).collect();
        let statement = Statement { timeout: JOB_TIMEOUT, ..Statement::new(request.cypher.into(), parameters) };
        let zone = &context.graph().options().zone;
        let mut kept = Kept {
            tasks: [Task::Run(statement), Task::Pull { rows: None, query: 0 }].into_iter(),
            answer: CypherAnswer::rows(zone),
            is_too_large: false,
        };
        let mut stopped = Ok(());
        let outcome = thread::scope(|scope| {
            let work = scope.spawn(|| queries.transaction(&begin, &mut kept));
            while !work.is_finished() {
                thread::park_timeout(JOB_LOOK);
                if stopped.is_ok() {
                    stopped = context.check();
                    if stopped.is_err() {
                        interrupt.store(true, Ordering::Relaxed);
                    }
                }
            }
            work.join()
        });
        stopped?;
        if kept.is_too_large {
            return Err(StoreError::JobFailed {
                kind: ErrorKind::LimitExceeded,
                message: format!("the result has more than {JOB_RESULT_BYTES_MAX} bytes (JOB_RESULT_BYTES_MAX)"),
            });
        }
        let panicked = |_| Err(Failure::new(Failure::UNKNOWN, "the query panicked; the log has details"));
        outcome.unwrap_or_else(panicked).map_err(|failure| StoreError::JobFailed {
            kind: if failure.code.starts_with("Neo.ClientError") { ErrorKind::BadInput } else { ErrorKind::Internal },
            message: failure.message,
        })?;
        Ok(Some(String::from_utf8_lossy(&kept.answer.finish()).into_owned()))
    }
}

/// A client that keeps all rows.
struct Kept<T> {
    tasks: T,
    answer: CypherAnswer,
    is_too_large: bool,
}

impl<T: Iterator<Item = Task>> Client for Kept<T> {
    fn next(&mut self) -> Option<Task> {
        self.tasks.next()
    }

    fn opened(&mut self, columns: &[Text]) {
        self.answer.set_columns(columns);
    }

    fn row(&mut self, row: &[Value]) -> Result<(), Gone> {
        self.answer.row(row);
        self.is_too_large = self.answer.bytes() > JOB_RESULT_BYTES_MAX;
        if self.is_too_large { Err(Gone) } else { Ok(()) }
    }

    fn paused(&mut self) {}

    fn ended(&mut self, _: &Summary) {}

    fn committed(&mut self, _: &str) {}

    fn rolled_back(&mut self) {}
}

/// The caller that a task works for, with the rights it has now.
fn on_behalf_of(queries: &GraphQueries, user: Option<&str>) -> Caller {
    match (queries.accounts(), user) {
        (None, _) => Caller::anonymous(),
        (Some(accounts), Some(user)) => accounts.on_behalf_of(user).unwrap_or_else(Caller::nobody),
        // It was started when the server had no users, and nobody is known whose rights it could have.
        (Some(_), None) => Caller::nobody(),
    }
}
