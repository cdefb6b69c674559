//! Graphs as a whole, graph spaces, and the server itself.

use super::shapes::TEXTS;
use openapi_document::Shape::{Any, Choice, Either, Flag, Integer, List, Literal, Map, Named, Number, Object, Text};
use openapi_document::{Answer, Body, Field, Operation, Shape, may, must};

const MODES: Shape = Choice(&["NONE", "RESTORING", "MERGING", "LOADING"]);
const READ_MODES: Shape = Choice(&["OLTP_ONLY", "ALL", "OLAP_ONLY"]);
const MODE: Shape = Object(&[must("mode", MODES, "")]);
const READ_MODE: Shape = Object(&[must("graph_read_mode", READ_MODES, "")]);
const REQUESTS: Field = may("requests_per_second", Integer, "Of all users together");
const BYTES: Field = may("bytes_per_second", Integer, "Of requests and answers together");
const QUERIES: Field = may("running_queries_max", Integer, "Queries, lists and traversals at one time");
const MEMORY: Field = may("query_memory_max", Integer, "Bytes that those may hold together");
const DEPTH: Field = may("traverser_depth_max", Integer, "Steps of a walk of a traverser (`max_depth`, steps)");
const DEGREE: Field =
    may("traverser_degree_max", Integer, "Edges of one vertex that a traverser looks at (`max_degree`)");
const CAPACITY: Field = may("traverser_capacity_max", Integer, "Vertices that a traverser visits (`capacity`)");
const LIMIT: Field = may("traverser_limit_max", Integer, "Elements or paths that a traverser answers (`limit`)");
const TIME: Field = may("query_timeout_ms", Integer, "Milliseconds of a query, list or traversal, at most");
const NEW_LIMITS: Shape = Object(&[REQUESTS, BYTES, QUERIES, MEMORY, DEPTH, DEGREE, CAPACITY, LIMIT, TIME]);
const LIMITS: Shape = Object(&[
    REQUESTS,
    BYTES,
    QUERIES,
    MEMORY,
    DEPTH,
    DEGREE,
    CAPACITY,
    LIMIT,
    TIME,
    must("own", Flag, "Whether they are this graph's, not those of the settings"),
]);
const PREFIX: Field = may("prefix", Text, "Only those whose names begin so");
const JSON: Field = may("type", Choice(&["json"]), "JSON instead of Prometheus text");
const FIGURES: Shape = Map(&Map(&Any));
const NUMBERS: Shape = Map(&Map(&Number));
const ACTIONS: Shape = Either(&[
    Object(&[
        must("action", Literal("update"), ""),
        must("update", Object(&[may("name", Text, "The graph's own"), must("nickname", Text, "")]), ""),
    ]),
    Object(&[must("action", Literal("reload"), "Nothing has to be loaded again; accepted for clients")]),
    Object(&[must("action", Literal("clear"), ""), may("clear_schema", Flag, "True: the schema too")]),
]);
const LOG_LEVEL: Shape = Object(&[must(
    "level",
    Choice(&["error", "warn", "info", "debug", "trace"]),
    "Also filters by module are taken and shown, as `info,rest_api=debug`",
)]);
const TRACE: Shape = Object(&[must("trace", Flag, "")]);
const SPACES: Shape = List(&Named("GraphSpace"));

pub(crate) static GRAPHS: &[Operation] = &[
    Operation::get("{S}/graphs", "Lists the names of the graphs", Object(&[must("graphs", TEXTS, "")])),
    Operation::get("{S}/graphs/profile", "Describes the graphs", List(&Named("GraphProfile"))).query(&[PREFIX]),
    Operation::put(
        "{S}/graphs/manage",
        "Loads the list of graphs again; it is always as stored",
        Object(&[must("action", Choice(&["reload"]), "")]),
        200,
        Named("Outcome"),
    ),
    Operation::get("{G}", "Reads name and engine of a graph", Named("Graph")),
    Operation::post("{G}", "Creates a graph", Any, 201, Named("GraphCreated")).body(Body::Configuration).query(&[may(
        "clone_graph_name",
        Text,
        "Takes the configuration of this graph; nothing of its content",
    )]),
    Operation::put("{G}", "Renames for people, or clears a graph", ACTIONS, 200, Named("Outcome")),
    Operation::delete("{G}", "Drops a graph with all it holds").query(&[must(
        "confirm_message",
        Text,
        "Literally: I'm sure to drop the graph",
    )]),
    Operation::delete("{G}/clear", "Removes schema, elements and tasks of a graph").query(&[must(
        "confirm_message",
        Text,
        "Literally: I'm sure to delete all data",
    )]),
    Operation::get("{G}/conf", "Reads the configuration of a graph as Java properties", Text).answers(Answer::Text),
    Operation::get("{G}/limits", "Reads the limits of a graph; 0: no limit", LIMITS),
    Operation::put(
        "{G}/limits",
        "Gives a graph limits of its own, or with {} those of the settings",
        NEW_LIMITS,
        200,
        LIMITS,
    ),
    Operation::get("{G}/mode", "Reads the mode of a graph", MODE),
    Operation::put("{G}/mode", "Sets the mode of a graph, for loading and restoring", MODES, 200, MODE),
    Operation::get("{G}/graph_read_mode", "Reads the read mode of a graph", READ_MODE),
    Operation::put("{G}/graph_read_mode", "Sets the read mode of a graph", READ_MODES, 200, READ_MODE),
    Operation::put("{G}/snapshot_create", "Makes the snapshot of a graph", Any, 200, Named("Outcome"))
        .body(Body::MayBeJson(Any)),
    Operation::put(
        "{G}/snapshot_resume",
        "Replaces the content of a graph by its snapshot",
        Any,
        200,
        Named("Outcome"),
    )
    .body(Body::MayBeJson(Any)),
    Operation::put("{G}/compact", "Gives back the room of what was deleted in a graph", Any, 200, Map(&Any))
        .body(Body::MayBeJson(Any)),
    Operation::get("{G}/variables", "Reads all variables of a graph", Map(&Any)),
    Operation::get("{G}/variables/{name}", "Reads a variable", Map(&Any)),
    Operation::put(
        "{G}/variables/{name}",
        "Sets a variable",
        Object(&[must("data", Any, "A text, a number, true or false, or a list of one kind of these")]),
        200,
        Map(&Any),
    ),
    Operation::delete("{G}/variables/{name}", "Deletes a variable"),
    Operation::get("/graphspaces", "Lists graph spaces other than DEFAULT", Object(&[must("graphSpaces", TEXTS, "")])),
    Operation::get("/graphspaces/profile", "Describes the graph spaces", SPACES).query(&[PREFIX]),
    Operation::get("/graphspaces/{space}", "Describes a graph space", Named("GraphSpace")),
    Operation::post("/graphspaces", "Refused: there is one graph space", Any, 201, Any).body(Body::MayBeJson(Any)),
    Operation::put("/graphspaces/{space}", "Refused: there is one graph space", Any, 200, Any)
        .body(Body::MayBeJson(Any)),
    Operation::delete("/graphspaces/{space}", "Refused: there is one graph space"),
];

/// A task of the default graph that was started.
const STARTED: Shape =
    Object(&[must("task_id", Integer, "See `{G}/tasks/{id}`"), must("graph", Text, "The graph whose task it is")]);

/// A freeze of the store.
const FROZEN: Shape = Object(&[must("frozen_ms", Integer, "For how many milliseconds more; 0: there is none")]);

pub(crate) static SERVICE: &[Operation] = &[
    Operation::get("/", "Says what this is", Map(&Any)),
    Operation::get("/versions", "Reads the versions clients check", Object(&[must("versions", Map(&Text), "")])),
    Operation::get("/apis", "Lists the addresses", Map(&Any)),
    Operation::get("/openapi.json", "Reads this document", Map(&Any)),
    Operation::get("/health", "Says whether requests are welcome; 503 while the server stops", Map(&Text)),
    Operation::get("/ready", "Says whether requests can be served; 503 with the reason where not", Map(&Text)),
    Operation::get(
        "/rhizome/backups",
        "Lists the backups of the store, oldest first",
        Object(&[must("backups", List(&Map(&Any)), "")]),
    ),
    Operation::post("/rhizome/backups", "Starts the task that makes a backup of all graphs", Any, 201, STARTED).body(
        Body::MayBeJson(Object(&[may("reread", Flag, "Reads all files, also those that the newest backup has")])),
    ),
    Operation::post(
        "/rhizome/backups/restore",
        "Starts the task that restores a graph of a backup under another name",
        Object(&[
            may("backup", Text, "A backup's id, or `latest`, which is the default"),
            must("graph", Text, "The graph in the backup"),
            must("as", Text, "The name it gets; no graph may have it"),
        ]),
        201,
        STARTED,
    ),
    Operation::get("/rhizome/freeze", "Says for how much longer writes are refused, at most", FROZEN),
    Operation::post(
        "/rhizome/freeze",
        "Has all servers over the store end their writes and refuse others, while files under it are copied",
        Object(&[must("seconds", Integer, "How long at most, from 1 to cluster.freeze_seconds_max")]),
        200,
        FROZEN,
    ),
    Operation::post(
        "/rhizome/thaw",
        "Lets the servers write again",
        Any,
        200,
        Object(&[must("held", Flag, "Whether this server began the freeze, and none has written since")]),
    )
    .body(Body::MayBeJson(Any)),
    Operation::get("/rhizome/log-level", "Reads the level of the log", LOG_LEVEL),
    Operation::put(
        "/rhizome/log-level",
        "Changes the level of the log until the server ends",
        LOG_LEVEL,
        200,
        LOG_LEVEL,
    ),
    Operation::get("/rhizome/profile", "Takes a profile of the processor time of all threads", Text)
        .answers(Answer::File)
        .query(&[
            may("seconds", Integer, "How long it takes, 1 to 60; 10 by default"),
            may("format", Choice(&["pprof", "folded"]), "For pprof, or as text for flame graphs; pprof by default"),
        ]),
    Operation::get("/exception/trace", "Says whether errors hold stack traces: never", TRACE),
    Operation::put("/exception/trace", "Refused, except for false", TRACE, 200, TRACE),
    Operation::get(
        "/whiteiplist",
        "Lists the only addresses that are let in: none is kept",
        Object(&[must("whiteIpList", TEXTS, "")]),
    ),
    Operation::post(
        "/whiteiplist",
        "Refused, except for removing",
        Object(&[must("action", Choice(&["load", "remove"]), ""), must("ips", TEXTS, "")]),
        202,
        Map(&Any),
    ),
    Operation::put("/whiteiplist", "Refused, except for false", Any, 200, Map(&Any))
        .body(Body::MayBeJson(Any))
        .query(&[must("status", Choice(&["true", "false"]), "")]),
    Operation::get("/metrics", "Reads all figures", Text).answers(Answer::TextOrJson(FIGURES)).query(&[JSON]),
    Operation::get("/metrics/system", "Reads memory, processors and uptime", FIGURES),
    Operation::get("/metrics/backend", "Reads the engine's figures for every graph", FIGURES),
    Operation::get("/metrics/statistics", "Reads how often and how fast each endpoint answered", Text)
        .answers(Answer::TextOrJson(NUMBERS))
        .query(&[JSON]),
    Operation::get("/metrics/{group}", "Reads gauges, counters, histograms, meters or timers", FIGURES),
];
