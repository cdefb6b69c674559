//! `{G}/tasks`.

use auth::{Permission, ResourceType};
use graph_analysis::JobInput;
use graph_host::HostedGraph;
use graph_model::{Task, TaskStatus};
use graph_store::StoreError;
use hyper::StatusCode;
use query_service::{JOB_KIND, JobRequest};
use rest_json::{TaskView, task_class, write_tasks_list};

use crate::call::{Answered, Call};
use crate::resources::listing;
use http_server::Reply;
use rest_errors::ApiError;

/// The name of this server in tasks: there is one.
const SERVER: &str = "server-1";

/// Types of tasks whose input is a text that clients see.
const WITH_INPUT: [&str; 4] =
    [JOB_KIND, cypher_session::JOB_KIND, graph_analysis::JOB_KIND, graph_analysis::COMPUTER_KIND];

/// States of HugeGraph's tasks that tasks here are never in.
const OTHER_STATES: [&str; 7] = ["new", "scheduling", "scheduled", "restoring", "hanging", "deleting", "unknown"];

/// Those in a state or all, or those with given ids.
pub(crate) fn list(call: &Call) -> Answered {
    let graph = call.graph()?;
    let query = call.query();
    let status = query.text("status")?;
    let page = query.one("page")?;
    if query.one("ids")?.is_some() {
        if status.is_some() || page.is_some() {
            return Err(ApiError::bad_input("'ids' excludes 'status' and 'page'"));
        }
        return by_ids(call, graph, &listing::ids(call)?);
    }
    let wanted = status.as_deref().map(state).transpose()?;
    let after = match page.as_deref() {
        None | Some("") => 0,
        Some(token) => {
            token.parse().map_err(|_| ApiError::bad_input("the page token is none this server has given out"))?
        }
    };
    let limit = query.limit(call.app.options.limits.list_limit_default)?;
    let fits = |task: &Task| is_visible(call, task) && wanted.is_none_or(|wanted| wanted == Some(task.status));
    let mut tasks = graph.jobs().tasks(fits, limit.map(|limit| limit.saturating_add(1)), after)?;
    let shown = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let more = tasks.len() > shown;
    tasks.truncate(shown);
    let next = tasks.last().filter(|_| more).map(|task| task.id.to_string());
    let mut out = Vec::new();
    write_tasks_list(&mut out, tasks.iter().map(view), page.map(|_| next.as_deref()));
    Ok(Reply::ok(out))
}

/// Whether who asks may see a task. What a script has found is for who has started it; of other tasks nothing is shown
/// but that they run.
fn is_visible(call: &Call, task: &Task) -> bool {
    let Some(user) = call.caller.user() else { return true };
    let user_of = match &*task.task_type {
        JOB_KIND => Some(JobRequest::user_of(&task.input)),
        cypher_session::JOB_KIND => Some(cypher_session::JobRequest::user_of(&task.input)),
        _ => None,
    };
    if let Some(starter) = user_of {
        return call.caller.is_manager() || starter.as_deref() == Some(user);
    }
    // What an algorithm has found is about what its user may see.
    let is_analysis = WITH_INPUT.contains(&&*task.task_type);
    let is_own =
        || JobInput::from_bytes(&task.task_type, &task.input).is_some_and(|it| it.user.as_deref() == Some(user));
    let reads = |kind| call.graph().is_ok_and(|graph| call.caller.may_all(graph.name(), Permission::Read, kind));
    !is_analysis || is_own() || (reads(ResourceType::Vertex) && reads(ResourceType::Edge))
}

/// The task the address names, where who asks may see it.
fn visible(call: &Call) -> Result<Task, ApiError> {
    let id = number(&call.param()?)?;
    let task = call.graph()?.jobs().task(id)?;
    if is_visible(call, &task) { Ok(task) } else { Err(StoreError::TaskNotFound { id }.into()) }
}

fn by_ids(call: &Call, graph: &HostedGraph, ids: &[String]) -> Answered {
    let mut tasks = Vec::new();
    for id in ids {
        match graph.jobs().task(number(id)?) {
            Ok(task) if is_visible(call, &task) => tasks.push(task),
            Ok(_) => {}
            Err(StoreError::TaskNotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut out = Vec::new();
    write_tasks_list(&mut out, tasks.iter().map(view), None);
    Ok(Reply::ok(out))
}

/// The state of a name in any case; `None` for one that tasks here are never in.
fn state(name: &str) -> Result<Option<TaskStatus>, ApiError> {
    let lower = name.to_lowercase();
    match TaskStatus::ALL.into_iter().find(|status| status.name() == lower) {
        Some(status) => Ok(Some(status)),
        None if OTHER_STATES.contains(&&*lower) => Ok(None),
        None => {
            let known = TaskStatus::ALL.map(TaskStatus::name).join(", ");
            Err(ApiError::bad_input(format!("'status' must be one of {known}, but got '{name}'")))
        }
    }
}

/// The one with an id.
pub(crate) fn get(call: &Call) -> Answered {
    let task = visible(call)?;
    let mut out = Vec::new();
    view(&task).write_full(&mut out);
    Ok(Reply::ok(out))
}

/// Cancels one that has not ended, and answers it as it is then.
pub(crate) fn cancel(call: &Call) -> Answered {
    match call.query().text("action")?.as_deref() {
        Some("cancel") => {}
        other => return Err(ApiError::action("cancel", other.unwrap_or_default())),
    }
    let task = call.graph()?.jobs().cancel(visible(call)?.id)?;
    let mut out = Vec::new();
    view(&task).write_full(&mut out);
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}

/// Deletes the record of one.
pub(crate) fn delete(call: &Call) -> Answered {
    let force = call.query().flag("force", false)?;
    call.graph()?.jobs().delete(visible(call)?.id, force)?;
    Ok(Reply::no_content())
}

fn number(text: &str) -> Result<u64, ApiError> {
    text.parse().map_err(|_| ApiError::bad_input(format!("a task id must be a whole number, but got '{text}'")))
}

fn view(task: &Task) -> TaskView<'_> {
    TaskView {
        id: task.id,
        task_type: &task.task_type,
        name: &task.name,
        status: task.status.name(),
        progress: task.progress,
        created_ms: task.created_ms,
        updated_ms: Some(task.updated_ms),
        retries: task.retries,
        server: Some(SERVER),
        callable: task_class(task),
        result: task.result.as_deref(),
        input: std::str::from_utf8(&task.input).ok().filter(|_| WITH_INPUT.contains(&&*task.task_type)),
        ..TaskView::default()
    }
}
