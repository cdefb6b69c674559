//! The schema, and the tasks its changes start.

use openapi_document::Shape::{Choice, Flag, Integer, List, Named, Text};
use openapi_document::{Answer, Body, Field, Operation, Shape, may, must};

const NAMES: Field = may("names", List(&Text), "Only these, each as its own parameter");
const ACTION: Field = must("action", Choice(&["append", "eliminate"]), "Add, or take away");
const STARTED: Answer = Answer::Json(202, Named("TaskId"));

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation::get("{G}/schema", "Reads the whole schema", Named("Schema")).query(&[may(
        "format",
        Choice(&["json"]),
        "The only form there is",
    )]),
    Operation::get("{G}/schema/propertykeys", "Lists property keys", Named("PropertyKeys")).query(&[NAMES]),
    Operation::post(
        "{G}/schema/propertykeys",
        "Creates a property key",
        Named("NewPropertyKey"),
        202,
        Named("PropertyKeyWithTask"),
    ),
    Operation::get("{G}/schema/propertykeys/{name}", "Reads a property key", Named("PropertyKey")),
    Operation::put(
        "{G}/schema/propertykeys/{name}",
        "Changes the user data of a property key",
        Named("SchemaUpdate"),
        202,
        Named("PropertyKeyWithTask"),
    )
    .query(&[ACTION]),
    Operation::delete("{G}/schema/propertykeys/{name}", "Deletes a property key that no label uses").answers(STARTED),
    Operation::get("{G}/schema/vertexlabels", "Lists vertex labels", Named("VertexLabels")).query(&[NAMES]),
    Operation::post(
        "{G}/schema/vertexlabels",
        "Creates a vertex label",
        Named("NewVertexLabel"),
        201,
        Named("VertexLabel"),
    ),
    Operation::get("{G}/schema/vertexlabels/{name}", "Reads a vertex label", Named("VertexLabel")),
    Operation::put(
        "{G}/schema/vertexlabels/{name}",
        "Changes a vertex label",
        Named("SchemaUpdate"),
        200,
        Named("VertexLabel"),
    )
    .query(&[ACTION]),
    Operation::delete("{G}/schema/vertexlabels/{name}", "Starts the removal of a vertex label and its vertices")
        .answers(STARTED),
    Operation::get("{G}/schema/edgelabels", "Lists edge labels", Named("EdgeLabels")).query(&[NAMES]),
    Operation::post("{G}/schema/edgelabels", "Creates an edge label", Named("NewEdgeLabel"), 201, Named("EdgeLabel")),
    Operation::get("{G}/schema/edgelabels/{name}", "Reads an edge label", Named("EdgeLabel")),
    Operation::put(
        "{G}/schema/edgelabels/{name}",
        "Changes an edge label",
        Named("SchemaUpdate"),
        200,
        Named("EdgeLabel"),
    )
    .query(&[ACTION]),
    Operation::delete("{G}/schema/edgelabels/{name}", "Starts the removal of an edge label and its edges")
        .answers(STARTED),
    Operation::get("{G}/schema/indexlabels", "Lists index labels", Named("IndexLabels")).query(&[NAMES]),
    Operation::post(
        "{G}/schema/indexlabels",
        "Creates an index label",
        Named("NewIndexLabel"),
        202,
        Named("IndexLabelWithTask"),
    ),
    Operation::get("{G}/schema/indexlabels/{name}", "Reads an index label", Named("IndexLabel")),
    Operation::put(
        "{G}/schema/indexlabels/{name}",
        "Changes the user data of an index label",
        Named("SchemaUpdate"),
        200,
        Named("IndexLabel"),
    )
    .query(&[ACTION]),
    Operation::delete("{G}/schema/indexlabels/{name}", "Deletes an index label").answers(STARTED),
    Operation::put(
        "{G}/jobs/rebuild/indexlabels/{name}",
        "Starts building an index again",
        Shape::Any,
        202,
        Named("TaskId"),
    )
    .body(Body::MayBeJson(Shape::Any)),
    Operation::post(
        "{G}/jobs/algorithm/{name}",
        "Starts an algorithm over the whole graph as a task, whose result is kept",
        Shape::Any,
        201,
        Named("TaskId"),
    )
    .body(Body::MayBeJson(Shape::Any)),
    Operation::post(
        "{G}/jobs/computer/{name}",
        "Starts an algorithm by a name of HugeGraph's computer",
        Shape::Any,
        201,
        Named("TaskId"),
    )
    .body(Body::MayBeJson(Shape::Any)),
    Operation::put(
        "{G}/jobs/rebuild/vertexlabels/{name}",
        "Starts building the indexes of a vertex label again",
        Shape::Any,
        202,
        Named("TaskId"),
    )
    .body(Body::MayBeJson(Shape::Any)),
    Operation::put(
        "{G}/jobs/rebuild/edgelabels/{name}",
        "Starts building the indexes of an edge label again",
        Shape::Any,
        202,
        Named("TaskId"),
    )
    .body(Body::MayBeJson(Shape::Any)),
    Operation::get("{G}/tasks", "Lists tasks", Named("Tasks")).query(&[
        may("status", Text, "Only tasks in this state, in any case"),
        may("limit", Integer, "Tasks at most; -1: all"),
        may("page", Text, "Empty for the first page, then what the answer before had in `page`"),
        may("ids", List(&Text), "Only these, each as its own parameter"),
    ]),
    Operation::get("{G}/tasks/{id}", "Reads a task", Named("Task")),
    Operation::put("{G}/tasks/{id}", "Cancels a task", Shape::Any, 202, Named("Task"))
        .body(Body::MayBeJson(Shape::Any))
        .query(&[must("action", Choice(&["cancel"]), "")]),
    Operation::delete("{G}/tasks/{id}", "Deletes the record of a task").query(&[may(
        "force",
        Flag,
        "True: also of one that has not ended",
    )]),
];
