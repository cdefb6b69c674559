//! Backups of a real store that is written to meanwhile, and what is restored of them.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use backup::{BackupError, CreateOptions, Repository, Target, unwatched};
use backup_service::{BackupJob, Backups, NoBackup, Options, Started, back_up};
use graph_host::{ClusterOptions, JobRegistry, PurgeOptions, Store, StoreOptions};
use graph_model::{Task, TaskStatus};
use graph_schema::Analyzer;
use graph_store::{GraphOptions, StoreError};
use kv::{Engine, MemoryEngine};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;

const GRAPH: &str = "hugegraph";

fn options() -> StoreOptions {
    StoreOptions {
        graph: GraphOptions {
            zone: jiff::tz::TimeZone::UTC,
            encode_primary_key_number: true,
            analyzer: Analyzer::Simple,
            adjacency_cache_bytes: 0,
        },
        default_graph: GRAPH.to_owned(),
        graphs_max: 10,
        purge: PurgeOptions { interval: None, elements_per_batch: 100 },
        cluster: ClusterOptions {
            refresh: Duration::from_secs(1),
            stale: Duration::from_secs(5),
            change_wait: Duration::from_secs(5),
            ..ClusterOptions::default()
        },
        reads_ahead: false,
        row_cache_bytes: 0,
    }
}

fn engine(folder: &Path) -> Arc<dyn Engine> {
    let options = RocksDbOptions { path: folder.to_path_buf(), ..RocksDbOptions::default() };
    Arc::new(RocksDbEngine::open(&options, key_codec::tables::TABLES).unwrap())
}

fn plain(folder: &Path) -> Result<Store, StoreError> {
    Store::open(engine(folder), options())
}

struct Server {
    root: TempDir,
    backups: Arc<Backups>,
    store: Arc<Store>,
}

impl Server {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let backups = Backups::new(Options {
            location: root.path().join("repository").display().to_string(),
            secret: None,
            scratch: root.path().join("scratch"),
            open: Box::new(plain),
            niceness: 0,
        });
        let mut jobs = JobRegistry::default();
        for job in BackupJob::all(&backups) {
            jobs.register(Arc::new(job));
        }
        let store = Store::open_with_jobs(engine(&root.path().join("data")), options(), jobs).unwrap();
        let store = Arc::new(store);
        backups.connect(&store);
        Self { root, backups, store }
    }

    fn ended(&self, started: &Started) -> Task {
        let graph = self.store.graph(&started.graph).unwrap();
        loop {
            let task = graph.jobs().task(started.task).unwrap();
            if task.status.is_final() {
                return task;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn result(&self, started: &Started) -> Value {
        let task = self.ended(started);
        assert_eq!(task.status, TaskStatus::Success, "{:?}", task.result);
        serde_json::from_str(&task.result.unwrap()).unwrap()
    }

    fn repository(&self) -> Repository {
        let location = self.root.path().join("repository").display().to_string();
        Repository::open(Target::open(&location, false).unwrap(), None).unwrap()
    }
}

/// The variables of a graph, whose values are numbers that only grow.
fn values(store: &Store, graph: &str) -> BTreeMap<String, u64> {
    let all = store.graph(graph).unwrap().variables().all().unwrap();
    all.into_iter().map(|(name, value)| (name, value.parse().unwrap())).collect()
}

/// Whether all that is in the first is in the second, or something later.
fn holds(before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>) -> bool {
    before.iter().all(|(name, value)| after.get(name).is_some_and(|later| later >= value))
}

#[test]
fn everything_acknowledged_before_a_backup_is_in_it_and_one_graph_comes_back_while_others_write() {
    let server = Server::new();
    let stop = AtomicBool::new(false);
    let acknowledged = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let (server, stop, acknowledged) = (&server, &stop, &acknowledged);
            scope.spawn(move || {
                for number in 1_u64.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let name = format!("v{writer}_{}", number % 400);
                    server.store.graph(GRAPH).unwrap().variables().set(&name, &number.to_string()).unwrap();
                    acknowledged.lock().insert(name, number);
                }
            });
        }
        let mut made: Vec<(String, BTreeMap<String, u64>)> = Vec::new();
        for round in 1..=3 {
            while acknowledged.lock().values().copied().max().unwrap_or_default() < 300 * round {
                std::thread::yield_now();
            }
            let before = acknowledged.lock().clone();
            let result = server.result(&server.backups.start_create(false).unwrap());
            assert!(result["bytes"].as_u64().unwrap() > 0, "{result}");
            made.push((result["backup"].as_str().unwrap().to_owned(), before));
        }
        let listed = server.backups.list().unwrap();
        assert_eq!(listed.len(), 3);
        for ((id, before), shown) in made.iter().zip(&listed) {
            assert_eq!((&shown["id"], &shown["graphs"]), (&json!(id), &json!([GRAPH])));
            let folder = server.root.path().join(id);
            let repository = server.repository();
            repository.restore(&repository.find(id).unwrap(), &folder, &unwatched).unwrap();
            let found = values(&plain(&folder).unwrap(), GRAPH);
            assert!(holds(before, &found), "{before:?} {found:?}");
            // The same graph under another name, in the store that is written to.
            let name = format!("g{}", id.replace('-', "_"));
            let restored = server.result(&server.backups.start_restore(id, GRAPH, &name).unwrap());
            assert_eq!(restored["graph"], json!(name));
            assert_eq!(values(&server.store, &name), found);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(holds(&acknowledged.lock(), &values(&server.store, GRAPH)));
    let left = std::fs::read_dir(server.root.path().join("scratch")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing of the restores is left");
    assert!(std::fs::read_dir(server.root.path().join("data/checkpoints")).unwrap().next().is_none());
}

#[test]
fn what_cannot_be_restored_is_refused_or_fails_with_the_reason() {
    let server = Server::new();
    assert!(server.backups.list().unwrap().is_empty(), "there is no repository yet");
    let failed = server.ended(&server.backups.start_restore("latest", GRAPH, "other").unwrap());
    assert_eq!(failed.status, TaskStatus::Failed);
    assert!(failed.result.unwrap().contains("no repository"));
    server.result(&server.backups.start_create(false).unwrap());
    assert!(matches!(server.backups.start_restore("latest", GRAPH, GRAPH), Err(StoreError::GraphExists { .. })));
    for (backup, graph, name, words) in [
        ("nosuch", GRAPH, "other", "nosuch"),
        ("latest", "nosuch", "other", "nosuch"),
        ("latest", GRAPH, "../other", "name"),
    ] {
        let failed = server.ended(&server.backups.start_restore(backup, graph, name).unwrap());
        assert_eq!(failed.status, TaskStatus::Failed, "{name}");
        assert!(failed.result.as_ref().unwrap().contains(words), "{:?}", failed.result);
        assert_eq!(server.store.graph_names(), [GRAPH]);
    }
}

#[test]
fn a_store_that_was_restored_does_not_begin_with_the_backup_it_was_made_of() {
    let server = Server::new();
    let started = server.backups.start_create(false).unwrap();
    let id = server.result(&started)["backup"].as_str().unwrap().to_owned();
    let folder = server.root.path().join("restored");
    let repository = server.repository();
    repository.restore(&repository.find(&id).unwrap(), &folder, &unwatched).unwrap();
    let again = Backups::new(Options {
        location: server.root.path().join("repository").display().to_string(),
        secret: None,
        scratch: server.root.path().join("scratch-2"),
        open: Box::new(plain),
        niceness: 0,
    });
    let mut jobs = JobRegistry::default();
    for job in BackupJob::all(&again) {
        jobs.register(Arc::new(job));
    }
    let store = Arc::new(Store::open_with_jobs(engine(&folder), options(), jobs).unwrap());
    again.connect(&store);
    let graph = store.graph(GRAPH).unwrap();
    let task = loop {
        let task = graph.jobs().task(started.task).unwrap();
        if task.status.is_final() {
            break task;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(task.status, TaskStatus::Failed);
    assert!(task.result.unwrap().contains("the server ended before it was done"));
    assert_eq!(repository.list().unwrap().len(), 1);
}

#[test]
fn engines_without_files_and_empty_folders_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let target = Target::open(&root.path().join("repository").display().to_string(), true).unwrap();
    let repository = Repository::open_or_make(target, None).unwrap();
    let memory = MemoryEngine::open(key_codec::tables::TABLES);
    let make = |engine: &dyn Engine| back_up(engine, &repository, CreateOptions::default(), None, &unwatched);
    assert!(matches!(make(&memory), Err(NoBackup::Empty)));
    let memory: Arc<dyn Engine> = Arc::new(memory);
    drop(Store::open(Arc::clone(&memory), options()).unwrap());
    assert!(matches!(make(&*memory), Err(NoBackup::Engine(kv::KvError::Unsupported { .. }))));
    let folder = root.path().join("data");
    drop(plain(&folder).unwrap());
    make(&*engine(&folder)).unwrap();
    assert!(matches!(repository.find("nosuch"), Err(BackupError::NoBackup { .. })));
    assert_eq!(repository.list().unwrap().len(), 1);
}
