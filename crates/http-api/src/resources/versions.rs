//! `/`, `/versions` and `/apis`: what clients ask before anything else.

use graph_json::Dialect;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::reply::Reply;
use crate::routes::{Answered, Handler, ROUTES};

/// TinkerPop's version as HugeGraph 1.7 reports it.
const GREMLIN_VERSION: &str = "3.5.1";
/// The version of the API; clients switch features by it.
const API_VERSION: &str = "0.71.0.0";
/// What a client before 1.5 accepts: the versions of HugeGraph 1.0.
const CORE_VERSION_BEFORE_15: &str = "1.0.0";
const API_VERSION_BEFORE_15: &str = "0.69.0.0";

/// The service.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn root(call: &Call) -> Answered {
    Ok(Reply::value(&json!({
        "service": "hugegraph",
        "version": call.app.options.core_version,
        "doc": "https://hugegraph.apache.org/docs/",
        "api_doc": "https://hugegraph.apache.org/docs/clients/",
        "apis": ["graph", "metrics", "schema", "space", "tasks", "traversers"],
    })))
}

/// The versions.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn versions(call: &Call) -> Answered {
    let (core, api) = match call.dialect {
        Dialect::Current => (call.app.options.core_version.as_str(), API_VERSION),
        Dialect::Before15 => (CORE_VERSION_BEFORE_15, API_VERSION_BEFORE_15),
    };
    Ok(Reply::value(&json!({ "versions": {
        "version": "v1",
        "core": core,
        "gremlin": GREMLIN_VERSION,
        "api": api,
    } })))
}

/// All addresses that have a handler, from the table of routes.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn apis(_: &Call) -> Answered {
    let mut groups: Map<String, Value> = Map::new();
    for route in ROUTES.iter().filter(|route| !route.is_for_tests()) {
        for (method, handler) in route.endpoints {
            if matches!(handler, Handler::NotYet) {
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
