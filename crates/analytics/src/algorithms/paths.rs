//! Ways from vertex to vertex.

use super::algorithm::{Algorithm, Kind, Parameter, parameter};
use crate::cycles::{CycleRules, cycles, longest_ways, topological_order};
use crate::flow::max_flow;
use crate::forest::spanning_forest;
use crate::graph::{Graph, View};
use crate::run::Run;
use crate::search::{UNREACHED, breadth_first, parents};
use crate::shortest::{Way, all_pairs, shortest_way, shortest_ways};
use crate::stepping::distances;
use crate::table::{Column, Params, Table, Value, Values};
use crate::{Result, Vertex, limits};

const ENDS: [Parameter; 2] =
    [parameter("source", Kind::Vertex, "required"), parameter("target", Kind::Vertex, "required")];

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "bfs",
        summary: "How many edges each vertex is away from the nearest source, and the one before it; -1: not reached.",
        view: View::Multi,
        parameters: &[parameter("sources", Kind::Vertices, "required"), parameter("max_depth", Kind::Count, "all")],
        columns: &["depth", "parent"],
        state: (16, 0, 0),
        work: bfs,
    },
    Algorithm {
        name: "sssp",
        summary: "The least sum of weights on a way from the source to each vertex; infinite where there is none.",
        view: View::Multi,
        parameters: &[ENDS[0], parameter("delta", Kind::Number, "by the weights")],
        columns: &["distance"],
        state: (20, 0, 0),
        work: sssp,
    },
    Algorithm {
        name: "shortest_path",
        summary: "The lightest way between two vertices.",
        view: View::Simple,
        parameters: &ENDS,
        columns: &["path", "weight"],
        state: (40, 0, 0),
        work: one_way,
    },
    Algorithm {
        name: "k_shortest_paths",
        summary: "The k lightest ways without a circle between two vertices, lightest first.",
        view: View::Simple,
        parameters: &[ENDS[0], ENDS[1], parameter("k", Kind::Count, "3")],
        columns: &["path", "weight"],
        state: (40, 0, 0),
        work: k_ways,
    },
    Algorithm {
        name: "all_shortest_paths",
        summary: "Distances between pairs of vertices, from the sources or all, the unreachable left out.",
        view: View::Simple,
        parameters: &[parameter("sources", Kind::Vertices, "all"), parameter("limit", Kind::Count, "1000")],
        columns: &["source", "target", "distance"],
        state: (64, 0, 0),
        work: pairs,
    },
    Algorithm {
        name: "spanning_forest",
        summary: "The lightest edges that connect what can be connected.",
        view: View::Plain,
        parameters: &[],
        columns: &["source", "target", "weight"],
        state: (20, 15, 0),
        work: forest,
    },
    Algorithm {
        name: "max_flow",
        summary: "The most that can flow from one vertex to another, weights being what edges carry.",
        view: View::Multi,
        parameters: &ENDS,
        columns: &["source", "target", "flow"],
        state: (32, 40, 0),
        work: flow,
    },
    Algorithm {
        name: "cycles",
        summary: "Circles of edges without repeated vertices, each once, from its least vertex on.",
        view: View::Simple,
        parameters: &[
            parameter("min_length", Kind::Count, "2, or 3 without directions"),
            parameter("max_length", Kind::Count, "5"),
            parameter("limit", Kind::Count, "1000"),
        ],
        columns: &["cycle"],
        state: (8, 0, 0),
        work: circles,
    },
    Algorithm {
        name: "topological_order",
        summary: "The vertices in an order in which every edge leads on, in a graph without cycles.",
        view: View::Multi,
        parameters: &[],
        columns: &["vertex"],
        state: (11, 0, 0),
        work: |graph, _, run| Ok(Table::rows(vec![("vertex", Values::Vertices(topological_order(graph.out(), run)?))])),
    },
    Algorithm {
        name: "longest_path",
        summary: "The greatest sum of weights on a way that ends at each vertex, in a graph without cycles.",
        view: View::Multi,
        parameters: &[],
        columns: &["distance"],
        state: (19, 0, 0),
        work: |graph, _, run| Ok(Table::per_vertex("distance", Values::Floats(longest_ways(graph.out(), run)?))),
    },
];

fn bfs(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let depths = breadth_first(graph, &params.vertices("sources")?, params.depth("max_depth")?, run)?;
    let before = parents(graph, &depths, run)?;
    let reached = depths.iter().filter(|depth| **depth != UNREACHED).count();
    let number = |value: u32| if value == u32::MAX { -1 } else { i64::from(value) };
    let values = Values::Ints(depths.into_iter().map(number).collect());
    let mut table = Table::per_vertex("depth", values).count("reached", reached as u64);
    // `Vertex::MAX` where there is none.
    table.columns.push(Column { name: "parent", values: Values::Vertices(before) });
    Ok(table)
}

fn sssp(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let found = distances(graph.out(), params.vertex("source")?, params.float("delta", 0.0)?, run)?;
    let reached = found.iter().filter(|distance| distance.is_finite()).count();
    Ok(Table::per_vertex("distance", Values::Floats(found)).count("reached", reached as u64))
}

fn of_ways(ways: Vec<Way>) -> Table {
    let weights = ways.iter().map(|way| way.weight).collect();
    let lists = ways.into_iter().map(|way| way.vertices).collect();
    Table::rows(vec![("path", Values::Lists(lists)), ("weight", Values::Floats(weights))])
}

fn one_way(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let way = shortest_way(graph.out(), params.vertex("source")?, params.vertex("target")?, run)?;
    Ok(of_ways(way.into_iter().collect()))
}

fn k_ways(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let (source, target) = (params.vertex("source")?, params.vertex("target")?);
    shortest_ways(graph.out(), source, target, params.size("k", 3)?, run).map(of_ways)
}

fn pairs(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let limit = params.size("limit", limits::RESULTS_DEFAULT)?;
    let mut sources = params.vertices("sources")?;
    if sources.is_empty() {
        sources = (0..graph.vertices() as Vertex).collect();
    }
    let (mut from, mut to, mut far) = (Vec::new(), Vec::new(), Vec::new());
    // A few sources at a time, so that a limit that is reached ends the work.
    for some in sources.chunks(64) {
        all_pairs(graph.out(), some, run, |source, row| {
            for (target, distance) in row.iter().enumerate() {
                if distance.is_finite() && target != source as usize && from.len() < limit {
                    from.push(source);
                    to.push(target as Vertex);
                    far.push(*distance);
                }
            }
            Ok(())
        })?;
        if from.len() >= limit {
            break;
        }
    }
    let columns =
        vec![("source", Values::Vertices(from)), ("target", Values::Vertices(to)), ("distance", Values::Floats(far))];
    Ok(Table::rows(columns))
}

fn edges(edges: &[(Vertex, Vertex, f64)], weight: &'static str) -> Table {
    Table::rows(vec![
        ("source", Values::Vertices(edges.iter().map(|edge| edge.0).collect())),
        ("target", Values::Vertices(edges.iter().map(|edge| edge.1).collect())),
        (weight, Values::Floats(edges.iter().map(|edge| edge.2).collect())),
    ])
}

fn forest(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    let found = spanning_forest(graph.out(), run)?;
    let (count, weight) = (found.len() as u64, found.iter().map(|edge| edge.2).sum());
    Ok(edges(&found, "weight").count("edges", count).figure("weight", Value::Float(weight)))
}

fn flow(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let found = max_flow(graph.out(), params.vertex("source")?, params.vertex("target")?, run)?;
    Ok(edges(&found.edges, "flow").figure("flow", Value::Float(found.value)))
}

fn circles(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let is_plain = params.text(super::algorithm::DIRECTION, "out")? == "both";
    let rules = CycleRules {
        length_min: params.size("min_length", if is_plain { 3 } else { 2 })?,
        length_max: params.size("max_length", 5)?,
        limit: params.size("limit", limits::RESULTS_DEFAULT)?,
        is_plain,
    };
    let found = cycles(graph.out(), &rules, run)?;
    let count = found.len() as u64;
    Ok(Table::rows(vec![("cycle", Values::Lists(found))]).count("count", count))
}
