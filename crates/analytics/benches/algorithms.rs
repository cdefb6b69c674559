//! Times of the algorithms on Kronecker graphs.
//!
//! `cargo bench -p analytics --bench algorithms -- [scale] [threads] [trials]` prints the best of some trials.
//! `... -- serve SCALE THREADS PREFIX` writes the edges to PREFIX.wel (lines "source target weight") and PREFIX.bin
//! (the same as 32-bit integers), says that it is ready, and then times what lines of its input ask for: so
//! `scripts/compare-algorithms.py` can ask other programs about one graph in turns.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints; test code"
)]

use std::io::Write as _;
use std::time::Instant;

use analytics::rank::{RankRules, page_rank};
use analytics::{Csr, Graph, Run, components, kronecker, search, stepping, triangles};

/// Stops nothing.
struct Never;

impl analytics::Watch for Never {
    fn check(&self) -> Result<(), analytics::Stop> {
        Ok(())
    }
}

/// A graph without directions and parallel edges, with weights and without.
struct Sample {
    weighted: Csr,
    graph: Graph,
}

impl Sample {
    fn new(scale: u32, run: &Run<'_>) -> Self {
        let edges = kronecker::edges(scale, 27_491, run).unwrap();
        let directed = Graph::from_edges(1 << scale, &edges, true, run).unwrap();
        let weighted = directed.plain(run).unwrap();
        let degrees: Vec<u32> = (0..weighted.vertices()).map(|vertex| weighted.degree(vertex) as u32).collect();
        let rows = Csr::from_rows(&degrees, weighted.all_targets().to_vec(), None).unwrap();
        Self { graph: Graph::new(rows, run).unwrap(), weighted }
    }

    /// Vertices that have edges, the same ones each time.
    fn sources(&self, count: usize) -> Vec<u32> {
        let all: Vec<u32> = (0..self.graph.vertices())
            .filter(|vertex| self.graph.out().degree(*vertex) > 0)
            .map(|it| it as u32)
            .collect();
        (0..count).map(|at| all[at * 7_919_001 % all.len()]).collect()
    }

    fn write(&self, prefix: &str) {
        let open = |end: &str| std::io::BufWriter::new(std::fs::File::create(format!("{prefix}.{end}")).unwrap());
        let (mut text, mut binary) = (open("wel"), open("bin"));
        for (source, target, weight) in self.weighted.iter().filter(|(source, target, _)| source < target) {
            writeln!(text, "{source} {target} {weight}").unwrap();
            [source, target, weight as u32].iter().for_each(|it| binary.write_all(&it.to_le_bytes()).unwrap());
        }
        text.flush().unwrap();
        binary.flush().unwrap();
    }

    /// Does what a line asks for: the seconds it took, and what tells whether the result is right.
    fn answer(&self, line: &str, run: &Run<'_>) -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words.get(at).map_or(0, |text| text.parse::<u32>().unwrap());
        let start = Instant::now();
        let seconds = || start.elapsed().as_secs_f64();
        match words.first().copied().unwrap_or_default() {
            "sources" => {
                let sources = self.sources(number(1) as usize);
                sources.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
            }
            "bfs" => {
                let depths = search::breadth_first(&self.graph, &[number(1)], u32::MAX, run).unwrap();
                let took = seconds();
                let reached = depths.iter().filter(|depth| **depth != search::UNREACHED);
                format!("{took} {} {}", reached.clone().count(), reached.map(|depth| u64::from(*depth)).sum::<u64>())
            }
            "pagerank" => {
                let tolerance = words[2].parse().unwrap();
                let rules = RankRules { tolerance, iterations_max: u64::from(number(1)), ..RankRules::default() };
                let found = page_rank(&self.graph, &rules, run).unwrap();
                let took = seconds();
                let mut order: Vec<usize> = (0..found.values.len()).collect();
                order.sort_by(|a, b| found.values[*b].total_cmp(&found.values[*a]));
                let top: Vec<String> = order[..5].iter().map(|it| format!("{it}:{}", found.values[*it])).collect();
                format!("{took} {} {}", found.iterations, top.join(" "))
            }
            "wcc" => {
                let labels = components::weak(&self.graph, run).unwrap();
                format!("{} {}", seconds(), components::sizes(&labels).len())
            }
            "sssp" => {
                let far = stepping::distances(&self.weighted, number(1), f64::from(number(2)), run).unwrap();
                let took = seconds();
                let reached = far.iter().filter(|far| far.is_finite());
                format!("{took} {} {}", reached.clone().count(), reached.sum::<f64>())
            }
            "triangles" => {
                let count = triangles::count(&self.weighted, run).unwrap();
                format!("{} {count}", seconds())
            }
            other => format!("unknown: {other}"),
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| text != "--bench").collect();
    let serves = arguments.first().is_some_and(|first| first == "serve");
    let numbers = if serves { &arguments[1..] } else { &arguments[..] };
    let number = |at: usize, default: usize| numbers.get(at).map_or(default, |text| text.parse().unwrap());
    let (scale, threads) = (number(0, 16) as u32, number(1, 2));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let run = Run::new(Some(&pool), &Never);
    let start = Instant::now();
    let sample = Sample::new(scale, &run);
    let (vertices, arcs, made) = (sample.graph.vertices(), sample.graph.edges(), start.elapsed().as_secs_f64());
    if serves {
        sample.write(&numbers[2]);
        println!("ready {vertices} {arcs} {made:.3}");
        for line in std::io::stdin().lines() {
            println!("{}", sample.answer(&line.unwrap(), &run));
        }
        return;
    }
    println!("scale {scale}, {threads} threads: {vertices} vertices, {arcs} arcs, made in {made:.2} s");
    let trials = number(2, 5);
    let sources = sample.sources(trials);
    let of = |name: &str, line: &dyn Fn(usize) -> String, parts: f64| {
        let answers = (0..trials).map(|at| sample.answer(&line(at), &run));
        let timed = answers.map(|answer| {
            let (time, rest) = answer.split_once(' ').unwrap();
            (time.parse::<f64>().unwrap(), rest.to_owned())
        });
        let (time, rest) = timed.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        println!("{name:<32}{:>12.1} ms  {rest}", time / parts * 1e3);
    };
    of("bfs", &|at| format!("bfs {}", sources[at]), 1.0);
    of("pagerank, 1 iteration of 10", &|_| "pagerank 10 1e-7".to_owned(), 10.0);
    of("wcc", &|_| "wcc".to_owned(), 1.0);
    of("sssp", &|at| format!("sssp {}", sources[at]), 1.0);
    of("triangles", &|_| "triangles".to_owned(), 1.0);
}
