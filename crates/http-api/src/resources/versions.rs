//! `/`, `/versions` and `/apis`: what clients ask before anything else.

use graph_json::{Dialect, VERSIONS_BEFORE_15_JSON, VERSIONS_JSON};
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::openapi::{Operation, Shape, operation_at};
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
        "swagger_ui": "/swagger-ui/",
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

/// All addresses that have a handler, from the table of routes, with what is said about them.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn apis(_: &Call) -> Answered {
    let mut groups: Map<String, Value> = Map::new();
    for (at, route) in ROUTES.iter().enumerate().filter(|(_, route)| !route.is_for_tests()) {
        for (endpoint, (method, handler)) in route.endpoints.iter().enumerate() {
            if !handler.answers() {
                continue;
            }
            let group = route.path.first().copied().unwrap_or("root");
            let parameters: Vec<Value> = operation_at((at, endpoint)).map(parameters).unwrap_or_default();
            let entry = json!({ "url": route.template(), "method": method.as_str(), "parameters": parameters });
            match groups.entry(group).or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(entries) => entries.push(entry),
                other => *other = Value::Array(vec![entry]),
            }
        }
    }
    Ok(Reply::value(&json!({ "apis": { "api": groups } })))
}

fn parameters(operation: &Operation) -> Vec<Value> {
    let type_of = |shape| match shape {
        Shape::Integer => "long",
        Shape::Flag => "boolean",
        Shape::List(_) => "List",
        _ => "String",
    };
    let described = operation.query.iter();
    described.map(|field| json!({ "name": field.name, "type": type_of(field.shape), "default_value": null })).collect()
}
