//! The log of requests that took long, and of those that failed because of this server: one line each, by which the
//! request is found again. Values are left out: of the address its template, and of its query the names with what is a
//! number or a word of the API. Gremlin and Cypher are logged with their text and plan where they are carried out.

use std::time::Duration;

use http_server::{Reply, Work};
use hyper::StatusCode;

/// Bytes of an answer from which on it is named as the reason.
const LARGE_ANSWER_BYTES: usize = 1024 * 1024;
/// Edges and vertices looked at from which on they are named as the reason.
const MANY_ELEMENTS: u64 = 10_000;
/// Bytes of a query that are kept.
const QUERY_BYTES_MAX: usize = 500;
/// Parameters whose values say how much is asked for, and nothing of what is stored.
const SHOWN: [&str; 16] = [
    "direction",
    "max_depth",
    "max_degree",
    "limit",
    "capacity",
    "offset",
    "nearest",
    "count_only",
    "with_vertex",
    "with_edge",
    "skip_degree",
    "sample",
    "depth",
    "traverse_mode",
    "page_limit",
    "label",
];

/// A request that was answered.
pub struct Answered<'r> {
    /// Its method and the template of its path.
    pub endpoint: (&'r str, &'r str),
    /// Whether it carried out a query: those are logged with their text and plan where that happens.
    pub is_query: bool,
    /// The path of its address, and the query.
    pub address: (&'r str, &'r str),
    /// Its id.
    pub request_id: &'r str,
    /// Who sent it; empty: nobody with a name.
    pub user: &'r str,
    /// What was answered.
    pub reply: &'r Reply,
    /// How long it took.
    pub took: Duration,
}

/// Logs a request that failed because of a defect, or that was slow.
pub fn note(answered: &Answered<'_>, is_slow: bool) {
    let Answered { endpoint: (method, template), is_query, address, request_id: request, user, reply, took } =
        *answered;
    let elapsed_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let status = reply.status.as_u16();
    if reply.status == StatusCode::INTERNAL_SERVER_ERROR {
        tracing::error!(request, user, elapsed_ms, "failed request: {method} {template}");
        return;
    }
    if !is_slow || is_query {
        return;
    }
    let work = reply.work.as_deref().copied().unwrap_or(Work { edges: 0, vertices: 0 });
    tracing::warn!(
        request,
        graph = graph_of(address.0),
        user,
        elapsed_ms,
        status,
        answer_bytes = reply.body.len(),
        edges_read = work.edges,
        vertices_read = work.vertices,
        plan = plan(address.1),
        reason = reason(reply),
        "slow request: {method} {template}"
    );
}

/// What most likely took the time.
fn reason(reply: &Reply) -> &'static str {
    let work = reply.work.as_ref().map_or(0, |work| work.edges.max(work.vertices));
    if reply.status == StatusCode::SERVICE_UNAVAILABLE {
        "it was stopped at server.request_timeout_ms, or waited in a queue"
    } else if work >= MANY_ELEMENTS {
        "it looked at many elements: a smaller max_depth, max_degree or limit, or a label, makes it look at fewer"
    } else if reply.body.len() >= LARGE_ANSWER_BYTES {
        "its answer is large: ask for pages"
    } else if reply.work.is_some() {
        "it looked at few elements, so it waited for a thread or for storage"
    } else {
        "it waited for a thread, for storage or for another write, or read many rows for a small answer"
    }
}

/// The name of the graph in a path, as it is written there.
fn graph_of(path: &str) -> &str {
    let mut segments = path.split('/');
    let found = segments.by_ref().find(|segment| *segment == "graphs");
    found.and_then(|_| segments.next()).unwrap_or_default()
}

/// The names of a query's parameters in order, with the values that say how much is asked for.
fn plan(query: &str) -> String {
    let mut plan = String::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let is_shown = SHOWN.contains(&name) && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let separator = if plan.is_empty() { "" } else { " " };
        let value = if is_shown { value } else { "?" };
        if plan.len() + name.len() + value.len() + 2 > QUERY_BYTES_MAX {
            plan.push_str(" ...");
            break;
        }
        plan.push_str(&format!("{separator}{name}={value}"));
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_elements_are_not_in_the_plan() {
        let query = "source=%221%3Aann%22&direction=OUT&max_depth=3&label=knows&properties=%7B%22city%22%3A%22x%22%7D";
        assert_eq!(plan(query), "source=? direction=OUT max_depth=3 label=knows properties=?");
        assert_eq!(plan("limit=%22evil%0a"), "limit=?");
        assert_eq!(plan(""), "");
        assert!(plan(&"a=1&".repeat(1_000)).len() < QUERY_BYTES_MAX + 10);
    }

    #[test]
    fn graphs_are_found_in_both_layouts() {
        assert_eq!(graph_of("/graphs/hugegraph/traversers/kout"), "hugegraph");
        assert_eq!(graph_of("/graphspaces/DEFAULT/graphs/g2/graph/vertices"), "g2");
        assert_eq!(graph_of("/metrics"), "");
    }

    #[test]
    fn the_reason_follows_from_what_was_read_and_answered() {
        let reply = |bytes: usize, work| {
            let mut reply = Reply::ok(vec![b' '; bytes]);
            reply.work = work;
            reply
        };
        let work = |edges| Some(Box::new(Work { edges, vertices: 1 }));
        assert!(reason(&reply(10, work(MANY_ELEMENTS))).starts_with("it looked at many elements"));
        assert!(reason(&reply(10, work(3))).starts_with("it looked at few elements"));
        assert!(reason(&reply(LARGE_ANSWER_BYTES, None)).starts_with("its answer is large"));
        assert!(reason(&reply(10, None)).starts_with("it waited"));
    }
}
