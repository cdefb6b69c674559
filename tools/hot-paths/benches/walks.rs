//! Times of walks in one process, of one thread: by the numbers kept in memory, out of rows, and for comparison by a
//! plain program over arrays of the same network. `cargo bench -p hot-paths --bench walks`; the three take turns, and
//! the medians are printed as a table. Answers are compared.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "benchmark code"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use graph_access::{AccessError, Budget, Cursor, EdgeRead, EdgeRow, WalkRead};
use graph_model::{Vertex, VertexId};
use graph_store::{GraphReader, Wait};
use hot_paths::{open, scattered};
use traversal::{
    KNeighbour, KOut, Path, SearchLimits, ShortestPath, Step, Traversal, jaccard, k_neighbour, k_out, rings_through,
    shortest_path,
};

const VERTICES: u32 = 10_000;
const EDGES_EACH: u32 = 20;
/// Walks of one kind in a round.
const WALKS: u32 = 40;
const ROUNDS: usize = 9;
const MEMORY: usize = 1 << 30;

/// A graph whose numbers are not used.
struct Rows<'a>(&'a GraphReader<'a>);

impl WalkRead for Rows<'_> {
    fn edges_of<'a>(
        &'a self,
        owners: &'a [&'a VertexId],
        read: EdgeRead<'a>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'a>, AccessError> {
        self.0.edges_of(owners, read)
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        self.0.vertices(ids)
    }

    fn check(&self) -> Result<(), AccessError> {
        self.0.check()
    }
}

fn id(vertex: u32) -> VertexId {
    VertexId::String(format!("p{:016x}", scattered(u64::from(vertex))).as_str().into())
}

/// Half of the edges lead to vertices nearby, half anywhere.
fn target(vertex: u32, nth: u32) -> u32 {
    let ahead = if nth.is_multiple_of(2) {
        1 + nth / 2
    } else {
        1 + u32::try_from(scattered(u64::from(vertex * EDGES_EACH + nth)) % u64::from(VERTICES - 1)).unwrap()
    };
    (vertex + ahead) % VERTICES
}

/// The plain program: neighbours in both directions, sorted, none twice.
struct Arrays {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Arrays {
    fn new() -> Self {
        let ahead = (0..VERTICES).flat_map(|vertex| (0..EDGES_EACH).map(move |nth| (vertex, target(vertex, nth))));
        let mut pairs: Vec<(u32, u32)> = ahead.flat_map(|(from, to)| [(from, to), (to, from)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; VERTICES as usize + 1];
        pairs.iter().for_each(|(from, _)| starts[*from as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        Self { starts, targets: pairs.into_iter().map(|(_, to)| to).collect() }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        &self.targets[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }

    /// How many vertices are up to so many hops away; `until`: how many hops it is to that vertex.
    fn search(&self, from: u32, hops: usize, until: Option<u32>) -> (usize, usize) {
        let mut seen = vec![0u64; VERTICES as usize / 64 + 1];
        seen[from as usize / 64] |= 1 << (from % 64);
        let (mut layer, mut count) = (vec![from], 0);
        for hop in 1..=hops {
            let mut next = Vec::new();
            for vertex in layer {
                for other in self.of(vertex) {
                    let (word, bit) = (&mut seen[*other as usize / 64], 1u64 << (other % 64));
                    if *word & bit == 0 {
                        *word |= bit;
                        next.push(*other);
                        if until == Some(*other) {
                            return (count, hop);
                        }
                    }
                }
            }
            count += next.len();
            layer = next;
        }
        (count, 0)
    }

    fn triangles(&self, vertex: u32) -> usize {
        let near = self.of(vertex);
        let common = |other: &u32| self.of(*other).iter().filter(|third| near.binary_search(third).is_ok()).count();
        near.iter().map(common).sum::<usize>() / 2
    }

    fn jaccard(&self, one: u32, other: u32) -> f64 {
        let (one, other) = (self.of(one), self.of(other));
        let common = one.iter().filter(|vertex| other.binary_search(vertex).is_ok()).count();
        common as f64 / (one.len() + other.len() - common) as f64
    }
}

/// One kind of walk: what it answers, as a number.
struct Operation {
    name: &'static str,
    walk: fn(&mut Traversal<'_>, u32) -> f64,
    plain: fn(&Arrays, u32) -> f64,
}

/// Another vertex.
fn other(vertex: u32) -> u32 {
    (vertex * 7 + 4_321) % VERTICES
}

fn within(traversal: &mut Traversal<'_>, from: u32, depth: u64) -> f64 {
    let source = traversal.node(id(from)).unwrap();
    let query = KNeighbour { step: &Step::default(), depth, limit: None, with_paths: false };
    k_neighbour(traversal, source, &query).unwrap().nodes.len() as f64
}

fn rings_of_3(traversal: &mut Traversal<'_>, from: u32) -> Vec<Path> {
    let source = traversal.node(id(from)).unwrap();
    let limits = SearchLimits { depth: 3, capacity: None, limit: None };
    rings_through(traversal, source, &Step::default(), &limits).unwrap()
}

fn triangles(rings: &[Path]) -> f64 {
    rings.iter().filter(|ring| ring.nodes.len() == 4).count() as f64
}

/// Paths with the edges along them, as answers show them.
fn with_edges(traversal: &Traversal<'_>, paths: &[Path]) {
    let edges = traversal.edges_between(paths.iter().flat_map(Path::pairs)).unwrap();
    assert_eq!(edges.is_empty(), paths.is_empty());
    black_box(edges);
}

const OPERATIONS: &[Operation] = &[
    Operation {
        name: "neighbours, with ids",
        walk: |traversal, from| {
            let source = traversal.node(id(from)).unwrap();
            let found = k_out(traversal, source, &KOut::new(&Step::default(), 1)).unwrap();
            black_box(traversal.ids(&found.nodes)).len() as f64
        },
        plain: |arrays, from| black_box(arrays.of(from).to_vec()).len() as f64,
    },
    Operation {
        name: "within 2 hops, counted",
        walk: |traversal, from| within(traversal, from, 2),
        plain: |arrays, from| arrays.search(from, 2, None).0 as f64,
    },
    Operation {
        name: "within 3 hops, counted",
        walk: |traversal, from| within(traversal, from, 3),
        plain: |arrays, from| arrays.search(from, 3, None).0 as f64,
    },
    Operation {
        name: "shortest path, with edges",
        walk: |traversal, from| {
            let (source, target) = (traversal.node(id(from)).unwrap(), traversal.node(id(other(from))).unwrap());
            let query = ShortestPath { step: &Step::default(), depth: 10, capacity: None };
            let path = shortest_path(traversal, source, target, &query).unwrap().unwrap();
            with_edges(traversal, std::slice::from_ref(&path));
            path.nodes.len() as f64 - 1.0
        },
        plain: |arrays, from| arrays.search(from, 10, Some(other(from))).1 as f64,
    },
    Operation {
        name: "rings of 3",
        walk: |traversal, from| triangles(&rings_of_3(traversal, from)),
        plain: |arrays, from| arrays.triangles(from) as f64,
    },
    Operation {
        name: "rings of 3, with edges",
        walk: |traversal, from| {
            let rings = rings_of_3(traversal, from);
            with_edges(traversal, &rings);
            triangles(&rings)
        },
        plain: |arrays, from| arrays.triangles(from) as f64,
    },
    Operation {
        name: "jaccard of two",
        walk: |traversal, from| {
            let (one, other) = (traversal.node(id(from)).unwrap(), traversal.node(id(from + 1)).unwrap());
            jaccard(traversal, one, other, &Step::default()).unwrap()
        },
        plain: |arrays, from| arrays.jaccard(from, from + 1),
    },
];

fn main() {
    // A test run calls benchmarks without this: nothing is to be measured then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_store, graph) = open(engine(folder.path()));
    hot_paths::fill(&graph);
    for from in (0..VERTICES).step_by(25) {
        let edges = (from..from + 25).flat_map(|vertex| (0..EDGES_EACH).map(move |nth| (vertex, target(vertex, nth))));
        let edge = |(from, to): (u32, u32)| {
            let (from, to) = (id(from), id(to));
            let text = |id: &VertexId| if let VertexId::String(text) = id { text.to_string() } else { String::new() };
            format!(
                r#"{{"label":"knows","outV":"{}","outVLabel":"person","inV":"{}","inVLabel":"person","properties":{{"date":"2020-01-11","weight":7}}}}"#,
                text(&from),
                text(&to)
            )
        };
        let body = format!("[{}]", edges.map(edge).collect::<Vec<_>>().join(","));
        let new = rest_json::decode_edges(body.as_bytes(), 500).unwrap();
        graph.writer().insert_edges(&new, false, Wait::Allowed).unwrap().wait().unwrap();
    }
    let (arrays, budget) = (Arrays::new(), Budget::unlimited());
    println!("| operation | out of rows, us | by numbers, us | times as fast | plain arrays, us |");
    println!("|---|---:|---:|---:|---:|");
    for operation in OPERATIONS {
        let catalogue = graph.catalogue();
        let time = |by_numbers: bool, from: u32| {
            let begun = Instant::now();
            let reader = GraphReader::new(&graph, &catalogue, &budget);
            let rows = Rows(&reader);
            let read: &dyn WalkRead = if by_numbers { &reader } else { &rows };
            let mut traversal =
                Traversal::new(read, "walks", MEMORY).recording_edges(operation.name.ends_with("edges"));
            let answer = (operation.walk)(&mut traversal, from);
            (answer, begun.elapsed().as_secs_f64() * 1e6)
        };
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for round in 0..=ROUNDS {
            for nth in 0..WALKS {
                let from = nth * (VERTICES / WALKS - 1);
                let begun = Instant::now();
                let expected = black_box((operation.plain)(&arrays, black_box(from)));
                let plain = begun.elapsed().as_secs_f64() * 1e6;
                let (by_rows, by_numbers) = (time(false, from), time(true, from));
                assert_eq!((by_rows.0, by_numbers.0), (expected, expected), "{} of {from}", operation.name);
                // The first round reads what is kept from then on.
                if round > 0 {
                    for (times, time) in times.iter_mut().zip([by_rows.1, by_numbers.1, plain]) {
                        times.push(time);
                    }
                }
            }
        }
        let [rows, numbers, plain] = times.map(median);
        println!("| {} | {rows:.1} | {numbers:.1} | {:.1} | {plain:.2} |", operation.name, rows / numbers);
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[cfg(feature = "rocksdb")]
fn engine(folder: &std::path::Path) -> Arc<dyn kv::Engine> {
    use kv_rocksdb::{RocksDbEngine, RocksDbOptions};

    let options = RocksDbOptions { path: folder.to_path_buf(), ..RocksDbOptions::default() };
    Arc::new(RocksDbEngine::open(&options, key_codec::tables::TABLES).unwrap())
}

#[cfg(not(feature = "rocksdb"))]
fn engine(_: &std::path::Path) -> Arc<dyn kv::Engine> {
    hot_paths::memory()
}
