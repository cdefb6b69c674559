//! What an endpoint needs of who asks, as its route declares it, and the check of that before anything else is done.

use std::sync::Arc;

use audit::{Class, Event};
use auth::{AuthError, Authenticate as _, Caller, Permission, ResourceType};
use http_login::as_credentials;
use http_server::{Shown, credentials, peer};
use hyper::header::HeaderMap;
use hyper::http::Extensions;

use crate::call::App;
use crate::names::PROTOCOL;
use rest_errors::ApiError;
use serving::Barred;

/// What an endpoint needs of who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing, not even credentials.
    Open,
    /// To be a user. The handler looks at the rest, where there is any.
    User,
    /// Any right on the graph. The handler leaves out what may not be seen.
    Graph,
    /// A right to some of a kind in the graph. The handler leaves out or refuses the others.
    Part(Permission, ResourceType),
    /// A right to what the last segment of the address names.
    Named(Permission, ResourceType),
    /// A right to all of a kind in the graph.
    Whole(Permission, ResourceType),
    /// A right of a kind, whichever graph it is given for: it is about the server.
    Anywhere(Permission, ResourceType),
    /// To look after the graph space.
    Manager,
    /// To be an administrator.
    Admin,
}

/// What walks from vertex to vertex needs.
pub(crate) const ANY_VERTEX: Access = Access::Part(Permission::Read, ResourceType::Vertex);
/// What looking for edges needs.
pub(crate) const ANY_EDGE: Access = Access::Part(Permission::Read, ResourceType::Edge);

/// How rights to what is no part of a graph are found: by the name of a graph that none can have.
const SERVER: &str = "";

/// Who sends a request. Where a password is new, it is checked on a thread that may wait.
pub(crate) async fn identify(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
    access: Access,
) -> Result<Caller, ApiError> {
    let Some(accounts) = &app.options.accounts else { return Ok(Caller::anonymous()) };
    if access == Access::Open {
        return Ok(Caller::nobody());
    }
    let shown = credentials(headers, extensions).map_err(|error| ApiError::bad_request(error.to_string()))?;
    if matches!(shown, Shown::Nothing) {
        return Err(ApiError::from(AuthError::Required));
    }
    let (accounts, from) = (Arc::clone(accounts), peer(extensions));
    let mut watched = app.serving.watch.record(Class::Login, || {
        let subject = as_credentials(&shown).subject(PROTOCOL, from, app.request_id(headers));
        Event::new(Class::Login, "authenticate", subject)
    });
    watched.begin().await.map_err(Barred::from)?;
    let checked = tokio::task::spawn_blocking(move || accounts.check(as_credentials(&shown), from)).await;
    let checked = checked.map_err(|_| ApiError::defect())?.map_err(ApiError::from);
    if let Ok(caller) = &checked {
        watched.note(|event| caller.note_in(&mut event.subject));
    }
    watched.end_with_status(checked.as_ref().map_or_else(ApiError::status, |_| 200));
    checked
}

/// Refuses who does not have what an endpoint needs. `named`: the last segment of the address.
pub(crate) fn check(access: Access, caller: &Caller, graph: &str, named: &str) -> Result<(), ApiError> {
    let (is_allowed, permission, kind) = match access {
        Access::Open | Access::User => return Ok(()),
        Access::Manager if caller.is_manager() => return Ok(()),
        Access::Admin if caller.is_admin() => return Ok(()),
        Access::Manager | Access::Admin => return Err(ApiError::forbidden("User not authorized.")),
        Access::Graph => (caller.knows(graph), Permission::Read, ResourceType::None),
        Access::Part(permission, kind) => (caller.may(graph, permission, kind), permission, kind),
        Access::Named(permission, kind) => (caller.may_named(graph, permission, kind, named), permission, kind),
        Access::Whole(permission, kind) => (caller.may_all(graph, permission, kind), permission, kind),
        Access::Anywhere(permission, kind) => (caller.may_anywhere(permission, kind), permission, kind),
    };
    if is_allowed { Ok(()) } else { Err(denied(permission, graph, kind, "*")) }
}

/// The error of who may not do something, in HugeGraph's words, which its clients look for.
pub(crate) fn denied(permission: Permission, graph: &str, kind: ResourceType, operated: &str) -> ApiError {
    let (verb, kind) = (permission.name().to_ascii_lowercase(), kind.name());
    let graph = if graph == SERVER { "*" } else { graph };
    ApiError::forbidden(format!(
        "Permission denied: {verb} Resource{{graphspace=DEFAULT,graph={graph},type={kind},operated={operated}}}"
    ))
}
