//! Algorithms over the whole graph, and services.

use graph_model::ErrorKind;
use query_exec::{ExecErrorKind, Settings};

use crate::graph::Graph;

#[test]
fn ranks_add_up_and_follow_edges() {
    let graph = Graph::new();
    let query = "g.V().pageRank().with(PageRank.propertyName, 'rank').order().by('rank', desc).by('name')";
    let names = graph.texts(&format!("{query}.values('name')"));
    assert_eq!(names, ["lop", "ripple", "josh", "vadas", "marko", "peter"]);
    let sum: f64 = graph.texts(&format!("{query}.values('rank').sum()"))[0].parse().unwrap();
    assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    assert_eq!(graph.texts("g.withComputer().V().count()"), ["6"]);
    let forbidden = "g.withComputer().withStrategies(VertexProgramRestrictionStrategy).V()";
    assert!(graph.error(forbidden).contains("does not allow the use of a GraphComputer"));
    // Ranks begin with how often vertices come in; no round changes them.
    let query = "g.V().out('created').pageRank().with(PageRank.propertyName, 'rank').with(PageRank.times, 0)
        .dedup().order().by('name').values('rank')";
    assert_eq!(graph.texts(query), ["3.0", "1.0"]);
}

#[test]
fn clusters_and_components_are_found() {
    let graph = Graph::new();
    let query = "g.V().connectedComponent().with(ConnectedComponent.propertyName, 'c')
        .with(ConnectedComponent.edges, __.bothE('knows')).order().by(id).values('c').fold()";
    assert_eq!(graph.texts(query), ["[1, 1, 3, 1, 5, 6]"]);
    let query = "g.V().connectedComponent().dedup().by('gremlin.connectedComponentVertexProgram.component').count()";
    assert_eq!(graph.texts(query), ["1"]);
    let query = "g.V().peerPressure().with(PeerPressure.propertyName, 'c').with(PeerPressure.edges, __.outE('knows'))
        .order().by(id).values('c').fold()";
    assert_eq!(graph.texts(query), ["[1, 1, 3, 1, 5, 6]"]);
}

#[test]
fn shortest_paths_are_all_that_there_are() {
    let graph = Graph::new();
    let paths = |options: &str| graph.sorted(&format!("g.V(1).shortestPath(){options}"));
    assert_eq!(
        paths(".with(ShortestPath.target, __.hasLabel('software'))"),
        ["path[v[1], v[3]]", "path[v[1], v[4], v[5]]"]
    );
    assert_eq!(
        paths(".with(ShortestPath.target, __.hasId(4)).with(ShortestPath.distance, 'weight')"),
        ["path[v[1], v[3], v[4]]"]
    );
    assert_eq!(paths(".with(ShortestPath.edges, Direction.IN)"), ["path[v[1]]"]);
    assert_eq!(paths(".with(ShortestPath.maxDistance, 1)").len(), 4);
    let query = "g.V(2).shortestPath().with(ShortestPath.target, __.hasId(3)).with(ShortestPath.includeEdges)
        .unfold().label().fold()";
    assert_eq!(graph.texts(query), ["[person, knows, person, created, software]"]);
    // Of several equally short ones all.
    let query = "g.V(1).shortestPath().with(ShortestPath.target, __.hasId(3)).with(ShortestPath.distance,
        __.constant(0)).count()";
    assert_eq!(graph.texts(query), ["2"]);
}

#[test]
fn what_algorithms_do_not_take_is_said() {
    let graph = Graph::new();
    for (query, wanted) in [
        ("g.V().values('name').pageRank()", "pageRank() takes vertices, found a string"),
        ("g.V().values('name').shortestPath()", "shortestPath() takes vertices, found a string"),
        ("g.V().pageRank().with('~tinkerpop.pageRank.colour', 1)", "pageRank() has no option colour"),
        ("g.V().pageRank().with(PageRank.times, 'x')", "pageRank() does not take this value for the option times"),
        (
            "g.V(1).shortestPath().with(ShortestPath.distance, 'age')",
            "shortestPath() needs a distance of each edge: a number, not negative",
        ),
        ("g.call('other')", "Unrecognized service: other; call() lists those there are"),
        ("g.V().call('tinker.search')", "tinker.search takes nothing: it must begin the query"),
        ("g.call('tinker.search')", "tinker.search needs the parameter search, a text"),
    ] {
        assert_eq!(graph.error(query), wanted, "{query}");
    }
}

#[test]
fn algorithms_are_bounded_in_memory() {
    let graph = Graph::new();
    for (query, memory_max) in [
        ("g.V().pageRank()", 1500),
        ("g.V().peerPressure()", 1500),
        ("g.V().connectedComponent()", 1500),
        ("g.V(1).shortestPath()", 1500),
        ("g.V().shortestPath()", 3500),
    ] {
        let settings = Settings { memory_max, ..Settings::default() };
        let error = graph.run(query, &settings).map(|results| results.len()).expect_err(query);
        assert_eq!(error.kind, ExecErrorKind::Access(ErrorKind::LimitExceeded), "{query}: {error}");
    }
}

#[test]
fn services_are_listed_and_run() {
    let graph = Graph::new();
    assert_eq!(graph.texts("g.call()"), ["tinker.search", "tinker.degree.centrality"]);
    assert_eq!(graph.texts("g.call('tinker.search', ['search': 'ar']).element().values('name')"), ["marko"]);
    assert_eq!(graph.texts("g.call('tinker.search').with('search', 'ar').with('type', 'Edge').count()"), ["0"]);
    let query = "g.V().order().by(id).call('tinker.degree.centrality', __.project('direction').by(__.constant(OUT)))
        .fold()";
    assert_eq!(graph.texts(query), ["[3, 0, 0, 2, 0, 1]"]);
    assert_eq!(graph.texts("g.V().where(__.call('tinker.degree.centrality').is(3)).id()"), ["3"]);
}
