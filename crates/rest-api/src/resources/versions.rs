//! `/`, `/versions` and `/apis`: what clients ask before anything else.

use std::collections::BTreeMap;

use rest_json::{Dialect, VERSIONS_BEFORE_15_JSON, VERSIONS_JSON};
use serde_json::{Value, json};

use crate::call::{Answered, Call};
use crate::names::CORE_VERSION;
use http_server::Reply;
use openapi_document::{Operation, Shape};

/// The groups of HugeGraph's API in that version, by the names HugeGraph gives them. It is what there is to ask for,
/// not what is answered: the addresses of a group that is not served answer 501 and say why (`filter` and `resources`
/// have none), and `GET /apis` lists what is served.
const GROUPS: [&str; 15] = [
    "arthas",
    "auth",
    "cypher",
    "filter",
    "graph",
    "gremlin",
    "job",
    "metrics",
    "profile",
    "raft",
    "resources",
    "schema",
    "space",
    "traversers",
    "variables",
];

/// The service.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn root(_: &Call) -> Answered {
    Ok(Reply::value(&json!({
        "service": "hugegraph",
        "version": CORE_VERSION,
        "doc": "https://hugegraph.apache.org/docs/",
        "api_doc": "https://hugegraph.apache.org/docs/clients/",
        "swagger_ui": "/swagger-ui/",
        "apis": GROUPS,
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

/// All addresses that have a handler, from the table of routes: by the first part of the address, then by the next.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn apis(call: &Call) -> Answered {
    let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<Value>>> = BTreeMap::new();
    for endpoint in call.app.directory.answering() {
        let mut fixed = endpoint.path.iter().filter(|part| !part.starts_with('{'));
        let group = fixed.next().copied().unwrap_or("root");
        let category = fixed.next().copied().unwrap_or(group);
        let mut parameters: Vec<Value> = endpoint
            .template
            .split(['{', '}'])
            .skip(1)
            .step_by(2)
            .map(|name| match name {
                "S" => "graphspace",
                "G" => "graph",
                name => name,
            })
            .map(|name| json!({ "name": name, "type": "String", "default_value": null }))
            .collect();
        parameters.extend(endpoint.described.into_iter().flat_map(|(_, operation)| in_query(operation)));
        let entry = json!({ "url": endpoint.template, "method": endpoint.method.as_str(), "parameters": parameters });
        groups.entry(group).or_default().entry(category).or_default().push(entry);
    }
    Ok(Reply::value(&json!({ "apis": groups })))
}

fn in_query(operation: &'static Operation) -> impl Iterator<Item = Value> {
    let type_of = |shape| match shape {
        Shape::Integer => "long",
        Shape::Flag => "boolean",
        Shape::List(_) => "List",
        _ => "String",
    };
    let described = operation.query.iter();
    described.map(move |field| json!({ "name": field.name, "type": type_of(field.shape), "default_value": null }))
}
