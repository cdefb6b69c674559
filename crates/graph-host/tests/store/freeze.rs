//! A freeze: nobody writes, whichever servers there are, until it is over.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use graph_host::{Job, JobContext, JobRegistry, Store};
use graph_model::{ErrorKind, IdStrategy, TaskStatus, VertexId};
use graph_store::{Pending, StoreError, Wait, Writer};
use key_codec::tables;
use kv::{Engine, KvError};

use crate::cluster::{cut_off, label, mortal, options, server, shared, until};
use crate::fixture::{ended, graph, insert, memory, named, open, rows, vertex, vertex_label};
use crate::parked::ParkedEngine;

const LONG: Duration = Duration::from_secs(60);

fn is_frozen(error: &StoreError) -> bool {
    matches!(error, StoreError::Frozen { .. }) && error.kind() == ErrorKind::Overloaded
}

/// Writes until it is told to stop; the ids of what was acknowledged.
fn write(store: &Store, stop: &AtomicBool, acknowledged: &Mutex<BTreeSet<VertexId>>) {
    let graph = graph(store);
    while !stop.load(Ordering::Relaxed) {
        match insert(&graph, &[vertex("auto", None)]) {
            Ok(ids) => acknowledged.lock().unwrap().extend(ids),
            Err(error) => assert!(is_frozen(&error), "{error}"),
        }
    }
}

#[test]
fn what_two_servers_have_acknowledged_is_there_and_nothing_comes_until_the_thaw() {
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    label(&first, &second, "auto", IdStrategy::Automatic);
    let (stop, acknowledged) = (AtomicBool::new(false), Mutex::default());
    std::thread::scope(|scope| {
        for store in [&first, &second, &first, &second] {
            scope.spawn(|| write(store, &stop, &acknowledged));
        }
        let count = || acknowledged.lock().unwrap().len();
        until("writing", || count() > 100);
        first.freeze(LONG).unwrap();
        let written = rows(&*engine, tables::VERTEX);
        // Each writer may have an answer still to note.
        until("noting answers", || count() == written.len());
        assert!(second.frozen_for().is_some_and(|left| left > Duration::ZERO));
        let refused = graph(&second).schema().create_vertex_label(&vertex_label("late", IdStrategy::Automatic));
        assert!(refused.is_err_and(|error| is_frozen(&error)));
        assert!(second.freeze(LONG).is_err_and(|error| is_frozen(&error)), "one freeze at a time");
        let third = server(&engine);
        assert!(insert(&graph(&third), &[vertex("auto", None)]).is_err_and(|error| is_frozen(&error)));
        assert_eq!(rows(&*engine, tables::VERTEX), written);
        assert!(first.thaw().unwrap(), "nobody has written");
        until("writing again", || count() > written.len() + 100);
        stop.store(true, Ordering::Relaxed);
    });
    assert!(!first.thaw().unwrap(), "there is none");
}

#[test]
fn a_write_under_way_is_waited_for() {
    let engine = Arc::new(ParkedEngine::new(shared()));
    let store = Store::open(Arc::<ParkedEngine>::clone(&engine) as Arc<dyn Engine>, options()).unwrap();
    graph(&store).schema().create_vertex_label(&vertex_label("named", IdStrategy::CustomizeString)).unwrap();
    engine.park(1);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| insert(&graph(&store), &[named("a")]));
        until("handing over a write", || engine.parked() > 0);
        let freeze = scope.spawn(|| store.freeze(LONG));
        until("refusing writes", || store.frozen_for().is_some());
        // Several rounds.
        std::thread::sleep(10 * options().cluster.refresh);
        assert!(!freeze.is_finished());
        engine.release();
        freeze.join().unwrap().unwrap();
        assert_eq!(rows(&*engine, tables::VERTEX).len(), 1);
        writer.join().unwrap().unwrap();
    });
}

#[test]
fn a_freeze_ends_by_itself_and_is_forgotten() {
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    label(&first, &second, "auto", IdStrategy::Automatic);
    first.freeze(Duration::from_millis(1)).unwrap();
    until("writing again", || insert(&graph(&second), &[vertex("auto", None)]).is_ok());
    // Each of these is new, and would be held up by what is left of it.
    until("forgetting it", || insert(&graph(&server(&engine)), &[vertex("auto", None)]).is_ok());
    assert!(!first.thaw().unwrap(), "it was over");
}

/// Only the server that began it knows whether it has been over in the meantime.
#[test]
fn another_server_ends_it_but_does_not_vouch() {
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    first.freeze(LONG).unwrap();
    assert!(!second.thaw().unwrap());
    until("writing", || first.frozen_for().is_none());
    assert!(!first.thaw().unwrap());
}

/// A copy of the store has the row, too, and nobody to end it.
#[test]
fn a_freeze_ends_with_the_server_that_began_it() {
    let engine = shared();
    let (first, faults) = mortal(&engine);
    first.freeze(LONG).unwrap();
    cut_off(&faults);
    let second = server(&engine);
    graph(&second).schema().create_vertex_label(&vertex_label("auto", IdStrategy::Automatic)).unwrap_err();
    let mut made = None;
    until("the death of the first", || {
        made = graph(&second).schema().create_vertex_label(&vertex_label("auto", IdStrategy::Automatic)).ok();
        made.is_some()
    });
    until("forgetting it", || insert(&graph(&server(&engine)), &[vertex("auto", None)]).is_ok());
    faults.clear();
    assert!(!first.thaw().unwrap(), "it was taken for dead");
}

/// Inserts a vertex, once it is let go.
#[derive(Default)]
struct Insert {
    is_started: AtomicBool,
    is_let_go: AtomicBool,
    refused: AtomicUsize,
}

impl Job for Insert {
    fn kind(&self) -> &str {
        "insert"
    }

    fn run(&self, context: &JobContext<'_>) -> Result<Option<String>, StoreError> {
        self.is_started.store(true, Ordering::Relaxed);
        until("being let go", || self.is_let_go.load(Ordering::Relaxed));
        let new = [vertex("auto", None)];
        let outcome = Writer::new(context.graph()).insert_vertices(&new, Wait::Allowed).and_then(Pending::wait);
        self.refused.fetch_add(usize::from(outcome.is_err()), Ordering::Relaxed);
        outcome.map(|_| None)
    }
}

#[test]
fn a_task_that_may_not_write_waits_for_the_thaw() {
    let job = Arc::new(Insert::default());
    let mut jobs = JobRegistry::default();
    jobs.register(Arc::<Insert>::clone(&job));
    let engine = shared();
    let store = Store::open_with_jobs(Arc::clone(&engine) as Arc<dyn Engine>, options(), jobs).unwrap();
    let graph = graph(&store);
    graph.schema().create_vertex_label(&vertex_label("auto", IdStrategy::Automatic)).unwrap();
    let task = graph.jobs().start("insert", "insert".to_owned(), Vec::new()).unwrap();
    until("starting", || job.is_started.load(Ordering::Relaxed));
    store.freeze(LONG).unwrap();
    job.is_let_go.store(true, Ordering::Relaxed);
    until("being refused", || job.refused.load(Ordering::Relaxed) > 0);
    assert_eq!(graph.jobs().task(task).unwrap().status, TaskStatus::Running);
    assert!(store.thaw().unwrap());
    assert_eq!(ended(&graph, task).status, TaskStatus::Success);
    assert_eq!(rows(&*engine, tables::VERTEX).len(), 1);
}

#[test]
fn an_engine_of_one_process_has_none() {
    let engine = memory();
    let store = open(&engine).unwrap();
    for refused in [store.freeze(LONG).map(|()| true), store.thaw()] {
        assert!(matches!(refused, Err(StoreError::Kv(KvError::Unsupported { .. }))));
    }
    assert_eq!(store.frozen_for(), None);
}
