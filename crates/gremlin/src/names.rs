//! Names that scripts may use besides steps and enumerations: source methods, schema methods, constants of options.

use crate::tree::Value;
/// Methods of a traversal source that return the source.
#[must_use]
pub fn is_source_method(name: &str) -> bool {
    matches!(
        name,
        "withBulk"
            | "withPath"
            | "withSack"
            | "withSideEffect"
            | "withStrategies"
            | "withoutStrategies"
            | "withComputer"
            | "with"
    )
}

/// Methods of a traversal source that start a traversal.
#[must_use]
pub fn is_start_method(name: &str) -> bool {
    matches!(name, "V" | "E" | "addV" | "addE" | "mergeV" | "mergeE" | "inject" | "io" | "call" | "union")
}

/// Methods that ask a traversal for its results.
#[must_use]
pub fn is_terminal(name: &str) -> bool {
    matches!(name, "next" | "toList" | "toSet" | "toBulkSet" | "iterate" | "hasNext" | "tryNext" | "explain")
}

/// Steps that change the step before them or name its results. They are no operations of their own.
#[must_use]
pub fn is_modulator(name: &str) -> bool {
    matches!(name, "as" | "by" | "with" | "option" | "from" | "to" | "until" | "emit" | "times" | "read" | "write")
}

/// Other spellings of steps that are operations under another name.
#[must_use]
pub fn is_alias(name: &str) -> bool {
    matches!(name, "store" | "out" | "in" | "both" | "outE" | "inE" | "bothE" | "outV" | "inV" | "bothV")
}

/// Methods of HugeGraph's schema manager and its builders.
#[must_use]
pub fn is_schema_method(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "propertyKey",
        "vertexLabel",
        "edgeLabel",
        "indexLabel",
        "getPropertyKey",
        "getVertexLabel",
        "getEdgeLabel",
        "getIndexLabel",
        "getPropertyKeys",
        "getVertexLabels",
        "getEdgeLabels",
        "getIndexLabels",
        "asText",
        "asInt",
        "asLong",
        "asDouble",
        "asFloat",
        "asByte",
        "asBoolean",
        "asDate",
        "asUUID",
        "asUuid",
        "asBlob",
        "asObject",
        "dataType",
        "valueSingle",
        "valueList",
        "valueSet",
        "cardinality",
        "calcSum",
        "calcMax",
        "calcMin",
        "calcOld",
        "calcSet",
        "calcList",
        "aggregateType",
        "writeType",
        "idStrategy",
        "useAutomaticId",
        "usePrimaryKeyId",
        "useCustomizeStringId",
        "useCustomizeNumberId",
        "useCustomizeUuidId",
        "properties",
        "primaryKeys",
        "nullableKeys",
        "enableLabelIndex",
        "link",
        "sourceLabel",
        "targetLabel",
        "sortKeys",
        "singleTime",
        "multiTimes",
        "frequency",
        "onV",
        "onE",
        "by",
        "secondary",
        "range",
        "search",
        "shard",
        "unique",
        "ttl",
        "ttlStartTime",
        "userdata",
        "checkExist",
        "ifNotExist",
        "rebuild",
        "create",
        "append",
        "eliminate",
        "remove",
    ];
    NAMES.contains(&name)
}

/// Statements and declarations of Groovy that are never run.
#[must_use]
pub(crate) fn is_groovy_keyword(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "abstract",
        "assert",
        "break",
        "case",
        "catch",
        "class",
        "continue",
        "do",
        "else",
        "enum",
        "finally",
        "for",
        "if",
        "import",
        "interface",
        "package",
        "static",
        "switch",
        "synchronized",
        "throw",
        "trait",
        "try",
        "while",
    ];
    NAMES.contains(&name)
}

/// Classes whose constants are the keys and values of `with()`.
#[must_use]
pub(crate) fn is_constant_class(class: &str) -> bool {
    matches!(class, "WithOptions" | "IO" | "ShortestPath" | "ConnectedComponent" | "PageRank" | "PeerPressure")
}

/// The value of a constant of such a class.
#[must_use]
pub(crate) fn constant(class: &str, name: &str) -> Option<Value> {
    let text = |text: &str| Some(Value::Text(text.into()));
    match (class, name) {
        ("WithOptions", "tokens") => text("~tinkerpop.valueMap.tokens"),
        ("WithOptions", "indexer") => text("~tinkerpop.index.indexer"),
        ("WithOptions", "none" | "list") => Some(Value::Int(0)),
        ("WithOptions", "ids" | "map") => Some(Value::Int(1)),
        ("WithOptions", "labels") => Some(Value::Int(2)),
        ("WithOptions", "keys") => Some(Value::Int(4)),
        ("WithOptions", "values") => Some(Value::Int(8)),
        ("WithOptions", "all") => Some(Value::Int(15)),
        ("IO", "reader" | "writer" | "registry") => Some(Value::Text(format!("~tinkerpop.io.{name}").into())),
        ("IO", "graphson" | "gryo" | "graphml") => text(name),
        ("ShortestPath", "target" | "edges" | "distance" | "maxDistance" | "includeEdges") => {
            Some(Value::Text(format!("~tinkerpop.shortestPath.{name}").into()))
        }
        ("ConnectedComponent", "component") => text("gremlin.connectedComponentVertexProgram.component"),
        ("ConnectedComponent", "edges" | "propertyName") => {
            Some(Value::Text(format!("~tinkerpop.connectedComponent.{name}").into()))
        }
        ("PageRank", "edges" | "times" | "propertyName") => {
            Some(Value::Text(format!("~tinkerpop.pageRank.{name}").into()))
        }
        ("PeerPressure", "edges" | "times" | "propertyName") => {
            Some(Value::Text(format!("~tinkerpop.peerPressure.{name}").into()))
        }
        _ => None,
    }
}
