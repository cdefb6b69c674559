//! What a copy of a stored graph takes while it is made is what was estimated: measured by the allocator.
#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "test code")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use analytics::{Run, Stop, Watch, kronecker};
use graph_analysis::{Observer, Projection, Spec, Wanted, project};
use graph_host::{HostedGraph, Store, StoreOptions};
use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{Literal, NewEdge, NewEdgeLabel, NewPropertyKey, NewVertex, NewVertexLabel};
use graph_store::{StoreError, Wait};
use key_codec::tables;
use kv::MemoryEngine;

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

impl Observer for Never {
    fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

const SCALE: u32 = 12;

/// A graph like a social network, its vertices having numbers as ids, its edges weights.
fn stored() -> (Store, Arc<HostedGraph>) {
    let store = Store::open(Arc::new(MemoryEngine::open(tables::TABLES)), StoreOptions::default()).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    let schema = graph.schema();
    schema.create_property_key(&NewPropertyKey::new("weight", DataType::Double, Cardinality::Single)).unwrap();
    let label = NewVertexLabel { id_strategy: Some(IdStrategy::CustomizeNumber), ..NewVertexLabel::new("v") };
    schema.create_vertex_label(&label).unwrap();
    let label = NewEdgeLabel { properties: vec!["weight".into()], ..NewEdgeLabel::new("e", "v", "v") };
    schema.create_edge_label(&label).unwrap();
    let own = || Some(Cow::Borrowed("v"));
    let vertices: Vec<NewVertex<'_>> = (0..1_i64 << SCALE)
        .map(|id| NewVertex { label: own(), id: Some(Literal::Integer(id)), properties: vec![] })
        .collect();
    for batch in vertices.chunks(500) {
        graph.writer().insert_vertices(batch, Wait::Allowed).unwrap().wait().unwrap();
    }
    let edges = kronecker::edges(SCALE, 9, &Run::alone()).unwrap();
    let edges: Vec<NewEdge<'_>> = edges
        .into_iter()
        .map(|(source, target, weight)| NewEdge {
            label: Some(Cow::Borrowed("e")),
            source: Some(Literal::Integer(source.into())),
            source_label: own(),
            target: Some(Literal::Integer(target.into())),
            target_label: own(),
            properties: vec![(Cow::Borrowed("weight"), Literal::Float(weight))],
        })
        .collect();
    for batch in edges.chunks(500) {
        graph.writer().insert_edges(batch, false, Wait::Allowed).unwrap().wait().unwrap();
    }
    (store, graph)
}

#[test]
fn a_copy_takes_what_was_estimated() {
    let (_store, graph) = stored();
    for (weight, threads) in [(None, 1), (None, 2), (Some("weight"), 2)] {
        let spec = Spec::named(&graph.catalogue(), &[], &[], weight).unwrap();
        let wanted = Wanted { threads, bytes_max: u64::MAX, observer: &Never };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let before = TAKEN.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let copied = project(&graph, &spec, &wanted, &Run::new(Some(&pool), &Never)).unwrap();
        let most = MOST.load(Ordering::Relaxed) - before;
        let kept = TAKEN.load(Ordering::Relaxed) - before;
        let estimate = Projection::estimate(copied.counts(), weight.is_some(), threads);
        let shares = [most as f64 / estimate as f64, kept as f64 / copied.bytes() as f64];
        assert!(shares.iter().all(|share| (0.95..=1.05).contains(share)), "{weight:?}, {threads} threads: {shares:?}");
    }
}
