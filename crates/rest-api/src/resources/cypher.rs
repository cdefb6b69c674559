//! `{G}/cypher` and `{G}/jobs/cypher`: Cypher in HugeGraph's form.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use auth::{Permission, ResourceType};
use cypher_session::{Begin, Client, Failure, Gone, JOB_KIND, JobRequest, Queries as _, Statement, Summary, Task};
use cypher_value::{Map, Text, Value};
use graph_model::ErrorKind;
use http_server::Reply;
use hyper::StatusCode;
use rest_json::{CypherAnswer, cypher_parameter};
use serde::Deserialize;
use serde_json::{Map as JsonMap, Value as Json, json};

use crate::access::{Access, check};
use crate::call::{Answered, Call};
use crate::resources::gremlin::task_name;
use rest_errors::ApiError;
use serving::Barred;

/// A query with parameters; HugeGraph has only the text of the query as the body.
#[derive(Deserialize)]
struct Body {
    #[serde(alias = "cypher")]
    statement: String,
    #[serde(default)]
    parameters: Option<JsonMap<String, Json>>,
}

/// `POST {G}/cypher`.
pub(crate) fn post(call: &Call) -> Answered {
    let Body { statement, parameters } = read(call)?;
    let parameters = parameters.unwrap_or_default().into_iter();
    let parameters = parameters.map(|(name, value)| (Text::from(name), cypher_parameter(value))).collect();
    run(call, statement.into(), parameters)
}

/// `POST {G}/jobs/cypher`: a query as a task.
pub(crate) fn start_job(call: &Call) -> Answered {
    let graph = call.graph()?;
    let Body { statement: cypher, parameters } = read(call)?;
    check(Access::Part(Permission::Write, ResourceType::Task), &call.caller, graph.name(), "")?;
    let name = task_name(&cypher);
    let user = call.caller.user().map(str::to_owned);
    let request = JobRequest { cypher, parameters: parameters.unwrap_or_default(), user };
    let task = graph.jobs().start(JOB_KIND, name, request.to_bytes())?;
    Ok(Reply::json(StatusCode::CREATED, json!({ "task_id": task }).to_string().into_bytes()))
}

/// `GET {G}/cypher?cypher=`.
pub(crate) fn get(call: &Call) -> Answered {
    let query = call.query();
    let text = query.one("cypher")?.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| ApiError::bad_input("'cypher' is missing: it must be the text of a query"))?;
    run(call, Text::from(text), Map::new())
}

fn read(call: &Call) -> Result<Body, ApiError> {
    let text = std::str::from_utf8(&call.body).map_err(|_| ApiError::bad_input("the body is not UTF-8"))?;
    if text.trim().is_empty() {
        return Err(ApiError::bad_input("the body is empty: it must be the text of a query"));
    }
    // No query of Cypher begins with a brace.
    if !text.trim_start().starts_with('{') {
        return Ok(Body { statement: text.to_owned(), parameters: None });
    }
    serde_json::from_str(text).map_err(|error| ApiError::bad_input(format!("the body is not as expected: {error}")))
}

fn run(call: &Call, text: Text, parameters: Map) -> Answered {
    let graph = call.graph()?;
    if let Err(low) = call.app.serving.watch.disk.check()
        && call.app.cypher.may_add(&text)
    {
        return Err(Barred::from(low).into());
    }
    let limits = &call.app.options.limits;
    let timeout = call.query_time();
    let interrupt = call.cancelled.clone().unwrap_or_else(|| Arc::new(AtomicBool::new(false)));
    let begin = Begin {
        database: graph.name().into(),
        caller: call.caller.clone(),
        is_read: false,
        is_single: true,
        bookmarks: Vec::new(),
        metadata: Map::new(),
        timeout: Some(timeout),
        interrupt,
    };
    let statement = Statement { timeout, ..Statement::new(text, parameters) };
    let zone = &graph.options().zone;
    let mut whole = Whole {
        tasks: [Some(Task::Run(statement)), Some(Task::Pull { rows: None, query: 0 })].into_iter(),
        answer: CypherAnswer::new(zone),
        bytes_max: limits.response_bytes_max,
        is_too_large: false,
        is_gone: Arc::clone(&begin.interrupt),
    };
    let outcome = call.app.cypher.transaction(&begin, &mut whole);
    if whole.is_too_large {
        let max = limits.response_bytes_max;
        let message = format!("the answer has more than {max} bytes (graph.response_bytes_max); LIMIT the rows");
        return Err(ApiError::of(ErrorKind::LimitExceeded, message));
    }
    match outcome {
        Ok(()) => Ok(Reply::ok(whole.answer.finish())),
        Err(failure) => failed(call, &failure),
    }
}

/// Failures of the query are answers of status 200, as HugeGraph has it; those of the server are not.
fn failed(call: &Call, failure: &Failure) -> Answered {
    match &*failure.code {
        Failure::TIMED_OUT | Failure::TIMED_OUT_BY_CLIENT => {
            call.app.serving.metrics.timeouts.inc();
            Err(ApiError::of(ErrorKind::Timeout, failure.message.clone()))
        }
        code if code.starts_with("Neo.TransientError") => {
            Err(ApiError::of(ErrorKind::Overloaded, failure.message.clone()))
        }
        code if code.starts_with("Neo.DatabaseError.General") => {
            Err(ApiError::of(ErrorKind::Internal, failure.message.clone()))
        }
        _ => Ok(Reply::ok(rest_json::cypher_failure(&failure.message))),
    }
}

/// A client that wants all rows at once.
struct Whole<T> {
    tasks: T,
    answer: CypherAnswer,
    bytes_max: usize,
    is_too_large: bool,
    is_gone: Arc<AtomicBool>,
}

impl<T: Iterator<Item = Option<Task>>> Client for Whole<T> {
    fn next(&mut self) -> Option<Task> {
        self.tasks.next().flatten()
    }

    fn opened(&mut self, columns: &[Text]) {
        self.answer.set_columns(columns);
    }

    fn row(&mut self, row: &[Value]) -> Result<(), Gone> {
        self.answer.row(row);
        self.is_too_large = self.answer.bytes() > self.bytes_max;
        if self.is_too_large || self.is_gone.load(Ordering::Relaxed) { Err(Gone) } else { Ok(()) }
    }

    fn paused(&mut self) {}

    fn ended(&mut self, _: &Summary) {}

    fn committed(&mut self, _: &str) {}

    fn rolled_back(&mut self) {}
}
