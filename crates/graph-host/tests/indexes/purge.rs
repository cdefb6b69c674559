//! Index entries of elements that expire: a purge that fails between two of its batches leaves none that leads nowhere.

use std::borrow::Cow;
use std::sync::Arc;

use graph_schema::{Frequency, Literal, NewEdge, NewEdgeLabel};
use graph_store::limits;
use kv::{Fault, FaultEngine, KvError};

use crate::fixture::*;

/// An edge from the vertex `brief` 2, one of many.
fn many_edge(sort: usize) -> NewEdge<'static> {
    NewEdge {
        label: Some(Cow::Borrowed("very_many")),
        source: Some(literal(&vertex_id("brief", 2))),
        source_label: Some(Cow::Borrowed("brief")),
        target: Some(literal(&vertex_id("numbered", 1))),
        target_label: Some(Cow::Borrowed("numbered")),
        properties: vec![(Cow::Borrowed("sort"), Literal::Integer(sort.try_into().unwrap()))],
    }
}

#[test]
fn a_purge_that_fails_leaves_no_entries_that_lead_nowhere() {
    let engine = Arc::new(FaultEngine::new(memory()));
    let (store, graph) = defined(&engine);
    let very_many = NewEdgeLabel {
        frequency: Some(Frequency::Multiple),
        properties: strings(&["sort"]),
        sort_keys: strings(&["sort"]),
        ..NewEdgeLabel::new("very_many", "brief", "numbered")
    };
    graph.schema().create_edge_label(&very_many).unwrap();
    with_all_indexes(&graph);
    // Later than any clock, so that nothing is hidden before the purge.
    let born = (Cow::Borrowed("born"), Literal::Integer(4_000_000_000_000));
    let brief = |n| {
        let mut new = vertex("brief", n, &Props::n(n.into()));
        new.properties.push(born.clone());
        new
    };
    insert(&graph, &[brief(1), brief(2), brief(3), vertex("numbered", 1, &Props::default())]).unwrap();
    let edges: Vec<_> = (0..=limits::DELETE_EDGES_PER_BATCH).map(many_edge).collect();
    connect(&graph, &edges).unwrap();
    for nth in [2, 2, 1] {
        engine.faults().inject(Fault::FailCommit { nth, error: KvError::Closed });
        assert!(store.purge_expired(i64::MAX).is_err());
        assert_sound(&graph);
    }
    store.purge_expired(i64::MAX).unwrap();
    assert_sound(&graph);
    for n in 1..=3 {
        assert!(graph.reader().vertex(&vertex_id("brief", n)).unwrap().is_none());
    }
}
