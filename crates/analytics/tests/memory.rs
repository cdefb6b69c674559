//! What a run takes in memory is what was estimated: measured by the allocator.
#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "test code")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use analytics::algorithms::{Algorithm, Kind, Parameter, Size, all};
use analytics::{Graph, Params, Run, Stop, Value, Watch, kronecker};

/// The allocator of the system, counting.
struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn more(bytes: usize) {
    let taken = TAKEN.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(taken, Ordering::Relaxed);
}

#[expect(unsafe_code, reason = "an allocator is unsafe; each call goes to that of the system as it is")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // What grows in place is counted as if it were copied: both are there for a moment.
        more(size);
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Never;

impl Watch for Never {
    fn check(&self) -> Result<(), Stop> {
        Ok(())
    }
}

/// Seven groups of vertices.
fn groups(vertices: usize) -> Arc<[u32]> {
    (0..vertices).map(|vertex| u32::try_from(vertex % 7).unwrap()).collect()
}

fn params(parameters: &[Parameter], vertices: usize) -> Params {
    let mut params = Params::new();
    for parameter in parameters {
        match (parameter.name, parameter.kind) {
            ("target", _) => params.set("target", Value::Int(3)),
            (name, Kind::Vertex | Kind::Vertices) if parameter.default == "required" => params.set(name, Value::Int(1)),
            ("samples", _) => params.set("samples", Value::Int(64)),
            ("dimensions", _) => params.set("dimensions", Value::Int(16)),
            ("property", Kind::Property) => params.set("property", Value::Groups(groups(vertices))),
            ("max_iterations", _) => params.set("max_iterations", Value::Int(3)),
            _ => {}
        }
    }
    params
}

/// The most that is taken at once while `work` is done, besides what was there.
fn most<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = TAKEN.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let done = work();
    (MOST.load(Ordering::Relaxed) - before, done)
}

/// Of a graph and a run over it: bytes taken of bytes estimated.
fn share(algorithm: &Algorithm, graph: &Graph, run: &Run<'_>) -> f64 {
    let params = params(algorithm.parameters, graph.vertices());
    let (vertices, edges) = (graph.vertices() as u64, graph.edges() as u64);
    let size = Size { vertices, edges, is_weighted: graph.out().is_weighted(), threads: run.threads() };
    let estimate = algorithm.estimate(size, &params);
    let (taken, table) = most(|| algorithm.run(graph, &params, run));
    drop(table.unwrap());
    (graph.bytes() as f64 + taken as f64) / (estimate.graph_bytes + estimate.run_bytes) as f64
}

const SCALE: u32 = 13;

/// Where it depends on what is found how much is taken: communities that are merged, vertices that are alike. There,
/// the estimate is a bound.
const DEPENDS: [&str; 4] = ["louvain", "leiden", "node_similarity", "knn"];

#[test]
fn runs_take_what_was_estimated() {
    let alone = Run::alone();
    let edges = kronecker::edges(SCALE, 3, &alone).unwrap();
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let mut wrong = Vec::new();
    for weighted in [false, true] {
        let graph = Graph::from_edges(1 << SCALE, &edges, weighted, &alone).unwrap().simple(&alone).unwrap();
        assert_eq!(graph.bytes(), Graph::estimate(graph.vertices() as u64, graph.edges() as u64, weighted));
        let acyclic = graph.out().filtered(&alone, |(source, target, _)| source < target).unwrap();
        let acyclic = Graph::new(acyclic, &alone).unwrap();
        for algorithm in all() {
            let graph = if ["topological_order", "longest_path"].contains(&algorithm.name) { &acyclic } else { &graph };
            let shares = [0, 1].map(|at| share(algorithm, graph, &Run::new(pools.get(at), &Never)));
            println!("{:<24}{weighted:>6}{:>8.3}{:>8.3}", algorithm.name, shares[0], shares[1]);
            let least = if DEPENDS.contains(&algorithm.name) { 0.0 } else { 0.95 };
            if shares.iter().any(|share| !(least..=1.05).contains(share)) {
                wrong.push((algorithm.name, weighted, shares));
            }
        }
    }
    assert!(wrong.is_empty(), "more or less was taken than estimated: {wrong:#?}");
}
