//! Holds the description of the API (crate `rest-description`) against the table of routes.

use std::collections::BTreeSet;

use openapi_document::{Answer, Body, Shape};
use rest_description::shapes;

use crate::resources::api_document::document;
use crate::routes::{directory, operations};

/// Every method at every address that answers, without files and tests.
fn routed() -> BTreeSet<(String, String)> {
    let directory = directory();
    let endpoints = directory.answering().filter(|endpoint| !endpoint.path.contains(&"{*}"));
    endpoints.map(|endpoint| (endpoint.template.clone(), endpoint.method.to_string())).collect()
}

#[test]
fn every_endpoint_is_described_and_nothing_else_is() {
    let routed = routed();
    let described: Vec<_> =
        operations().map(|(_, operation)| (operation.template.to_owned(), operation.method.to_owned())).collect();
    let once: BTreeSet<_> = described.iter().cloned().collect();
    assert_eq!(once.len(), described.len(), "something is described twice");
    let missing: Vec<_> = routed.difference(&once).collect();
    assert!(
        missing.is_empty(),
        "these endpoints have no description for /openapi.json; add each to a table of rest-description, or \
         next to its traverser: {missing:?}"
    );
    let extra: Vec<_> = once.difference(&routed).collect();
    assert!(extra.is_empty(), "rest-description describes what the table of routes does not have: {extra:?}");
}

fn check_names(shape: Shape, used: &mut BTreeSet<&'static str>) {
    match shape {
        Shape::Named(name) => {
            assert!(shapes().any(|(known, _)| *known == name), "no shape is named {name}");
            used.insert(name);
        }
        Shape::List(inner) | Shape::Map(inner) => check_names(*inner, used),
        Shape::Either(shapes) => shapes.iter().for_each(|shape| check_names(*shape, used)),
        Shape::Object(fields) => fields.iter().for_each(|field| check_names(field.shape, used)),
        _ => {}
    }
}

#[test]
fn every_shape_that_is_named_exists_and_is_used() {
    let mut used = BTreeSet::from(["Error"]);
    for (_, operation) in operations() {
        assert!(!operation.summary.is_empty());
        operation.query.iter().for_each(|field| check_names(field.shape, &mut used));
        match operation.body {
            Body::Json(shape) | Body::MayBeJson(shape) => check_names(shape, &mut used),
            Body::Nothing | Body::Configuration => {}
        }
        match operation.answer {
            Answer::Json(_, shape) | Answer::TextOrJson(shape) => check_names(shape, &mut used),
            Answer::Nothing | Answer::Text | Answer::File => {}
        }
    }
    shapes().for_each(|(_, shape)| check_names(*shape, &mut used));
    let idle: Vec<_> = shapes().filter(|(name, _)| !used.contains(name)).map(|(name, _)| name).collect();
    assert!(idle.is_empty(), "nothing uses these shapes: {idle:?}");
}

/// Whatever the table of routes asks credentials for says so in the document, and nothing else.
#[test]
fn the_document_says_what_needs_credentials() {
    let document: serde_json::Value = serde_json::from_str(&document(&directory()).unwrap()).unwrap();
    let operations = document["paths"].as_object().unwrap().iter().flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter().filter(|(_, operation)| operation.get("operationId").is_some());
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation.get("security").cloned()))
    });
    let (open, closed): (Vec<_>, Vec<_>) = operations.partition(|(_, security)| security.is_none());
    let open: BTreeSet<String> = open.into_iter().map(|(operation, _)| operation).collect();
    let expected = ["get /health", "get /openapi.json", "get /ready", "get /versions", "post /auth/login"];
    assert_eq!(open, expected.map(str::to_owned).into());
    assert!(closed.len() > 150);
    let either = serde_json::json!([{ "basic": [] }, { "bearer": [] }]);
    assert!(closed.iter().all(|(_, security)| security.as_ref() == Some(&either)));
    assert_eq!(document["components"]["securitySchemes"].as_object().unwrap().len(), 2);
}

#[test]
fn the_document_has_every_address_once_and_ids_of_their_own() {
    let document = document(&directory()).unwrap();
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let mut ids = BTreeSet::new();
    for (template, method) in routed() {
        let path = template.replace("{G}", "/graphs/{graph}").replace("{S}", "");
        let operation = &paths[&path][method.to_lowercase()];
        let id = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {template} is not there"));
        assert!(ids.insert(id.to_owned()), "{id} is there twice");
    }
    assert_eq!(document["openapi"], "3.1.0");
    let create = &paths["/graphs/{graph}/graph/vertices"]["post"];
    let body = &create["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(body, "#/components/schemas/NewVertex");
    assert_eq!(paths["/graphs"]["servers"][1]["url"], "/graphspaces/DEFAULT");
}
