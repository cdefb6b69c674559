//! Which vertices belong together.

use super::algorithm::{Algorithm, Kind, Parameter, parameter};
use super::central::ints;
use crate::colouring;
use crate::communities::{Communities, CommunityRules, conductance, louvain, modularity};
use crate::components::{self, sizes};
use crate::cores;
use crate::cuts;
use crate::graph::{Graph, View};
use crate::label_propagation::{Labels, in_turn, synchronous};
use crate::leiden::leiden;
use crate::run::Run;
use crate::table::{Column, Params, Table, Value, Values};
use crate::{Result, Vertex, triangles, truss};

const COMMUNITIES: [Parameter; 5] = [
    parameter("resolution", Kind::Number, "1"),
    parameter("tolerance", Kind::Number, "1e-7"),
    parameter("max_levels", Kind::Count, "100"),
    parameter("seed", Kind::Count, "0"),
    parameter("trials", Kind::Count, "3"),
];

macro_rules! algorithm {
    ($name:literal, $summary:literal, $view:ident, $parameters:expr, $columns:expr, $state:expr, $work:expr) => {
        Algorithm {
            name: $name,
            summary: $summary,
            view: View::$view,
            parameters: $parameters,
            columns: $columns,
            state: $state,
            work: $work,
        }
    };
}

pub(super) const ALGORITHMS: &[Algorithm] = &[
    algorithm!("wcc", "Parts connected when directions do not count.", Multi, &[], &["component"], (12, 0, 0), weak),
    algorithm!("scc", "Parts in which each vertex reaches each other.", Multi, &[], &["component"], (26, 0, 0), strong),
    algorithm!("kcore", "How deep each vertex lies in dense parts.", Plain, &[], &["core"], (32, 0, 0), core),
    algorithm!(
        "ktruss",
        "Edges by how many triangles hold them together.",
        Plain,
        &[parameter("k", Kind::Count, "0")],
        &["source", "target", "truss"],
        (0, 40, 0),
        ktruss
    ),
    algorithm!(
        "triangles",
        "How many triangles each vertex is in, and how clustered its neighbours are.",
        Plain,
        &[],
        &["triangles", "coefficient"],
        (16, 8, 0),
        of_triangles
    ),
    algorithm!(
        "lcc",
        "Edges between the neighbours of each vertex, by direction, of all there could be (Graphalytics).",
        Multi,
        &[],
        &["coefficient"],
        (32, 24, 0),
        lcc
    ),
    algorithm!(
        "cdlp",
        "Communities by what most neighbours say, in rounds (Graphalytics).",
        Simple,
        &[parameter("max_iterations", Kind::Count, "10"), parameter("seed_property", Kind::Property, "each alone")],
        &["community"],
        (8, 0, 0),
        cdlp
    ),
    algorithm!(
        "lpa",
        "Communities by what most neighbours say, one vertex after the other.",
        Simple,
        &[
            parameter("max_iterations", Kind::Count, "20"),
            parameter("precision", Kind::Number, "0"),
            parameter("seed", Kind::Count, "0"),
        ],
        &["community"],
        (4, 0, 0),
        lpa
    ),
    algorithm!(
        "louvain",
        "Communities of great modularity.",
        Plain,
        &[COMMUNITIES[0], COMMUNITIES[1], COMMUNITIES[2], COMMUNITIES[3]],
        &["community"],
        (96, 24, 0),
        |graph, params, run| communities(louvain(graph.out(), &community_rules(params)?, run)?)
    ),
    algorithm!(
        "leiden",
        "Communities of great modularity that are connected within.",
        Plain,
        &COMMUNITIES,
        &["community"],
        (128, 48, 0),
        |graph, params, run| communities(leiden(graph.out(), &community_rules(params)?, run)?)
    ),
    algorithm!(
        "modularity",
        "How good communities are that a property tells: their modularity, and the conductance of each.",
        Plain,
        &[parameter("property", Kind::Property, "required"), COMMUNITIES[0]],
        &["vertex", "size", "conductance"],
        (104, 0, 0),
        quality
    ),
    algorithm!(
        "colouring",
        "Colours such that no neighbours have the same.",
        Plain,
        &[],
        &["colour"],
        (32, 0, 0),
        colours
    ),
    algorithm!(
        "independent_set",
        "A set of vertices, none of them neighbours, to which none can be added.",
        Plain,
        &[parameter("seed", Kind::Count, "0")],
        &["is_member"],
        (3, 0, 0),
        independent
    ),
    algorithm!(
        "articulation_points",
        "Vertices without which a part falls apart.",
        Plain,
        &[],
        &["vertex"],
        (28, 0, 0),
        articulation
    ),
    algorithm!(
        "bridges",
        "Edges without which a part falls apart.",
        Plain,
        &[],
        &["source", "target"],
        (28, 0, 0),
        bridges
    ),
];

fn labelled(name: &'static str, labels: Vec<Vertex>) -> Table {
    let sizes = sizes(&labels);
    Table::per_vertex(name, Values::Vertices(labels))
        .count("count", sizes.len() as u64)
        .count("largest", sizes.first().copied().unwrap_or_default())
}

fn weak(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    components::weak(graph, run).map(|labels| labelled("component", labels))
}

fn strong(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    components::strong(graph, run).map(|labels| labelled("component", labels))
}

fn core(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    let cores = cores::cores(graph.out(), run)?;
    let greatest = cores.iter().copied().max().unwrap_or_default();
    let values = Values::Ints(cores.into_iter().map(i64::from).collect());
    Ok(Table::per_vertex("core", values).count("degeneracy", u64::from(greatest)))
}

fn ktruss(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let least = params.count("k", 0)?;
    let mut edges = truss::trusses(graph.out(), run)?;
    edges.retain(|edge| u64::from(edge.truss) >= least);
    let greatest = edges.iter().map(|edge| edge.truss).max().unwrap_or_default();
    Ok(Table::rows(vec![
        ("source", Values::Vertices(edges.iter().map(|edge| edge.source).collect())),
        ("target", Values::Vertices(edges.iter().map(|edge| edge.target).collect())),
        ("truss", Values::Ints(edges.iter().map(|edge| i64::from(edge.truss)).collect())),
    ])
    .count("greatest", u64::from(greatest)))
}

#[expect(clippy::cast_precision_loss, reason = "an average")]
fn of_triangles(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    let plain = graph.out();
    let found = triangles::of_vertices(plain, run)?;
    let (total, wedges) = (found.iter().sum::<u64>() / 3, triangles::wedges(plain));
    let shares = triangles::clustering(plain, &found);
    let average = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    let mut table = Table::per_vertex("triangles", ints(found))
        .count("triangles", total)
        .count("wedges", wedges)
        .figure("transitivity", Value::Float(triangles::transitivity(total, wedges)))
        .figure("average_coefficient", Value::Float(average));
    table.columns.push(Column { name: "coefficient", values: Values::Floats(shares) });
    Ok(table)
}

fn lcc(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    let (simple, plain) = graph.bare_views(run)?;
    Ok(Table::per_vertex("coefficient", Values::Floats(triangles::directed_clustering(&simple, &plain, run)?)))
}

fn propagated(found: Labels) -> Table {
    labelled("community", found.labels).count("iterations", found.iterations).count("changed", found.changed)
}

fn cdlp(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let first = params.groups("seed_property", graph.vertices())?.map(|groups| groups.to_vec());
    synchronous(graph, first, params.count("max_iterations", 10)?, run).map(propagated)
}

/// A row for each community, told by its first vertex.
fn quality(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let (plain, size) = (graph.out(), graph.vertices());
    let Some(groups) = params.groups("property", size)? else { return Ok(Table::rows(Vec::new())) };
    let modularity = modularity(plain, &groups, params.float("resolution", 1.0)?)?;
    run.check()?;
    let found = conductance(plain, &groups)?;
    let mut sizes = vec![0_i64; size];
    groups.iter().for_each(|first| sizes[*first as usize] += 1);
    let sizes = found.iter().map(|(first, _)| sizes[*first as usize]).collect();
    let (firsts, shares): (Vec<Vertex>, Vec<f64>) = found.into_iter().unzip();
    let count = firsts.len() as u64;
    let columns = vec![
        ("vertex", Values::Vertices(firsts)),
        ("size", Values::Ints(sizes)),
        ("conductance", Values::Floats(shares)),
    ];
    Ok(Table::rows(columns).figure("modularity", Value::Float(modularity)).count("count", count))
}

fn lpa(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let (rounds, precision) = (params.count("max_iterations", 20)?, params.float("precision", 0.0)?);
    in_turn(graph, rounds, precision, params.count("seed", 0)?, run).map(propagated)
}

fn community_rules(params: &Params) -> Result<CommunityRules> {
    let default = CommunityRules::default();
    Ok(CommunityRules {
        resolution: params.float("resolution", default.resolution)?,
        tolerance: params.float("tolerance", default.tolerance)?,
        levels_max: params.count("max_levels", default.levels_max)?,
        seed: params.count("seed", default.seed)?,
        trials: params.count("trials", default.trials)?,
    })
}

fn communities(found: Communities) -> Result<Table> {
    Ok(labelled("community", found.labels)
        .figure("modularity", Value::Float(found.modularity))
        .count("levels", found.levels))
}

fn colours(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    let colours = colouring::colours(graph.out(), run)?;
    let count = colours.iter().copied().max().map_or(0, |greatest| u64::from(greatest) + 1);
    Ok(Table::per_vertex("colour", Values::Ints(colours.into_iter().map(i64::from).collect())).count("colours", count))
}

fn independent(graph: &Graph, params: &Params, run: &Run<'_>) -> Result<Table> {
    let set = colouring::independent_set(graph.out(), params.count("seed", 0)?, run)?;
    let members = set.iter().filter(|is_member| **is_member).count() as u64;
    Ok(Table::per_vertex("is_member", Values::Bools(set)).count("members", members))
}

fn articulation(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    let found = cuts::cuts(graph.out(), run)?.articulation_points;
    let count = found.len() as u64;
    Ok(Table::rows(vec![("vertex", Values::Vertices(found))]).count("count", count))
}

fn bridges(graph: &Graph, _: &Params, run: &Run<'_>) -> Result<Table> {
    let (sources, targets): (Vec<_>, Vec<_>) = cuts::cuts(graph.out(), run)?.bridges.into_iter().unzip();
    let count = sources.len() as u64;
    let columns = vec![("source", Values::Vertices(sources)), ("target", Values::Vertices(targets))];
    Ok(Table::rows(columns).count("count", count))
}
