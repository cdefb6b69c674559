//! Traversals: neighbourhoods, paths, similarities, ranks; reading a graph in parts.

use super::operation::Shape::{Any, Choice, Flag, Integer, List, Map, Named, Number, Object, Text};
use super::operation::{Field, Operation, Shape, may, must};

const DIRECTIONS: Shape = Choice(&["OUT", "IN", "BOTH"]);
const IDS: Shape = List(&Named("Id"));

// Parameters.
const SOURCE: Field = must("source", Text, "Id of the vertex to start at; a JSON literal: \"text\" or a number");
const TARGET: Field = must("target", Text, "Id of the vertex to reach; a JSON literal");
const VERTEX: Field = must("vertex", Text, "Id of a vertex; a JSON literal: \"text\" or a number");
const OTHER: Field = must("other", Text, "Id of another vertex; a JSON literal");
const DIRECTION: Field = may("direction", DIRECTIONS, "BOTH by default");
const LABEL: Field = may("label", Text, "Only edges of this label");
const MAX_DEPTH: Field = must("max_depth", Integer, "Steps at most");
const MAX_DEGREE: Field = may("max_degree", Integer, "Edges read of one vertex; 10000 by default, -1: all");
const SKIP_DEGREE: Field = may("skip_degree", Integer, "Vertices with so many edges are passed over; 0: none");
const CAPACITY: Field = may("capacity", Integer, "Vertices visited at most; 10000000 by default, -1: no bound");
const LIMIT: Field = may("limit", Integer, "Results at most; -1: all");
const COUNT_ONLY: Field = may("count_only", Flag, "Only the number of vertices");
const WITH_VERTEX: Field = may("with_vertex", Flag, "Whole vertices instead of ids in `vertices`");
const WITH_EDGE: Field = may("with_edge", Flag, "Whole edges instead of ids in `edges`");
const WEIGHT: &str = "A property of numbers; edges without it count 1";

// Parts of answers.
const MEASURE: Field =
    may("measure", Map(&Integer), "What it took: `edge_iterations`, `vertice_iterations`, `cost(ns)`");
const VERTICES: Field = may("vertices", List(&Any), "Vertices, or their ids");
const EDGES: Field = may("edges", List(&Any), "Edges, or their ids");
const PATHS: Field = must("paths", List(&Named("Path")), "");
const FOUND_PATHS: Shape = Object(&[PATHS, VERTICES, EDGES, MEASURE]);

/// Shapes only traversals use.
pub(crate) static SHAPES: &[(&str, Shape)] = &[
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
            may("skip_degree", Integer, "Vertices with so many edges are passed over; 0: none"),
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
            may("skip_degree", Integer, "Vertices with so many edges are passed over; 0: none"),
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

const NEIGHBOURHOOD: Shape = Object(&[
    must("source", Named("Id"), "Id of the vertex to start at"),
    may("steps", Named("Steps"), ""),
    may("step", Named("Step"), "As before HugeGraph 1.2"),
    MAX_DEPTH,
    may("nearest", Flag, "kout only: vertices are counted at their shortest distance"),
    COUNT_ONLY,
    CAPACITY,
    LIMIT,
    WITH_VERTEX,
    may("with_path", Flag, "Also a path to each"),
    WITH_EDGE,
    may("traverse_mode", Text, "kout only: breadth_first_search or depth_first_search"),
]);
const REACHED: Shape = Object(&[
    may("kout", IDS, ""),
    may("kneighbor", IDS, ""),
    must("size", Integer, ""),
    may("paths", List(&Named("Path")), ""),
    VERTICES,
    EDGES,
    MEASURE,
]);
const NEIGHBOURS: Shape =
    Object(&[may("vertices", IDS, ""), may("vertices_size", Integer, "With `count_only`"), MEASURE]);
const BETWEEN: &[Field] =
    &[SOURCE, TARGET, DIRECTION, LABEL, MAX_DEPTH, MAX_DEGREE, SKIP_DEGREE, CAPACITY, WITH_VERTEX, WITH_EDGE];
const PAIR: &[Field] = &[VERTEX, OTHER, DIRECTION, LABEL, MAX_DEGREE, LIMIT];
const ENDS: &[Field] = &[SOURCE, TARGET, DIRECTION, LABEL, MAX_DEPTH, MAX_DEGREE, CAPACITY, LIMIT];
const SELECTED: Field = must("sources", Named("Selector"), "Where to start");
const SELECTED_TARGETS: Field = must("targets", Named("Selector"), "Where to end");
const ONE_STEP: Field = must("step", Named("Step"), "");
const MANY_STEPS: Field = must("steps", List(&Named("Step")), "One for each hop");

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation::get("{G}/traversers/kout", "Finds the vertices at a distance", NEIGHBOURS).query(&[
        SOURCE,
        DIRECTION,
        LABEL,
        MAX_DEPTH,
        may("nearest", Flag, "False: also vertices that are nearer on another way"),
        COUNT_ONLY,
        MAX_DEGREE,
        CAPACITY,
        LIMIT,
    ]),
    Operation::post("{G}/traversers/kout", "Finds the vertices at a distance, by steps", NEIGHBOURHOOD, 200, REACHED),
    Operation::get("{G}/traversers/kneighbor", "Finds the vertices up to a distance", NEIGHBOURS)
        .query(&[SOURCE, DIRECTION, LABEL, MAX_DEPTH, COUNT_ONLY, MAX_DEGREE, LIMIT]),
    Operation::post(
        "{G}/traversers/kneighbor",
        "Finds the vertices up to a distance, by steps",
        NEIGHBOURHOOD,
        200,
        REACHED,
    ),
    Operation::get(
        "{G}/traversers/sameneighbors",
        "Finds the neighbours two vertices share",
        Object(&[must("same_neighbors", IDS, ""), MEASURE]),
    )
    .query(PAIR),
    Operation::post(
        "{G}/traversers/sameneighbors",
        "Finds the neighbours several vertices share",
        Object(&[
            must("vertex_list", IDS, "At least two"),
            DIRECTION,
            may("labels", List(&Text), "Edge labels; none: all"),
            MAX_DEGREE,
            LIMIT,
            WITH_VERTEX,
        ]),
        200,
        Object(&[must("same_neighbors", IDS, ""), VERTICES, MEASURE]),
    ),
    Operation::get(
        "{G}/traversers/jaccardsimilarity",
        "Compares the neighbours of two vertices",
        Object(&[must("jaccard_similarity", Number, "From 0 to 1"), MEASURE]),
    )
    .query(&[VERTEX, OTHER, DIRECTION, LABEL, MAX_DEGREE]),
    Operation::post(
        "{G}/traversers/jaccardsimilarity",
        "Finds the vertices with the most similar neighbours",
        Object(&[must("vertex", Named("Id"), ""), ONE_STEP, may("top", Integer, "100 by default, 0: all"), CAPACITY]),
        200,
        Object(&[must("jaccard_similarity", Map(&Number), "By id"), MEASURE]),
    ),
    Operation::get("{G}/traversers/adamicadar", "Weighs shared neighbours by the logarithm of their edges", Map(&Any))
        .query(PAIR),
    Operation::get("{G}/traversers/resourceallocation", "Weighs shared neighbours by their edges", Map(&Any))
        .query(PAIR),
    Operation::get(
        "{G}/traversers/shortestpath",
        "Finds a shortest path",
        Object(&[must("path", IDS, "Empty: there is none"), VERTICES, EDGES, MEASURE]),
    )
    .query(BETWEEN),
    Operation::get("{G}/traversers/allshortestpaths", "Finds all shortest paths", FOUND_PATHS).query(BETWEEN),
    Operation::get(
        "{G}/traversers/weightedshortestpath",
        "Finds a path of least weight",
        Object(&[must("path", Map(&Any), "`weight` and `vertices`; empty: there is none"), VERTICES, EDGES, MEASURE]),
    )
    .query(&[
        SOURCE,
        TARGET,
        DIRECTION,
        LABEL,
        must("weight", Text, WEIGHT),
        MAX_DEGREE,
        SKIP_DEGREE,
        CAPACITY,
        WITH_VERTEX,
        WITH_EDGE,
    ]),
    Operation::get(
        "{G}/traversers/singlesourceshortestpath",
        "Finds paths of least weight to all vertices",
        Object(&[must("paths", Map(&Map(&Any)), "By the id they lead to"), VERTICES, EDGES, MEASURE]),
    )
    .query(&[
        SOURCE,
        DIRECTION,
        LABEL,
        may("weight", Text, WEIGHT),
        MAX_DEGREE,
        SKIP_DEGREE,
        CAPACITY,
        LIMIT,
        WITH_VERTEX,
        WITH_EDGE,
    ]),
    Operation::post(
        "{G}/traversers/multinodeshortestpath",
        "Finds a shortest path between each two of some vertices",
        Object(&[
            must("vertices", Named("Selector"), "From 2 to 10"),
            ONE_STEP,
            MAX_DEPTH,
            CAPACITY,
            WITH_VERTEX,
            WITH_EDGE,
        ]),
        200,
        FOUND_PATHS,
    ),
    Operation::get("{G}/traversers/paths", "Finds the paths between two vertices", FOUND_PATHS).query(ENDS),
    Operation::post(
        "{G}/traversers/paths",
        "Finds the paths between some vertices and some others",
        Object(&[
            SELECTED,
            SELECTED_TARGETS,
            ONE_STEP,
            MAX_DEPTH,
            may("nearest", Flag, "Only the shortest"),
            CAPACITY,
            LIMIT,
            WITH_VERTEX,
            WITH_EDGE,
        ]),
        200,
        FOUND_PATHS,
    ),
    Operation::post(
        "{G}/traversers/customizedpaths",
        "Finds the paths that follow given steps",
        Object(&[
            SELECTED,
            MANY_STEPS,
            may("sort_by", Choice(&["NONE", "INCR", "DECR"]), "By the sum of weights"),
            CAPACITY,
            LIMIT,
            WITH_VERTEX,
            WITH_EDGE,
        ]),
        200,
        FOUND_PATHS,
    ),
    Operation::post(
        "{G}/traversers/templatepaths",
        "Finds the paths between vertices that follow repeated steps",
        Object(&[
            SELECTED,
            SELECTED_TARGETS,
            MANY_STEPS,
            may("with_ring", Flag, "Also paths that come back to where they were"),
            CAPACITY,
            LIMIT,
            WITH_VERTEX,
            WITH_EDGE,
        ]),
        200,
        FOUND_PATHS,
    ),
    Operation::get(
        "{G}/traversers/crosspoints",
        "Finds where the paths from two vertices meet",
        Object(&[must("crosspoints", List(&Named("Path")), ""), MEASURE]),
    )
    .query(ENDS),
    Operation::post(
        "{G}/traversers/customizedcrosspoints",
        "Finds where paths that follow given steps meet",
        Object(&[
            SELECTED,
            must("path_patterns", List(&Object(&[MANY_STEPS])), ""),
            CAPACITY,
            LIMIT,
            may("with_path", Flag, "Also the paths"),
            WITH_VERTEX,
            WITH_EDGE,
        ]),
        200,
        Object(&[must("crosspoints", IDS, ""), PATHS, VERTICES, EDGES, MEASURE]),
    ),
    Operation::get(
        "{G}/traversers/rings",
        "Finds the rings at a vertex",
        Object(&[must("rings", List(&Named("Path")), ""), VERTICES, EDGES, MEASURE]),
    )
    .query(&[
        SOURCE,
        DIRECTION,
        LABEL,
        MAX_DEPTH,
        may("source_in_ring", Flag, "False: also rings the vertex only leads to"),
        MAX_DEGREE,
        CAPACITY,
        LIMIT,
        WITH_VERTEX,
        WITH_EDGE,
    ]),
    Operation::get(
        "{G}/traversers/rays",
        "Finds the paths from a vertex to the ends of the graph",
        Object(&[must("rays", List(&Named("Path")), ""), VERTICES, EDGES, MEASURE]),
    )
    .query(&[SOURCE, DIRECTION, LABEL, MAX_DEPTH, MAX_DEGREE, CAPACITY, LIMIT, WITH_VERTEX, WITH_EDGE]),
    Operation::post(
        "{G}/traversers/fusiformsimilarity",
        "Finds the vertices that share most neighbours with some",
        Object(&[
            SELECTED,
            LABEL,
            DIRECTION,
            must("min_neighbors", Integer, "Neighbours a start vertex must have"),
            must("alpha", Number, "Above 0, at most 1: the part of neighbours to be shared"),
            may("min_similars", Integer, "Similar vertices a start vertex must have"),
            may("top", Integer, "Similar vertices given of each; 0: all"),
            may("group_property", Text, "Similar vertices must have different values of it"),
            may("min_groups", Integer, "How many different ones"),
            MAX_DEGREE,
            CAPACITY,
            LIMIT,
            may("with_intermediary", Flag, "Also the shared neighbours"),
            WITH_VERTEX,
        ]),
        200,
        Object(&[must("similars", Map(&List(&Any)), "By the id of the start vertex"), VERTICES, MEASURE]),
    ),
    Operation::post(
        "{G}/traversers/personalrank",
        "Ranks vertices by how likely a walk from one ends there",
        Object(&[
            must("source", Named("Id"), ""),
            must("label", Text, "An edge label"),
            may("alpha", Number, "Above 0, at most 1"),
            may("max_diff", Number, "Above 0, at most 1"),
            MAX_DEGREE,
            LIMIT,
            may("max_depth", Integer, "5 by default"),
            may("with_label", Choice(&["SAME_LABEL", "OTHER_LABEL", "BOTH_LABEL"]), "Which vertices are ranked"),
            may("sorted", Flag, ""),
        ]),
        200,
        Map(&Any),
    ),
    Operation::post(
        "{G}/traversers/neighborrank",
        "Ranks the vertices of each layer of steps",
        Object(&[must("source", Named("Id"), ""), MANY_STEPS, must("alpha", Number, "Above 0, at most 1"), CAPACITY]),
        200,
        Object(&[must("ranks", List(&Map(&Any)), "One for each layer"), MEASURE]),
    ),
    Operation::post(
        "{G}/traversers/count",
        "Counts the vertices that steps lead to",
        Object(&[
            must("source", Named("Id"), ""),
            MANY_STEPS,
            may("contains_traversed", Flag, "Also those on the way"),
            may("dedup_size", Integer, "Vertices remembered in order to count each once"),
        ]),
        200,
        Object(&[must("count", Integer, "")]),
    ),
    Operation::get("{G}/traversers/edgeexist", "Lists the edges from one vertex to another", Named("Edges")).query(&[
        SOURCE,
        TARGET,
        LABEL,
        may("sort_values", Text, "As in the ids of the edges"),
        LIMIT,
    ]),
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
