//! Times of the algorithms on Kronecker graphs, best of some trials.
//!
//! `cargo bench -p analytics --bench algorithms -- [scale] [threads] [trials] [write edges to this file]`. The file has
//! a line "source target weight" for each edge, which other programs can read, so that all work on one graph.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark prints; test code"
)]

use std::io::Write as _;
use std::time::{Duration, Instant};

use analytics::rank::{RankRules, page_rank};
use analytics::{Graph, Run, components, kronecker, search, shortest, triangles};

/// Stops nothing.
struct Never;

impl analytics::Watch for Never {
    fn check(&self) -> Result<(), analytics::Stop> {
        Ok(())
    }
}

fn best<T>(trials: usize, mut work: impl FnMut(usize) -> T) -> (Duration, T) {
    let timed = |at| {
        let start = Instant::now();
        let found = work(at);
        (start.elapsed(), found)
    };
    (0..trials).map(timed).min_by_key(|(time, _)| *time).unwrap()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| text != "--bench").collect();
    let number = |at: usize, default: usize| arguments.get(at).map_or(default, |text| text.parse().unwrap());
    let (scale, threads, trials) = (number(0, 16), number(1, 2), number(2, 5));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let run = Run::new(Some(&pool), &Never);
    let edges = kronecker::edges(u32::try_from(scale).unwrap(), 27_491, &run).unwrap();
    if let Some(path) = arguments.get(3) {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        edges.iter().for_each(|(source, target, weight)| writeln!(file, "{source} {target} {weight}").unwrap());
        file.flush().unwrap();
    }
    let start = Instant::now();
    let directed = Graph::from_edges(1 << scale, &edges, true, &run).unwrap();
    drop(edges);
    let weighted = directed.plain(&run).unwrap();
    let graph = {
        let degrees: Vec<u32> =
            (0..weighted.vertices()).map(|vertex| u32::try_from(weighted.degree(vertex)).unwrap()).collect();
        let rows = analytics::Csr::from_rows(&degrees, weighted.all_targets().to_vec(), None).unwrap();
        Graph::new(rows, &run).unwrap()
    };
    drop(directed);
    println!("scale {scale}, {threads} threads: {} vertices, {} arcs", graph.vertices(), graph.edges());
    println!("{:<32}{:>12.1} ms", "build from edges", start.elapsed().as_secs_f64() * 1e3);
    let report = |name: &str, time: Duration, what: String| {
        println!("{name:<32}{:>12.1} ms  {what}", time.as_secs_f64() * 1e3);
    };
    let sources: Vec<u32> = (0..graph.vertices())
        .filter(|vertex| graph.out().degree(*vertex) > 0)
        .map(|it| u32::try_from(it).unwrap())
        .collect();
    let source = |at: usize| sources[at * 7_919 % sources.len()];
    let (time, depths) = best(trials, |at| search::breadth_first(&graph, &[source(at)], u32::MAX, &run).unwrap());
    report("bfs", time, format!("{} reached", depths.iter().filter(|depth| **depth != search::UNREACHED).count()));
    let rules = RankRules { tolerance: 0.0, iterations_max: 10, ..RankRules::default() };
    let (time, found) = best(trials, |_| page_rank(&graph, &rules, &run).unwrap());
    report("pagerank, 1 iteration of 10", time / 10, format!("sum {:.9}", found.values.iter().sum::<f64>()));
    let (time, labels) = best(trials, |_| components::weak(&graph, &run).unwrap());
    report("wcc", time, format!("{} components", components::sizes(&labels).len()));
    let (time, far) = best(trials, |at| shortest::distances(&weighted, source(at), 0.0, &run).unwrap());
    report("sssp", time, format!("{} reached", far.iter().filter(|it| it.is_finite()).count()));
    let (time, count) = best(trials.min(2), |_| triangles::count(&weighted, &run).unwrap());
    report("triangles", time, format!("{count}"));
}
