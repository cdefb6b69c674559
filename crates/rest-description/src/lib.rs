//! The REST API described for programs, as data: what `/openapi.json` answers is made of it.
//!
//! What it is: tables that say what each method at each address takes and answers, in the words of the crate
//! `openapi-document` ([`operations()`]), and the shapes they name ([`shapes()`]). What it is not: it routes and serves
//! nothing. The table of routes of the crate `rest-api` says what there is; its tests compare the two, and in tests of
//! the server a handler fails that asks for a parameter its description does not have.
//!
//! To describe a new route, add its line to the table of its area (traversers describe themselves next to their
//! handlers, with the parts in [`traversers`]); shapes used more than once go to `shapes.rs`.

mod admin;
mod graph;
mod gremlin;
mod schema;
mod shapes;
#[expect(missing_docs, reason = "each is a parameter or a part of an answer, whose own text says what it means")]
pub mod traversers;
mod users;

use openapi_document::{Api, Area, Described, Login, LoginScheme, Operation, Scope, Shape};

/// The area of traversers.
pub const TRAVERSERS: &str = "traversers";

const ABOUT: &str = "Property graphs over HugeGraph's REST API. Every address of a graph is there twice: as shown, and \
    after `/graphspaces/DEFAULT`. Errors are JSON with the Java class HugeGraph's clients know them by. \
    Servers without users (`auth.enabled = false`) ask for no credentials.";

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
    (Area { name: "users", about: "Users, groups, rights and logins" }, users::USERS),
    (Area { name: "service", about: "The server itself" }, admin::SERVICE),
];

/// Every address of a graph or graph space is there twice.
const TWICE: &[&str] = &["/", "/graphspaces/DEFAULT"];
static SCOPES: &[Scope] = &[
    Scope { mark: "{G}", path: "/graphs/{graph}", servers: TWICE, word: "graph" },
    Scope { mark: "{S}", path: "", servers: TWICE, word: "space" },
];

/// How to say who asks, on servers with users.
static LOGINS: &[Login] = &[
    Login { name: "basic", scheme: LoginScheme::Basic, about: "A user with its password, or with an API key" },
    Login { name: "bearer", scheme: LoginScheme::Bearer, about: "A token of POST /auth/login, or an API key" },
];

/// All operations of the tables, with the name of their area.
pub fn operations() -> impl Iterator<Item = (&'static str, &'static Operation)> {
    TABLES.iter().flat_map(|(area, operations)| operations.iter().map(|operation| (area.name, operation)))
}

/// All shapes that have names.
pub fn shapes() -> impl Iterator<Item = &'static (&'static str, Shape)> {
    shapes::all()
}

/// The OpenAPI document of some operations as JSON; `None` where it cannot be written.
pub fn document_json(described: impl Iterator<Item = Described>) -> Option<String> {
    let areas: Vec<Area> = TABLES.iter().map(|(area, _)| *area).collect();
    let shapes: Vec<_> = shapes().copied().collect();
    let api = Api {
        title: "Rhizome",
        version: env!("CARGO_PKG_VERSION"),
        about: ABOUT,
        license: "Apache-2.0",
        areas: &areas,
        scopes: SCOPES,
        shapes: &shapes,
        failure: "Error",
        logins: LOGINS,
        examples: &[("graph", "hugegraph"), ("space", "DEFAULT"), ("group", "gauges")],
    };
    api.document_json(described)
}
