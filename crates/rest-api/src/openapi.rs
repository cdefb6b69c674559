//! The API described for programs, as data: what `/openapi.json` answers is made of it.
//!
//! The table of routes says what there is. The tables in this folder say what each method at each address takes and
//! answers, in the words of the crate `openapi-document`; a test compares the two, and in tests of the server a handler
//! fails that asks for a parameter its description does not have. To describe a new route, add its line to the table of
//! its area (traversers describe themselves in `resources/traversers/`); shapes used more than once go to `shapes.rs`.

mod admin;
mod graph;
mod gremlin;
mod schema;
mod shapes;
pub(crate) mod traversers;

use openapi_document::{Api, Area, Operation, Scope};

use crate::directory::Directory;

/// The area of traversers.
pub(crate) const TRAVERSERS: &str = "traversers";

const ABOUT: &str = "Property graphs over HugeGraph's REST API. Every address of a graph is there twice: as shown, and \
    after `/graphspaces/DEFAULT`. Errors are JSON with the Java class HugeGraph's clients know them by.";

/// The tables: an area, and its operations.
static TABLES: &[(Area, &[Operation])] = &[
    (Area { name: "graph", about: "Vertices and edges" }, graph::OPERATIONS),
    (
        Area { name: "schema", about: "Definitions of property keys, labels and indexes, and the tasks they start" },
        schema::OPERATIONS,
    ),
    (
        Area { name: TRAVERSERS, about: "Neighbourhoods, paths, similarities, ranks, and reading a graph in parts" },
        traversers::OPERATIONS,
    ),
    (Area { name: "gremlin", about: "Queries in Gremlin" }, gremlin::OPERATIONS),
    (Area { name: "graphs", about: "Graphs as a whole, and graph spaces" }, admin::GRAPHS),
    (Area { name: "service", about: "The server itself" }, admin::SERVICE),
];

/// Every address of a graph or graph space is there twice.
const TWICE: &[&str] = &["/", "/graphspaces/DEFAULT"];
static SCOPES: &[Scope] = &[
    Scope { mark: "{G}", path: "/graphs/{graph}", servers: TWICE, word: "graph" },
    Scope { mark: "{S}", path: "", servers: TWICE, word: "space" },
];

/// All operations of the tables, with the name of their area.
pub(crate) fn operations() -> impl Iterator<Item = (&'static str, &'static Operation)> {
    TABLES.iter().flat_map(|(area, operations)| operations.iter().map(|operation| (area.name, operation)))
}

/// The document as JSON; `None` where it cannot be written.
pub(crate) fn document_json(directory: &Directory) -> Option<String> {
    let areas: Vec<Area> = TABLES.iter().map(|(area, _)| *area).collect();
    let shapes: Vec<_> = shapes::all().copied().collect();
    let api = Api {
        title: "Rhizome",
        version: env!("CARGO_PKG_VERSION"),
        about: ABOUT,
        license: "Apache-2.0",
        areas: &areas,
        scopes: SCOPES,
        shapes: &shapes,
        failure: "Error",
        examples: &[("graph", "hugegraph"), ("space", "DEFAULT"), ("group", "gauges")],
    };
    api.document_json(directory.all().filter_map(|endpoint| endpoint.described))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::routes::{directory, operations};
    use openapi_document::{Answer, Body, Shape};

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
            "these endpoints have no description for /openapi.json; add each to a table in src/openapi/, or \
             next to its traverser: {missing:?}"
        );
        let extra: Vec<_> = once.difference(&routed).collect();
        assert!(extra.is_empty(), "src/openapi/ describes what the table of routes does not have: {extra:?}");
    }

    fn check_names(shape: Shape, used: &mut BTreeSet<&'static str>) {
        match shape {
            Shape::Named(name) => {
                assert!(shapes::all().any(|(known, _)| *known == name), "no shape is named {name}");
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
                Answer::Nothing | Answer::Text => {}
            }
        }
        shapes::all().for_each(|(_, shape)| check_names(*shape, &mut used));
        let idle: Vec<_> = shapes::all().filter(|(name, _)| !used.contains(name)).map(|(name, _)| name).collect();
        assert!(idle.is_empty(), "nothing uses these shapes: {idle:?}");
    }

    #[test]
    fn the_document_has_every_address_once_and_ids_of_their_own() {
        let document = document_json(&directory()).unwrap();
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
}
