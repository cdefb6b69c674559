//! How many calls of the engine does a request cost? Over a network each is a round.

use std::sync::Arc;

use graph_schema::{Literal, NewEdge, NewVertex};

use crate::fixture::*;
use crate::parked::{ParkedEngine, Rounds};

const BATCH: i64 = 500;

fn numbered(id: i64) -> NewVertex<'static> {
    vertex("numbered", Some(Literal::Integer(id)))
}

#[test]
fn a_batch_costs_as_many_rounds_as_one_element() {
    let engine = Arc::new(ParkedEngine::new(memory()));
    let (_store, graph) = store(&engine);
    crate::common::define_schema(&graph);
    let vertices: Vec<_> = (0..BATCH).map(numbered).collect();
    engine.rounds();
    insert(&graph, &vertices).unwrap();
    assert_eq!(engine.rounds(), Rounds { reads: 0, writes: 1 }, "{BATCH} vertices");
    let edges: Vec<NewEdge<'_>> = (0..BATCH)
        .map(|id| edge("loops", ("numbered", Literal::Integer(id)), ("numbered", Literal::Integer((id + 1) % BATCH))))
        .collect();
    connect(&graph, &edges).unwrap();
    assert_eq!(engine.rounds(), Rounds { reads: 1, writes: 1 }, "{BATCH} edges with both ends checked");
    connect(&graph, edges.get(..1).unwrap()).unwrap();
    assert_eq!(engine.rounds(), Rounds { reads: 1, writes: 1 }, "one edge with both ends checked");
}
