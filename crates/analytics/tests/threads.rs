//! Results are the same for one thread and for several, bit for bit; a stop ends every algorithm.
#![expect(clippy::unwrap_used, reason = "test code")]

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

/// Parameters with which an algorithm runs over any graph.
fn params(parameters: &[analytics::algorithms::Parameter]) -> Params {
    let mut params = Params::new();
    for parameter in parameters {
        match (parameter.name, parameter.kind) {
            ("target", _) => params.set("target", Value::Int(3)),
            (name, Kind::Vertex | Kind::Vertices) if parameter.default == "required" => params.set(name, Value::Int(1)),
            ("samples", _) => params.set("samples", Value::Int(100)),
            ("dimensions", _) => params.set("dimensions", Value::Int(16)),
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
        let params = params(algorithm.parameters);
        let alone = algorithm.run(graph, &params, &Run::alone()).unwrap();
        assert_eq!(alone.columns.iter().map(|it| it.name).collect::<Vec<_>>(), algorithm.columns, "{}", algorithm.name);
        assert!(!alone.is_empty(), "{} has no rows", algorithm.name);
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
        let stopped = algorithm.run(&graph, &params(algorithm.parameters), &Run::new(None, &watch));
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
