//! What who asks may do.

use auth::{Caller, Permission, ResourceType};
use graph_model::ErrorKind;

use crate::error::QueryError;

/// Refuses who may not run Gremlin on a graph. What it may read and write there is seen to by what it reads and writes
/// through.
pub(crate) fn check_may_run(caller: &Caller, graph: &str) -> Result<(), QueryError> {
    if caller.may(graph, Permission::Execute, ResourceType::Gremlin) {
        return Ok(());
    }
    Err(denied(Permission::Execute, graph, ResourceType::Gremlin))
}

/// Refuses who may not do something with the whole schema of a graph.
pub(crate) fn check_schema(caller: &Caller, graph: &str, permission: Permission) -> Result<(), QueryError> {
    if caller.may_all(graph, permission, ResourceType::Schema) {
        return Ok(());
    }
    Err(denied(permission, graph, ResourceType::Schema))
}

fn denied(permission: Permission, graph: &str, kind: ResourceType) -> QueryError {
    let (verb, kind) = (permission.name().to_ascii_lowercase(), kind.name());
    let message =
        format!("Permission denied: {verb} Resource{{graphspace=DEFAULT,graph={graph},type={kind},operated=*}}");
    QueryError::access(ErrorKind::Forbidden, message)
}

/// The name of a caller's session: nobody gets into that of another user.
pub(crate) fn session_of(caller: &Caller, session: &str) -> String {
    match caller.user() {
        None => session.to_owned(),
        Some(user) => format!("{}:{user}:{session}", user.len()),
    }
}
