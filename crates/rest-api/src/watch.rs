//! What is watched of a request: its record, by its route and its body, and whether it needs room on the disk.

use audit::{Class, Event};
use auth::{Caller, ResourceType};
use http_server::{Query, peer};
use hyper::Method;
use hyper::header::HeaderMap;
use hyper::http::Extensions;
use serde::Deserialize;
use serving::Watched;

use crate::access::Access;
use crate::call::App;
use crate::directory::EndpointId;
use crate::names::PROTOCOL;
use crate::route::{GET, POST, Route, Scope};

/// What records take an endpoint for.
pub(crate) fn class_of(route: &Route, method: &Method) -> Class {
    match (route.path, route.scope) {
        (["auth", "login" | "logout"], _) => Class::Login,
        (["gremlin" | "cypher"] | ["jobs", "gremlin" | "cypher" | "algorithm" | "computer", ..], _) => Class::Query,
        (["traversers", ..], _) => Class::Read,
        _ if *method == GET => Class::Read,
        (["auth", ..], _) => Class::Users,
        (["schema", ..] | ["jobs", "rebuild", ..], _) => Class::Schema,
        (["graph" | "variables" | "tasks", ..], _) => Class::Write,
        (["queries", ..], _) => Class::Admin,
        (_, Scope::Graph) | (["graphs", ..], _) => Class::Graph,
        _ => Class::Admin,
    }
}

/// Whether an endpoint may need room on the disk. Users and rights may always be changed; queries are looked at when
/// they have been read; tasks keep what they find.
pub(crate) fn adds(route: &Route, method: &Method, access: Access) -> bool {
    use auth::Permission::Write;
    match access {
        Access::Part(Write, kind) | Access::Named(Write, kind) | Access::Whole(Write, kind) => {
            kind != ResourceType::Task
        }
        Access::Manager => route.scope == Scope::Graph && route.path.is_empty() && *method == POST,
        _ => route.path.first() == Some(&"jobs") && *method == POST,
    }
}

/// A request at an endpoint, to be recorded. `named`: the last segment of the address.
pub(crate) fn watched(
    app: &App,
    id: EndpointId,
    caller: &Caller,
    (headers, extensions): (&HeaderMap, &Extensions),
    graph: &str,
    named: &str,
) -> Watched {
    let Some(endpoint) = app.directory.get(id) else { return Watched::nothing() };
    app.serving.watch.record(endpoint.class, || {
        let subject = caller.subject(PROTOCOL, peer(extensions), app.request_id(headers));
        let action = format!("{} {}", endpoint.method, endpoint.template);
        let mut event = Event::new(endpoint.class, action, subject);
        event.graph = (!graph.is_empty()).then(|| graph.to_owned());
        // Ids of elements may be made of values.
        let is_named = endpoint.path.last().is_some_and(|last| last.starts_with('{'));
        event.target = (is_named && endpoint.path.first() != Some(&"graph")).then(|| named.to_owned());
        event
    })
}

/// What bodies name that may be recorded.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Names {
    #[serde(alias = "user_name", alias = "group_name", alias = "target_name", alias = "project_name")]
    name: Option<String>,
    user: Option<String>,
    group: Option<String>,
    target: Option<String>,
    access_permission: Option<String>,
    gremlin: Option<String>,
    statement: Option<String>,
}

/// Notes what a request is about, by its body and the query of its address.
pub(crate) fn note_body(watched: &mut Watched, app: &App, id: EndpointId, body: &[u8], query: &str) {
    let Some(endpoint) = app.directory.get(id).filter(|_| watched.is_recorded()) else { return };
    if !matches!(endpoint.class, Class::Users | Class::Schema | Class::Query | Class::Login) {
        return;
    }
    let names: Names = serde_json::from_slice(body).unwrap_or_default();
    if endpoint.class == Class::Query {
        let of_address = || {
            let query = Query::new(query);
            let text = query.all("gremlin").chain(query.all("cypher")).next()?.ok()?;
            Some(text.into_owned())
        };
        let is_cypher = endpoint.path.last() == Some(&"cypher");
        let whole = || is_cypher.then(|| String::from_utf8_lossy(body).into_owned()).filter(|text| !text.is_empty());
        if let Some(text) = names.gremlin.or(names.statement).or_else(of_address).or_else(whole) {
            watched.note_query(&text);
        }
        return;
    }
    let Names { name, user, group, target, access_permission, .. } = names;
    let is_login = endpoint.class == Class::Login;
    watched.note(|event| match name {
        Some(name) if is_login => event.subject.user = Some(name),
        Some(name) => event.target = Some(name),
        None => {
            let parts: Vec<String> = [user, group, access_permission, target].into_iter().flatten().collect();
            if !parts.is_empty() {
                event.target = Some(parts.join(" > "));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::directory::State;
    use crate::routes::directory;
    use audit::Class;

    /// Every route that changes something has a class by which that is recorded unless the settings say otherwise, but
    /// for those that change elements.
    #[test]
    fn what_changes_is_recorded() {
        let directory = directory();
        for endpoint in directory.answering() {
            let (method, template) = (&endpoint.method, &*endpoint.template);
            let is_element = ["graph/", "variables", "tasks"].iter().any(|part| template.contains(part))
                && !template.starts_with("{S}")
                && template != "{G}/graph_read_mode";
            if *method != "GET" && !is_element && !template.contains("traversers") {
                assert!(!matches!(endpoint.class, Class::Read | Class::Write), "{method} {template}");
            }
        }
        let class = |method: &str, template: &str| {
            let found = directory.all().find(|endpoint| endpoint.method == method && endpoint.template == template);
            let found = found.filter(|endpoint| endpoint.state == State::Answers);
            found.map(|endpoint| (endpoint.class, endpoint.adds)).unwrap()
        };
        assert_eq!(class("POST", "{S}/auth/login"), (Class::Login, false));
        assert_eq!(class("POST", "{S}/auth/users"), (Class::Users, false));
        assert_eq!(class("GET", "{S}/auth/users"), (Class::Read, false));
        assert_eq!(class("POST", "{G}/schema/vertexlabels"), (Class::Schema, true));
        assert_eq!(class("DELETE", "{G}/schema/vertexlabels/{name}"), (Class::Schema, false));
        assert_eq!(class("DELETE", "{G}/clear"), (Class::Graph, false));
        assert_eq!(class("POST", "{G}"), (Class::Graph, true));
        assert_eq!(class("DELETE", "{G}"), (Class::Graph, false));
        assert_eq!(class("POST", "{G}/graph/edges/batch"), (Class::Write, true));
        assert_eq!(class("DELETE", "{G}/graph/edges/{id}"), (Class::Write, false));
        assert_eq!(class("PUT", "{G}/tasks/{id}"), (Class::Write, false));
        assert_eq!(class("POST", "/gremlin"), (Class::Query, false));
        assert_eq!(class("POST", "{G}/jobs/gremlin"), (Class::Query, true));
        assert_eq!(class("PUT", "/whiteiplist"), (Class::Admin, false));
        assert_eq!(class("DELETE", "{G}/queries/{id}"), (Class::Admin, false));
        assert_eq!(class("POST", "{G}/traversers/kout"), (Class::Read, false));
    }
}
