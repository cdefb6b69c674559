//! Algorithms over whole graphs as procedures: `CALL algo.pagerank({edge_labels: ['knows']}) YIELD vertex, score`.

use std::time::Duration;

use auth::{Caller, Permission, ResourceType};
use cypher_exec::{HostedProcedure, ProcedureHost, Rows, Signature, Type, from_access};
use cypher_value::{Detail, ElementId, Error, Map, Node, Text, Value};
use graph_access::{AccessError, Budget, denied};
use graph_analysis::{
    Algorithm, Analysis, AnalysisError, Cell, Found, JobState, OWN_PREFIX, Observer, VERTEX, algorithms, estimate,
    find, run_observed,
};
use graph_host::HostedGraph;
use graph_model::{ErrorKind as Access, VertexId};
use graph_store::StoreError;
use serde_json::{Map as JsonMap, Value as Json};

/// A run is not begun where there is less time than this: it would end without a result, and threads and a pause of the
/// writers would be in vain. Reads are tried for less than this on the threads that serve connections.
const TIME_MIN: Duration = Duration::from_millis(10);

/// Parameters that tasks have, and what does it in a query.
const ELSEWHERE: [(&str, &str); 5] = [
    ("write_property", "write what it yields with SET"),
    ("estimate", "call algo.estimate"),
    ("top", "use ORDER BY and LIMIT"),
    ("limit", "use LIMIT"),
    ("timeout_ms", "the query has a time limit of its own"),
];

type Result<T> = std::result::Result<T, Error>;

/// Procedures that are no algorithms.
enum Other {
    List,
    Estimate,
    Project,
    Projections,
    DropProjection,
}

/// A procedure that is no algorithm: its name, what it is, what it does, and its columns.
type OtherProcedure = (&'static str, Other, &'static str, &'static [(&'static str, Type)]);

static OTHERS: [OtherProcedure; 5] = [
    (
        "list",
        Other::List,
        "The algorithms, their parameters with defaults, and their columns.",
        &[("name", Type::String), ("description", Type::String), ("parameters", Type::Any), ("columns", Type::Any)],
    ),
    (
        "estimate",
        Other::Estimate,
        "How many bytes a run of an algorithm would take.",
        &[
            ("vertices", Type::Integer),
            ("edges", Type::Integer),
            ("projection_bytes", Type::Integer),
            ("run_bytes", Type::Integer),
            ("free_bytes", Type::Integer),
            ("fits", Type::Boolean),
        ],
    ),
    (
        "project",
        Other::Project,
        "Copies the graph, or some of its labels, into memory and keeps the copy under a name.",
        &[
            ("vertices", Type::Integer),
            ("edges", Type::Integer),
            ("bytes", Type::Integer),
            ("weighted", Type::Boolean),
            ("one_moment", Type::Boolean),
        ],
    ),
    (
        "projections",
        Other::Projections,
        "The copies of the graph that are kept.",
        &[
            ("projection", Type::String),
            ("vertices", Type::Integer),
            ("edges", Type::Integer),
            ("bytes", Type::Integer),
            ("weighted", Type::Boolean),
            ("one_moment", Type::Boolean),
            ("age_ms", Type::Integer),
        ],
    ),
    ("drop_projection", Other::DropProjection, "Drops a copy that is kept.", &[("dropped", Type::Boolean)]),
];

/// Columns whose vertices are nodes; vertices in other columns stand for a group, and are told by their ids.
const NODES: [&str; 5] = [VERTEX, "source", "target", "other", "parent"];

fn column_type(name: &str) -> Type {
    match name {
        own if NODES.contains(&own) => Type::Node,
        "path" | "cycle" | "walk" | "embedding" => Type::list(),
        "score" | "hub" | "authority" | "coefficient" | "distance" | "weight" | "flow" => Type::Float,
        "is_member" => Type::Boolean,
        "degree" => Type::Number,
        "component" | "community" => Type::Any,
        _ => Type::Integer,
    }
}

/// The columns of an algorithm.
fn columns(algorithm: &Algorithm) -> impl Iterator<Item = &'static str> {
    let first = algorithm.is_per_vertex().then_some(VERTEX);
    first.into_iter().chain(algorithm.columns.iter().copied())
}

/// All procedures that [`AlgorithmHost`] carries out.
pub(crate) fn procedures() -> Vec<HostedProcedure> {
    let parameters = || ("parameters".to_owned(), Type::Map, true);
    let procedure = |name: &str, description, arguments, columns: Vec<(String, Type)>| HostedProcedure {
        name: format!("{OWN_PREFIX}{name}"),
        description,
        signature: Signature { arguments, columns, is_write: false },
    };
    let own = algorithms().map(|algorithm| {
        let columns = columns(algorithm).map(|name| (name.to_owned(), column_type(name))).collect();
        procedure(algorithm.name, algorithm.summary, vec![parameters()], columns)
    });
    let others = OTHERS.iter().map(|(name, other, description, columns)| {
        let arguments = match other {
            Other::List | Other::Projections => Vec::new(),
            Other::Estimate => vec![("name".to_owned(), Type::String, false), parameters()],
            Other::Project | Other::DropProjection => vec![("parameters".to_owned(), Type::Map, false)],
        };
        let columns = columns.iter().map(|(name, of)| ((*name).to_owned(), of.clone())).collect();
        procedure(name, description, arguments, columns)
    });
    own.chain(others).collect()
}

/// Carries algorithms out for one query.
pub(crate) struct AlgorithmHost<'a> {
    pub(crate) graph: &'a HostedGraph,
    pub(crate) caller: &'a Caller,
    /// None: the server has no room for analyses, and offers none.
    pub(crate) state: Option<&'a JobState>,
    pub(crate) budget: &'a Budget,
    /// How much time the query has in all.
    pub(crate) time: Duration,
}

impl Observer for AlgorithmHost<'_> {
    fn check(&self) -> std::result::Result<(), StoreError> {
        Ok(self.budget.check()?)
    }
}

fn accessed(kind: Access, message: String) -> Error {
    from_access(AccessError::new(kind, message))
}

fn analysed(error: &AnalysisError) -> Error {
    accessed(error.kind(), error.to_string())
}

fn wrong(message: String) -> Error {
    Error::argument(Detail::InvalidArgumentValue, message)
}

impl ProcedureHost for AlgorithmHost<'_> {
    fn call(&self, name: &str, arguments: &[Value]) -> Result<Rows> {
        let own = name.strip_prefix(OWN_PREFIX).unwrap_or(name);
        let found = OTHERS.iter().find(|(other, ..)| *other == own);
        if let Some((_, Other::List, ..)) = found {
            return Ok(Box::new(algorithms().map(listed).map(Ok)));
        }
        let state = self.begin()?;
        let Some((_, other, _, columns)) = found else {
            let analysis = self.analysis(name, arguments.first())?;
            let found = find(self.graph, &analysis, state, self).map_err(|error| analysed(&error))?;
            return Ok(rows(found));
        };
        let run = |name: &str, parameters: Option<&Value>| {
            let analysis = self.analysis(name, parameters)?;
            run_observed(self.graph, &analysis, state, self).map_err(|error| analysed(&error))
        };
        let told = match other {
            Other::Estimate => {
                let Some(Value::String(name)) = arguments.first() else {
                    return Err(wrong("algo.estimate takes the name of an algorithm".to_owned()));
                };
                let name = name.strip_prefix(OWN_PREFIX).unwrap_or(name);
                let analysis = self.analysis(&format!("{OWN_PREFIX}{name}"), arguments.get(1))?;
                let found = estimate(self.graph, &analysis, state, self).map_err(|error| analysed(&error))?;
                let bytes = [found.vertices, found.edges, found.projection_bytes, found.run_bytes, found.free_bytes];
                let row = bytes.into_iter().map(|it| Value::Integer(i64::try_from(it).unwrap_or(i64::MAX)));
                return Ok(Box::new(std::iter::once(Ok(row.chain([Value::Boolean(found.fits())]).collect()))));
            }
            Other::Projections => match run(own, None)? {
                Json::Object(mut answer) => answer.remove("projections").unwrap_or_default(),
                _ => Json::Null,
            },
            _ => Json::Array(vec![run(own, arguments.first())?]),
        };
        let Json::Array(told) = told else { return Ok(Box::new(std::iter::empty())) };
        let row = |one: Json| columns.iter().map(|(name, _)| from_json(one.get(*name))).collect::<Vec<Value>>();
        Ok(Box::new(told.into_iter().map(row).map(Ok).collect::<Vec<_>>().into_iter()))
    }
}

impl AlgorithmHost<'_> {
    /// Refuses a query that has no time.
    fn begin(&self) -> Result<&JobState> {
        if self.time < TIME_MIN {
            let message = format!("an algorithm over a whole graph needs more than {} ms", TIME_MIN.as_millis());
            return Err(accessed(Access::Timeout, message));
        }
        let none = || accessed(Access::NotSupported, "this server runs no algorithms over whole graphs".to_owned());
        self.state.ok_or_else(none)
    }

    fn analysis(&self, name: &str, parameters: Option<&Value>) -> Result<Analysis> {
        let given = match parameters {
            None | Some(Value::Null) => &Map::default(),
            Some(Value::Map(given)) => &**given,
            Some(other) => return Err(wrong(format!("{name} takes a map, but got a {}", other.type_name()))),
        };
        let mut json = JsonMap::new();
        for (key, value) in given {
            json.insert(key.to_string(), to_json(key, value)?);
        }
        let has = |parameter: &str| {
            let own = name.strip_prefix(OWN_PREFIX).unwrap_or(name);
            let of = algorithms().find(|algorithm| algorithm.name == own);
            of.is_some_and(|algorithm| algorithm.parameters.iter().any(|its| its.name == parameter))
        };
        for (parameter, instead) in ELSEWHERE {
            if json.contains_key(parameter) && !has(parameter) {
                return Err(wrong(format!("{name} has no parameter '{parameter}' in a query: {instead}")));
            }
        }
        // What is kept takes memory of everybody, as what a task keeps does.
        let keeps = json.contains_key("projection");
        if keeps && !self.caller.may(self.graph.name(), Permission::Write, ResourceType::Task) {
            let what = format!("graph={},type=TASK,operated=*", self.graph.name());
            return Err(from_access(denied("write", &what)));
        }
        let analysis = Analysis::new(name, json);
        let own = analysis.and_then(|analysis| analysis.on_behalf_of(self.caller.rights(self.graph), self.graph));
        own.map_err(|error| analysed(&error))
    }
}

/// The row of an algorithm in the list of all.
fn listed(algorithm: &'static Algorithm) -> Vec<Value> {
    let text = |text: &str| Value::String(text.into());
    let parameter = |own: &graph_analysis::Parameter| text(&format!("{} ({})", own.name, own.default));
    vec![
        text(algorithm.name),
        text(algorithm.summary),
        Value::list(algorithm.parameters.iter().map(parameter).collect()),
        Value::list(columns(algorithm).map(text).collect()),
    ]
}

/// The rows of a result, which is kept until the last one is taken.
fn rows(found: Found) -> Rows {
    let is_node: Vec<bool> = found.columns().map(|name| NODES.contains(&name)).collect();
    let count = found.len();
    let row = move |row: usize| {
        Ok(is_node.iter().enumerate().map(|(at, is_node)| value(&found.cell(row, at), *is_node)).collect())
    };
    Box::new((0..count).map(row))
}

fn value(cell: &Cell<'_>, is_node: bool) -> Value {
    match cell {
        Cell::None => Value::Null,
        Cell::Vertex(id) if is_node => node(id),
        Cell::Vertex(VertexId::Number(number)) => Value::Integer(*number),
        Cell::Vertex(id) => Value::String(element_id(id).text()),
        Cell::Int(value) => Value::Integer(*value),
        Cell::Float(value) => Value::Float(*value),
        Cell::Bool(value) => Value::Boolean(*value),
        Cell::Vector(values) => Value::list(values.iter().map(|value| Value::Float(f64::from(*value))).collect()),
        Cell::Vertices(ids) => Value::list(ids.iter().map(|id| node(id)).collect()),
    }
}

fn element_id(id: &VertexId) -> ElementId {
    match id {
        VertexId::Number(number) => ElementId::Number(*number),
        VertexId::String(text) => ElementId::Text(text.as_str().into()),
        VertexId::Uuid(bits) => ElementId::Uuid(*bits),
    }
}

fn node(id: &VertexId) -> Value {
    Value::Node(std::sync::Arc::new(Node::reference(element_id(id))))
}

/// A parameter; a node means the vertex of its id.
fn to_json(name: &Text, value: &Value) -> Result<Json> {
    let refused = || wrong(format!("the value of {name} must not be a {}", value.type_name()));
    Ok(match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => Json::from(*value),
        Value::Integer(value) => Json::from(*value),
        Value::Float(value) => Json::Number(serde_json::Number::from_f64(*value).ok_or_else(refused)?),
        Value::String(value) => Json::from(value.as_str()),
        Value::List(items) => items.iter().map(|item| to_json(name, item)).collect::<Result<_>>()?,
        Value::Node(node) => match &node.id {
            ElementId::Number(number) => Json::from(*number),
            id => Json::from(id.text().as_str()),
        },
        _ => return Err(refused()),
    })
}

fn from_json(json: Option<&Json>) -> Value {
    match json {
        Some(Json::Bool(value)) => Value::Boolean(*value),
        Some(Json::Number(number)) => {
            number.as_i64().map_or_else(|| Value::Float(number.as_f64().unwrap_or(f64::NAN)), Value::Integer)
        }
        Some(Json::String(text)) => Value::String(text.as_str().into()),
        _ => Value::Null,
    }
}
