//! Results are the same for one thread and for several, bit for bit; a stop ends every algorithm.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use analytics::algorithms::{Kind, all};
use analytics::{AnalyticsError, Graph, Params, Run, Stop, Table, Value, Values, Watch, kronecker};

struct Never;

impl Watch for Never {
    fn check(&self) -> Result<(), Stop> {
        Ok(())
    }
}

/// Stops after so many looks.
struct After(AtomicUsize);

impl Watch for After {
    fn check(&self) -> Result<(), Stop> {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.map(|_| ()).map_err(|_| Stop::Cancelled)
    }
}

/// Seven groups of vertices.
fn groups(vertices: usize) -> Arc<[u32]> {
    (0..vertices).map(|vertex| u32::try_from(vertex % 7).unwrap()).collect()
}

/// Parameters with which an algorithm runs over any graph.
fn params(parameters: &[analytics::algorithms::Parameter], vertices: usize) -> Params {
    let mut params = Params::new();
    for parameter in parameters {
        match (parameter.name, parameter.kind) {
            ("target", _) => params.set("target", Value::Int(3)),
            (name, Kind::Vertex | Kind::Vertices) if parameter.default == "required" => params.set(name, Value::Int(1)),
            ("samples", _) => params.set("samples", Value::Int(100)),
            ("dimensions", _) => params.set("dimensions", Value::Int(16)),
            ("property", Kind::Property) => params.set("property", Value::Groups(groups(vertices))),
            _ => {}
        }
    }
    params
}

/// Bits of floats, so that 0 and -0 differ.
fn bits(table: &Table) -> Vec<Vec<u64>> {
    let of = |values: &Values| match values {
        Values::Vertices(values) => values.iter().map(|value| u64::from(*value)).collect(),
        Values::Ints(values) => values.iter().map(|value| value.cast_unsigned()).collect(),
        Values::Floats(values) => values.iter().map(|value| value.to_bits()).collect(),
        Values::Bools(values) => values.iter().map(|value| u64::from(*value)).collect(),
        Values::Vectors { values, .. } => values.iter().map(|value| u64::from(value.to_bits())).collect(),
        Values::Lists(values) => values.iter().flatten().map(|value| u64::from(*value)).collect(),
    };
    table.columns.iter().map(|column| of(&column.values)).collect()
}

fn graph(scale: u32) -> Graph {
    let edges = kronecker::edges(scale, 5, &Run::alone()).unwrap();
    Graph::from_edges(1 << scale, &edges, true, &Run::alone()).unwrap()
}

#[test]
fn one_thread_and_several_give_the_same_bits() {
    let graph = graph(12);
    let acyclic = graph.out().filtered(&Run::alone(), |(source, target, _)| source < target).unwrap();
    let acyclic = Graph::new(acyclic, &Run::alone()).unwrap();
    let pools = [1, 2, 3].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for algorithm in all() {
        let graph = if ["topological_order", "longest_path"].contains(&algorithm.name) { &acyclic } else { &graph };
        let params = params(algorithm.parameters, graph.vertices());
        let alone = algorithm.run(graph, &params, &Run::alone()).unwrap();
        assert_eq!(alone.columns.iter().map(|it| it.name).collect::<Vec<_>>(), algorithm.columns, "{}", algorithm.name);
        assert!(!alone.is_empty(), "{} has no rows", algorithm.name);
        assert_eq!(alone.is_per_vertex, algorithm.is_per_vertex(), "{}", algorithm.name);
        for pool in &pools {
            let found = algorithm.run(graph, &params, &Run::new(Some(pool), &Never)).unwrap();
            assert!(bits(&alone) == bits(&found), "{} differs", algorithm.name);
        }
    }
}

#[test]
fn every_algorithm_stops() {
    let graph = graph(9);
    let stops = |algorithm: &analytics::algorithms::Algorithm, looks: usize| {
        let watch = After(AtomicUsize::new(looks));
        let stopped = algorithm.run(&graph, &params(algorithm.parameters, graph.vertices()), &Run::new(None, &watch));
        matches!(stopped, Err(AnalyticsError::Stopped(Stop::Cancelled) | AnalyticsError::Cyclic { .. }))
    };
    for algorithm in all() {
        assert!(stops(algorithm, 0), "{}", algorithm.name);
    }
    for algorithm in
        all().filter(|it| ["pagerank", "hits", "cdlp", "betweenness", "closeness", "leiden"].contains(&it.name))
    {
        for looks in 1..6 {
            assert!(stops(algorithm, looks), "{} after {looks}", algorithm.name);
        }
    }
}

#[test]
fn parameters_that_are_not_known_are_refused() {
    let graph = graph(4);
    let refused = |name: &str, params: Params| {
        analytics::algorithms::run(name, &graph, &params, &Run::alone()).unwrap_err().to_string()
    };
    assert!(refused("pagerank", Params::new().with("dampening", Value::Int(1))).contains("no parameter 'dampening'"));
    assert!(refused("pagerank", Params::new().with("damping", Value::Bool(true))).contains("damping must be a number"));
    assert_eq!(refused("sssp", Params::new()), "Must pass parameter 'source'");
    assert_eq!(refused("nonsense", Params::new()), "Not found algorithm: nonsense");
    assert!(refused("wcc", Params::new().with("direction", Value::Text("up".into()))).contains("one of out, in, both"));
}

#[test]
fn communities_of_a_property_are_valued_and_seeded() {
    let two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)];
    let edges: Vec<_> = two.iter().map(|(a, b)| (*a, *b, 1.0)).collect();
    let graph = Graph::from_edges(6, &edges, false, &Run::alone()).unwrap();
    let groups = |of: [u32; 6]| Value::Groups(Arc::from(of));
    let run = |name, params: Params| analytics::algorithms::run(name, &graph, &params, &Run::alone());
    let found = run("modularity", Params::new().with("property", groups([0, 0, 0, 3, 3, 3]))).unwrap();
    let Some((_, Value::Float(modularity))) = found.figures.first() else { panic!("{found:?}") };
    assert!((modularity - (6.0 / 7.0 - 0.5)).abs() < 1e-12);
    assert_eq!(found.column("vertex"), Some(&Values::Vertices(vec![0, 3])));
    assert_eq!(found.column("size"), Some(&Values::Ints(vec![3, 3])));
    assert_eq!(found.column("conductance"), Some(&Values::Floats(vec![1.0 / 7.0, 1.0 / 7.0])));
    let seeded = Params::new().with("seed_property", groups([0, 0, 0, 3, 3, 3])).with("max_iterations", Value::Int(1));
    let found = run("cdlp", seeded.with("direction", Value::Text("both".into()))).unwrap();
    assert_eq!(found.column("community"), Some(&Values::Vertices(vec![0, 0, 0, 3, 3, 3])));
    for wrong in [Value::Groups(Arc::from([0, 1])), groups([0, 0, 0, 3, 3, 6]), Value::Int(1)] {
        assert!(run("modularity", Params::new().with("property", wrong)).is_err());
    }
}
