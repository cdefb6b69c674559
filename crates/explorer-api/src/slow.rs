//! Which queries on a graph were slow of late.

use auth::Caller;
use query_service::{QueryService, SlowQuery};
use serde_json::{Value, json};

/// Those that a caller may see: a manager all, everybody else their own.
pub(crate) fn list(queries: &QueryService, caller: &Caller, graph: &str) -> Value {
    let mut slow = queries.slow(graph);
    if !caller.is_manager() {
        slow.retain(|query| query.user == caller.name());
    }
    let from_ms = u64::try_from(queries.slow_from().as_millis()).unwrap_or(u64::MAX);
    json!({ "slow_query_ms": from_ms, "queries": slow.iter().map(told).collect::<Vec<_>>() })
}

fn told(query: &SlowQuery) -> Value {
    json!({
        "id": query.id, "query": query.text, "user": query.user, "ended_ms": query.ended_ms,
        "took_ms": query.took_ms, "rows": query.rows, "plan": query.plan, "error": query.error,
    })
}
