//! `{G}/jobs/algorithm/{name}` and `{G}/jobs/computer/{name}`: algorithms over a whole graph, as tasks.

use auth::{Permission, ResourceType};
use graph_analysis::{Analysis, AnalysisError, COMPUTER_KIND, JOB_KIND, JobInput};
use graph_model::ErrorKind;
use hyper::StatusCode;
use serde_json::{Map, Value, json};

use crate::access::{self, Access};
use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;

/// `POST {G}/jobs/algorithm/{name}`: the body has the parameters.
pub(crate) fn start(call: &Call) -> Answered {
    start_job(call, JOB_KIND, Analysis::new)
}

/// `POST {G}/jobs/computer/{name}`: the same by the names and parameters of HugeGraph's computer.
pub(crate) fn start_computer(call: &Call) -> Answered {
    start_job(call, COMPUTER_KIND, Analysis::computer)
}

fn start_job(
    call: &Call,
    kind: &'static str,
    check: impl Fn(&str, Map<String, Value>) -> Result<Analysis, AnalysisError>,
) -> Answered {
    let graph = call.graph()?;
    access::check(Access::Part(Permission::Write, ResourceType::Task), &call.caller, graph.name(), "")?;
    let name = call.param()?;
    let parameters: Map<String, Value> = match call.body.trim_ascii() {
        [] => Map::new(),
        body => serde_json::from_slice(body)
            .map_err(|error| ApiError::bad_input(format!("the body is not as expected: {error}")))?,
    };
    let refused = |error: AnalysisError| match error.kind() {
        ErrorKind::NotFound => ApiError::nothing_named(error.to_string()),
        kind => ApiError::of(kind, error.to_string()),
    };
    // What is wrong whatever the graph is, is refused now.
    let analysis = check(&name, parameters.clone()).map_err(refused)?;
    if analysis.writes().map_err(refused)? {
        for kind in [ResourceType::Vertex, ResourceType::Schema] {
            access::check(Access::Whole(Permission::Write, kind), &call.caller, graph.name(), "")?;
        }
    }
    analysis.on_behalf_of(call.caller.rights(graph), graph).map_err(refused)?;
    let user = call.caller.user().map(str::to_owned);
    let input = JobInput { name: (*name).to_owned(), parameters, user };
    let task = graph.jobs().start(kind, format!("{kind}:{name}"), input.to_bytes(kind))?;
    Ok(Reply::json(StatusCode::CREATED, json!({ "task_id": task }).to_string().into_bytes()))
}
