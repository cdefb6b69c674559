//! The archived log of a real store: restored to any moment, it is what was stored then, and holes are told.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use backup::{BackupError, Depth, Keep, Repository, StoredLog, Target, Until, unwatched};
use backup_service::{ArchiveOptions, Archiver, BackupJob, Backups, NoBackup, Options, Replayed, restore_to};
use graph_host::{ClusterOptions, JobRegistry, PurgeOptions, Store, StoreOptions};
use graph_model::TaskStatus;
use graph_schema::Analyzer;
use graph_store::{GraphOptions, StoreError};
use kv::{Engine, Key, KvError, TableId};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use parking_lot::Mutex;
use tempfile::TempDir;

const GRAPH: &str = "hugegraph";
const INTERVAL: Duration = Duration::from_millis(20);

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

fn engine(folder: &Path, keep_log_bytes: u64, restoring: bool) -> Result<Arc<dyn Engine>, KvError> {
    let options = RocksDbOptions {
        path: folder.to_path_buf(),
        memory_budget_bytes: 32 << 20,
        write_buffer_bytes: 256 << 10,
        keep_log_bytes,
        restoring,
        ..RocksDbOptions::default()
    };
    Ok(Arc::new(RocksDbEngine::open(&options, key_codec::tables::TABLES)?))
}

fn plain(folder: &Path) -> Result<Store, StoreError> {
    Store::open(engine(folder, 0, false)?, options())
}

/// A folder with a repository, and stores.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A server on a data folder that archives its log.
    fn server(&self, data: &str) -> Server {
        self.server_of(data, 64 << 20)
    }

    fn server_of(&self, data: &str, queue_bytes_max: u64) -> Server {
        let backups = Backups::new(Options {
            location: self.path("repository").display().to_string(),
            secret: None,
            scratch: self.path(&format!("{data}-scratch")),
            open: Box::new(plain),
            niceness: 0,
        });
        let mut jobs = JobRegistry::default();
        for job in BackupJob::all(&backups) {
            jobs.register(Arc::new(job));
        }
        let engine = engine(&self.path(data), queue_bytes_max, false).unwrap();
        let store = Arc::new(Store::open_with_jobs(engine, options(), jobs).unwrap());
        backups.connect(&store);
        let archive = ArchiveOptions { interval: INTERVAL, queue_bytes_max };
        let archiver = Archiver::start(&backups, archive).unwrap();
        Server { archiver: Some(archiver), backups, store }
    }

    fn repository(&self) -> Repository {
        let location = self.path("repository").display().to_string();
        Repository::open(Target::open(&location, false).unwrap(), None).unwrap()
    }

    fn logs(&self) -> Vec<StoredLog> {
        self.repository().logs().unwrap()
    }

    fn restore(&self, until: Until, base: Option<&str>) -> Result<(BTreeMap<String, u64>, Replayed), NoBackup> {
        let repository = self.repository();
        let plan = repository.plan(until, base)?;
        let folder = tempfile::tempdir_in(self.0.path()).unwrap();
        let data = folder.path().join("data");
        let done = restore_to(&repository, &plan, &data, &|folder| engine(folder, 0, true), &unwatched)?;
        Ok((values(&plain(&data).unwrap()), done))
    }

    fn newest(&self) -> BTreeMap<String, u64> {
        self.restore(Until::Newest, None).unwrap().0
    }
}

struct Server {
    archiver: Option<Archiver>,
    backups: Arc<Backups>,
    store: Arc<Store>,
}

impl Server {
    fn set(&self, name: &str, value: u64) {
        self.store.graph(GRAPH).unwrap().variables().set(name, &value.to_string()).unwrap();
    }

    /// Waits until what was acknowledged before is archived.
    fn archived(&self) {
        let now = now_ms();
        wait("archived", || self.backups.log().until_ms() > now);
    }

    /// Waits until there are so many backups.
    fn based(&self, count: usize) {
        wait("a backup", || self.backups.list().unwrap().len() >= count);
    }

    fn back_up(&self) {
        let started = self.backups.start_create(false).unwrap();
        let graph = self.store.graph(&started.graph).unwrap();
        wait("the task", || graph.jobs().task(started.task).unwrap().status.is_final());
        assert_eq!(graph.jobs().task(started.task).unwrap().status, TaskStatus::Success);
    }

    fn stop(mut self) {
        drop(self.archiver.take());
        let Self { store, .. } = self;
        // A task that has just ended may have it still.
        wait("the last task", || Arc::strong_count(&store) == 1);
        drop(store);
    }
}

fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// The variables of the graph.
fn values(store: &Store) -> BTreeMap<String, u64> {
    let all = store.graph(GRAPH).unwrap().variables().all().unwrap();
    all.into_iter().map(|(name, value)| (name, value.parse().unwrap())).collect()
}

/// What was done to a variable: its value, when that was begun and when it was acknowledged.
type History = BTreeMap<String, Vec<(u64, i64, i64)>>;

/// Whether a store can have been so at a moment: everything acknowledged before is in it, nothing begun after.
fn check(found: &BTreeMap<String, u64>, history: &History, moment: i64) {
    for (name, done) in history {
        let least = done.iter().rev().find(|(_, _, acknowledged)| *acknowledged < moment).map(|(value, ..)| *value);
        let most = done.iter().rev().find(|(_, begun, _)| *begun <= moment).map(|(value, ..)| *value);
        let value = found.get(name).copied();
        assert!(value >= least, "{name} at {moment}: {value:?}, but {least:?} was acknowledged");
        assert!(value <= most, "{name} at {moment}: {value:?}, but only {most:?} was begun");
    }
}

#[test]
fn any_moment_after_the_first_backup_can_be_restored() {
    let place = Place::new();
    let server = place.server("data");
    server.based(1);
    let history = Mutex::new(History::new());
    let stop = AtomicBool::new(false);
    let begun = now_ms();
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let (server, history, stop) = (&server, &history, &stop);
            scope.spawn(move || {
                for number in 1_u64.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let name = format!("v{writer}_{}", number * 7 % 50);
                    let before = now_ms();
                    server.set(&name, number);
                    let after = now_ms();
                    history.lock().entry(name).or_default().push((number, before, after));
                    if number % 16 == 0 {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
            });
        }
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(300));
            server.back_up();
        }
        stop.store(true, Ordering::Relaxed);
    });
    server.archived();
    let ended = now_ms();
    let stored = values(&server.store);
    server.stop();
    let history = history.into_inner();
    for at in 0..40 {
        let moment = begun + (ended - begun) * at / 39;
        if at == 39 {
            break;
        }
        let (found, done) = place.restore(Until::Moment(moment), None).unwrap();
        check(&found, &history, moment);
        assert!(done.moment_ms.is_none_or(|last| last <= moment));
    }
    assert_eq!(place.newest(), stored);
    // The same from the first backup, over all of the log.
    let first = place.repository().list().unwrap()[0].id.clone();
    let (found, done) = place.restore(Until::Newest, Some(&first)).unwrap();
    assert_eq!(found, stored);
    assert!(done.records > 100, "{done:?}");
    let verified = place.repository().verify(None, Depth::Content, &unwatched).unwrap();
    assert_eq!(verified.problems, []);
    assert!(verified.segments > 3);
    for wrong in [begun - 3_600_000, ended + 3_600_000] {
        let refused = place.restore(Until::Moment(wrong), None).unwrap_err();
        assert!(matches!(refused, NoBackup::Repository(BackupError::NoLog { .. })), "{refused}");
    }
}

#[test]
fn the_log_goes_on_over_restarts() {
    let place = Place::new();
    let mut moments = Vec::new();
    for run in 1..=4 {
        let server = place.server("data");
        server.based(1);
        for number in 0..20 {
            server.set(&format!("v{number}"), run * 100 + number);
        }
        server.archived();
        moments.push((now_ms(), values(&server.store)));
        std::thread::sleep(Duration::from_millis(3));
        server.stop();
    }
    let logs = place.logs();
    assert_eq!(logs.len(), 4);
    assert!(logs.iter().all(|log| log.end.is_none()));
    assert_eq!(place.repository().list().unwrap().len(), 1, "one backup is enough for all");
    for (moment, wanted) in &moments {
        assert_eq!(place.restore(Until::Moment(*moment), None).unwrap().0, *wanted);
    }
    assert_eq!(place.newest(), moments[3].1);
    // One missing segment, and only what is before can be restored.
    let repository = place.path("repository/log").join(&logs[2].id);
    let segment = fs::read_dir(&repository)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().unwrap().to_str().unwrap().starts_with('0'))
        .unwrap();
    fs::remove_file(&segment).unwrap();
    assert_eq!(place.restore(Until::Moment(moments[1].0), None).unwrap().0, moments[1].1);
    let refused = place.restore(Until::Newest, None).unwrap_err().to_string();
    assert!(refused.contains("missing"), "{refused}");
}

#[test]
fn a_flipped_byte_in_the_log_is_found_and_not_restored() {
    let place = Place::new();
    let server = place.server("data");
    server.based(1);
    server.set("a", 1);
    server.archived();
    server.stop();
    let log = place.logs().remove(0);
    let folder = place.path("repository/log").join(&log.id);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "seen" {
            continue;
        }
        let content = fs::read(&path).unwrap();
        let mut wrong = content.clone();
        let middle = wrong.len() / 2;
        wrong[middle] ^= 4;
        fs::write(&path, &wrong).unwrap();
        let verified = place.repository().verify(None, Depth::Content, &unwatched).unwrap();
        let named = verified.problems.iter().any(|problem| path.to_str().unwrap().contains(&problem.object));
        assert!(named, "{name}: {:?}", verified.problems);
        let base = place.repository().list().unwrap()[0].manifest.clone().unwrap();
        let is_needed =
            !name.starts_with('0') || u64::from_str_radix(&name[17..33], 16).unwrap() > base.log.unwrap().sequence;
        if is_needed && name.starts_with('0') {
            assert!(place.restore(Until::Newest, None).is_err(), "{name}");
        }
        fs::write(&path, &content).unwrap();
    }
    assert_eq!(place.repository().verify(None, Depth::Content, &unwatched).unwrap().problems, []);
    assert_eq!(place.newest()["a"], 1);
}

#[test]
fn rows_that_go_around_the_log_end_it_and_a_new_backup_is_made() {
    let place = Place::new();
    let server = place.server("data");
    server.based(1);
    server.set("a", 1);
    server.archived();
    let before = now_ms();
    std::thread::sleep(Duration::from_millis(3));
    let engine = server.store.engine();
    let mut writer = engine.sorted_writer(TableId(5)).unwrap();
    // A task of a graph that is not there.
    let key = [240, 1, 2, 3, 4, 5, 6, 7, 8];
    writer.put(Key::new(&key, 1), b"1").unwrap();
    let rows = writer.finish().unwrap();
    engine.ingest(vec![rows]).unwrap();
    wait("the hole", || server.backups.log().breaks() > 0);
    server.based(2);
    server.set("a", 2);
    server.archived();
    wait("a backup of the new log", || place.restore(Until::Newest, None).is_ok_and(|(found, _)| found["a"] == 2));
    server.stop();
    let logs = place.logs();
    let ended: Vec<_> = logs.iter().filter_map(|log| log.end.as_ref()).collect();
    assert!(!ended.is_empty() && ended[0].reason.contains("around the log"), "{ended:?}");
    assert_eq!(place.restore(Until::Moment(before), None).unwrap().0["a"], 1);
}

#[test]
fn a_store_that_another_program_has_opened_begins_a_new_log() {
    let place = Place::new();
    let server = place.server("data");
    server.based(1);
    server.set("a", 1);
    server.archived();
    server.stop();
    plain(&place.path("data")).unwrap().graph(GRAPH).unwrap().variables().set("a", "2").unwrap();
    let server = place.server("data");
    server.based(2);
    server.set("b", 3);
    server.archived();
    server.stop();
    assert!(place.logs()[1].timeline.as_ref().unwrap().parent.is_none());
    let found = place.newest();
    assert_eq!((found["a"], found["b"]), (2, 3));
}

#[test]
fn a_power_failure_begins_another_history_and_both_can_be_restored() {
    let place = Place::new();
    let server = place.server("data");
    server.based(1);
    server.set("a", 1);
    server.archived();
    let size = |path: &Path| fs::metadata(path).unwrap().len();
    let log_files = |folder: &Path| {
        let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|it| it == "log"));
        files.sort();
        files
    };
    // What the disk has; everything after is lost with the power, though it was archived.
    let data = place.path("data");
    let kept = log_files(&data).pop().map(|path| (path.clone(), size(&path))).unwrap();
    server.set("a", 2);
    server.set("lost", 1);
    server.archived();
    let before = now_ms();
    std::thread::sleep(Duration::from_millis(3));
    let copy = place.path("copy");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
        }
    }
    server.stop();
    let file = fs::File::options().write(true).open(copy.join(kept.0.file_name().unwrap())).unwrap();
    file.set_len(kept.1).unwrap();
    drop(file);
    let server = place.server("copy");
    assert!(!values(&server.store).contains_key("lost"));
    server.set("b", 5);
    server.based(2);
    server.archived();
    let stored = values(&server.store);
    server.stop();
    let logs = place.logs();
    let fork = logs[1].timeline.as_ref().unwrap().parent.clone().unwrap();
    assert_eq!(fork.timeline, logs[0].id);
    assert!(fork.sequence < logs[0].reached());
    assert_eq!(place.newest(), stored);
    // Also from the backup before it, along both.
    let first = place.repository().list().unwrap()[0].id.clone();
    assert_eq!(place.restore(Until::Newest, Some(&first)).unwrap().0, stored);
    let lost = place.restore(Until::Moment(before), None).unwrap().0;
    assert_eq!((lost["a"], lost["lost"]), (2, 1), "it was acknowledged then");
}

#[test]
fn a_repository_that_cannot_be_reached_is_caught_up_with_or_the_hole_is_told() {
    let place = Place::new();
    let server = place.server_of("data", 512 << 10);
    server.based(1);
    server.archived();
    let (there, away) = (place.path("repository"), place.path("away"));
    let log = server.backups.log();
    let block = || {
        fs::rename(&there, &away).unwrap();
        // A file in its place: nothing can be made there.
        fs::write(&there, "").unwrap();
        let failures = log.failures();
        server.set("a", 1);
        wait("failures", || log.failures() > failures);
    };
    let unblock = || {
        fs::remove_file(&there).unwrap();
        fs::rename(&away, &there).unwrap();
    };
    block();
    unblock();
    server.archived();
    assert_eq!(log.breaks(), 0);
    assert_eq!(place.newest()["a"], 1);
    block();
    // More than may wait.
    for number in 0..4000 {
        let text = format!("{number}{}", "0".repeat(8));
        server.set(&format!("v{}", number % 10), text.parse().unwrap());
        let filler = kv_filler(number);
        server.store.engine().commit(filler).unwrap();
        if number % 500 == 499 {
            // Files of the log end where everything in memory has been written, as before a checkpoint.
            drop(server.store.engine().checkpoint().unwrap());
        }
    }
    wait("the queue is bounded", || log.waiting_bytes() <= 512 << 10);
    unblock();
    wait("the hole is told", || log.breaks() > 0);
    server.based(2);
    server.archived();
    let stored = values(&server.store);
    server.stop();
    assert!(place.logs().iter().any(|log| log.end.as_ref().is_some_and(|end| end.reason.contains("not in the"))));
    assert_eq!(place.newest(), stored);
}

/// A row of a graph that is not there, which does not compress.
fn kv_filler(number: u64) -> kv::WriteBatch {
    let mut batch = kv::WriteBatch::new();
    let mut key = vec![240];
    key.extend_from_slice(&number.to_be_bytes());
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let value: Vec<u8> = (0..1500)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        })
        .collect();
    batch.put_key(TableId(5), Key::new(&key, 1), &value);
    batch
}

#[test]
fn retention_leaves_what_kept_backups_need() {
    let place = Place::new();
    let server = place.server("data");
    server.based(1);
    let mut moments = Vec::new();
    for round in 1..=3 {
        server.set("a", round);
        server.archived();
        moments.push(now_ms());
        std::thread::sleep(Duration::from_millis(3));
        server.back_up();
    }
    server.set("a", 4);
    server.archived();
    server.stop();
    let keep = Keep { last: 2, ..Keep::default() };
    let pruned = place.repository().prune(&keep, false).unwrap();
    assert!(pruned.removed.len() >= 2, "{pruned:?}");
    assert_eq!(place.newest()["a"], 4);
    assert_eq!(place.restore(Until::Moment(moments[2]), None).unwrap().0["a"], 3);
    let refused = place.restore(Until::Moment(moments[0]), None).unwrap_err().to_string();
    assert!(refused.contains("first backup"), "{refused}");
    assert_eq!(place.repository().verify(None, Depth::Content, &unwatched).unwrap().problems, []);
}
