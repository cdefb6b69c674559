//! Algorithms over the whole graph and their options.

use gremlin::{Op as Call, Step};
use query_plan::{Algorithm, AlgorithmKind, Argument, By, Node, Op, Pipeline, PlanError, ShortestPath, Text};
use query_value::{Direction, Enum, Value};

use crate::by::options;
use crate::translator::Translator;

/// What a rank passes on along edges, unless it is given.
const ALPHA: f64 = 0.85;
/// Rounds, unless they are given.
const RANK_TIMES: u64 = 20;
const PRESSURE_TIMES: u64 = 30;

/// What algorithms read: all vertices, and the edges of a vertex in a direction.
pub(crate) struct Reading<'r> {
    pub(crate) vertices: Pipeline,
    pub(crate) edges: &'r dyn Fn(Direction) -> Pipeline,
}

/// The algorithm of a step; `before` are the operators before it.
pub(crate) fn algorithm(
    t: &Translator<'_>,
    step: &Step,
    before: &[Node],
    reading: Reading<'_>,
) -> Result<Op, PlanError> {
    let (mut kind, direction) = match &step.op {
        Call::PageRank { alpha } => {
            let property = "gremlin.pageRankVertexProgram.pageRank".into();
            (AlgorithmKind::PageRank { alpha: alpha.unwrap_or(ALPHA), times: RANK_TIMES, property }, Direction::Out)
        }
        Call::PeerPressure {} => {
            let property = "gremlin.peerPressureVertexProgram.cluster".into();
            (AlgorithmKind::PeerPressure { times: PRESSURE_TIMES, property }, Direction::Out)
        }
        Call::ConnectedComponent {} => {
            let property = "gremlin.connectedComponentVertexProgram.component".into();
            (AlgorithmKind::ConnectedComponent { property }, Direction::Both)
        }
        _ => (AlgorithmKind::ShortestPath(ShortestPath::default()), Direction::Both),
    };
    let mut edges = (reading.edges)(direction);
    let prefix = format!("~tinkerpop.{}.", kind.name());
    for (key, value) in options(t, step)? {
        match (key.strip_prefix(&prefix), value) {
            (Some("edges"), Argument::Child(child)) => edges = child,
            (Some("edges"), Argument::Value(Value::Enum(Enum::Direction(direction)))) => {
                edges = (reading.edges)(direction);
            }
            (option, value) => set(&mut kind, option.unwrap_or(&key), value)?,
        }
    }
    let is_whole = match before.last().map(|node| &node.op) {
        Some(Op::Scan(scan)) => !scan.is_edges,
        Some(Op::Algorithm(algorithm)) => algorithm.is_whole,
        _ => false,
    };
    Ok(Op::Algorithm(Box::new(Algorithm { kind, vertices: reading.vertices, edges, is_whole })))
}

/// Takes an option of `with()`.
fn set(kind: &mut AlgorithmKind, option: &str, value: Argument) -> Result<(), PlanError> {
    let name = kind.name();
    let wrong = || PlanError::new(format!("{name}() does not take this value for the option {option}"));
    match (kind, option) {
        (
            AlgorithmKind::PageRank { property, .. }
            | AlgorithmKind::PeerPressure { property, .. }
            | AlgorithmKind::ConnectedComponent { property },
            "propertyName",
        ) => *property = text(&value).ok_or_else(wrong)?,
        (AlgorithmKind::PageRank { times, .. } | AlgorithmKind::PeerPressure { times, .. }, "times") => {
            *times = number(&value).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok()).ok_or_else(wrong)?;
        }
        (AlgorithmKind::ShortestPath(paths), "target") => match value {
            Argument::Child(child) => paths.target = Some(child),
            Argument::Value(_) => return Err(wrong()),
        },
        (AlgorithmKind::ShortestPath(paths), "distance") => {
            paths.distance = Some(match value {
                Argument::Child(child) => By::Child(child),
                other => By::Property(text(&other).ok_or_else(wrong)?),
            });
        }
        (AlgorithmKind::ShortestPath(paths), "maxDistance") => {
            paths.distance_max = Some(number(&value).and_then(query_value::number::as_f64).ok_or_else(wrong)?);
        }
        (AlgorithmKind::ShortestPath(paths), "includeEdges") => match value {
            Argument::Value(Value::Bool(flag)) => paths.includes_edges = flag,
            _ => return Err(wrong()),
        },
        _ => return Err(PlanError::new(format!("{name}() has no option {option}"))),
    }
    Ok(())
}

fn number(value: &Argument) -> Option<&Value> {
    if let Argument::Value(value) = value { Some(value) } else { None }
}

fn text(value: &Argument) -> Option<Text> {
    number(value).and_then(Value::as_text).map(Text::from)
}
