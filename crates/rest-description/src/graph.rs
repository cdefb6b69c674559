//! Elements: vertices, edges, reads by ids.

use openapi_document::Shape::{Choice, Flag, Integer, List, Map, Named, Object, Text};
use openapi_document::{Field, Operation, Shape, may, must};

const LIMIT: Field = may("limit", Integer, "Elements at most; -1: all");
const OFFSET: Field = may("offset", Integer, "Elements to leave out at the beginning");
const PAGE: Field = may("page", Text, "Empty for the first page, then what the answer before had in `page`");
const LABEL: Field = may("label", Text, "Only elements of this label");
const PROPERTIES: Field = may("properties", Text, "A JSON object of properties and the values they must have");
const KEEP: Field = may("keep_start_p", Flag, "Takes texts that begin with `P.` as they are, not as predicates");
const ACTION: Field = must("action", Choice(&["append", "eliminate"]), "Set values, or take them away");
const IDS: Field = must("ids", List(&Text), "One or more, each as its own parameter");

const STRATEGIES: Shape =
    Map(&Choice(&["SUM", "BIGGER", "SMALLER", "UNION", "INTERSECTION", "APPEND", "ELIMINATE", "OVERRIDE"]));
const CREATE: Field = may(
    "create_if_not_exist",
    Flag,
    "True by default; false is refused: elements that do not exist are always inserted",
);
const VERTEX_UPDATES: Shape = Object(&[
    must("vertices", List(&Named("NewVertex")), "One or more"),
    must("update_strategies", STRATEGIES, "How stored and given values of a property are merged, by its name"),
    CREATE,
]);
const EDGE_UPDATES: Shape = Object(&[
    must("edges", List(&Named("NewEdge")), "One or more"),
    must("update_strategies", STRATEGIES, "How stored and given values of a property are merged, by its name"),
    may("check_vertex", Flag, "False: the ends of the edges are not looked for"),
    CREATE,
]);

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation::get("{G}/graph/vertices", "Lists vertices", Named("Vertices"))
        .query(&[LABEL, PROPERTIES, KEEP, LIMIT, OFFSET, PAGE]),
    Operation::post("{G}/graph/vertices", "Inserts or replaces a vertex", Named("NewVertex"), 201, Named("Vertex")),
    Operation::post(
        "{G}/graph/vertices/batch",
        "Inserts or replaces many vertices, all or none",
        NEW_VERTICES,
        201,
        Named("Ids"),
    ),
    Operation::put(
        "{G}/graph/vertices/batch",
        "Merges properties into many vertices, all or none",
        VERTEX_UPDATES,
        200,
        Named("Vertices"),
    ),
    Operation::get(
        "{G}/graph/vertices/{id}",
        "Reads a vertex; the id is a JSON literal: \"text\" or a number",
        Named("Vertex"),
    ),
    Operation::put("{G}/graph/vertices/{id}", "Changes properties of a vertex", Named("Update"), 200, Named("Vertex"))
        .query(&[ACTION]),
    Operation::delete("{G}/graph/vertices/{id}", "Deletes a vertex with its edges").query(&[may(
        "label",
        Text,
        "Not looked at: the id says enough",
    )]),
    Operation::get("{G}/graph/edges", "Lists edges, of the graph or at a vertex", Named("Edges")).query(&[
        may("vertex_id", Text, "Only edges at this vertex; a JSON literal: \"text\" or a number"),
        may("direction", Choice(&["OUT", "IN", "BOTH"]), "As seen from that vertex"),
        LABEL,
        PROPERTIES,
        KEEP,
        LIMIT,
        OFFSET,
        PAGE,
    ]),
    Operation::post("{G}/graph/edges", "Inserts or replaces an edge", Named("NewEdge"), 201, Named("Edge")),
    Operation::post(
        "{G}/graph/edges/batch",
        "Inserts or replaces many edges, all or none",
        NEW_EDGES,
        201,
        List(&Text),
    )
    .query(&[may("check_vertex", Flag, "False: the ends of the edges are not looked for")]),
    Operation::put(
        "{G}/graph/edges/batch",
        "Merges properties into many edges, all or none",
        EDGE_UPDATES,
        200,
        Named("Edges"),
    ),
    Operation::get("{G}/graph/edges/{id}", "Reads an edge", Named("Edge")),
    Operation::put("{G}/graph/edges/{id}", "Changes properties of an edge", Named("Update"), 200, Named("Edge"))
        .query(&[ACTION]),
    Operation::delete("{G}/graph/edges/{id}", "Deletes an edge").query(&[may(
        "label",
        Text,
        "Not looked at: the id says enough",
    )]),
    Operation::get("{G}/traversers/vertices", "Reads vertices by their ids", Named("Vertices")).query(&[IDS]),
    Operation::get("{G}/traversers/edges", "Reads edges by their ids", Named("Edges")).query(&[IDS]),
];

const NEW_VERTICES: Shape = List(&Named("NewVertex"));
const NEW_EDGES: Shape = List(&Named("NewEdge"));
