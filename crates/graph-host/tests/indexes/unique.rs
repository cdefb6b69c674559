//! One element for the values of a unique index, and which of them.

use graph_host::{HostedGraph, Store};
use graph_schema::Alter;
use graph_schema::{IndexType, Literal, NewIndexLabel};
use graph_store::{Pending, StoreError, Wait};
use std::borrow::Cow;
use std::sync::Arc;

use crate::fixture::*;

fn subject() -> (Store, Arc<HostedGraph>) {
    let (store, graph) = defined(&memory());
    with_all_indexes(&graph);
    (store, graph)
}

fn conflict<T: std::fmt::Debug>(outcome: Result<T, StoreError>) -> (Option<usize>, String) {
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), graph_model::ErrorKind::BadInput);
    match &error {
        StoreError::UniqueConflict { index, .. } => (*index, error.to_string()),
        other => panic!("{other}"),
    }
}

#[test]
fn the_error_names_the_index_the_values_and_both_elements() {
    let (_store, graph) = subject();
    insert(&graph, &[vertex("named", 1, &Props::n(7))]).unwrap();
    let (at, text) = conflict(insert(&graph, &[vertex("named", 2, &Props::n(8)), vertex("named", 3, &Props::n(7))]));
    assert_eq!(at, Some(1));
    assert_eq!(
        text,
        "[1]: unique index label 'namedUniqueN' forbids vertex \"s3\" with n=7, which vertex \"s1\" has already"
    );
    assert_eq!(graph.reader().vertex(&vertex_id("named", 2)).unwrap(), None, "all or none");
    let props = |words| Props { words: Some(words), ..Props::n(1) };
    connect(&graph, &[edge("single", (1, 1), &props("a")), edge("single", (1, 2), &props("b"))]).unwrap();
    let (_, text) = conflict(connect(&graph, &[edge("single", (2, 1), &props("a"))]));
    assert!(text.contains("edge 'Ss2>") && text.contains("with n=1, words=a, which edge 'Ss1>"), "{text}");
    assert_sound(&graph);
}

#[test]
fn two_of_one_batch_cannot_both_have_it() {
    let (_store, graph) = subject();
    let (at, _) = conflict(insert(&graph, &[vertex("named", 1, &Props::n(7)), vertex("named", 2, &Props::n(7))]));
    assert_eq!(at, Some(1));
    // The same element twice is one element, and its last form counts.
    insert(&graph, &[vertex("named", 1, &Props::n(7)), vertex("named", 1, &Props::n(8))]).unwrap();
    insert(&graph, &[vertex("named", 2, &Props::n(7))]).unwrap();
    assert_sound(&graph);
}

#[test]
fn values_that_are_given_up_can_be_had_at_once() {
    let (_store, graph) = subject();
    insert(&graph, &[vertex("named", 1, &Props::n(1)), vertex("named", 2, &Props::n(2))]).unwrap();
    insert(&graph, &[vertex("named", 1, &Props::n(2)), vertex("named", 2, &Props::n(1))]).unwrap();
    assert_sound(&graph);
    conflict(insert(&graph, &[vertex("named", 3, &Props::n(2))]));
    graph.writer().delete_vertex(&vertex_id("named", 1), Wait::Allowed).unwrap().wait().unwrap();
    insert(&graph, &[vertex("named", 3, &Props::n(2))]).unwrap();
    let append = |n, props: &Props| {
        graph
            .writer()
            .alter_vertex(&vertex_id("named", n), Alter::Append, &props.given(), Wait::Allowed)
            .and_then(Pending::wait)
    };
    conflict(append(2, &Props::n(2)));
    append(3, &Props::n(5)).unwrap();
    append(2, &Props::n(2)).unwrap();
    append(2, &Props::n(2)).unwrap();
    let gone =
        graph.writer().alter_vertex(&vertex_id("named", 2), Alter::Eliminate, &Props::n(2).given(), Wait::Allowed);
    gone.unwrap().wait().unwrap();
    append(3, &Props::n(2)).unwrap();
    assert_sound(&graph);
}

#[test]
fn another_label_at_the_same_id_gives_it_up() {
    let (_store, graph) = subject();
    // The string id "1:k0" is also one of label `keyed`.
    insert(&graph, &[vertex("named", 0, &Props::n(7))]).unwrap();
    insert(&graph, &[vertex("keyed", 0, &Props::n(7))]).unwrap();
    assert_sound(&graph);
    insert(&graph, &[vertex("named", 1, &Props::n(7))]).unwrap();
    assert_sound(&graph);
}

#[test]
fn absent_values_are_values_beside_others_and_nothing_alone() {
    let (_store, graph) = subject();
    let new = NewIndexLabel::on_vertices("numberedUnique", "numbered", IndexType::Unique, &["n", "words"]);
    create_index(&graph, &new).unwrap();
    insert(&graph, &[vertex("numbered", 1, &Props::default()), vertex("numbered", 2, &Props::default())]).unwrap();
    insert(&graph, &[vertex("numbered", 1, &Props::n(1))]).unwrap();
    let (_, text) = conflict(insert(&graph, &[vertex("numbered", 2, &Props::n(1))]));
    assert!(text.contains("with n=1, no words"), "{text}");
    insert(&graph, &[vertex("numbered", 2, &Props { words: Some(""), ..Props::n(1) })]).unwrap();
    assert_sound(&graph);
}

#[test]
fn sets_are_the_same_in_any_order() {
    let (_store, graph) = subject();
    create_index(&graph, &NewIndexLabel::on_vertices("tagsUnique", "numbered", IndexType::Unique, &["tags"])).unwrap();
    let tags = |tags: [&'static str; 2]| Props { tags: tags.to_vec(), ..Props::default() };
    insert(&graph, &[vertex("numbered", 1, &tags(["a", "b"]))]).unwrap();
    conflict(insert(&graph, &[vertex("numbered", 2, &tags(["b", "a"]))]));
    insert(&graph, &[vertex("numbered", 2, &tags(["b", "c"]))]).unwrap();
    assert_sound(&graph);
}

#[test]
fn an_expired_holder_is_in_nobodys_way_and_does_not_come_back() {
    let (store, graph) = subject();
    let brief = |n: u8| {
        insert(&graph, &[vertex("brief", n, &Props::n(7))]).unwrap();
        until(|| graph.reader().vertex(&vertex_id("brief", n)).unwrap().is_none());
    };
    brief(1);
    brief(2);
    assert_sound(&graph);
    // The first one is written again while the second one, expired too, has the values; then both are removed.
    brief(1);
    assert_sound(&graph);
    assert_eq!(store.purge_expired(i64::MAX).unwrap().vertices, 2);
    assert_sound(&graph);
    let report = check(&graph, false);
    assert_eq!((report.entries, report.elements), (0, 0));
}

#[test]
fn what_an_expired_holder_lost_is_not_taken_away_when_it_goes() {
    let (store, graph) = subject();
    insert(&graph, &[vertex("brief", 1, &Props::n(7))]).unwrap();
    until(|| graph.reader().vertex(&vertex_id("brief", 1)).unwrap().is_none());
    let born = Literal::Text(Cow::Borrowed("2100-01-01"));
    let lasting = |n| {
        let mut new = vertex("brief", n, &Props::n(7));
        new.properties.push((Cow::Borrowed("born"), born.clone()));
        new
    };
    insert(&graph, &[lasting(2)]).unwrap();
    assert_sound(&graph);
    // The first one is written again with other values, and then goes: the second one keeps its place.
    insert(&graph, &[vertex("brief", 1, &Props::n(8))]).unwrap();
    conflict(insert(&graph, &[lasting(3)]));
    assert_sound(&graph);
    until(|| graph.reader().vertex(&vertex_id("brief", 1)).unwrap().is_none());
    conflict(insert(&graph, &[vertex("brief", 1, &Props::n(7))]));
    assert_eq!(store.purge_expired(4_000_000_000_000).unwrap().vertices, 1);
    conflict(insert(&graph, &[lasting(3)]));
    assert_sound(&graph);
}
