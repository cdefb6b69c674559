//! Jobs of other crates: registered by name, run as tasks, and unknown where they are not registered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use graph_host::{Job, JobContext, JobRegistry, Store, StoreOptions};
use graph_maintenance::Progress;
use graph_model::{Task, TaskStatus};
use graph_store::{Graph, StoreError};
use kv::Engine;

use crate::fixture::*;

/// Answers its input as its result, and fails without one.
#[derive(Default)]
struct Echo {
    given_up: AtomicUsize,
}

impl Job for Echo {
    fn kind(&self) -> &str {
        "echo"
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        context.advance(7)?;
        match &*context.task().input {
            [] => Err(StoreError::SchemaBusy),
            input => Ok(Some(String::from_utf8_lossy(input).into_owned())),
        }
    }

    fn given_up(&self, _graph: &Graph, _task: &Task) {
        self.given_up.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_registered_job_gets_its_input_and_its_result_is_stored() {
    let echo = Arc::new(Echo::default());
    let mut jobs = JobRegistry::default();
    let shared: Arc<Echo> = Arc::clone(&echo);
    jobs.register(shared);
    let engine: Arc<dyn Engine> = memory();
    let store = Store::open_with_jobs(engine, StoreOptions::default(), jobs).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    let task = ended(&graph, graph.jobs().start("echo", "say".to_owned(), b"\"hello\"".to_vec()).unwrap());
    assert_eq!((task.status, task.result.as_deref(), task.progress), (TaskStatus::Success, Some("\"hello\""), 7));
    assert_eq!(echo.given_up.load(Ordering::Relaxed), 0);
    let task = ended(&graph, graph.jobs().start("echo", "say".to_owned(), Vec::new()).unwrap());
    assert_eq!(task.status, TaskStatus::Failed);
    drop((graph, store));
    assert_eq!(echo.given_up.load(Ordering::Relaxed), 1);
}

#[test]
fn an_unknown_kind_is_refused_and_a_stored_one_fails_and_removes_nothing() {
    let engine = memory();
    let (first, graph) = store(&engine);
    fill(&graph);
    let error = graph.jobs().start("echo", "say".to_owned(), Vec::new()).unwrap_err();
    assert!(matches!(error, StoreError::UnknownJob { .. }), "{error}");
    let label = edge_label_id(&graph, "many");
    let task = Task {
        id: 9,
        task_type: "echo".into(),
        name: format!("EDGE_LABEL:{}:many", label.0),
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
    drop((first, graph));
    let (_second, graph) = store(&engine);
    let task = ended(&graph, 9);
    assert_eq!(task.status, TaskStatus::Failed);
    assert!(task.result.unwrap().contains("'echo'"));
    assert!(graph.catalogue().edge_label(label).is_some());
}

#[test]
fn a_task_stores_its_target_and_no_class() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    fill(&graph);
    let task = ended(&graph, graph.jobs().remove_edge_label("many").unwrap());
    assert_eq!(task.status, TaskStatus::Success);
    assert!(!task.input.is_empty());
    assert!(task.callable.is_empty());
}
