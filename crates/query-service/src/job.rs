//! Gremlin as a task: a script that runs in the background, whose result is kept.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use auth::Caller;
use graph_access::GraphRights;
use graph_host::{Job, JobContext};
use graph_maintenance::Progress as _;
use graph_model::ErrorKind;
use graph_store::{Graph, StoreError};
use gremlin::Text;
use query_value::Value;
use serde_json::{Map, Value as Json, json};

use crate::cancel::{Cancel, Reason};
use crate::collect::Collect;
use crate::error::QueryError;
use crate::limits::LIST_ITEMS_MAX;
use crate::request::{Program, QueryRequest};
use crate::service::QueryService;

/// The type of tasks that run Gremlin, HugeGraph's name for it.
pub const JOB_KIND: &str = "gremlin";

/// How long a job may take: nobody waits for it, and it can be cancelled.
const TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// Bytes of a result that is kept with its task: as many as an answer may have unless the settings say otherwise.
const RESULT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How often a running job looks whether it is to stop, and says how far it is.
const LOOK: Duration = Duration::from_millis(200);

/// Where jobs find the service: it needs the store, which is opened with the jobs.
#[derive(Clone, Default)]
pub struct GremlinJobs(Arc<OnceLock<Weak<QueryService>>>);

impl GremlinJobs {
    /// Lets jobs run.
    pub fn connect(&self, service: &Arc<QueryService>) {
        // The first one stays.
        drop(self.0.set(Arc::downgrade(service)));
    }

    /// What a user who has started a task may do with the elements of a graph now; `None`: everything.
    ///
    /// # Errors
    /// [`StoreError::Closing`] where the service is not there (any more).
    pub fn rights(&self, user: Option<&str>, graph: &Graph) -> Result<Option<Arc<GraphRights>>, StoreError> {
        let service = self.0.get().and_then(Weak::upgrade).ok_or(StoreError::Closing)?;
        Ok(caller_for(&service, user).rights(graph))
    }

    /// The job, to be registered with the store.
    #[must_use]
    pub fn job(&self) -> GremlinJob {
        GremlinJob(self.clone())
    }
}

/// Runs scripts as tasks.
pub struct GremlinJob(GremlinJobs);

/// What a task runs.
#[derive(Clone, Debug, Default)]
pub struct JobRequest {
    /// The script.
    pub gremlin: String,
    /// Values by names, as JSON.
    pub bindings: Map<String, Json>,
    /// Names that stand for others.
    pub aliases: BTreeMap<String, String>,
    /// What the client calls the language.
    pub language: String,
    /// The user who has started it; none on a server without users.
    pub user: Option<String>,
}

impl JobRequest {
    /// As it is kept with the task.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { gremlin, bindings, aliases, language, user } = self;
        let mut all = json!({ "gremlin": gremlin, "aliases": aliases, "bindings": bindings, "language": language });
        if let (Some(user), Some(fields)) = (user, all.as_object_mut()) {
            fields.insert("user".to_owned(), Json::from(user.as_str()));
        }
        all.to_string().into_bytes()
    }

    /// The user who has started what is kept so with a task; `None` where nobody is known.
    #[must_use]
    pub fn user_of(bytes: &[u8]) -> Option<String> {
        Self::from_bytes(bytes)?.user
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let Json::Object(mut fields) = serde_json::from_slice(bytes).ok()? else { return None };
        let gremlin = fields.get("gremlin")?.as_str()?.to_owned();
        let bindings = match fields.remove("bindings") {
            Some(Json::Object(bindings)) => bindings,
            _ => Map::new(),
        };
        let aliases = fields.get("aliases").and_then(Json::as_object).map(|aliases| {
            let texts = aliases.iter().filter_map(|(name, meant)| Some((name.clone(), meant.as_str()?.to_owned())));
            texts.collect()
        });
        let language = fields.get("language").and_then(Json::as_str).unwrap_or_default().to_owned();
        let user = fields.get("user").and_then(Json::as_str).map(str::to_owned);
        Some(Self { gremlin, bindings, aliases: aliases.unwrap_or_default(), language, user })
    }
}

impl Job for GremlinJob {
    fn kind(&self) -> &str {
        JOB_KIND
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        let service = self.0.0.get().and_then(Weak::upgrade).ok_or(StoreError::Closing)?;
        let task = context.task();
        let request = JobRequest::from_bytes(&task.input).ok_or(StoreError::TaskNotFound { id: task.id })?;
        let graph = context.graph().name().to_owned();
        let cancel = Cancel::default();
        let mut collected = Collect::new(RESULT_BYTES_MAX);
        let mut stopped = Ok(());
        let outcome = thread::scope(|scope| {
            let work = scope.spawn(|| run(&service, request, graph, &cancel, &mut collected));
            while !work.is_finished() {
                thread::park_timeout(LOOK);
                if stopped.is_ok() {
                    stopped = context.check();
                    if stopped.is_err() {
                        cancel.end(Reason::Client);
                    }
                }
            }
            work.join()
        });
        stopped?;
        let outcome =
            outcome.unwrap_or_else(|_| Err(QueryError::evaluation("the query panicked; the log has details")));
        if collected.is_too_large() {
            return Err(StoreError::JobFailed {
                kind: ErrorKind::LimitExceeded,
                message: format!("the result has more than {RESULT_BYTES_MAX} bytes (RESULT_BYTES_MAX)"),
            });
        }
        match outcome {
            Ok(()) => Ok(Some(as_json(collected.rows()))),
            Err(error) => {
                let kind = match error.kind {
                    crate::QueryErrorKind::Access(kind) => kind,
                    _ => ErrorKind::BadInput,
                };
                Err(StoreError::JobFailed { kind, message: error.message })
            }
        }
    }
}

fn run(
    service: &QueryService,
    request: JobRequest,
    graph: String,
    cancel: &Cancel,
    collected: &mut Collect,
) -> Result<(), QueryError> {
    let JobRequest { gremlin, bindings, aliases, user, .. } = request;
    let caller = caller_for(service, user.as_deref());
    let bindings = bindings.into_iter().map(|(name, value)| Ok((Text::from(name.as_str()), from_json(value)?)));
    let prepared = service.prepare(QueryRequest {
        program: Program::Text(gremlin),
        bindings: bindings.collect::<Result<_, QueryError>>()?,
        aliases: aliases.iter().map(|(name, meant)| (name.as_str().into(), meant.as_str().into())).collect(),
        graph: Some(graph),
        user: user.unwrap_or_else(|| "task".to_owned()),
        caller,
        timeout: TIMEOUT,
        materialize: true,
    })?;
    service.run(&prepared, cancel, collected)
}

/// Who has started a task, with the rights of this moment.
fn caller_for(service: &QueryService, user: Option<&str>) -> Caller {
    match (service.accounts(), user) {
        (None, _) => Caller::anonymous(),
        (Some(accounts), Some(user)) => accounts.on_behalf_of(user).unwrap_or_else(Caller::nobody),
        // It was started when the server had no users, and nobody is known whose rights it could have.
        (Some(_), None) => Caller::nobody(),
    }
}

fn as_json(rows: &[(Value, u64)]) -> String {
    let each = |(value, times): &(Value, u64)| {
        std::iter::repeat_n(value.clone(), usize::try_from(*times).unwrap_or(usize::MAX)).take(LIST_ITEMS_MAX)
    };
    let list = Value::list(rows.iter().flat_map(each));
    crate::json::to_json(&list)
}

/// JSON as an argument.
fn from_json(value: Json) -> Result<gremlin::Value, QueryError> {
    crate::json::from_json(value).map_err(|error| QueryError::evaluation(error.to_string()))
}
