//! `/gremlin`, `{G}/jobs/gremlin` and `{G}/queries`: Gremlin in HugeGraph's form.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use auth::{Permission, ResourceType};
use graph_model::ErrorKind;
use hyper::StatusCode;
use query_service::{
    Cancel, Collect, JOB_KIND, JobRequest, Program, QueryError, QueryErrorKind, QueryRequest, from_json,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::access::{self, Access};
use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;
use serving::{Barred, WorkBounds};

/// Characters of a script that name its task.
const TASK_NAME_CHARS: usize = 256;

/// A request as clients of HugeGraph send it.
#[derive(Deserialize)]
struct Body {
    gremlin: Option<String>,
    #[serde(default)]
    bindings: Option<Map<String, Value>>,
    #[serde(default)]
    aliases: Option<BTreeMap<String, String>>,
    /// Which language the client takes it for; all are read the same way.
    #[serde(default)]
    language: Option<String>,
}

/// `POST /gremlin`.
pub(crate) fn post(call: &Call) -> Answered {
    run(call, read(call)?)
}

/// `GET /gremlin?gremlin=`, with `bindings.NAME` and `aliases.NAME`.
pub(crate) fn get(call: &Call) -> Answered {
    let query = call.query();
    let gremlin = query.one("gremlin")?.map(std::borrow::Cow::into_owned);
    // Names that are chosen by the client.
    let sent = http_server::Query::new(call.address.query());
    let (mut bindings, mut aliases) = (Map::new(), BTreeMap::new());
    for pair in call.address.query().split('&') {
        let raw = pair.split('=').next().unwrap_or_default();
        let Some(value) = sent.all(raw).next().transpose()? else { continue };
        match raw.split_once('.') {
            Some(("bindings", name)) => drop(bindings.insert(name.to_owned(), Value::String(value.into_owned()))),
            Some(("aliases", name)) => drop(aliases.insert(name.to_owned(), value.into_owned())),
            _ => {}
        }
    }
    run(call, Body { gremlin, bindings: Some(bindings), aliases: Some(aliases), language: None })
}

fn read(call: &Call) -> Result<Body, ApiError> {
    serde_json::from_slice(&call.body)
        .map_err(|error| ApiError::bad_input(format!("the body is not as expected: {error}")))
}

fn text(gremlin: Option<String>) -> Result<String, ApiError> {
    let text = gremlin.filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| ApiError::bad_input("'gremlin' is missing: it must be the text of a query"))
}

fn run(call: &Call, body: Body) -> Answered {
    let queries = &call.app.queries;
    let mut bindings = BTreeMap::new();
    for (name, value) in body.bindings.unwrap_or_default() {
        let value = from_json(value).map_err(|error| ApiError::bad_input(format!("the binding '{name}': {error}")))?;
        bindings.insert(name.as_str().into(), value);
    }
    let aliases = body.aliases.unwrap_or_default();
    let request = QueryRequest {
        program: Program::Text(text(body.gremlin)?),
        bindings,
        aliases: aliases.iter().map(|(name, meant)| (name.as_str().into(), meant.as_str().into())).collect(),
        graph: None,
        user: call.caller.name().to_owned(),
        caller: call.caller.clone(),
        timeout: Duration::from_millis(call.app.options.limits.request_timeout_ms),
        materialize: true,
    };
    let cancel = call.cancelled.as_ref().map_or_else(Cancel::default, |flag| Cancel::over(Arc::clone(flag)));
    let bytes_max = call.app.options.limits.response_bytes_max;
    let mut collected = Collect::new(bytes_max);
    let watch = &call.app.serving.watch;
    let mut prepared = queries.prepare(request).map_err(failed)?;
    prepared.bound_time(watch.quotas.bounds(prepared.graph()).time(), WorkBounds::TIME);
    if let Err(low) = watch.disk.check()
        && prepared.adds()
    {
        return Err(Barred::from(low).into());
    }
    let outcome = match &call.attempt {
        None => queries.run(&prepared, &cancel, &mut collected),
        Some(attempt) => match queries.attempt(&prepared, attempt.time, &mut collected) {
            Ok(None) => return Err(attempt.decline()),
            outcome => outcome.map(|committing| attempt.committing.set(committing.filter(|_| prepared.is_write()))),
        },
    };
    if collected.is_too_large() {
        return Err(too_large(bytes_max));
    }
    outcome.map_err(failed)?;
    let graph = call.app.store.graph(prepared.graph())?;
    let zone = &graph.options().zone;
    let mut out = Vec::with_capacity(256);
    rest_json::write_gremlin_answer(&mut out, collected.rows(), zone);
    if out.len() > bytes_max { Err(too_large(bytes_max)) } else { Ok(Reply::ok(out)) }
}

fn too_large(max: usize) -> ApiError {
    let text =
        format!("the answer has more than {max} bytes (graph.response_bytes_max); limit() or range() the results");
    ApiError::of(ErrorKind::LimitExceeded, text)
}

/// The failure of a query with the class that HugeGraph's Groovy would have thrown.
fn failed(error: QueryError) -> ApiError {
    let class = match error.kind {
        QueryErrorKind::Syntax => "org.codehaus.groovy.control.MultipleCompilationErrorsException",
        QueryErrorKind::UnknownMethod => "groovy.lang.MissingMethodException",
        QueryErrorKind::UnknownName => "groovy.lang.MissingPropertyException",
        QueryErrorKind::Evaluation => "java.lang.IllegalArgumentException",
        QueryErrorKind::Fail => "org.apache.tinkerpop.gremlin.process.traversal.Failure",
        QueryErrorKind::Unsupported => "java.lang.UnsupportedOperationException",
        QueryErrorKind::Access(kind) => return ApiError::of_query(kind, error.message),
    };
    ApiError::script(class, error.message)
}

/// `POST {G}/jobs/gremlin`: a script as a task.
pub(crate) fn start_job(call: &Call) -> Answered {
    let graph = call.graph()?;
    let body = read(call)?;
    let gremlin = text(body.gremlin)?;
    let mut aliases = body.aliases.unwrap_or_default();
    aliases.insert(graph.name().to_owned(), "graph".to_owned());
    let name = task_name(&gremlin);
    let language = body.language.unwrap_or_else(|| "gremlin-groovy".to_owned());
    access::check(Access::Part(Permission::Write, ResourceType::Task), &call.caller, graph.name(), "")?;
    let user = call.caller.user().map(str::to_owned);
    let request = JobRequest { gremlin, bindings: body.bindings.unwrap_or_default(), aliases, language, user };
    let task = graph.jobs().start(JOB_KIND, name, request.to_bytes())?;
    Ok(Reply::json(StatusCode::CREATED, json!({ "task_id": task }).to_string().into_bytes()))
}

/// The name of a task that runs a text: its first line.
pub(crate) fn task_name(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.chars().take(TASK_NAME_CHARS).collect()
}

/// `GET {G}/queries`: what runs.
pub(crate) fn running(call: &Call) -> Answered {
    let mut running = call.app.queries.running(call.graph()?.name());
    if !call.caller.is_manager() {
        running.retain(|query| query.user == call.caller.name());
    }
    let each = running.into_iter().map(|query| {
        json!({
            "id": query.id, "gremlin": query.text, "user": query.user, "age_ms": query.age_ms, "rows": query.rows,
            "bytes": query.bytes, "plan": query.plan,
        })
    });
    Ok(Reply::value(&json!({ "queries": each.collect::<Vec<_>>() })))
}

/// `DELETE {G}/queries/{id}`: ends one.
pub(crate) fn kill(call: &Call) -> Answered {
    let param = call.param()?;
    let id = param.parse().map_err(|_| ApiError::bad_input(format!("'{param}' is not the number of a query")))?;
    let graph = call.graph()?.name();
    let is_own = |query: &query_service::RunningQuery| query.id == id && query.user == call.caller.name();
    let may = call.caller.is_manager() || call.app.queries.running(graph).iter().any(is_own);
    if may && call.app.queries.kill(graph, id) {
        return Ok(Reply::no_content());
    }
    Err(ApiError::not_found(format!("no query {id} runs on this graph")))
}
