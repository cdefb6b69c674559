//! Which vertices matter.

use super::algorithm::{Algorithm, Kind, Parameter, parameter};
use crate::betweenness::{BetweennessRules, betweenness};
use crate::closeness::{Nearness, nearness};
use crate::degree::{Direction, degrees, strengths};
use crate::graph::{Graph, View};
use crate::rank::{Iterated, RankRules, page_rank};
use crate::run::Run;
use crate::spectral;
use crate::table::{Column, Params, Table, Value, Values};
use crate::{Result, Vertex, limits};

const ITERATED: [Parameter; 2] =
    [parameter("tolerance", Kind::Number, "1e-7"), parameter("max_iterations", Kind::Count, "100")];

const RANK: [Parameter; 5] = [
    parameter("damping", Kind::Number, "0.85"),
    ITERATED[0],
    ITERATED[1],
    parameter("weighted", Kind::Flag, "false"),
    parameter("sources", Kind::Vertices, "all"),
];

const WAYS: [Parameter; 3] = [
    parameter("samples", Kind::Count, "all"),
    parameter("seed", Kind::Count, "0"),
    parameter("max_depth", Kind::Count, "all"),
];

const NEAR: [Parameter; 2] = [parameter("max_depth", Kind::Count, "all"), parameter("improved", Kind::Flag, "true")];

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "degree",
        summary: "How many edges each vertex has, or the sum of their weights.",
        view: View::Multi,
        parameters: &[parameter("weighted", Kind::Flag, "false")],
        columns: &["degree"],
        state: (8, 0, 0),
        work: degree,
    },
    Algorithm {
        name: "pagerank",
        summary: "How often a random walk meets each vertex; from the sources, where any are given.",
        view: View::Multi,
        parameters: &RANK,
        columns: &["score"],
        state: (24, 0, 0),
        work: |graph, params, run| rank(graph, params, false, run),
    },
    Algorithm {
        name: "articlerank",
        summary: "PageRank in which vertices with few edges give less.",
        view: View::Multi,
        parameters: &RANK,
        columns: &["score"],
        state: (24, 0, 0),
        work: |graph, params, run| rank(graph, params, true, run),
    },
    Algorithm {
        name: "eigenvector",
        summary: "In proportion to the scores of the neighbours.",
        view: View::Plain,
        parameters: &ITERATED,
        columns: &["score"],
        state: (16, 0, 0),
        work: eigenvector,
    },
    Algorithm {
        name: "katz",
        summary: "All walks that end at each vertex, longer ones counting less.",
        view: View::Multi,
        parameters: &[parameter("alpha", Kind::Number, "0.01"), ITERATED[0], ITERATED[1]],
        columns: &["score"],
        state: (16, 0, 0),
        work: katz,
    },
    Algorithm {
        name: "hits",
        summary: "Hubs that lead to authorities, and authorities that hubs lead to.",
        view: View::Simple,
        parameters: &ITERATED,
        columns: &["hub", "authority"],
        state: (24, 0, 0),
        work: hits,
    },
    Algorithm {
        name: "betweenness",
        summary: "The part of shortest ways that go through each vertex, over ordered pairs.",
        view: View::Simple,
        parameters: &WAYS,
        columns: &["score"],
        state: (72, 0, 24),
        work: |graph, params, run| between(graph, params, false, run),
    },
    Algorithm {
        name: "stress",
        summary: "The number of shortest ways that go through each vertex, over ordered pairs.",
        view: View::Simple,
        parameters: &WAYS,
        columns: &["score"],
        state: (72, 0, 24),
        work: |graph, params, run| between(graph, params, true, run),
    },
    Algorithm {
        name: "closeness",
        summary: "How near each vertex is to those it reaches: their number over the sum of distances.",
        view: View::Simple,
        parameters: &NEAR,
        columns: &["score", "reached"],
        state: (36, 0, 24),
        work: closeness,
    },
    Algorithm {
        name: "harmonic",
        summary: "How near each vertex is to all others: the sum of 1 / distance.",
        view: View::Simple,
        parameters: &[NEAR[0]],
        columns: &["score", "eccentricity"],
        state: (36, 0, 24),
        work: harmonic,
    },
];

fn degree(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    if params.flag("weighted", false)? {
        return Ok(Table::per_vertex("degree", Values::Floats(strengths(graph, Direction::Out, run)?)));
    }
    let found = degrees(graph, Direction::Out, run)?;
    Ok(Table::per_vertex("degree", ints(found)))
}

pub(super) fn ints(values: Vec<u64>) -> Values {
    Values::Ints(values.into_iter().map(|value| i64::try_from(value).unwrap_or(i64::MAX)).collect())
}

fn iterated(found: Iterated) -> Table {
    Table::per_vertex("score", Values::Floats(found.values))
        .count("iterations", found.iterations)
        .figure("change", Value::Float(found.change))
        .figure("converged", Value::Bool(found.converged))
}

fn bounds(params: &Params) -> Result<(f64, u64)> {
    Ok((params.float("tolerance", 1e-7)?, params.count("max_iterations", limits::ITERATIONS_MAX_DEFAULT)?))
}

fn rank(graph: &Graph, params: &Params, article: bool, run: &Run<'_>) -> Result<Table> {
    let (tolerance, iterations_max) = bounds(params)?;
    let rules = RankRules {
        damping: params.float("damping", 0.85)?,
        tolerance,
        iterations_max,
        weighted: params.flag("weighted", false)?,
        sources: params.vertices("sources")?,
        article,
    };
    page_rank(graph, &rules, run).map(iterated)
}

fn eigenvector(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let (tolerance, iterations_max) = bounds(params)?;
    spectral::eigenvector(graph.incoming(), tolerance, iterations_max, run).map(iterated)
}

fn katz(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    spectral::katz(graph.incoming(), params.float("alpha", 0.01)?, bounds(params)?, run).map(iterated)
}

fn hits(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let (tolerance, iterations_max) = bounds(params)?;
    let found = spectral::hits(graph, tolerance, iterations_max, run)?;
    let mut table = Table::per_vertex("hub", Values::Floats(found.hubs))
        .count("iterations", found.iterations)
        .figure("converged", Value::Bool(found.converged));
    table.columns.push(Column { name: "authority", values: Values::Floats(found.authorities) });
    Ok(table)
}

fn between(graph: &Graph, params: &Params, stress: bool, run: &Run<'_>) -> Result<Table> {
    let samples = params.get("samples").map(|_| params.size("samples", 0)).transpose()?;
    let rules =
        BetweennessRules { samples, seed: params.count("seed", 0)?, depth_max: params.depth("max_depth")?, stress };
    Ok(Table::per_vertex("score", Values::Floats(betweenness(graph, &rules, run)?)))
}

fn near(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Vec<Nearness>> {
    let sources: Vec<Vertex> = (0..graph.vertices() as Vertex).collect();
    nearness(graph.out(), &sources, params.depth("max_depth")?, run)
}

fn closeness(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let improved = params.flag("improved", true)?;
    let found = near(graph, params, run)?;
    let scores = found.iter().map(|own| own.closeness(graph.vertices(), improved)).collect();
    let mut table = Table::per_vertex("score", Values::Floats(scores));
    table.columns.push(Column { name: "reached", values: ints(found.iter().map(|own| own.reached).collect()) });
    Ok(table)
}

fn harmonic(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let found = near(graph, params, run)?;
    let mut table = Table::per_vertex("score", Values::Floats(found.iter().map(|own| own.harmonic).collect()));
    let far = found.iter().map(|own| i64::from(own.eccentricity)).collect();
    table.columns.push(Column { name: "eccentricity", values: Values::Ints(far) });
    Ok(table)
}
