//! After any series of operations the entries are those of the elements; and a unique index refuses what would make two
//! elements alike, and nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use graph_host::{HostedGraph, Store};
use graph_model::{TaskStatus, VertexId};
use graph_schema::Alter;
use graph_schema::{SchemaKind, UpdateStrategy};
use graph_store::{Pending, StoreError, Wait};
use kv::{Fault, FaultEngine, Faults, KvError};
use proptest::prelude::*;

use crate::fixture::*;

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(usize, u8, Props)>),
    Update(Vec<(usize, u8, Props)>),
    Connect(Vec<(usize, (u8, u8), Props)>),
    Append(usize, u8, Props),
    Eliminate(usize, u8),
    AppendEdge(usize, (u8, u8), Props),
    DeleteVertex(usize, u8),
    DeleteEdge(usize, (u8, u8)),
    CreateIndex { index: usize, rebuild: bool },
    RemoveIndex(usize),
    Rebuild(usize),
    RebuildLabel(usize),
    RemoveEdgeLabel(usize),
    Purge,
    Fail { nth: u64, lost: bool },
    FailRead(u64),
}

fn props() -> impl Strategy<Value = Props> {
    let words = prop_oneof![Just("red fox"), Just("red dog runs"), Just("")];
    let tags = prop::collection::vec(prop_oneof![Just("a"), Just("b"), Just("c")], 0..3);
    (prop::option::of(0..3i32), prop::option::of(words), tags).prop_map(|(n, words, tags)| Props { n, words, tags })
}

fn step() -> impl Strategy<Value = Step> {
    let (label, edge_label, n) = (0..LABELS.len(), 0..EDGES.len(), 0u8..4);
    let ends = (n.clone(), n.clone());
    let index = 0..index_labels().len();
    let vertices = prop::collection::vec((label.clone(), n.clone(), props()), 1..4).boxed();
    let edges = prop::collection::vec((edge_label.clone(), ends.clone(), props()), 1..4);
    prop_oneof![
        8 => vertices.clone().prop_map(Step::Insert),
        3 => vertices.prop_map(Step::Update),
        6 => edges.prop_map(Step::Connect),
        3 => (label.clone(), n.clone(), props()).prop_map(|(l, n, p)| Step::Append(l, n, p)),
        1 => (label.clone(), n.clone()).prop_map(|(l, n)| Step::Eliminate(l, n)),
        2 => (edge_label.clone(), ends.clone(), props()).prop_map(|(l, e, p)| Step::AppendEdge(l, e, p)),
        2 => (label.clone(), n).prop_map(|(l, n)| Step::DeleteVertex(l, n)),
        2 => (edge_label.clone(), ends).prop_map(|(l, e)| Step::DeleteEdge(l, e)),
        4 => (index.clone(), prop::bool::weighted(0.8))
            .prop_map(|(index, rebuild)| Step::CreateIndex { index, rebuild }),
        1 => index.clone().prop_map(Step::RemoveIndex),
        1 => index.prop_map(Step::Rebuild),
        1 => label.prop_map(Step::RebuildLabel),
        1 => edge_label.prop_map(Step::RemoveEdgeLabel),
        1 => Just(Step::Purge),
    ]
}

fn failing_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => step(),
        1 => (1u64..6, any::<bool>()).prop_map(|(nth, lost)| Step::Fail { nth, lost }),
        1 => (1u64..20).prop_map(Step::FailRead),
    ]
}

fn without_auto(vertices: &[(usize, u8, Props)]) -> Vec<(usize, u8, Props)> {
    vertices.iter().filter(|(label, ..)| LABELS[*label] != "auto").cloned().collect()
}

/// Does a step and returns how it ended.
fn apply(step: &Step, store: &Store, graph: &Arc<HostedGraph>, faults: &Faults) -> Result<(), StoreError> {
    let wait = Wait::Allowed;
    let done = |task: u64| drop(ended(graph, task));
    let failed = || KvError::Io { action: "writing", detail: "scripted".into() };
    match step {
        Step::Insert(vertices) => {
            let new: Vec<_> = vertices.iter().map(|(label, n, props)| vertex(LABELS[*label], *n, props)).collect();
            insert(graph, &new).map(drop)
        }
        Step::Update(vertices) => {
            let new = without_auto(vertices);
            let new: Vec<_> = new.iter().map(|(label, n, props)| vertex(LABELS[*label], *n, props)).collect();
            let strategies = [(Cow::Borrowed("n"), UpdateStrategy::Override)];
            graph.writer().update_vertices(&new, &strategies, wait).and_then(Pending::wait).map(drop)
        }
        Step::Connect(edges) => {
            let new: Vec<_> = edges.iter().map(|(label, ends, props)| edge(EDGES[*label], *ends, props)).collect();
            connect(graph, &new)
        }
        Step::Append(label, n, props) => {
            let id = vertex_id(LABELS[*label], *n);
            graph.writer().alter_vertex(&id, Alter::Append, &props.given(), wait).and_then(Pending::wait).map(drop)
        }
        Step::Eliminate(label, n) => {
            let id = vertex_id(LABELS[*label], *n);
            let given = Props { n: Some(0), words: Some(""), tags: vec![] }.given();
            graph.writer().alter_vertex(&id, Alter::Eliminate, &given, wait).and_then(Pending::wait).map(drop)
        }
        Step::AppendEdge(label, ends, props) => {
            let Some(id) = existing_edge(graph, *label, *ends) else { return Ok(()) };
            graph.writer().alter_edge(&id, Alter::Append, &props.given(), wait).and_then(Pending::wait).map(drop)
        }
        Step::DeleteVertex(label, n) => {
            graph.writer().delete_vertex(&vertex_id(LABELS[*label], *n), wait).and_then(Pending::wait)
        }
        Step::DeleteEdge(label, ends) => {
            let Some(id) = existing_edge(graph, *label, *ends) else { return Ok(()) };
            graph.writer().delete_edge(&id, wait).and_then(Pending::wait)
        }
        Step::CreateIndex { index, rebuild } => {
            let new = graph_schema::NewIndexLabel { rebuild: *rebuild, ..index_labels().swap_remove(*index) };
            let (_, _, task) = graph.jobs().create_index_label(&new)?;
            if task != 0 {
                done(task);
            }
            Ok(())
        }
        Step::RemoveIndex(index) => graph.jobs().remove_index_label(&index_labels()[*index].name).map(done),
        Step::Rebuild(index) => {
            graph.jobs().rebuild_indexes(SchemaKind::IndexLabel, &index_labels()[*index].name).map(done)
        }
        Step::RebuildLabel(label) => graph.jobs().rebuild_indexes(SchemaKind::VertexLabel, LABELS[*label]).map(done),
        Step::RemoveEdgeLabel(label) => graph.jobs().remove_edge_label(EDGES[*label]).map(done),
        Step::Purge => store.purge_expired(i64::MAX).map(drop),
        Step::Fail { nth, lost } => {
            let (nth, error) = (*nth, failed());
            faults.inject(if *lost {
                Fault::LoseAcknowledgement { nth, error }
            } else {
                Fault::FailCommit { nth, error }
            });
            Ok(())
        }
        Step::FailRead(nth) => {
            faults.inject(Fault::FailRead { nth: *nth, error: failed() });
            Ok(())
        }
    }
}

fn existing_edge(graph: &HostedGraph, label: usize, ends: (u8, u8)) -> Option<graph_model::EdgeId> {
    graph.catalogue().edge_label_named(EDGES[label])?;
    Some(edge_id(graph, EDGES[label], ends))
}

/// Vertices of label `named` by id, with their `n`: what its unique index is about.
type Named = BTreeMap<VertexId, Option<i32>>;

/// Vertices as a plain map holds them: label and `n`.
#[derive(Clone, Default)]
struct Model(BTreeMap<VertexId, (usize, Option<i32>)>);

impl Model {
    fn named(&self) -> Named {
        let named = self.0.iter().filter(|(_, (label, _))| LABELS[*label] == "named");
        named.map(|(id, (_, n))| (id.clone(), *n)).collect()
    }

    /// Whether two vertices of label `named` have the same `n`.
    fn clashes(&self) -> bool {
        let mut all: Vec<i32> = self.named().into_values().flatten().collect();
        all.sort_unstable();
        all.windows(2).any(|pair| pair[0] == pair[1])
    }

    fn after(&self, step: &Step) -> Option<Self> {
        let mut next = self.clone();
        match step {
            Step::Insert(vertices) => {
                for (label, n, props) in vertices.iter().filter(|(label, ..)| LABELS[*label] != "auto") {
                    next.0.insert(vertex_id(LABELS[*label], *n), (*label, props.n));
                }
            }
            Step::Append(label, n, props) => {
                let vertex = next.0.get_mut(&vertex_id(LABELS[*label], *n))?;
                vertex.1 = props.n.or(vertex.1);
            }
            Step::Eliminate(label, n) => next.0.get_mut(&vertex_id(LABELS[*label], *n))?.1 = None,
            Step::DeleteVertex(label, n) => {
                next.0.remove(&vertex_id(LABELS[*label], *n))?;
            }
            _ => {}
        }
        Some(next)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn entries_are_those_of_the_elements(steps in prop::collection::vec(step(), 1..40)) {
        let engine = memory();
        let (store, graph) = defined(&engine);
        for step in &steps {
            let _refused = apply(step, &store, &graph, &Faults::default());
        }
        assert_sound(&graph);
    }

    #[test]
    fn entries_are_those_of_the_elements_whatever_fails(steps in prop::collection::vec(failing_step(), 1..40)) {
        let engine = Arc::new(FaultEngine::new(memory()));
        let faults = engine.faults();
        {
            let (store, graph) = defined(&engine);
            for step in &steps {
                // A task whose outcome could not be stored never ends: those steps are not waited for here.
                match step {
                    Step::CreateIndex { .. } | Step::RemoveIndex(_) | Step::Rebuild(_) | Step::RebuildLabel(_)
                    | Step::RemoveEdgeLabel(_) => {
                        faults.clear();
                        let _refused = apply(step, &store, &graph, &faults);
                    }
                    step => drop(apply(step, &store, &graph, &faults)),
                }
            }
            faults.clear();
            assert_sound(&graph);
        }
        let (_store, graph) = open(&engine);
        assert_sound(&graph);
    }

    #[test]
    fn a_unique_index_refuses_what_clashes_and_nothing_else(steps in prop::collection::vec(step(), 1..30)) {
        let engine = memory();
        let (store, graph) = defined(&engine);
        let built = create_index(&graph, &index_named("namedUniqueN")).unwrap();
        prop_assert_eq!(built.status, TaskStatus::Success);
        let mut model = Model::default();
        for step in &steps {
            let usable = match step {
                // Vertices that vanish by themselves are tested elsewhere.
                Step::Insert(vertices) => vertices.iter().all(|(label, ..)| LABELS[*label] != "brief"),
                Step::Append(..) | Step::Eliminate(..) | Step::DeleteVertex(..) => true,
                _ => false,
            };
            let Some(next) = model.after(step).filter(|_| usable) else { continue };
            let outcome = apply(step, &store, &graph, &Faults::default());
            let refused = matches!(outcome, Err(StoreError::UniqueConflict { .. }));
            prop_assert_eq!(refused, next.clashes(), "{:?}: {:?}", step, outcome);
            if outcome.is_ok() {
                model = next;
            }
        }
        assert_sound(&graph);
    }
}
