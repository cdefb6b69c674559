//! Writers side by side, with each other and with builds: no entry is lost or left, and no two elements share a unique
//! place.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use graph_host::HostedGraph;
use graph_model::TaskStatus;
use graph_schema::Alter;
use graph_schema::SchemaKind;
use graph_store::{Pending, Wait};

use crate::fixture::*;

/// Numbers that look random, the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u8) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u8::try_from((self.0 >> 33) % u64::from(n)).unwrap()
    }

    fn props(&mut self) -> Props {
        let words = ["red fox", "red dog runs", "dog"];
        Props { n: Some(self.below(4).into()), words: Some(words[usize::from(self.below(3))]), tags: vec!["a"] }
    }
}

fn write_something(graph: &HostedGraph, draw: &mut Draw) {
    let label = ["keyed", "named", "numbered"][usize::from(draw.below(3))];
    let (n, props) = (draw.below(5), draw.props());
    let wait = Wait::Allowed;
    // Refusals (conflicts, elements that are not there) are part of it.
    match draw.below(8) {
        0..3 => drop(insert(graph, &[vertex(label, n, &props), vertex(label, draw.below(5), &draw.props())])),
        3 | 4 => {
            let new = edge(EDGES[usize::from(draw.below(2))], (draw.below(5), draw.below(5)), &props);
            drop(connect(graph, &[new]));
        }
        5 => {
            drop(
                graph
                    .writer()
                    .alter_vertex(&vertex_id(label, n), Alter::Append, &props.given(), wait)
                    .and_then(Pending::wait),
            );
        }
        6 => drop(graph.writer().delete_vertex(&vertex_id(label, n), wait).and_then(Pending::wait)),
        _ => {
            let id = edge_id(graph, EDGES[usize::from(draw.below(2))], (draw.below(5), draw.below(5)));
            drop(graph.writer().delete_edge(&id, wait).and_then(Pending::wait));
        }
    }
}

#[test]
fn writers_of_the_same_elements_leave_sound_indexes() {
    let (_store, graph) = defined(&memory());
    with_all_indexes(&graph);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let graph = &graph;
            scope.spawn(move || {
                let mut draw = Draw(seed);
                for _ in 0..400 {
                    write_something(graph, &mut draw);
                }
            });
        }
    });
    assert_sound(&graph);
}

#[test]
fn builds_beside_writers_leave_sound_indexes() {
    let (_store, graph) = defined(&memory());
    let writing = AtomicUsize::new(3);
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (graph, writing) = (&graph, &writing);
            scope.spawn(move || {
                let mut draw = Draw(100 + seed);
                for _ in 0..600 {
                    write_something(graph, &mut draw);
                }
                writing.fetch_sub(1, Ordering::SeqCst);
            });
        }
        while writing.load(Ordering::SeqCst) > 0 {
            for new in index_labels() {
                create_index(&graph, &new).unwrap();
                // A unique one may have met duplicates: then it is not built, and that is told.
                let index = graph.catalogue().index_label_named(&new.name).cloned().unwrap();
                assert_eq!(index.complete, index.status == graph_schema::Status::Created);
            }
            let task = graph.jobs().rebuild_indexes(SchemaKind::VertexLabel, "named").unwrap();
            ended(&graph, task);
            for new in index_labels() {
                let task = graph.jobs().remove_index_label(&new.name).unwrap();
                assert_eq!(ended(&graph, task).status, TaskStatus::Success);
            }
        }
        with_some_indexes(&graph);
    });
    assert_sound(&graph);
}

fn with_some_indexes(graph: &Arc<HostedGraph>) {
    for new in index_labels() {
        create_index(graph, &new).unwrap();
    }
}

#[test]
fn of_many_that_want_one_place_one_gets_it() {
    let (_store, graph) = defined(&memory());
    with_all_indexes(&graph);
    for round in 0..40 {
        let won = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for n in 1..5 {
                let (graph, won) = (&graph, &won);
                scope.spawn(move || {
                    if insert(graph, &[vertex("named", n, &Props::n(round))]).is_ok() {
                        won.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(won.load(Ordering::SeqCst), 1);
    }
    assert_sound(&graph);
}

#[test]
fn an_expired_place_goes_to_one_while_its_holder_is_written_again_or_purged() {
    let (store, graph) = defined(&memory());
    with_all_indexes(&graph);
    std::thread::scope(|scope| {
        for n in 1..4 {
            let graph = &graph;
            scope.spawn(move || {
                for _ in 0..300 {
                    drop(insert(graph, &[vertex("brief", n, &Props::n(1))]));
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..100 {
                store.purge_expired(i64::MAX).unwrap();
            }
        });
    });
    assert_sound(&graph);
    store.purge_expired(i64::MAX).unwrap();
    assert_eq!(check(&graph, false).entries, 0);
}
