//! `/`, `/versions` and `/apis`: what clients ask before anything else.

use graph_json::{Dialect, VERSIONS_BEFORE_15_JSON, VERSIONS_JSON};
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::reply::Reply;
use crate::routes::{Answered, ROUTES};

/// The version of HugeGraph whose API this is.
pub(crate) const CORE_VERSION: &str = "1.7.0";

/// The service.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn root(_: &Call) -> Answered {
    Ok(Reply::value(&json!({
        "service": "hugegraph",
        "version": CORE_VERSION,
        "doc": "https://hugegraph.apache.org/docs/",
        "api_doc": "https://hugegraph.apache.org/docs/clients/",
        "apis": ["graph", "metrics", "schema", "space", "tasks", "traversers"],
    })))
}

/// The versions.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn versions(call: &Call) -> Answered {
    let versions = match call.dialect {
        Dialect::Current => VERSIONS_JSON,
        Dialect::Before15 => VERSIONS_BEFORE_15_JSON,
    };
    Ok(Reply::ok(versions.as_bytes().to_vec()))
}

/// All addresses that have a handler, from the table of routes.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn apis(_: &Call) -> Answered {
    let mut groups: Map<String, Value> = Map::new();
    for route in ROUTES.iter().filter(|route| !route.is_for_tests()) {
        for (method, handler) in route.endpoints {
            if !handler.answers() {
                continue;
            }
            let group = route.path.first().copied().unwrap_or("root");
            let entry = json!({ "url": route.template(), "method": method.as_str(), "parameters": [] });
            match groups.entry(group).or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(entries) => entries.push(entry),
                other => *other = Value::Array(vec![entry]),
            }
        }
    }
    Ok(Reply::value(&json!({ "apis": { "api": groups } })))
}
