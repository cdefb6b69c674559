//! Parameters, parts of answers and shapes that several traversers share; reading a graph in parts.

use openapi_document::Shape::{Any, Choice, Flag, Integer, List, Map, Named, Number, Object, Text};
use openapi_document::{Field, Operation, Shape, may, must};

pub const DIRECTIONS: Shape = Choice(&["OUT", "IN", "BOTH"]);
pub const IDS: Shape = List(&Named("Id"));

// Parameters.
pub const SOURCE: Field = must("source", Text, "Id of the vertex to start at; a JSON literal: \"text\" or a number");
pub const TARGET: Field = must("target", Text, "Id of the vertex to reach; a JSON literal");
pub const DIRECTION: Field = may("direction", DIRECTIONS, "BOTH by default");
pub const LABEL: Field = may("label", Text, "Only edges of this label");
pub const MAX_DEPTH: Field = must("max_depth", Integer, "Steps at most");
pub const MAX_DEGREE: Field = may("max_degree", Integer, "Edges read of one vertex; 10000 by default, -1: all");
pub const SKIP_DEGREE: Field =
    may("skip_degree", Integer, "Vertices with at least this many edges are skipped; 0: none");
pub const CAPACITY: Field = may("capacity", Integer, "Vertices visited at most; 10000000 by default, -1: no bound");
pub const LIMIT: Field = may("limit", Integer, "Results at most; -1: all");
pub const WITH_VERTEX: Field = may("with_vertex", Flag, "Whole vertices instead of ids in `vertices`");
pub const WITH_EDGE: Field = may("with_edge", Flag, "Whole edges instead of ids in `edges`");

// Parts of answers.
pub const MEASURE: Field =
    may("measure", Map(&Integer), "What it took: `edge_iterations`, `vertice_iterations`, `cost(ns)`");
pub const VERTICES: Field = may("vertices", List(&Any), "Vertices, or their ids");
pub const EDGES: Field = may("edges", List(&Any), "Edges, or their ids");
pub const PATHS: Field = must("paths", List(&Named("Path")), "");
pub const FOUND_PATHS: Shape = Object(&[PATHS, VERTICES, EDGES, MEASURE]);

/// Shapes only traversals use.
pub static SHAPES: &[(&str, Shape)] = &[
    (
        "Path",
        Object(&[
            must("objects", IDS, "Ids of the vertices in order"),
            may("crosspoint", Named("Id"), "Where two paths meet"),
            may("weights", List(&Number), "Of the steps"),
        ]),
    ),
    (
        "Selector",
        Object(&[
            may("ids", IDS, "Excludes the others"),
            may("label", Text, "A vertex label"),
            may("properties", Named("Properties"), "Values they must have; a list: one of them"),
        ]),
    ),
    (
        "Step",
        Object(&[
            may("direction", DIRECTIONS, "BOTH by default"),
            may("labels", List(&Text), "Edge labels; none: all"),
            may("properties", Named("Properties"), "Values the edges must have"),
            may("max_degree", Integer, "Edges read of one vertex; -1: all"),
            may("degree", Integer, "The same, as HugeGraph's Java client calls it"),
            may("skip_degree", Integer, "Vertices with at least this many edges are skipped; 0: none"),
            may("weight_by", Text, "customizedpaths: a property of numbers"),
            may("default_weight", Number, "customizedpaths: of edges without it"),
            may("sample", Integer, "customizedpaths: edges drawn of one vertex; -1: all"),
            may("max_times", Integer, "templatepaths: how often the step may be repeated"),
            may("top", Integer, "neighborrank: vertices given of its layer"),
        ]),
    ),
    (
        "Steps",
        Object(&[
            may("direction", DIRECTIONS, "BOTH by default"),
            may("max_degree", Integer, "Edges read of one vertex; -1: all"),
            may("degree", Integer, "The same, as HugeGraph's Java client calls it"),
            may("skip_degree", Integer, "Vertices with at least this many edges are skipped; 0: none"),
            may("edge_steps", List(&Named("LabelStep")), "Which edges; none: all"),
            may("vertex_steps", List(&Named("LabelStep")), "Which vertices; none: all"),
        ]),
    ),
    ("LabelStep", Object(&[may("label", Text, ""), may("properties", Named("Properties"), "Values they must have")])),
    ("Shards", Object(&[must("shards", List(&Named("Shard")), "")])),
    (
        "Shard",
        Object(&[
            must("start", Text, "Where it begins; opaque"),
            must("end", Text, "Where it ends; opaque"),
            must("length", Integer, "Bytes, as estimated"),
        ]),
    ),
];

pub const SELECTED: Field = must("sources", Named("Selector"), "Where to start");
pub const SELECTED_TARGETS: Field = must("targets", Named("Selector"), "Where to end");
pub const ONE_STEP: Field = must("step", Named("Step"), "");
pub const MANY_STEPS: Field = must("steps", List(&Named("Step")), "One for each hop");

/// Reading a graph in parts; the traversers describe themselves in `resources/traversers/`.
pub static OPERATIONS: &[Operation] = &[
    Operation::get("{G}/traversers/vertices/shards", "Cuts the vertices into parts of about one size", Named("Shards"))
        .query(&[SPLIT_SIZE]),
    Operation::get("{G}/traversers/vertices/scan", "Reads a part of the vertices", Named("Vertices")).query(SCAN),
    Operation::get("{G}/traversers/edges/shards", "Cuts the edges into parts of about one size", Named("Shards"))
        .query(&[SPLIT_SIZE]),
    Operation::get("{G}/traversers/edges/scan", "Reads a part of the edges", Named("Edges")).query(SCAN),
];

const SPLIT_SIZE: Field = must("split_size", Integer, "Bytes of a part, at least 1048576");
const SCAN: &[Field] = &[
    must("start", Text, "Of a part"),
    must("end", Text, "Of a part"),
    may("page", Text, "Empty for the first page, then what the answer before had in `page`"),
    may("page_limit", Integer, "Elements of a page"),
];
