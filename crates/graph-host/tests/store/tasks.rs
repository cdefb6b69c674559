//! What becomes of tasks: cancelled while they wait and while they run, of several graphs at once, and their numbers.

use std::sync::Arc;

use graph_host::{HostedGraph, Store};
use graph_maintenance::limits;
use graph_model::{IdStrategy, Task, TaskStatus, VertexId};
use graph_schema::{IndexType, Literal, NewIndexLabel, SchemaKey, SchemaKind, Status};
use graph_store::{Pending, StoreError, Wait};
use key_codec::{GraphNumber, key, tables};
use kv::{Engine, Fault, FaultEngine, KvError, MemoryEngine, WriteBatch};

use crate::fixture::*;
use crate::parked::ParkedEngine;

/// More vertices than are removed in one step, and label index entries for them, written past the store.
const MANY: i64 = 15_000;

/// How many are removed in one step.
const STEP: usize = limits::REMOVAL_ELEMENTS_PER_BATCH;

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::yield_now();
    }
}

fn many_vertices(engine: &dyn Engine, graph: &HostedGraph, name: &'static str) {
    graph.schema().create_vertex_label(&vertex_label(name, IdStrategy::CustomizeNumber)).unwrap();
    let label = vertex_label_id(graph, name);
    let mut batch = WriteBatch::new();
    for number in 0..MANY {
        let id = VertexId::Number(number);
        batch.put(
            tables::VERTEX,
            |b| key::vertex_partition(b, GraphNumber(1), &id),
            |_| (),
            |v| key_codec::value::put_vertex(v, label, None, &graph_model::Properties::new()),
        );
        batch.put(
            tables::LABEL_INDEX,
            |b| key::label_index_partition(b, GraphNumber(1), label),
            |b| key::label_index_row(b, &id),
            |_| (),
        );
    }
    engine.commit(batch).unwrap();
}

/// The second graph of the store.
const OTHER: &str = "other";

/// A graph with a label to remove, and a write under way that the removal has to wait for.
struct HeldUp {
    inner: Arc<MemoryEngine>,
    engine: Arc<ParkedEngine>,
    store: Store,
    graph: Arc<HostedGraph>,
    under_way: Pending<Vec<VertexId>>,
}

fn held_up() -> HeldUp {
    let inner = memory();
    drop(open(&inner).unwrap());
    let mut batch = WriteBatch::new();
    batch.put(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, key::MetaKind::Graph),
        |b| key::meta_row_name(b, OTHER),
        |v| key_codec::setting_value::put_numbers(v, &[2]),
    );
    inner.commit(batch).unwrap();
    put_setting(&*inner, 0, "next_graph", &[3]);
    let engine = Arc::new(ParkedEngine::new(Arc::clone(&inner)));
    let (store, graph) = store(&engine);
    fill(&graph);
    many_vertices(&*inner, &graph, "bulk");
    engine.park(1);
    let under_way = graph.writer().insert_vertices(&[keyed("late")], Wait::Never).unwrap();
    HeldUp { inner, engine, store, graph, under_way }
}

#[test]
fn a_task_that_waits_is_cancelled_at_once_and_never_runs() {
    let HeldUp { engine, graph, under_way, store: _store, .. } = held_up();
    let first = graph.jobs().remove_vertex_label("bulk").unwrap();
    until(|| graph.jobs().task(first).unwrap().status == TaskStatus::Running);
    let second = graph.jobs().remove_edge_label("loops").unwrap();
    assert_eq!(graph.jobs().task(second).unwrap().status, TaskStatus::Queued);
    assert_eq!(graph.jobs().cancel(second).unwrap().status, TaskStatus::Cancelled);
    engine.release();
    under_way.wait().unwrap();
    assert_eq!(ended(&graph, first).status, TaskStatus::Success);
    assert_eq!(graph.jobs().task(second).unwrap().status, TaskStatus::Cancelled);
    assert_eq!(graph.catalogue().edge_label_named("loops").unwrap().status, Status::Created);
    for (id, hint) in [(first, "has not ended"), (second, "has not ended"), (99, "does not exist")] {
        assert!(graph.jobs().cancel(id).unwrap_err().to_string().contains(hint));
    }
}

#[test]
fn an_index_label_whose_build_never_started_is_given_up() {
    let HeldUp { engine, graph, under_way, store: _store, .. } = held_up();
    let first = graph.jobs().remove_vertex_label("bulk").unwrap();
    until(|| graph.jobs().task(first).unwrap().status == TaskStatus::Running);
    let status = |name| graph.catalogue().index_label_named(name).unwrap().status;
    let new = |name: &str| NewIndexLabel::on_edges(name, "many", IndexType::Secondary, &["sort"]);
    let (_, _, task) = graph.jobs().create_index_label(&new("cancelled")).unwrap();
    let again = graph.jobs().rebuild_indexes(SchemaKind::EdgeLabel, "many").unwrap();
    graph.jobs().cancel(task).unwrap();
    assert_eq!(status("cancelled"), Status::Creating, "another task builds it");
    graph.jobs().cancel(again).unwrap();
    assert_eq!(status("cancelled"), Status::Invalid);
    let (_, _, task) = graph.jobs().create_index_label(&new("deleted")).unwrap();
    graph.jobs().delete(task, true).unwrap();
    assert_eq!(status("deleted"), Status::Invalid);
    engine.release();
    under_way.wait().unwrap();
    let task = graph.jobs().rebuild_indexes(SchemaKind::IndexLabel, "cancelled").unwrap();
    assert_eq!(ended(&graph, task).status, TaskStatus::Success);
    assert_eq!(status("cancelled"), Status::Created);
}

#[test]
fn an_index_label_without_a_task_to_build_it_is_given_up() {
    let engine = Arc::new(FaultEngine::new(memory()));
    let (_store, graph) = store(&engine);
    fill(&graph);
    engine.faults().inject(Fault::FailCommit { nth: 2, error: KvError::Closed });
    let new = NewIndexLabel::on_edges("bySort", "many", IndexType::Secondary, &["sort"]);
    assert!(graph.jobs().create_index_label(&new).is_err());
    assert_eq!(graph.catalogue().index_label_named("bySort").unwrap().status, Status::Invalid);
}

#[test]
fn a_task_that_runs_stops_at_its_next_step_and_its_label_can_be_removed_again() {
    let HeldUp { inner, engine, graph, under_way, store: _store } = held_up();
    let others = rows(&*inner, tables::VERTEX).len() - usize::try_from(MANY).unwrap() + 1;
    let id = graph.jobs().remove_vertex_label("bulk").unwrap();
    until(|| graph.jobs().task(id).unwrap().status == TaskStatus::Running);
    assert_eq!(graph.jobs().cancel(id).unwrap().status, TaskStatus::Cancelling);
    assert_eq!(graph.jobs().cancel(id).unwrap().status, TaskStatus::Cancelling, "asking twice is asking once");
    engine.release();
    under_way.wait().unwrap();
    let task = ended(&graph, id);
    assert_eq!((task.status, task.progress), (TaskStatus::Cancelled, STEP as u64));
    assert_eq!(rows(&*inner, tables::VERTEX).len(), usize::try_from(MANY).unwrap() - STEP + others);
    assert_eq!(graph.catalogue().vertex_label_named("bulk").unwrap().status, Status::Undeleted);
    assert!(insert(&graph, &[vertex("bulk", Some(Literal::Integer(1)))]).is_err());

    let again = ended(&graph, graph.jobs().remove_vertex_label("bulk").unwrap());
    assert_eq!(again.status, TaskStatus::Success);
    assert!(graph.catalogue().vertex_label_named("bulk").is_none());
    assert_eq!(rows(&*inner, tables::VERTEX).len(), others);
}

#[test]
fn a_task_of_one_graph_does_not_hold_up_another() {
    let HeldUp { engine, store, graph, under_way, .. } = held_up();
    let first = graph.jobs().remove_vertex_label("bulk").unwrap();
    until(|| graph.jobs().task(first).unwrap().status == TaskStatus::Running);
    let other = store.graph(OTHER).unwrap();
    fill(&other);
    assert_eq!(ended(&other, other.jobs().remove_edge_label("many").unwrap()).status, TaskStatus::Success);
    assert_eq!(graph.jobs().task(first).unwrap().status, TaskStatus::Running);
    engine.release();
    under_way.wait().unwrap();
    assert_eq!(ended(&graph, first).status, TaskStatus::Success);
}

#[test]
fn a_cancellation_survives_the_end_of_the_process() {
    let engine = memory();
    let (killed, before) = store(&engine);
    fill(&before);
    let label = edge_label_id(&before, "many");
    put_status(&*engine, &before, SchemaKey::EdgeLabel(label), Status::Deleting);
    let task = Task {
        id: 9,
        task_type: "remove_schema".into(),
        name: format!("EDGE_LABEL:{}:many", label.0),
        callable: String::new(),
        status: TaskStatus::Cancelling,
        progress: 0,
        created_ms: 1,
        updated_ms: 1,
        retries: 0,
        result: None,
        input: Vec::new(),
    };
    put_task(&*engine, 1, &task);
    drop((killed, before));
    let (_store, graph) = store(&engine);
    assert_eq!(graph.jobs().task(9).unwrap().status, TaskStatus::Cancelled);
    assert_eq!(graph.catalogue().edge_label(label).unwrap().status, Status::Deleting);
    let again = ended(&graph, graph.jobs().remove_edge_label("many").unwrap());
    assert_eq!((again.id, again.status), (10, TaskStatus::Success));
}

#[test]
fn closing_a_store_interrupts_its_task_and_the_next_start_goes_on() {
    let engine = memory();
    let (first, graph) = store(&engine);
    many_vertices(&*engine, &graph, "bulk");
    let id = graph.jobs().remove_vertex_label("bulk").unwrap();
    until(|| graph.jobs().task(id).unwrap().status != TaskStatus::Queued);
    drop((first, graph));
    let (_second, graph) = store(&engine);
    assert_eq!(ended(&graph, id).status, TaskStatus::Success);
    assert_eq!(rows(&*engine, tables::VERTEX), []);
}

#[test]
fn a_number_is_never_used_twice() {
    let engine = memory();
    let (first, graph) = store(&engine);
    fill(&graph);
    let numbers = ["many", "loops"].map(|name| ended(&graph, graph.jobs().remove_edge_label(name).unwrap()).id);
    for number in numbers {
        graph.jobs().delete(number, true).unwrap();
    }
    drop((first, graph));
    let (_second, graph) = store(&engine);
    assert_eq!(graph.jobs().tasks(|_| true, None, 0).unwrap(), []);
    assert_eq!(graph.jobs().remove_edge_label("to_named").unwrap(), numbers[1] + 1);
}

#[test]
fn a_task_that_has_not_ended_is_deleted_by_force_only() {
    let engine = memory();
    let (killed, before) = store(&engine);
    fill(&before);
    drop((killed, before));
    let (_store, graph) = store(&engine);
    let task = Task {
        id: 3,
        task_type: "remove_schema".into(),
        name: "EDGE_LABEL:1:to_named".into(),
        callable: String::new(),
        status: TaskStatus::Queued,
        progress: 0,
        created_ms: 1,
        updated_ms: 1,
        retries: 0,
        result: None,
        input: Vec::new(),
    };
    put_task(&*engine, 1, &task);
    assert!(matches!(graph.jobs().delete(3, false), Err(StoreError::TaskState { .. })));
    graph.jobs().delete(3, true).unwrap();
    assert!(matches!(graph.jobs().cancel(3), Err(StoreError::TaskNotFound { id: 3 })));
}
