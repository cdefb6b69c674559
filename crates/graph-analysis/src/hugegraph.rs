//! HugeGraph's algorithms under its names, with its parameters and the shapes of its answers. Results are exact: edges
//! of vertices with many are not left out unless `degree` says so.

use analytics::betweenness::{BetweennessRules, betweenness};
use analytics::closeness::nearness;
use analytics::communities::{CommunityRules, louvain};
use analytics::components::{sizes, weak};
use analytics::cycles::{CycleRules, cycles};
use analytics::label_propagation::in_turn;
use analytics::rank::{RankRules, page_rank};
use analytics::{Csr, Graph, Run, Values, Vertex, spectral, triangles};
use graph_schema::Catalogue;
use serde_json::{Map, Value as Json, json};

use crate::AnalysisError;
use crate::names::{id_json, id_text};
use crate::parameters::Parameters;
use crate::projection::Projection;
use crate::write_back::Written;

/// An algorithm of HugeGraph's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HugeGraph {
    CountVertex,
    CountEdge,
    Degree,
    Stress,
    Betweenness,
    Closeness,
    Eigenvector,
    Triangles,
    Clustering,
    Rings,
    Lpa,
    Louvain,
    Components,
    PageRank,
}

type Found = Result<(Json, Option<Written>), AnalysisError>;

impl HugeGraph {
    /// The one of a name; none where HugeGraph has no such name.
    pub(crate) fn named(name: &str) -> Result<Option<Self>, AnalysisError> {
        let refuse = |instead| Err(AnalysisError::NotOffered { name: name.to_owned(), instead });
        Ok(Some(match name {
            "count_vertex" => Self::CountVertex,
            "count_edge" => Self::CountEdge,
            "degree_centrality" => Self::Degree,
            "stress_centrality" => Self::Stress,
            "betweenness_centrality" => Self::Betweenness,
            "closeness_centrality" => Self::Closeness,
            "eigenvector_centrality" => Self::Eigenvector,
            "triangle_count" => Self::Triangles,
            "cluster_coefficient" => Self::Clustering,
            "rings" => Self::Rings,
            "lpa" => Self::Lpa,
            "louvain" => Self::Louvain,
            "weak_connected_component" => Self::Components,
            "page_rank" => Self::PageRank,
            "k_core" => return refuse("it groups vertices by similarity there; the k-cores of the graph are 'kcore'"),
            "fusiform_similarity" => {
                return refuse("POST {G}/traversers/fusiformsimilarity does it for given vertices");
            }
            "subgraph_stat" => return refuse("run the algorithms one by one on that graph"),
            _ => return Ok(None),
        }))
    }

    /// The algorithm of `analytics` that it takes as much memory as.
    pub(crate) fn own_name(self) -> &'static str {
        match self {
            Self::CountVertex | Self::CountEdge | Self::Degree => "degree",
            Self::Stress | Self::Betweenness => "betweenness",
            Self::Closeness => "closeness",
            Self::Eigenvector => "eigenvector",
            Self::Triangles | Self::Clustering => "triangles",
            Self::Rings => "cycles",
            Self::Lpa => "lpa",
            Self::Louvain => "louvain",
            Self::Components => "wcc",
            Self::PageRank => "pagerank",
        }
    }

    fn needs_depth(self) -> bool {
        matches!(self, Self::Stress | Self::Betweenness | Self::Closeness | Self::Eigenvector | Self::Rings)
    }

    /// What can be known to be wrong without the graph.
    pub(crate) fn check(self, parameters: &Parameters) -> Result<(), AnalysisError> {
        if self.needs_depth() {
            match parameters.whole("depth")? {
                None => return Err(AnalysisError::parameter("Must pass parameter 'depth'")),
                Some(1..=5_000) => {}
                Some(depth) => {
                    let text = format!("The value of depth must be in range (0, 5000], but got {depth}");
                    return Err(AnalysisError::Parameter(text));
                }
            }
        }
        if let Some(alpha) = parameters.float("alpha")?
            && !(alpha > 0.0 && alpha <= 1.0)
        {
            let text = format!("The value of alpha must be in range (0, 1], but got {alpha:?}");
            return Err(AnalysisError::Parameter(text));
        }
        if let Some(times) = parameters.whole("times")?
            && !(1..=2_048).contains(&times)
        {
            return Err(AnalysisError::Parameter(format!("The value of times must be in (0, 2048], but got {times}")));
        }
        self.direction(parameters)?;
        for name in ["show_modularity", "show_community", "export_community", "clear"] {
            if self == Self::Louvain && parameters.given(name).is_some() {
                let instead = "louvain makes no labels here that could be shown or cleared; each run is complete";
                return Err(AnalysisError::NotOffered { name: format!("louvain with '{name}'"), instead });
            }
        }
        parameters.count("top")?;
        parameters.float("precision")?;
        parameters.whole("degree")?;
        Ok(())
    }

    fn direction(self, parameters: &Parameters) -> Result<Direction, AnalysisError> {
        let default = match self {
            Self::PageRank | Self::Components | Self::Triangles => Direction::Out,
            _ => Direction::Both,
        };
        match parameters.text("direction")?.map(str::to_uppercase).as_deref() {
            None => Ok(default),
            Some("OUT") => Ok(Direction::Out),
            Some("IN") => Ok(Direction::In),
            Some("BOTH") if self != Self::PageRank => Ok(Direction::Both),
            Some(other) => Err(AnalysisError::Parameter(format!("The value of direction can not be {other} here"))),
        }
    }

    /// Whether its result is written to a property of the vertices.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Lpa | Self::Louvain | Self::Components | Self::PageRank)
    }

    /// The answer, and what is written to the vertices.
    pub(crate) fn run(
        self,
        parameters: &Parameters,
        projection: &Projection,
        catalogue: &Catalogue,
        run: &Run<'_>,
    ) -> Found {
        let counted = |counts: Vec<(String, u64)>| {
            let all: u64 = counts.iter().map(|(_, count)| count).sum();
            let each = counts.into_iter().map(|(name, count)| (name, Json::from(count)));
            Ok((Json::Object(each.chain([("*".to_owned(), Json::from(all))]).collect()), None))
        };
        let counts = projection.counts();
        match self {
            Self::CountVertex => {
                let of = |label: &std::sync::Arc<graph_schema::VertexLabel>| {
                    counts.vertices.get(&label.id).map(|count| (label.name.clone(), *count))
                };
                return counted(catalogue.vertex_labels().filter_map(of).collect());
            }
            Self::CountEdge => {
                let of = |label: &std::sync::Arc<graph_schema::EdgeLabel>| {
                    counts.edges.get(&label.id).map(|count| (label.name.clone(), *count))
                };
                return counted(catalogue.edge_labels().filter_map(of).collect());
            }
            _ => {}
        }
        let direction = self.direction(parameters)?;
        let task =
            Task { parameters, projection, graph: seen(projection, parameters, direction, run)?, direction, run };
        match self {
            Self::Degree => task.degree(),
            Self::Stress | Self::Betweenness => task.betweenness(self == Self::Stress),
            Self::Closeness => task.closeness(),
            Self::Eigenvector => task.eigenvector(),
            Self::Triangles | Self::Clustering => task.triangles(self == Self::Clustering),
            Self::Rings => task.rings(),
            Self::Lpa => task.lpa(),
            Self::Louvain => task.louvain(),
            Self::Components => task.components(),
            Self::PageRank | Self::CountVertex | Self::CountEdge => task.page_rank(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Out,
    In,
    Both,
}

/// The edges in the direction that is asked for, at most `degree` of each vertex where that is given.
fn seen(
    projection: &Projection,
    parameters: &Parameters,
    direction: Direction,
    run: &Run<'_>,
) -> Result<Graph, AnalysisError> {
    let graph = match direction {
        Direction::Out => projection.graph().clone(),
        Direction::In => projection.graph().reversed(),
        Direction::Both => projection.graph().both(run)?,
    };
    match parameters.whole("degree")?.and_then(|degree| usize::try_from(degree).ok()) {
        Some(degree) if (0..graph.vertices()).any(|vertex| graph.out().degree(vertex) > degree) => {
            let kept = |vertex: usize| graph.out().targets(vertex).iter().copied().take(degree);
            let degrees = (0..graph.vertices()).map(|vertex| u32::try_from(kept(vertex).len()).unwrap_or(u32::MAX));
            let targets = (0..graph.vertices()).flat_map(kept).collect();
            let cut = Csr::from_rows(&degrees.collect::<Vec<_>>(), targets, None)?;
            Ok(Graph::new(cut, run)?)
        }
        _ => Ok(graph),
    }
}

/// What the algorithms work with.
struct Task<'a> {
    parameters: &'a Parameters,
    projection: &'a Projection,
    graph: Graph,
    direction: Direction,
    run: &'a Run<'a>,
}

impl Task<'_> {
    fn id(&self, vertex: usize) -> String {
        self.projection.ids().get(vertex).map(id_text).unwrap_or_default()
    }

    /// Values by id, greatest first, all of them or the `top` ones.
    fn by_id<T: Copy + Into<Json>>(&self, values: &[T], compare: impl Fn(&T, &T) -> std::cmp::Ordering) -> Found {
        let mut rows: Vec<(usize, T)> = values.iter().copied().enumerate().collect();
        rows.sort_by(|(_, a), (_, b)| compare(b, a));
        let top = self.parameters.count("top")?.filter(|top| *top > 0).unwrap_or(usize::MAX);
        let each = rows.into_iter().take(top).map(|(vertex, value)| (self.id(vertex), value.into()));
        Ok((Json::Object(each.collect::<Map<_, _>>()), None))
    }

    fn depth(&self) -> Result<u32, AnalysisError> {
        let depth = self.parameters.whole("depth")?.and_then(|depth| u32::try_from(depth).ok());
        Ok(depth.unwrap_or(u32::MAX))
    }

    fn times(&self) -> Result<u64, AnalysisError> {
        Ok(self.parameters.whole("times")?.and_then(|times| u64::try_from(times).ok()).unwrap_or(20))
    }

    fn precision(&self) -> Result<f64, AnalysisError> {
        Ok(self.parameters.float("precision")?.unwrap_or(0.001))
    }

    fn degree(&self) -> Found {
        let degrees: Vec<usize> = (0..self.graph.vertices()).map(|vertex| self.graph.out().degree(vertex)).collect();
        self.by_id(&degrees, usize::cmp)
    }

    fn betweenness(&self, stress: bool) -> Found {
        let rules = BetweennessRules { depth_max: self.depth()?, stress, ..BetweennessRules::default() };
        let found = betweenness(&self.graph.simple(self.run)?, &rules, self.run)?;
        if stress {
            #[expect(clippy::cast_possible_truncation, reason = "counts, which saturate")]
            let counts: Vec<i64> = found.into_iter().map(|count| count as i64).collect();
            return self.by_id(&counts, i64::cmp);
        }
        self.by_id(&found, f64::total_cmp)
    }

    fn closeness(&self) -> Found {
        let sources: Vec<Vertex> = (0_u32..).take(self.graph.vertices()).collect();
        let found = nearness(self.graph.out(), &sources, self.depth()?, self.run)?;
        let scores: Vec<f64> = found.iter().map(|near| near.harmonic).collect();
        self.by_id(&scores, f64::total_cmp)
    }

    fn eigenvector(&self) -> Found {
        let found = spectral::eigenvector(self.graph.incoming(), 1e-9, 1_000, self.run)?;
        self.by_id(&found.values, f64::total_cmp)
    }

    fn triangles(&self, clustering: bool) -> Found {
        let plain = self.graph.simple(self.run)?;
        let plain = plain.plain(self.run)?;
        let found = triangles::count(&plain, self.run)?;
        let edges = self.projection.graph().edges();
        if clustering {
            let rest = triangles::wedges(&plain).saturating_sub(2 * found);
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            let share = if rest == 0 { 0.0 } else { found as f64 / rest as f64 };
            let vertices = self.graph.vertices();
            return Ok((json!({ "edges": edges, "vertices": vertices, "cluster_coefficient": share }), None));
        }
        let with = (0..self.graph.vertices()).filter(|vertex| self.graph.out().degree(*vertex) > 0).count();
        let answer = match self.direction {
            Direction::Out => json!({ "edges_out": edges, "vertices_out": with, "triangles": found }),
            Direction::In => json!({ "edges_in": edges, "vertices_in": with, "triangles": found }),
            Direction::Both => json!({ "edges": edges, "vertices": self.graph.vertices(), "triangles": found }),
        };
        Ok((answer, None))
    }

    fn rings(&self) -> Found {
        let is_plain = self.direction == Direction::Both;
        let limit = self.parameters.whole("limit")?.map_or(100, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let each = self.parameters.whole("each_limit")?.map_or(1, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let rules = CycleRules {
            length_min: if is_plain { 3 } else { 2 },
            length_max: usize::try_from(self.depth()?).unwrap_or(usize::MAX),
            limit,
            is_plain,
        };
        let found = cycles(self.graph.simple(self.run)?.out(), &rules, self.run)?;
        // A ring is told once for each of its vertices, at most so often for each vertex.
        let mut told = vec![0_usize; self.graph.vertices()];
        let mut rings = Vec::new();
        for cycle in &found {
            for at in 0..cycle.len() {
                let turned = cycle.iter().cycle().skip(at).take(cycle.len() + 1);
                let first = cycle.get(at).and_then(|vertex| told.get_mut(*vertex as usize));
                if let Some(told) = first.filter(|told| **told < each && rings.len() < limit) {
                    *told += 1;
                    let ids = turned.filter_map(|vertex| self.projection.id(*vertex)).map(id_json);
                    rings.push(Json::Array(ids.collect()));
                }
            }
        }
        if self.parameters.flag("count_only")? {
            return Ok((json!({ "rings_count": rings.len() }), None));
        }
        Ok((json!({ "rings": rings }), None))
    }

    fn labels(&self, labels: Vec<Vertex>) -> Option<Written> {
        Some(Written { property: "c_label".to_owned(), values: Values::Vertices(labels) })
    }

    fn lpa(&self) -> Found {
        let times = self.times()?;
        // Edges from both ends count once for each neighbour.
        let simple = self.graph.simple(self.run)?;
        let found = in_turn(&simple, times, self.precision()?, 0, self.run)?;
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let last = found.changed as f64 / simple.vertices().max(1) as f64;
        let communities = sizes(&found.labels).len();
        let answer = json!({
            "iteration_times": found.iterations, "last_precision": last, "times": times, "communities": communities,
        });
        Ok((answer, self.labels(found.labels)))
    }

    fn louvain(&self) -> Found {
        let plain = self.projection.graph().plain(self.run)?;
        let found = louvain(&plain, &CommunityRules::default(), self.run)?;
        let answer = json!({
            "pass_times": found.levels, "phase1_times": found.levels, "last_precision": 0.0, "times": self.times()?,
            "communities": found.count, "modularity": found.modularity,
        });
        Ok((answer, self.labels(found.labels)))
    }

    fn components(&self) -> Found {
        let labels = weak(&self.graph, self.run)?;
        let answer = json!({ "components": sizes(&labels).len(), "iteration_times": 1, "times": self.times()? });
        Ok((answer, self.labels(labels)))
    }

    fn page_rank(&self) -> Found {
        let alpha = self.parameters.float("alpha")?.unwrap_or(0.5);
        let times = self.times()?;
        let rules = RankRules {
            damping: 1.0 - alpha,
            tolerance: self.precision()?,
            iterations_max: times,
            ..RankRules::default()
        };
        let found = page_rank(&self.graph, &rules, self.run)?;
        let mut answer = json!({
            "alpha": alpha, "iteration_times": found.iterations, "last_changed_rank": found.change, "times": times,
        });
        if self.parameters.count("top")?.is_some_and(|top| top > 0)
            && let Json::Object(fields) = &mut answer
        {
            fields.insert("top".to_owned(), self.by_id(&found.values, f64::total_cmp)?.0);
        }
        Ok((answer, Some(Written { property: "r_rank".to_owned(), values: Values::Floats(found.values) })))
    }
}
