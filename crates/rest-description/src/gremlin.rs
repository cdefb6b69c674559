//! Gremlin.

use openapi_document::Shape::{Any, Either, Integer, List, Map, Named, Null, Object, Text};
use openapi_document::{Body, Field, Operation, Shape, may, must};

const REQUEST: Shape = Object(&[
    must("gremlin", Text, "The query"),
    may("bindings", Map(&Any), "Values by the names that stand for them in the query"),
    may("aliases", Map(&Text), "Names that stand for others, such as `{\"g\": \"__g_hugegraph\"}`"),
    may("language", Text, "What the client calls the language; all are read the same way"),
]);
const STATUS: Field = must(
    "status",
    Object(&[must("message", Text, ""), must("code", Integer, ""), must("attributes", Map(&Any), "")]),
    "",
);
const ANSWER: Shape = Object(&[
    must("requestId", Text, ""),
    STATUS,
    must("result", Object(&[must("data", List(&Any), "The results"), must("meta", Map(&Any), "")]), ""),
]);
const ROWS: Shape = Either(&[List(&Any), Null]);
const CYPHER_ANSWER: Shape = Object(&[
    must("requestId", Text, ""),
    STATUS,
    must(
        "result",
        Object(&[must("data", ROWS, "The rows; null where the query failed"), must("meta", Map(&Any), "")]),
        "",
    ),
]);
const QUERY: Field = must("gremlin", Text, "The query");
const RUNNING: Shape = Object(&[must(
    "queries",
    List(&Object(&[
        must("id", Integer, "Its number, by which it can be ended"),
        must("gremlin", Text, "Its text"),
        must("user", Text, "Who asked"),
        must("age_ms", Integer, "How long it has worked"),
        must("rows", Integer, "Results so far"),
        must("bytes", Integer, "Bytes of results so far"),
        must("plan", Text, "The plan of the traversal that runs"),
    ])),
    "",
)]);

const CYPHER: Field = must("cypher", Text, "The query");
const CYPHER_BODY: Shape = Any;

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation::get("{G}/cypher", "Runs a query in Cypher", CYPHER_ANSWER).query(&[CYPHER]),
    Operation::post(
        "{G}/cypher",
        "Runs a query in Cypher: its text, or an object of statement and parameters",
        CYPHER_BODY,
        200,
        CYPHER_ANSWER,
    ),
    Operation::get("/gremlin", "Runs a query", ANSWER).query(&[QUERY]),
    Operation::post("/gremlin", "Runs a query", REQUEST, 200, ANSWER),
    Operation::post(
        "{G}/jobs/gremlin",
        "Starts a query as a task, whose result is kept",
        REQUEST,
        201,
        Named("TaskId"),
    )
    .body(Body::Json(REQUEST)),
    Operation::post(
        "{G}/jobs/cypher",
        "Starts a query in Cypher as a task, whose result is kept: a list of its rows",
        CYPHER_BODY,
        201,
        Named("TaskId"),
    )
    .body(Body::Json(CYPHER_BODY)),
    Operation::get("{G}/queries", "Lists the queries that run on a graph", RUNNING),
    Operation::delete("{G}/queries/{id}", "Ends a query"),
];
