//! What the addresses of this crate take and answer, as data, and the OpenAPI document made of it.

use openapi_document::Shape::{Any, Choice, Flag, Integer, List, Literal, Map, Number, Object, Text};
use openapi_document::{Api, Area, Body, Described, Field, Login, LoginScheme, Operation, Shape, may, must};

use crate::documents::KINDS;

const GRAPH: Field = must("graph", Text, "The name of a graph");
const KIND: Field = must("kind", Choice(&KINDS), "What the document is");
const NAME: Field = must("name", Text, "The name of the document, 1 to 100 characters");
const NUMBERS: Shape = List(&Any);

const SESSION: Shape = Object(&[
    must("auth", Flag, "Whether requests need a login"),
    must("user", Any, "The name of the user; null without a login"),
    must("admin", Flag, ""),
    must("manager", Flag, ""),
]);

const LOAD_TESTS: Shape = Object(&[
    must("enabled", Flag, "Whether tests may be started"),
    must("reason", Any, "Why not, as text; else null"),
    must("users_max", Integer, ""),
    must("seconds_max", Integer, ""),
    must("rate_max", Number, ""),
    must("vertices", Integer, "Vertices that are prepared where a scenario needs any"),
    must("edges", Integer, "Edges that are prepared where a scenario needs any"),
    must("scenarios", List(&Object(&[must("name", Text, ""), must("description", Text, "")])), ""),
    must("run", Any, "The test that runs or ran last: plan, stage, progress, curve, failure, result; null before"),
]);

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation::get("/rhizome/session", "Says who is logged in, and lets the login last longer", SESSION),
    Operation::post(
        "/rhizome/session",
        "Logs a browser in by a cookie; for pages, which send X-Rhizome-UI",
        Object(&[must("user", Text, ""), must("password", Text, "")]),
        200,
        SESSION,
    ),
    Operation::delete("/rhizome/session", "Ends the login of a browser"),
    Operation::post(
        "/rhizome/gremlin/check",
        "Says what is wrong with a text of Gremlin, which is not run",
        Object(&[must("gremlin", Text, ""), may("bindings", List(&Text), "Names that the request will bind")]),
        200,
        Object(&[must("errors", List(&Map(&Any)), "Messages with from and to, in UTF-16 units, line and column")]),
    ),
    Operation::get(
        "/rhizome/queries/slow",
        "Lists the last slow queries of a graph; those of others for managers only",
        Object(&[must("slow_query_ms", Integer, ""), must("queries", List(&Map(&Any)), "")]),
    )
    .query(&[GRAPH]),
    Operation::get(
        "/rhizome/documents",
        "Lists what pages keep with a graph, by name",
        Object(&[
            must(
                "documents",
                List(&Object(&[
                    must("name", Text, ""),
                    must("at_ms", Integer, "When it was kept, in milliseconds since 1970 UTC"),
                    must("by", Text, "By whom"),
                    must("bytes", Integer, "Bytes of its content"),
                    must("about", Any, "What lists show of it"),
                ])),
                "",
            ),
            must("documents_max", Integer, "How many of a kind there may be"),
        ]),
    )
    .query(&[GRAPH, KIND]),
    Operation::get("/rhizome/document", "Reads the content of a document", Any).query(&[GRAPH, KIND, NAME]),
    Operation::put(
        "/rhizome/document",
        "Keeps a document, in place of one of the same name",
        Object(&[
            must("content", Any, "Up to 1 MiB, kept as it is"),
            may("about", Any, "What lists show of it, up to 2,000 bytes"),
        ]),
        200,
        Object(&[must("name", Text, "")]),
    )
    .query(&[GRAPH, KIND, NAME]),
    Operation::delete("/rhizome/document", "Deletes a document").query(&[GRAPH, KIND, NAME]),
    Operation::get(
        "/rhizome/metrics/series",
        "Reads figures of the last hour as columns, oldest first; null where there were no requests",
        Object(&[
            must("every_s", Integer, "Seconds between two moments"),
            must("at_s", NUMBERS, "Moments, in seconds since 1970 UTC"),
            must("requests_per_s", NUMBERS, ""),
            must("p50_ms", NUMBERS, "The upper bound of the class that this quantile falls into"),
            must("p95_ms", NUMBERS, ""),
            must("p99_ms", NUMBERS, ""),
            must("memory_bytes", NUMBERS, "Memory of the process in RAM"),
            must("in_flight", NUMBERS, "Requests at work"),
            must("refused", NUMBERS, "Requests and connections refused since the moment before"),
        ]),
    ),
    Operation::get(
        "/rhizome/load-tests",
        "Says how far the load test of this server is, and what may be asked for",
        LOAD_TESTS,
    ),
    Operation::post(
        "/rhizome/load-tests",
        "Starts a load test of this server, of which there is one at a time; needs ui.load_test",
        Object(&[
            GRAPH,
            must("scenario", Text, "One of those that GET lists"),
            must("driver", Choice(&["paced", "closed", "open"]), "How requests are offered"),
            must("users", Integer, "Connections"),
            must("seconds", Integer, "Length of the measured part"),
            may("rate", Number, "Requests a second, of the driver open"),
        ]),
        202,
        LOAD_TESTS,
    ),
    Operation::delete("/rhizome/load-tests", "Cancels the load test; what it has measured is kept"),
    Operation::get(
        "/rhizome/load-tests/report",
        "Reads the report of the last load test, as a page",
        Object(&[must("html", Text, "")]),
    ),
    Operation::get("/rhizome/openapi.json", "Reads this document", Map(&Any)).body(Body::Nothing),
];

/// What anybody may ask without saying who.
const OPEN: [(&str, &str); 3] =
    [("GET", "/rhizome/openapi.json"), ("GET", "/rhizome/session"), ("POST", "/rhizome/session")];

static SHAPES: &[(&str, Shape)] = &[(
    "Error",
    Object(&[
        must("exception", Text, "A Java class, as in the REST API"),
        must("message", Text, "What was wrong, where, and what to do"),
        must("cause", Literal(""), "Always empty"),
    ]),
)];

/// The OpenAPI document; `None` where it cannot be written.
pub(crate) fn document() -> Option<String> {
    const AREA: Area = Area { name: "explorer", about: "What the pages at /ui/ ask beside the REST API" };
    let api = Api {
        title: "Rhizome's explorer",
        version: env!("CARGO_PKG_VERSION"),
        about: "What the pages at /ui/ ask beside HugeGraph's REST API, which /openapi.json describes.",
        license: "Apache-2.0",
        areas: &[AREA],
        scopes: &[],
        shapes: SHAPES,
        failure: "Error",
        logins: &[
            Login { name: "basic", scheme: LoginScheme::Basic, about: "A user with its password, or with an API key" },
            Login { name: "bearer", scheme: LoginScheme::Bearer, about: "A token of a login, or an API key" },
        ],
        examples: &[],
    };
    let described = OPERATIONS.iter().map(|operation| Described {
        area: AREA.name,
        operation,
        is_open: OPEN.contains(&(operation.method, operation.template)),
    });
    api.document_json(described)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::route::Route;

    #[test]
    fn what_is_described_is_what_there_is() {
        let described: BTreeSet<_> = OPERATIONS.iter().map(|one| (one.template, one.method)).collect();
        let routes: BTreeSet<_> = Route::each().map(|(_, path, method)| (path, method)).collect();
        assert_eq!(described, routes);
        let document: serde_json::Value = serde_json::from_str(&document().unwrap()).unwrap();
        assert_eq!(document["paths"].as_object().unwrap().len(), Route::ALL.len());
    }
}
