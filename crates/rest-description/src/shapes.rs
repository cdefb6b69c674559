//! The shapes that have names: what several endpoints take or answer.

use openapi_document::Shape::{Any, Choice, Either, Flag, Integer, List, Map, Named, Object, Text};
use openapi_document::{Field, Shape, may, must};

pub(crate) const TEXTS: Shape = List(&Text);

/// An id of a vertex: a number, or a text.
const ID: Shape = Either(&[Text, Integer]);

const USER_DATA: Field = may("user_data", Map(&Any), "Anything clients want to keep with it");
const STATUSES: Shape = Choice(&["CREATED", "CREATING", "REBUILDING", "DELETING", "UNDELETED", "INVALID"]);

/// All shapes, by name.
pub(crate) fn all() -> impl Iterator<Item = &'static (&'static str, Shape)> {
    SHAPES.iter().chain(super::traversers::SHAPES)
}

/// Those of more than one area.
static SHAPES: &[(&str, Shape)] = &[
    (
        "Error",
        Object(&[
            must("exception", Text, "The Java class HugeGraph's clients know this error by, after `class `"),
            must("message", Text, "What was wrong, where, and what to do"),
            must("cause", Text, "Always empty"),
        ]),
    ),
    ("Id", ID),
    ("Ids", List(&Named("Id"))),
    (
        "Resource",
        Object(&[
            must("type", Text, "The kind, as VERTEX, SCHEMA or ALL"),
            may("label", Text, "The name of a label, in which * and ? stand for others; * where none is given"),
            may("properties", Any, "What the properties of elements must be"),
        ]),
    ),
    ("Properties", Map(&Any)),
    (
        "NewVertex",
        Object(&[
            may("id", ID, "With customised ids only"),
            must("label", Text, "A vertex label"),
            may("properties", Named("Properties"), "By the names of property keys"),
        ]),
    ),
    (
        "Vertex",
        Object(&[
            must("id", ID, "A text or a number, by the id strategy of the label"),
            must("label", Text, "Its vertex label"),
            may("type", Choice(&["vertex"]), ""),
            must("properties", Named("Properties"), "By the names of property keys"),
        ]),
    ),
    (
        "Vertices",
        Object(&[
            must("vertices", List(&Named("Vertex")), ""),
            may("page", Named("Page"), "Only when `page` was given"),
        ]),
    ),
    (
        "NewEdge",
        Object(&[
            must("label", Text, "An edge label"),
            must("outV", ID, "Id of the source vertex"),
            must("inV", ID, "Id of the target vertex"),
            may("outVLabel", Text, "Label of the source vertex"),
            may("inVLabel", Text, "Label of the target vertex"),
            may("properties", Named("Properties"), "By the names of property keys"),
        ]),
    ),
    (
        "Edge",
        Object(&[
            must("id", Text, "As in `S1:a>1>1>>S1:b`: source, label, parent label, sort values, target"),
            must("label", Text, "Its edge label"),
            may("type", Choice(&["edge"]), ""),
            must("outV", ID, ""),
            must("outVLabel", Text, ""),
            must("inV", ID, ""),
            must("inVLabel", Text, ""),
            must("properties", Named("Properties"), ""),
        ]),
    ),
    (
        "Edges",
        Object(&[must("edges", List(&Named("Edge")), ""), may("page", Named("Page"), "Only when `page` was given")]),
    ),
    ("Page", Either(&[Text, Shape::Null])),
    (
        "Update",
        Object(&[
            may("label", Text, ""),
            must(
                "properties",
                Named("Properties"),
                "Values to set or to take away; for single values only the names count there",
            ),
        ]),
    ),
    (
        "NewPropertyKey",
        Object(&[
            must("name", Text, ""),
            may("data_type", Named("DataType"), "TEXT by default"),
            may("cardinality", Choice(&["SINGLE", "LIST", "SET"]), "SINGLE by default"),
            may("properties", TEXTS, ""),
            USER_DATA,
            may("check_exist", Flag, "False: one that exists is answered instead of refused"),
        ]),
    ),
    (
        "DataType",
        Choice(&["BOOLEAN", "BYTE", "INT", "LONG", "FLOAT", "DOUBLE", "TEXT", "BLOB", "DATE", "UUID", "OBJECT"]),
    ),
    (
        "PropertyKey",
        Object(&[
            must("id", Integer, ""),
            must("name", Text, ""),
            must("data_type", Named("DataType"), ""),
            must("cardinality", Choice(&["SINGLE", "LIST", "SET"]), ""),
            must("aggregate_type", Text, ""),
            must("write_type", Text, ""),
            must("properties", TEXTS, "Always empty"),
            must("status", STATUSES, ""),
            USER_DATA,
        ]),
    ),
    ("PropertyKeys", Object(&[must("propertykeys", List(&Named("PropertyKey")), "")])),
    (
        "PropertyKeyWithTask",
        Object(&[
            must("property_key", Named("PropertyKey"), ""),
            must("task_id", Integer, "0: it is in force at once"),
        ]),
    ),
    (
        "NewVertexLabel",
        Object(&[
            must("name", Text, ""),
            may(
                "id_strategy",
                Choice(&[
                    "DEFAULT",
                    "AUTOMATIC",
                    "PRIMARY_KEY",
                    "CUSTOMIZE_STRING",
                    "CUSTOMIZE_NUMBER",
                    "CUSTOMIZE_UUID",
                ]),
                "",
            ),
            may("properties", TEXTS, "Property keys its vertices may have"),
            may("primary_keys", TEXTS, "Property keys the id is made of"),
            may("nullable_keys", TEXTS, "Property keys that may be left out"),
            may("ttl", Integer, "Milliseconds after which a vertex expires; 0: never"),
            may("ttl_start_time", Text, "A date property the time runs from"),
            may("enable_label_index", Flag, "Whether vertices can be listed by this label"),
            USER_DATA,
            may("check_exist", Flag, "False: one that exists is answered instead of refused"),
        ]),
    ),
    (
        "VertexLabel",
        Object(&[
            must("id", Integer, ""),
            must("name", Text, ""),
            must("id_strategy", Text, ""),
            must("primary_keys", TEXTS, ""),
            must("nullable_keys", TEXTS, ""),
            must("index_labels", TEXTS, ""),
            must("properties", TEXTS, ""),
            must("status", STATUSES, ""),
            must("ttl", Integer, ""),
            may("ttl_start_time", Text, ""),
            must("enable_label_index", Flag, ""),
            USER_DATA,
        ]),
    ),
    ("VertexLabels", Object(&[must("vertexlabels", List(&Named("VertexLabel")), "")])),
    (
        "NewEdgeLabel",
        Object(&[
            must("name", Text, ""),
            may("edgelabel_type", Choice(&["NORMAL", "PARENT", "SUB", "GENERAL"]), "NORMAL by default"),
            may("parent_label", Text, "Of a SUB label"),
            may("source_label", Text, "A vertex label"),
            may("target_label", Text, "A vertex label"),
            may("links", List(&Map(&Text)), "The same, as `[{\"source\":\"target\"}]`"),
            may(
                "frequency",
                Choice(&["SINGLE", "MULTIPLE"]),
                "Whether there may be several edges between two vertices",
            ),
            may("sort_keys", TEXTS, "Property keys that tell those apart"),
            may("properties", TEXTS, "Property keys its edges may have"),
            may("nullable_keys", TEXTS, "Property keys that may be left out"),
            may("ttl", Integer, "Milliseconds after which an edge expires; 0: never"),
            may("ttl_start_time", Text, "A date property the time runs from"),
            may("enable_label_index", Flag, "Whether edges can be listed by this label"),
            USER_DATA,
            may("check_exist", Flag, "False: one that exists is answered instead of refused"),
        ]),
    ),
    (
        "EdgeLabel",
        Object(&[
            must("id", Integer, ""),
            must("name", Text, ""),
            may("edgelabel_type", Text, ""),
            may("parent_label", Text, ""),
            may("source_label", Text, ""),
            may("target_label", Text, ""),
            may("links", List(&Map(&Text)), ""),
            may("frequency", Text, ""),
            may("sort_keys", TEXTS, ""),
            may("nullable_keys", TEXTS, ""),
            may("index_labels", TEXTS, ""),
            may("properties", TEXTS, ""),
            may("status", STATUSES, ""),
            may("ttl", Integer, ""),
            may("ttl_start_time", Text, ""),
            may("enable_label_index", Flag, ""),
            USER_DATA,
        ]),
    ),
    ("EdgeLabels", Object(&[must("edgelabels", List(&Named("EdgeLabel")), "")])),
    (
        "NewIndexLabel",
        Object(&[
            must("name", Text, ""),
            must("base_type", Choice(&["VERTEX_LABEL", "EDGE_LABEL"]), ""),
            must("base_value", Text, "Name of the label it is over"),
            must("index_type", Choice(&["SECONDARY", "RANGE", "SEARCH", "SHARD", "UNIQUE"]), ""),
            must("fields", TEXTS, "Indexed property keys, in order"),
            USER_DATA,
            may("check_exist", Flag, "False: one that exists is answered instead of refused"),
            may("rebuild", Flag, "False: what is stored already is not indexed"),
        ]),
    ),
    (
        "IndexLabel",
        Object(&[
            must("id", Integer, ""),
            must("name", Text, ""),
            must("base_type", Text, ""),
            must("base_value", Text, ""),
            must("index_type", Text, ""),
            must("fields", TEXTS, ""),
            must("status", STATUSES, ""),
            USER_DATA,
        ]),
    ),
    ("IndexLabels", Object(&[must("indexlabels", List(&Named("IndexLabel")), "")])),
    (
        "IndexLabelWithTask",
        Object(&[
            must("index_label", Named("IndexLabel"), ""),
            must("task_id", Integer, "The task that builds it; 0: it is in force at once"),
        ]),
    ),
    (
        "SchemaUpdate",
        Object(&[
            must("name", Text, "That of the address"),
            may("properties", TEXTS, ""),
            may("nullable_keys", TEXTS, ""),
            USER_DATA,
        ]),
    ),
    (
        "Schema",
        Object(&[
            must("propertykeys", List(&Named("PropertyKey")), ""),
            must("vertexlabels", List(&Named("VertexLabel")), ""),
            must("edgelabels", List(&Named("EdgeLabel")), ""),
            must("indexlabels", List(&Named("IndexLabel")), ""),
        ]),
    ),
    ("TaskId", Object(&[must("task_id", Integer, "See `{G}/tasks/{id}`; 0: nothing is left to do")])),
    (
        "Task",
        Object(&[
            must("id", Integer, ""),
            must("task_name", Text, ""),
            must("task_type", Text, ""),
            must("task_status", Text, "In lower case: queued, running, success, failed, cancelled"),
            must("task_progress", Integer, ""),
            must("task_create", Integer, "Milliseconds since 1970 UTC"),
            may("task_update", Integer, "Milliseconds since 1970 UTC"),
            must("task_retries", Integer, ""),
            may("task_description", Text, ""),
            may("task_dependencies", List(&Integer), ""),
            may("task_server", Text, ""),
            may("task_callable", Text, "Not in lists"),
            may("task_input", Text, "Not in lists"),
            may("task_result", Text, "Not in lists: JSON as text, or why it failed"),
        ]),
    ),
    (
        "Tasks",
        Object(&[must("tasks", List(&Named("Task")), ""), may("page", Named("Page"), "Only when `page` was given")]),
    ),
    ("Graph", Object(&[must("name", Text, ""), must("backend", Text, "")])),
    (
        "GraphCreated",
        Object(&[
            must("name", Text, ""),
            must("nickname", Text, ""),
            must("backend", Text, ""),
            must("description", Text, ""),
        ]),
    ),
    (
        "GraphProfile",
        Object(&[
            must("name", Text, ""),
            must("nickname", Text, "A second name, for people"),
            must("graphspace", Text, ""),
            must("backend", Text, ""),
            must("description", Text, ""),
            must("default", Flag, "Whether it is the graph that is always there"),
        ]),
    ),
    ("Outcome", Map(&Text)),
    (
        "GraphSpace",
        Object(&[
            must("name", Text, ""),
            must("graph_number_used", Integer, "Graphs there are"),
            may("auth", Flag, "Whether users are told apart"),
        ]),
    ),
];
