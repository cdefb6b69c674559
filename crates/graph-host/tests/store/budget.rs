//! Where does a list stop? At its deadline, at its end, at its limit; and it goes on only with its own page tokens.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use graph_access::Budget;
use graph_host::{Clear, HostedGraph, Store};
use graph_model::{Direction, ErrorKind, IdStrategy, LabelId, VertexId};
use graph_schema::{Conditions, Literal, NewEdge};
use graph_store::{EdgeQuery, Listed, Range, StoreError, VertexQuery, limits};

use crate::fixture::*;

/// A graph in which every list is longer than a scan reads between two looks at its budget.
fn long() -> (Store, Arc<HostedGraph>, u64) {
    let (store, graph) = store(&memory());
    graph.schema().create_vertex_label(&vertex_label("numbered", IdStrategy::CustomizeNumber)).unwrap();
    graph.schema().create_edge_label(&edge_label("next", "numbered", "numbered")).unwrap();
    let count = u64::from(limits::ROWS_PER_CHECK) + 20;
    let number = |n: u64| Literal::Integer(n.try_into().unwrap());
    let new: Vec<_> = (0..count).map(|n| vertex("numbered", Some(number(n)))).collect();
    insert(&graph, &new).unwrap();
    let new: Vec<NewEdge<'_>> =
        (0..count).map(|n| edge("next", ("numbered", number(0)), ("numbered", number(n)))).collect();
    connect(&graph, &new).unwrap();
    (store, graph, count)
}

/// One of the ways to list: label of vertices or edges, and the vertex edges belong to.
#[derive(Clone, Debug)]
enum List {
    Vertices(Option<LabelId>),
    Edges(Option<LabelId>, Option<(VertexId, Direction)>),
}

/// Every list of the graph of [`long`] that has all elements.
fn lists(graph: &HostedGraph) -> Vec<List> {
    let first = VertexId::Number(0);
    let next = Some(edge_label_id(graph, "next"));
    vec![
        List::Vertices(None),
        List::Vertices(Some(vertex_label_id(graph, "numbered"))),
        List::Edges(None, None),
        List::Edges(next, None),
        List::Edges(None, Some((first.clone(), Direction::Out))),
        List::Edges(next, Some((first, Direction::Both))),
    ]
}

impl List {
    /// Goes through the list; `see` is told of every element.
    fn run(
        &self,
        graph: &HostedGraph,
        range: Range,
        budget: &Budget,
        see: &mut dyn FnMut(),
    ) -> Result<Listed, StoreError> {
        match self.clone() {
            Self::Vertices(label) => graph.reader().list_vertices(
                &VertexQuery { label, conditions: Conditions::default(), range },
                budget,
                &mut |_| {
                    see();
                    ControlFlow::Continue(())
                },
            ),
            Self::Edges(label, vertex) => graph.reader().list_edges(
                &EdgeQuery { label, vertex, conditions: Conditions::default(), range },
                budget,
                &mut |_| {
                    see();
                    ControlFlow::Continue(())
                },
            ),
        }
    }

    fn count(&self, graph: &HostedGraph, range: Range) -> (u64, Option<String>) {
        let mut seen = 0;
        let listed = self.run(graph, range, &Budget::unlimited(), &mut || seen += 1).unwrap();
        (seen, listed.next)
    }

    fn page(&self, graph: &HostedGraph, token: &str) -> Result<Listed, StoreError> {
        let range = Range::Page { token: token.to_owned(), limit: Some(3) };
        self.run(graph, range, &Budget::unlimited(), &mut || ())
    }
}

#[test]
fn a_list_stops_when_its_time_is_over() {
    let (_store, graph, count) = long();
    for list in lists(&graph) {
        let mut seen = 0;
        let budget = Budget::new(Duration::ZERO, Arc::default());
        let error = list.run(&graph, ALL, &budget, &mut || seen += 1).unwrap_err();
        assert!(matches!(error, StoreError::Timeout { limit_ms: 0 }), "{list:?}: {error}");
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert!(seen < count, "{list:?}");
    }
}

#[test]
fn a_list_nobody_wants_any_more_stops() {
    let (_store, graph, count) = long();
    for list in lists(&graph) {
        let cancelled = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(Duration::from_secs(3600), Arc::clone(&cancelled));
        let mut seen = 0;
        let outcome = list.run(&graph, ALL, &budget, &mut || {
            seen += 1;
            cancelled.store(true, Ordering::Relaxed);
        });
        assert!(matches!(outcome, Err(StoreError::Cancelled)), "{list:?}");
        assert!(seen < count, "{list:?}");
    }
}

#[test]
fn skipping_costs_budget_like_reading() {
    let (_store, graph, _) = long();
    let budget = Budget::new(Duration::ZERO, Arc::default());
    for list in lists(&graph) {
        let range = Range::Offset { offset: u64::MAX, limit: Some(u64::MAX) };
        assert!(matches!(list.run(&graph, range, &budget, &mut || ()), Err(StoreError::Timeout { .. })), "{list:?}");
    }
}

#[test]
fn a_list_ends_where_it_ends() {
    let (_store, graph, count) = long();
    for list in lists(&graph) {
        // The loop at the first vertex is seen from both its ends.
        let count = count + u64::from(matches!(&list, List::Edges(_, Some((_, Direction::Both)))));
        let offset = |offset, limit| list.count(&graph, Range::Offset { offset, limit });
        assert_eq!(offset(0, None), (count, None), "{list:?}");
        assert_eq!(offset(count - 1, Some(5)), (1, None), "{list:?}");
        assert_eq!(offset(count, Some(5)), (0, None), "{list:?}");
        assert_eq!(offset(u64::MAX, Some(u64::MAX)), (0, None), "{list:?}");
        assert_eq!(offset(0, Some(0)), (0, None), "{list:?}");
        let page = |token: &str, limit| list.count(&graph, Range::Page { token: token.to_owned(), limit });
        assert_eq!(page("", Some(0)), (0, None), "{list:?}");
        assert_eq!(page("", None), (count, None), "{list:?}");
        assert_eq!(page("", Some(count)), (count, None), "{list:?}: a full page can be the last one");
        let (seen, next) = page("", Some(count - 1));
        assert_eq!(seen, count - 1);
        assert_eq!(page(&next.unwrap(), Some(5)), (1, None), "{list:?}");
    }
}

#[test]
fn a_page_token_is_good_for_its_own_query_only() {
    let (store, graph, _) = long();
    let lists = lists(&graph);
    for list in &lists {
        let token = list.page(&graph, "").unwrap().next.unwrap();
        list.page(&graph, &token).unwrap();
        for other in &lists {
            let same = format!("{list:?}") == format!("{other:?}");
            assert_eq!(other.page(&graph, &token).is_ok(), same, "{list:?} and {other:?}");
        }
        let second = List::Edges(None, Some((VertexId::Number(1), Direction::Out)));
        let error = second.page(&graph, &token).unwrap_err();
        assert!(matches!(error, StoreError::Page { .. }), "{error}");
    }
    let token = lists[0].page(&graph, "").unwrap().next.unwrap();
    store.clear_graph("hugegraph", Clear::Everything).unwrap();
    let error = lists[0].page(&self::graph(&store), &token).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadInput);
}

#[test]
fn damaged_page_tokens_are_refused_or_harmless() {
    let (_store, graph, _) = long();
    for list in lists(&graph) {
        let token = list.page(&graph, "").unwrap().next.unwrap();
        let long = "A".repeat(limits::PAGE_TOKEN_BYTES_MAX + 1);
        for damaged in ["x", "=", "null", "AAAA", &token[..8], &token[1..], &format!("{token}="), &long] {
            let error = list.page(&graph, damaged).unwrap_err();
            assert!(matches!(error, StoreError::Page { .. }), "{list:?} {damaged}: {error}");
        }
        for at in 0..token.len() {
            for replacement in ["A", "_", "z", ""] {
                let damaged = [&token[..at], replacement, &token[at + 1..]].concat();
                match list.page(&graph, &damaged) {
                    Ok(_) | Err(StoreError::Page { .. }) => {}
                    Err(error) => panic!("{list:?} {damaged}: {error}"),
                }
            }
        }
    }
}

#[test]
fn a_page_token_outlives_changes_but_not_its_label() {
    let (_store, graph, count) = long();
    let next = edge_label_id(&graph, "next");
    let list = List::Edges(None, None);
    let token = list.page(&graph, "").unwrap().next.unwrap();
    // The edge the token stands on goes; the list goes on after its place.
    let third = listed_edges(&graph, Some(next), None).unwrap().remove(2);
    graph.writer().delete_edge(&third.id, graph_store::Wait::Allowed).unwrap().wait().unwrap();
    let rest = Range::Page { token: token.clone(), limit: None };
    assert_eq!(list.count(&graph, rest), (count - 3, None));
    ended(&graph, graph.jobs().remove_edge_label("next").unwrap());
    let error = list.page(&graph, &token).unwrap_err();
    assert!(matches!(error, StoreError::Page { .. }), "{error}");
}
