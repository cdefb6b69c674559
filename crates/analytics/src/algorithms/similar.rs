//! Which vertices are alike, where walks lead, and vertices as vectors.

use super::algorithm::{Algorithm, Kind, Parameter, parameter};
use crate::graph::{Graph, View};
use crate::links::{LinkScore, link_score};
use crate::neighbours::nearest;
use crate::run::Run;
use crate::similarity::{Measure, Pair, SimilarityRules, similar};
use crate::table::{Params, Table, Value, Values};
use crate::walks::{EmbeddingRules, WalkRules, fast_rp, walks};
use crate::{AnalyticsError, Result, Vertex};

const EMBEDDING: [Parameter; 4] = [
    parameter("dimensions", Kind::Count, "128"),
    parameter("iteration_weights", Kind::Numbers, "[0, 1, 1]"),
    parameter("normalisation", Kind::Number, "0"),
    parameter("seed", Kind::Count, "0"),
];

const WALKS: [Parameter; 6] = [
    parameter("sources", Kind::Vertices, "all"),
    parameter("length", Kind::Count, "10"),
    parameter("per_vertex", Kind::Count, "1"),
    parameter("seed", Kind::Count, "0"),
    parameter("return_factor", Kind::Number, "1"),
    parameter("inout_factor", Kind::Number, "1"),
];

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "node_similarity",
        summary: "For each vertex those with most targets in common.",
        view: View::Simple,
        parameters: &[
            parameter("metric", Kind::Text, "jaccard (overlap, cosine)"),
            parameter("top_k", Kind::Count, "10"),
            parameter("cutoff", Kind::Number, "0"),
            parameter("min_degree", Kind::Count, "1"),
        ],
        columns: &["vertex", "other", "score"],
        state: (0, 0, 4),
        work: node_similarity,
    },
    Algorithm {
        name: "link_prediction",
        summary: "A score for an edge between a vertex and each of others, by their neighbours.",
        view: View::Plain,
        parameters: &[
            parameter("source", Kind::Vertex, "required"),
            parameter("targets", Kind::Vertices, "those two edges away"),
            parameter("metric", Kind::Text, "adamic_adar"),
            parameter("top_k", Kind::Count, "10"),
        ],
        columns: &["vertex", "other", "score"],
        state: (48, 0, 0),
        work: link_prediction,
    },
    Algorithm {
        name: "fast_rp",
        summary: "A vector for each vertex, by random projections of its neighbourhood.",
        view: View::Multi,
        parameters: &EMBEDDING,
        columns: &["embedding"],
        state: (0, 0, 0),
        work: embedding,
    },
    Algorithm {
        name: "knn",
        summary: "For each vertex those whose vectors of fast_rp are nearest.",
        view: View::Multi,
        parameters: &[
            EMBEDDING[0],
            EMBEDDING[1],
            EMBEDDING[2],
            EMBEDDING[3],
            parameter("top_k", Kind::Count, "10"),
            parameter("cutoff", Kind::Number, "0"),
        ],
        columns: &["vertex", "other", "score"],
        state: (0, 0, 0),
        work: knn,
    },
    Algorithm {
        name: "random_walks",
        summary: "Random walks from each vertex, by the weights of edges; with factors those of node2vec.",
        view: View::Simple,
        parameters: &WALKS,
        columns: &["walk"],
        state: (100, 0, 0),
        work: random_walks,
    },
];

fn of_pairs(pairs: &[Pair]) -> Table {
    Table::rows(vec![
        ("vertex", Values::Vertices(pairs.iter().map(|pair| pair.vertex).collect())),
        ("other", Values::Vertices(pairs.iter().map(|pair| pair.other).collect())),
        ("score", Values::Floats(pairs.iter().map(|pair| pair.score).collect())),
    ])
    .count("pairs", pairs.len() as u64)
}

fn node_similarity(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let metric = params.text("metric", "jaccard")?;
    let unknown =
        || AnalyticsError::Parameter(format!("metric must be jaccard, overlap or cosine, but got '{metric}'"));
    let rules = SimilarityRules {
        measure: Measure::named(metric).ok_or_else(unknown)?,
        top_k: params.size("top_k", 10)?,
        cutoff: params.float("cutoff", 0.0)?,
        degree_min: params.size("min_degree", 1)?,
    };
    similar(graph, &rules, run).map(|pairs| of_pairs(&pairs))
}

fn link_prediction(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let metric = params.text("metric", "adamic_adar")?;
    let names =
        "common_neighbours, adamic_adar, resource_allocation, preferential_attachment, total_neighbours, jaccard";
    let unknown = || AnalyticsError::Parameter(format!("metric must be one of {names}, but got '{metric}'"));
    let score = LinkScore::named(metric).ok_or_else(unknown)?;
    let (plain, source) = (graph.out(), params.vertex("source")?);
    plain.check_vertices([&source])?;
    let mut targets = params.vertices("targets")?;
    if targets.is_empty() {
        let own = plain.targets(source as usize);
        targets = own.iter().flat_map(|near| plain.targets(*near as usize)).copied().collect();
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|target| *target != source && own.binary_search(target).is_err());
    }
    let mut pairs = Vec::with_capacity(targets.len());
    let mut steps = 0;
    for other in targets {
        run.tick(&mut steps)?;
        pairs.push(Pair { vertex: source, other, score: link_score(plain, source, other, score)? });
    }
    crate::similarity::keep_best(&mut pairs, params.size("top_k", 10)?);
    Ok(of_pairs(&pairs))
}

fn embedding_rules(params: &Params) -> Result<EmbeddingRules> {
    let default = EmbeddingRules::default();
    Ok(EmbeddingRules {
        dimensions: params.size("dimensions", default.dimensions)?,
        weights: params.floats("iteration_weights", &default.weights)?,
        normalisation: params.float("normalisation", default.normalisation)?,
        seed: params.count("seed", default.seed)?,
    })
}

fn embedding(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let rules = embedding_rules(params)?;
    let values = fast_rp(graph, &rules, run)?;
    Ok(Table::per_vertex("embedding", Values::Vectors { width: rules.dimensions, values }))
}

fn knn(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let rules = embedding_rules(params)?;
    let vectors = fast_rp(graph, &rules, run)?;
    let (top_k, cutoff) = (params.size("top_k", 10)?, params.float("cutoff", 0.0)?);
    nearest(&vectors, rules.dimensions, top_k, cutoff, run).map(|pairs| of_pairs(&pairs))
}

fn random_walks(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let default = WalkRules::default();
    let rules = WalkRules {
        length: params.size("length", default.length)?,
        per_vertex: params.size("per_vertex", default.per_vertex)?,
        return_factor: params.float("return_factor", default.return_factor)?,
        inout_factor: params.float("inout_factor", default.inout_factor)?,
        seed: params.count("seed", default.seed)?,
    };
    let mut sources = params.vertices("sources")?;
    if sources.is_empty() {
        sources = (0..graph.vertices() as Vertex).collect();
    }
    let found = walks(graph.out(), &sources, &rules, run)?;
    let steps = found.iter().map(|walk| walk.len() as u64).sum::<u64>();
    Ok(Table::rows(vec![("walk", Values::Lists(found))]).figure("vertices", Value::Int(steps as i64)))
}
