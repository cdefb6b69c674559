//! Measures traversals on a loaded database, without HTTP: k-out, k-neighbour and shortest paths between persons of the
//! generated network (`rhizome generate snb`, `rhizome load`).
//!
//! Run it on a folder that no server has open: `cargo run --release --example traversals -- FOLDER [QUERIES]`. What it
//! starts at is drawn by a fixed rule, so two runs on one folder ask the same.
#![expect(clippy::print_stdout, reason = "a measurement shows what it found")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use graph_access::Budget;
use graph_host::Store;
use graph_model::{Direction, LabelId, VertexId};
use graph_schema::{Catalogue, Conditions};
use graph_store::{Graph, GraphReader, Range, Reader, VertexQuery, Visit};
use rhizome::settings::Settings;
use serving::Serving;
use traversal::{
    KNeighbour, KOut, LabelCondition, ShortestPath, Step, Traversal, TraversalError, k_neighbour, k_out, limits,
    shortest_path,
};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let mut settings = Settings::load(None, &[])?;
    settings.storage.data_dir = arguments.next().ok_or("give the folder of a database")?.into();
    let queries: usize = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let store = Store::open(rhizome::engine::open(&settings.storage)?, settings.store_options()?)?;
    let graph = store.graph(&settings.graph.default)?;
    let catalogue = graph.catalogue();
    let persons = persons(&graph, &catalogue)?;
    let serving = Serving::new(serving::Options { query_niceness: 0, ..serving::Options::default() });
    println!("{} persons, {queries} queries of each kind", persons.len());
    println!(
        "{:34} {:>9} {:>9} {:>9} {:>9} {:>11} {:>11}",
        "", "mean ms", "p50 ms", "p95 ms", "found", "edges", "edges/s"
    );
    let step = |labels: Vec<LabelId>| Step {
        direction: Direction::Both,
        edges: labels.into_iter().map(|label| LabelCondition { label, condition: None }).collect(),
        ..Step::default()
    };
    let knows = catalogue.edge_label_named("person_knows_person").ok_or("the database holds no generated network")?.id;
    for (name, step) in [("knows", step(vec![knows])), ("all labels", step(Vec::new()))] {
        let bench = Bench { graph: &graph, catalogue: &catalogue, persons: &persons, queries, serving: &serving };
        for depth in 1..=3 {
            bench.run(&format!("k-out, {name}, depth {depth}"), |traversal, source, _| {
                let source = traversal.node(source.clone())?;
                Ok(k_out(traversal, source, &KOut::new(&step, depth))?.nodes.len())
            })?;
        }
        for depth in 2..=3 {
            bench.run(&format!("k-neighbour, {name}, depth {depth}"), |traversal, source, _| {
                let source = traversal.node(source.clone())?;
                let query = KNeighbour { step: &step, depth, limit: None, with_paths: false };
                Ok(k_neighbour(traversal, source, &query)?.nodes.len())
            })?;
        }
        bench.run(&format!("shortest path, {name}"), |traversal, source, target| {
            let (source, target) = (traversal.node(source.clone())?, traversal.node(target.clone())?);
            let query = ShortestPath { step: &step, depth: 20, capacity: None };
            Ok(shortest_path(traversal, source, target, &query)?.map_or(0, |path| path.nodes.len()))
        })?;
    }
    Ok(())
}

/// Steps between the persons drawn one after the other: a prime, so that they are spread over all.
const STRIDE: usize = 7_919;

fn persons(graph: &Graph, catalogue: &Catalogue) -> Result<Vec<VertexId>, Failure> {
    let label = catalogue.vertex_label_named("person").ok_or("the database holds no generated network")?.id;
    let range = Range::Offset { offset: 0, limit: None };
    let query = VertexQuery { label: Some(label), conditions: Conditions::default(), range };
    let mut persons = Vec::new();
    Reader::new(graph).list_vertices(&query, &Budget::unlimited(), &mut |vertex| {
        persons.push(vertex.id.clone());
        Visit::Continue(())
    })?;
    Ok(persons)
}

struct Bench<'a> {
    graph: &'a Graph,
    catalogue: &'a Arc<Catalogue>,
    persons: &'a [VertexId],
    queries: usize,
    /// Its threads read in parallel, as in the server.
    serving: &'a Serving,
}

impl Bench<'_> {
    /// Runs one kind of query from many persons and prints a line.
    fn run(
        &self,
        name: &str,
        query: impl Fn(&mut Traversal<'_>, &VertexId, &VertexId) -> Result<usize, TraversalError>,
    ) -> Result<(), Failure> {
        let budget = Budget::unlimited();
        let (mut found, mut edges, mut times) = (0, 0, Vec::with_capacity(self.queries));
        for at in 0..self.queries {
            let person = |at: usize| self.persons.get(at % self.persons.len()).ok_or("no persons");
            let (source, target) = (person(at * STRIDE)?, person(at * STRIDE + self.persons.len() / 2)?);
            let started = Instant::now();
            let reader = GraphReader::new(self.graph, self.catalogue, &budget);
            let mut traversal = Traversal::new(&reader, "vertices", limits::MEMORY_BYTES_MAX_DEFAULT)
                .parallel_on(self.serving.readers.as_ref());
            found += query(&mut traversal, source, target)?;
            edges += traversal.counters().edge_iterations;
            times.push(started.elapsed());
        }
        times.sort_unstable();
        let total: Duration = times.iter().sum();
        let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
        let queries = self.queries.max(1);
        println!(
            "{name:34} {:9.3} {:9.3} {:9.3} {:9} {:11} {:11.0}",
            total.as_secs_f64() * 1e3 / queries as f64,
            ms(times.get(queries / 2)),
            ms(times.get(queries * 95 / 100)),
            found / queries,
            edges / queries as u64,
            edges as f64 / total.as_secs_f64(),
        );
        Ok(())
    }
}
