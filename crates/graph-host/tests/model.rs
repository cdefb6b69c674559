//! A graph against a plain map: after any series of operations both hold the same elements, whichever way they are
//! read.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use graph_access::{Budget, GraphRead};
use graph_host::{Clear, HostedGraph, Store, StoreOptions};
use graph_maintenance::check_indexes;
use graph_model::{Direction, EdgeId, LabelId, VertexId};
use graph_schema::Alter;
use graph_schema::{Conditions, IndexType, Literal, NewEdge, NewIndexLabel, NewVertex};
use graph_store::{EdgeQuery, GraphReader, Pending, Range, StoreError, VertexQuery, Wait};
use proptest::prelude::*;

mod common;

use common::{EDGES, LABELS, define_schema};

/// An edge to write: its label, the numbers of its ends, its sort value.
type EdgeStep = (usize, u8, u8, u8);

#[derive(Clone, Debug)]
enum Step {
    InsertVertices(Vec<(usize, u8, i32)>),
    InsertEdges { edges: Vec<EdgeStep>, check_vertex: bool },
    Append(usize, u8, i32),
    Eliminate(usize, u8),
    DeleteVertex(usize, u8),
    DeleteEdge(EdgeStep),
    Clear,
    Restart { killed: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let (label, n) = (0..LABELS.len(), 0u8..6);
    let edge = (0..EDGES.len(), 0u8..6, 0u8..6, 0u8..3);
    prop_oneof![
        6 => prop::collection::vec((label.clone(), n.clone(), any::<i32>()), 1..5).prop_map(Step::InsertVertices),
        6 => (prop::collection::vec(edge.clone(), 1..5), any::<bool>())
            .prop_map(|(edges, check_vertex)| Step::InsertEdges { edges, check_vertex }),
        2 => (label.clone(), n.clone(), any::<i32>()).prop_map(|(l, n, v)| Step::Append(l, n, v)),
        1 => (label.clone(), n.clone()).prop_map(|(l, n)| Step::Eliminate(l, n)),
        2 => (label, n).prop_map(|(l, n)| Step::DeleteVertex(l, n)),
        2 => edge.prop_map(Step::DeleteEdge),
        1 => Just(Step::Clear),
        1 => any::<bool>().prop_map(|killed| Step::Restart { killed }),
    ]
}

/// Creates index labels over some labels and waits until they are built.
fn define_indexes(graph: &Arc<HostedGraph>) {
    for new in [
        NewIndexLabel::on_vertices("keyed_by_value", "keyed", IndexType::Range, &["value"]),
        NewIndexLabel::on_vertices("named_by_value", "named", IndexType::Secondary, &["value"]),
        NewIndexLabel::on_vertices("numbered_by_value", "numbered", IndexType::Shard, &["value"]),
        NewIndexLabel::on_edges("many_by_sort", "many", IndexType::Secondary, &["sort"]),
    ] {
        let (.., task) = graph.jobs().create_index_label(&new).unwrap();
        while !graph.jobs().task(task).unwrap().status.is_final() {
            std::thread::yield_now();
        }
    }
}

#[derive(Default)]
struct Model {
    vertices: BTreeMap<VertexId, (usize, Option<i32>)>,
    edges: BTreeSet<EdgeId>,
}

struct Subject {
    engine: Arc<dyn kv::Engine>,
    /// `None` between two of them.
    store: Option<Store>,
    /// Whether counts are asked for after each step, so that they are kept.
    counts: bool,
    /// Stores that were not closed before the next one began.
    killed: Vec<Store>,
    graph: Arc<HostedGraph>,
    /// Whether there are index labels: they change what a write does, not what it leaves.
    indexed: bool,
}

impl Subject {
    fn new(indexed: bool, scattered: bool, counts: bool) -> Self {
        let engine = common::engine(scattered);
        let store = Store::open(Arc::clone(&engine), StoreOptions::default()).unwrap();
        let graph = store.graph("hugegraph").unwrap();
        define_schema(&graph);
        if indexed {
            define_indexes(&graph);
        }
        Self { engine, store: Some(store), counts, killed: Vec::new(), graph, indexed }
    }

    fn label(&self, at: usize) -> LabelId {
        self.graph.catalogue().vertex_label_named(LABELS[at]).unwrap().id
    }

    fn id(&self, label: usize, n: u8) -> VertexId {
        match label {
            0 => VertexId::String(format!("{}:k{n}", self.label(0).0).into()),
            // Looks like a primary-key id of the first label, and is none.
            1 if n == 0 => VertexId::String(format!("{}:odd", self.label(0).0).into()),
            1 => VertexId::String(format!("name{n}").into()),
            2 => VertexId::Number(i64::from(n) - 3),
            _ => VertexId::Uuid(u128::from(n)),
        }
    }

    fn edge_id(&self, (label, source, target, sort): EdgeStep) -> EdgeId {
        let (name, from, to) = EDGES[label];
        let sort_values = if label == 2 { graph_model::encode_number(i64::from(sort)) } else { String::new() };
        EdgeId {
            label: self.graph.catalogue().edge_label_named(name).unwrap().id,
            source: self.id(from, source),
            sort_values: sort_values.into(),
            target: self.id(to, target),
        }
    }
}

fn literal(id: &VertexId) -> Literal<'static> {
    match id {
        VertexId::Number(n) => Literal::Integer(*n),
        VertexId::String(text) => Literal::Text(Cow::Owned(text.to_string())),
        VertexId::Uuid(bits) => Literal::Text(Cow::Owned(format!("{bits:032x}"))),
    }
}

fn apply(step: &Step, subject: &mut Subject, model: &mut Model) {
    match step {
        Step::InsertVertices(vertices) => insert_vertices(vertices, subject, model),
        Step::InsertEdges { edges, check_vertex } => insert_edges(edges, *check_vertex, subject, model),
        Step::Append(label, n, value) => alter(&subject.id(*label, *n), Some(*value), subject, model),
        Step::Eliminate(label, n) => alter(&subject.id(*label, *n), None, subject, model),
        Step::DeleteVertex(label, n) => {
            let id = subject.id(*label, *n);
            let outcome = subject.graph.writer().delete_vertex(&id, Wait::Allowed).and_then(Pending::wait);
            assert_eq!(outcome.is_ok(), model.vertices.remove(&id).is_some());
            if outcome.is_ok() {
                model.edges.retain(|edge| edge.source != id && edge.target != id);
            }
        }
        Step::DeleteEdge(edge) => {
            let id = subject.edge_id(*edge);
            let outcome = subject.graph.writer().delete_edge(&id, Wait::Allowed).and_then(Pending::wait);
            assert_eq!(outcome.is_ok(), model.edges.remove(&id));
        }
        Step::Clear => {
            let old = Arc::clone(&subject.graph);
            let store = subject.store.as_ref().unwrap();
            store.clear_graph("hugegraph", Clear::Everything).unwrap();
            assert!(matches!(old.writer().insert_vertices(&[], Wait::Allowed), Err(StoreError::GraphCleared { .. })));
            subject.graph = store.graph("hugegraph").unwrap();
            assert_eq!(subject.graph.catalogue().property_keys().count(), 0);
            define_schema(&subject.graph);
            if subject.indexed {
                define_indexes(&subject.graph);
            }
            *model = Model::default();
        }
        // Servers over a shared engine wait for each other; their restarts have tests of their own.
        Step::Restart { .. } if subject.engine.capabilities().shared => {}
        Step::Restart { killed } => {
            let before = subject.store.take().unwrap();
            if *killed {
                subject.killed.push(before);
            } else {
                drop(before);
            }
            let store = Store::open(Arc::clone(&subject.engine), StoreOptions::default()).unwrap();
            subject.graph = store.graph("hugegraph").unwrap();
            subject.store = Some(store);
        }
    }
    if subject.counts {
        check_counts(subject, model);
    }
}

fn check_counts(subject: &Subject, model: &Model) {
    let (budget, catalogue) = (Budget::unlimited(), subject.graph.catalogue());
    let reader = GraphReader::new(&subject.graph, &catalogue, &budget);
    assert_eq!(reader.count_vertices(None).unwrap(), model.vertices.len() as u64);
    assert_eq!(reader.count_edges(None).unwrap(), model.edges.len() as u64);
    for (label, name) in LABELS.into_iter().enumerate() {
        let expected = model.vertices.values().filter(|(of, _)| *of == label).count();
        assert_eq!(reader.count_vertices(Some(subject.label(label))).unwrap(), expected as u64, "{name}");
    }
    for label in catalogue.edge_labels() {
        let expected = model.edges.iter().filter(|edge| edge.label == label.id).count();
        assert_eq!(reader.count_edges(Some(label.id)).unwrap(), expected as u64, "{}", label.name);
    }
}

fn alter(id: &VertexId, value: Option<i32>, subject: &Subject, model: &mut Model) {
    let given = [(Cow::Borrowed("value"), Literal::Integer(value.unwrap_or_default().into()))];
    let alter = if value.is_some() { Alter::Append } else { Alter::Eliminate };
    let outcome = subject.graph.writer().alter_vertex(id, alter, &given, Wait::Allowed).and_then(Pending::wait);
    match model.vertices.get_mut(id) {
        Some(vertex) => {
            assert_eq!(outcome.unwrap().id, *id);
            vertex.1 = value;
        }
        None => assert!(matches!(outcome, Err(StoreError::VertexNotFound { .. }))),
    }
}

fn insert_vertices(vertices: &[(usize, u8, i32)], subject: &Subject, model: &mut Model) {
    let new = |(label, n, value): &(usize, u8, i32)| {
        let mut properties = vec![(Cow::Borrowed("value"), Literal::Integer((*value).into()))];
        if *label == 0 {
            properties.push((Cow::Borrowed("key"), Literal::Text(Cow::Owned(format!("k{n}")))));
        }
        let id = (*label != 0).then(|| literal(&subject.id(*label, *n)));
        NewVertex { label: Some(Cow::Borrowed(LABELS[*label])), id, properties }
    };
    let new: Vec<NewVertex<'_>> = vertices.iter().map(new).collect();
    let ids = subject.graph.writer().insert_vertices(&new, Wait::Allowed).unwrap().wait().unwrap();
    let expected: Vec<VertexId> = vertices.iter().map(|(label, n, _)| subject.id(*label, *n)).collect();
    assert_eq!(ids, expected);
    for ((label, _, value), id) in vertices.iter().zip(ids) {
        model.vertices.insert(id, (*label, Some(*value)));
    }
}

fn insert_edges(edges: &[EdgeStep], check_vertex: bool, subject: &Subject, model: &mut Model) {
    let ids: Vec<EdgeId> = edges.iter().map(|edge| subject.edge_id(*edge)).collect();
    let new = |((label, _, _, sort), id): (&EdgeStep, &EdgeId)| NewEdge {
        label: Some(Cow::Borrowed(EDGES[*label].0)),
        source: Some(literal(&id.source)),
        source_label: Some(Cow::Borrowed(LABELS[EDGES[*label].1])),
        target: Some(literal(&id.target)),
        target_label: Some(Cow::Borrowed(LABELS[EDGES[*label].2])),
        properties: if *label == 2 { vec![(Cow::Borrowed("sort"), Literal::Integer((*sort).into()))] } else { vec![] },
    };
    let new: Vec<NewEdge<'_>> = edges.iter().zip(&ids).map(new).collect();
    let has = |id: &VertexId, label: usize| model.vertices.get(id).is_some_and(|(found, _)| *found == label);
    let all_there = edges
        .iter()
        .zip(&ids)
        .all(|((label, ..), id)| has(&id.source, EDGES[*label].1) && has(&id.target, EDGES[*label].2));
    let outcome = subject.graph.writer().insert_edges(&new, check_vertex, Wait::Allowed).and_then(Pending::wait);
    assert_eq!(outcome.is_ok(), all_there || !check_vertex);
    if let Ok(inserted) = outcome {
        assert_eq!(inserted.into_iter().map(|edge| edge.id).collect::<Vec<_>>(), ids);
        model.edges.extend(ids);
    }
}

/// All elements of a list, read page by page and by offset; both must agree.
fn read_all<T: std::fmt::Debug + PartialEq>(list: impl Fn(Range) -> (Vec<T>, Option<String>)) -> Vec<T> {
    let (all, next) = list(Range::Offset { offset: 0, limit: None });
    assert_eq!(next, None);
    let mut paged = Vec::new();
    let mut token = String::new();
    loop {
        let (page, next) = list(Range::Page { token, limit: Some(3) });
        assert!(page.len() == 3 || next.is_none());
        paged.extend(page);
        match next {
            Some(next) => token = next,
            None => break,
        }
    }
    assert_eq!(paged, all);
    if all.len() > 2 {
        assert_eq!(list(Range::Offset { offset: 1, limit: Some(2) }).0, all[1..3]);
    }
    all
}

fn vertices(graph: &HostedGraph, label: Option<LabelId>) -> Vec<graph_model::Vertex> {
    read_all(|range| {
        let mut found = Vec::new();
        let listed = graph.reader().list_vertices(
            &VertexQuery { label, conditions: Conditions::default(), range },
            &Budget::unlimited(),
            &mut |vertex| {
                found.push(vertex.clone());
                ControlFlow::Continue(())
            },
        );
        (found, listed.unwrap().next)
    })
}

fn edges(graph: &HostedGraph, label: Option<LabelId>, at: Option<(&VertexId, Direction)>) -> Vec<EdgeId> {
    read_all(|range| {
        let mut found = Vec::new();
        let query = EdgeQuery {
            conditions: Conditions::default(),
            label,
            vertex: at.map(|(id, direction)| (id.clone(), direction)),
            range,
        };
        let listed = graph.reader().list_edges(&query, &Budget::unlimited(), &mut |edge| {
            found.push(edge.id.clone());
            ControlFlow::Continue(())
        });
        (found, listed.unwrap().next)
    })
}

fn check_vertices(subject: &Subject, model: &Model) {
    let graph = &subject.graph;
    let value = graph.catalogue().property_key_named("value").unwrap().id;
    let all = vertices(graph, None);
    assert_eq!(all.len(), model.vertices.len());
    for vertex in &all {
        let (label, expected) = &model.vertices[&vertex.id];
        assert_eq!(vertex.label, subject.label(*label));
        assert_eq!(vertex.properties.get(value), expected.map(graph_model::Value::Int).as_ref());
        assert_eq!(graph.reader().vertex(&vertex.id).unwrap().as_ref(), Some(vertex));
    }
    for (label, name) in LABELS.into_iter().enumerate() {
        let listed: BTreeSet<VertexId> =
            vertices(graph, Some(subject.label(label))).into_iter().map(|v| v.id).collect();
        let of_label = model.vertices.iter().filter(|(_, (l, _))| *l == label).map(|(id, _)| id.clone());
        assert_eq!(listed, of_label.collect(), "label {name}");
    }
}

fn check_edges(subject: &Subject, model: &Model) {
    let graph = &subject.graph;
    let set = |ids: Vec<EdgeId>| ids.into_iter().collect::<BTreeSet<_>>();
    let expected =
        |pick: &dyn Fn(&EdgeId) -> bool| model.edges.iter().filter(|e| pick(e)).cloned().collect::<BTreeSet<_>>();
    assert_eq!(set(edges(graph, None, None)), model.edges);
    for label in graph.catalogue().edge_labels().map(|label| label.id) {
        assert_eq!(set(edges(graph, Some(label), None)), expected(&|edge| edge.label == label));
    }
    for id in model.vertices.keys() {
        let (out, into) = (expected(&|edge| edge.source == *id), expected(&|edge| edge.target == *id));
        assert_eq!(edges(graph, None, Some((id, Direction::Both))).len(), out.len() + into.len());
        assert_eq!(set(edges(graph, None, Some((id, Direction::Out)))), out);
        assert_eq!(set(edges(graph, None, Some((id, Direction::In)))), into);
    }
    for id in &model.edges {
        assert_eq!(graph.reader().edge(id).unwrap().map(|edge| edge.id).as_ref(), Some(id));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_graph_holds_what_a_map_holds(
        steps in prop::collection::vec(step(), 1..30),
        indexed in any::<bool>(),
        scattered in any::<bool>(),
        counts in any::<bool>(),
    ) {
        let (mut subject, mut model) = (Subject::new(indexed, scattered, counts), Model::default());
        for step in &steps {
            apply(step, &mut subject, &mut model);
        }
        check_vertices(&subject, &model);
        check_edges(&subject, &model);
        check_counts(&subject, &model);
        let report = check_indexes(&subject.graph, false, &Budget::unlimited(), &mut |_| ()).unwrap();
        prop_assert_eq!(report.total(), 0, "{:#?}", report);
    }
}
