//! Measures how long it takes to drop an edge label with many edges: its task from the request to its end, next to an
//! edge label that stays.
//!
//! Run it on a folder that does not exist yet: `cargo run --release --example drop_label -- FOLDER [EDGES [INDEXED]]`.
//! EDGES: 10,000,000 unless told; `indexed` as INDEXED adds a range index, whose entries go with the edges.
#![expect(clippy::print_stdout, reason = "a measurement shows what it found")]

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use graph_access::Budget;
use graph_host::{HostedGraph, Store};
use graph_model::{Cardinality, DataType, IdStrategy, TaskStatus};
use graph_schema::{
    Conditions, IndexType, Literal, NewEdge, NewEdgeLabel, NewIndexLabel, NewPropertyKey, NewVertexLabel,
};
use graph_store::{EdgeQuery, Graph, Range, Reader, Visit, Wait};
use rhizome::settings::Settings;

type Failure = Box<dyn std::error::Error>;

/// Edges of one batch: large batches load faster.
const BATCH_EDGES: u64 = 5_000;

/// Edges of the label that stays.
const KEPT_EDGES: u64 = 100_000;

/// Vertices the edges lead between: each has ten of ten million.
const VERTICES: u64 = 1_000_000;

/// Steps between the targets of consecutive edges: a prime, so that they are spread over all vertices.
const STRIDE: u64 = 7_919;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let mut settings = Settings::load(None, &[])?;
    settings.storage.data_dir = arguments.next().ok_or("give the folder of a new database")?.into();
    if settings.storage.data_dir.exists() {
        return Err("the folder must not exist: it is filled".into());
    }
    let edges: u64 = arguments.next().map_or(Ok(10_000_000), |text| text.parse())?;
    let indexed = arguments.next().is_some_and(|text| text == "indexed");
    let store = Store::open(rhizome::engine::open(&settings.storage)?, settings.store_options()?)?;
    let graph = store.graph(&settings.graph.default)?;
    define_schema(&graph, indexed)?;

    let started = Instant::now();
    insert(&graph, "dropped", edges)?;
    insert(&graph, "kept", KEPT_EDGES)?;
    let seconds = started.elapsed().as_secs_f64();
    println!("{edges} edges of 'dropped' inserted in {seconds:.1} s, {KEPT_EDGES} of 'kept'");

    let started = Instant::now();
    let task = graph.jobs().remove_edge_label("dropped")?;
    let answered = started.elapsed();
    let ended = loop {
        let status = graph.jobs().task(task)?.status;
        if status.is_final() {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    let done = started.elapsed();
    if ended != TaskStatus::Success {
        return Err(format!("the task ended as {ended:?}").into());
    }
    println!(
        "edge label of {edges} edges dropped: request answered after {:.1} ms, task done after {:.1} ms",
        answered.as_secs_f64() * 1e3,
        done.as_secs_f64() * 1e3
    );

    let started = Instant::now();
    let left = count(&graph)?;
    println!("{left} edges are left, counted in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    if left != KEPT_EDGES {
        return Err(format!("{KEPT_EDGES} edges must be left").into());
    }
    let started = Instant::now();
    store.compact_graph(&settings.graph.default, &Budget::unlimited())?;
    println!("disk space given back by compaction in {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

fn define_schema(graph: &Arc<HostedGraph>, indexed: bool) -> Result<(), Failure> {
    graph.schema().create_property_key(&NewPropertyKey::new("since", DataType::Int, Cardinality::Single))?;
    let person = NewVertexLabel { id_strategy: Some(IdStrategy::CustomizeNumber), ..NewVertexLabel::new("person") };
    graph.schema().create_vertex_label(&person)?;
    for name in ["dropped", "kept"] {
        let properties = vec!["since".to_owned()];
        graph
            .schema()
            .create_edge_label(&NewEdgeLabel { properties, ..NewEdgeLabel::new(name, "person", "person") })?;
    }
    if indexed {
        graph.jobs().create_index_label(&NewIndexLabel::on_edges(
            "dropped_by_since",
            "dropped",
            IndexType::Range,
            &["since"],
        ))?;
    }
    Ok(())
}

fn insert(graph: &Arc<HostedGraph>, label: &str, edges: u64) -> Result<(), Failure> {
    let person = || Some(Cow::Borrowed("person"));
    for first in (0..edges).step_by(usize::try_from(BATCH_EDGES)?) {
        let mut batch = Vec::new();
        for at in first..edges.min(first + BATCH_EDGES) {
            // The same pair comes again only after more edges than there are pairs of this kind.
            let (source, turn) = (at % VERTICES, at / VERTICES);
            let target = (source + STRIDE * (turn + 1)) % VERTICES;
            batch.push(NewEdge {
                label: Some(Cow::Borrowed(label)),
                source: Some(Literal::Integer(i64::try_from(source)?)),
                source_label: person(),
                target: Some(Literal::Integer(i64::try_from(target)?)),
                target_label: person(),
                properties: vec![(Cow::Borrowed("since"), Literal::Integer(i64::try_from(at % 100_000)?))],
            });
        }
        graph.writer().insert_edges(&batch, false, Wait::Allowed)?.wait()?;
    }
    Ok(())
}

fn count(graph: &Graph) -> Result<u64, Failure> {
    let range = Range::Offset { offset: 0, limit: None };
    let query = EdgeQuery { label: None, vertex: None, conditions: Conditions::default(), range };
    let mut count = 0;
    Reader::new(graph).list_edges(&query, &Budget::unlimited(), &mut |_| {
        count += 1;
        Visit::Continue(())
    })?;
    Ok(count)
}
