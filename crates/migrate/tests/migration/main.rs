//! Whole migrations from a small in-process HugeGraph into stores on disk.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod fake;
mod files;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use api_client::{ClientOptions, ElementKind};
use auth::{Accounts, Authenticate as _, ConditionReader, Credentials, Options};
use graph_host::{Store, StoreOptions};
use key_codec::tables::TABLES;
use kv::{Engine, MemoryEngine};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use migrate::{MigrateError, MigrateOptions, MigrateSummary, SilentMigration, StoreTarget, into_store};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use fake::{Fake, Running};

const COUNT: usize = 5_000;

fn hugegraph() -> Fake {
    let (vertices, edges) = fake::elements(COUNT);
    Fake {
        version: "1.7.0",
        schema: fake::schema(),
        vertices,
        edges,
        users: HashMap::new(),
        scans: true,
        page_max: usize::MAX,
        busy_every: 0,
    }
}

/// A source, and a store with a folder.
struct Test {
    _runtime: Runtime,
    source: Arc<Running>,
    client: ClientOptions,
    folder: tempfile::TempDir,
    store: Arc<Store>,
}

fn test(fake: Fake) -> Test {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (source, client) = runtime.block_on(fake::serve(fake));
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("data"));
    Test { _runtime: runtime, source, client, folder, store }
}

fn open(data: &Path) -> Arc<Store> {
    let options = RocksDbOptions { path: data.to_path_buf(), ..RocksDbOptions::default() };
    let engine = RocksDbEngine::open(&options, TABLES).unwrap();
    let mut options = StoreOptions::default();
    options.purge.interval = None;
    Arc::new(Store::open(Arc::new(engine), options).unwrap())
}

impl Test {
    fn options(&self) -> MigrateOptions {
        MigrateOptions {
            source: self.client.clone(),
            graph: "moved".to_owned(),
            work_dir: self.folder.path().join("work"),
            workers: 3,
            restart: false,
            users: false,
            verify: true,
        }
    }

    fn run_into(&self, store: &Store, options: &MigrateOptions) -> Result<MigrateSummary, MigrateError> {
        let target = StoreTarget { store, accounts: None, memory_bytes: 16 << 20, threads: 2 };
        into_store(target, options, &SilentMigration)
    }

    fn run(&self) -> Result<MigrateSummary, MigrateError> {
        self.run_into(&self.store, &self.options())
    }
}

/// Checks that source and target have the same, and that all of it was compared.
fn assert_whole(summary: &MigrateSummary) {
    assert_eq!(summary.differing().count(), 0, "{summary}");
    assert_eq!(summary.elements(ElementKind::Vertex), COUNT as u64, "{summary}");
    assert_eq!(summary.elements(ElementKind::Edge), 3 * COUNT as u64 / 5, "{summary}");
    assert!(summary.labels.iter().all(|label| label.target == Some(label.source)), "{summary}");
    assert_eq!(summary.labels.len(), 7);
}

/// An element as the store answers it.
fn vertex(store: &Store, id: &str) -> Value {
    let graph = store.graph("moved").unwrap();
    let id = graph_model::VertexId::from_text(id).unwrap();
    let found = graph.reader().vertex(&id).unwrap().unwrap();
    let mut text = Vec::new();
    let options = rest_json::EncodeOptions { zone: graph.options().zone.clone() };
    rest_json::write_vertex(&mut text, &found, &graph.catalogue(), &options);
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn everything_arrives_and_again_changes_nothing() {
    let test = test(hugegraph());
    let summary = test.run().unwrap();
    assert_whole(&summary);
    assert_eq!(summary.defined, 14 + 5 + 2 + 2);
    assert_eq!(summary.variables, 2);
    assert!(!test.folder.path().join("work").exists(), "nothing is left behind");
    let graph = test.store.graph("moved").unwrap();
    assert_eq!(graph.mode(), graph_schema::GraphMode::None);
    assert_eq!(graph.variables().get("owner").unwrap().as_deref(), Some("\"ann\""));
    let catalogue = graph.catalogue();
    let person = catalogue.vertex_label_named("person").unwrap();
    assert_eq!(person.id.0, 7);
    assert_eq!(person.user_data.get("~create_time"), Some("\"2020-01-02 03:04:05.678\""));
    assert_eq!(catalogue.property_key_named("weight").unwrap().user_data.get("unit"), Some("\"kg\""));
    for index in catalogue.index_labels() {
        assert_eq!(index.status, graph_schema::Status::Created, "{}", index.name);
    }
    let read = vertex(&test.store, "7:n10");
    let mut expected = test.source.fake.lock().unwrap().vertices[10].clone();
    expected["properties"]["tags"].as_array_mut().unwrap().sort_by_key(ToString::to_string);
    let mut read_sorted = read.clone();
    read_sorted["properties"]["tags"].as_array_mut().unwrap().sort_by_key(ToString::to_string);
    for (name, value) in expected["properties"].as_object().unwrap() {
        assert_eq!(&read_sorted["properties"][name], value, "{name}");
    }
    assert_eq!(read["id"], json!("7:n10"));

    let again = test.run().unwrap();
    assert_whole(&again);
    assert_eq!(again.defined, 0);
    let hashes = |summary: &MigrateSummary| -> Vec<_> {
        summary.labels.iter().map(|label| (label.label.clone(), label.target_hash.clone())).collect()
    };
    assert_eq!(hashes(&again), hashes(&summary));
}

#[test]
fn old_servers_small_pages_and_busy_answers_give_the_same() {
    let whole = test(hugegraph());
    let expected = whole.run().unwrap();
    let old = Fake { version: "0.12.0", ..hugegraph() };
    let small = Fake { page_max: 70, busy_every: 7, ..hugegraph() };
    let listed = Fake { scans: false, page_max: 400, ..hugegraph() };
    for fake in [old, small, listed] {
        let (scans, version) = (fake.scans, fake.version);
        let test = test(fake);
        let summary = test.run().unwrap();
        assert_whole(&summary);
        let sums = |summary: &MigrateSummary| -> Vec<_> {
            summary.labels.iter().map(|label| label.source_hash.clone()).collect()
        };
        assert_eq!(sums(&summary), sums(&expected));
        assert_eq!(summary.warnings.iter().any(|text| text.contains("as one list")), !scans, "{summary}");
        let paths = test.source.paths.lock().unwrap();
        let is_old = |path: &String| path.starts_with("/graphs/hugegraph/");
        assert_eq!(paths.iter().any(is_old), version == "0.12.0");
    }
}

#[test]
fn an_interrupted_migration_goes_on_where_it_was() {
    let test = test(Fake { page_max: 100, ..hugegraph() });
    let mut interruptions = 0;
    let summary = loop {
        let pages = test.source.pages.load(Ordering::Relaxed);
        // Some of them are refused for their size first.
        test.source.pages_allowed.store(pages + 25, Ordering::Relaxed);
        match test.run() {
            Ok(summary) => break summary,
            Err(error) => {
                assert!(error.to_string().contains("switched off"), "{error}");
                assert_eq!(test.store.graph("moved").unwrap().mode(), graph_schema::GraphMode::None);
                interruptions += 1;
                assert!(interruptions < 100, "no progress");
                // What a process that was killed in the middle of a page leaves: bytes that no journal knows.
                if interruptions == 1 {
                    let part = test.folder.path().join("work/vertices-000000.jsonl");
                    let mut text = std::fs::read(&part).unwrap();
                    text.extend_from_slice(b"{\"id\":1,\"lab");
                    std::fs::write(&part, text).unwrap();
                }
            }
        }
    };
    assert!(interruptions >= 3, "{interruptions}");
    assert!(summary.resumed);
    assert_whole(&summary);
}

#[test]
fn a_store_without_sorted_ingest_takes_batches() {
    // Not an engine for migrations, since it forgets: so it is refused, as for offline loads.
    let test = test(hugegraph());
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
    let store = Store::open(engine, StoreOptions::default()).unwrap();
    let error = test.run_into(&store, &test.options()).unwrap_err().to_string();
    assert!(error.contains("does not support offline loads"), "{error}");
}

#[test]
fn what_does_not_fit_is_named() {
    let test = test(hugegraph());
    test.run().unwrap();
    test.source.fake.lock().unwrap().schema["vertexlabels"][0]["id"] = json!(9);
    let error = test.run().unwrap_err().to_string();
    assert!(error.contains("vertexlabels person") && error.contains("its id is 9 in the source, 7 there"), "{error}");
    let options = MigrateOptions { graph: "other".into(), ..test.options() };
    let error = test.run_into(&test.store, &options).unwrap_err().to_string();
    assert!(error.contains("unfinished migration") && error.contains("--restart"), "{error}");
}

#[test]
fn elements_that_are_more_in_the_target_are_found() {
    let test = test(hugegraph());
    test.run().unwrap();
    {
        let mut fake = test.source.fake.lock().unwrap();
        fake.vertices.truncate(COUNT - 3);
        fake.vertices[2]["properties"]["text"] = json!("another");
    }
    let summary = test.run().unwrap();
    let differing: Vec<&str> = summary.differing().map(|label| label.label.as_str()).collect();
    assert_eq!(differing, ["made", "number", "uuid"], "the label with the changed one agrees, since it was taken over");
}

#[test]
fn refused_elements_are_written_down_with_the_reason() {
    let mut fake = hugegraph();
    fake.vertices[7]["properties"]["int"] = json!("seven");
    let test = test(fake);
    let error = test.run().unwrap_err();
    let MigrateError::Rejected { rejected: 1, dir } = &error else { panic!("{error}") };
    let reasons = std::fs::read_to_string(dir.join("vertices.csv")).unwrap();
    assert!(reasons.contains("seven") && reasons.contains("int"), "{reasons}");
}

#[test]
fn users_keep_their_passwords() {
    let mut fake = hugegraph();
    let hash = bcrypt::hash("psw1", 4).unwrap();
    let hash = hash.replace("$2b$", "$2a$");
    let records: HashMap<&'static str, Vec<Value>> = HashMap::from([
        (
            "users",
            vec![
                json!({"id": "-31:bob", "user_name": "bob", "user_password": hash, "user_phone": "16812345678",
                    "user_creator": "admin", "user_create": "2026-11-21 20:09:43.368"}),
                json!({"id": "-31:admin", "user_name": "admin", "user_password": hash}),
            ],
        ),
        ("groups", vec![json!({"id": "-37:readers", "group_name": "readers", "group_creator": "admin"})]),
        (
            "targets",
            vec![json!({"id": "-45:people", "target_name": "people", "target_graph": "hugegraph",
                "target_url": "127.0.0.1:8080", "target_resources":
                    {"VERTEX#person": [{"type": "VERTEX", "label": "person", "properties": null}]}})],
        ),
        ("belongs", vec![json!({"id": "x", "user": "-31:bob", "group": "-37:readers", "link": "ug"})]),
        (
            "accesses",
            vec![
                json!({"id": "y", "group": "-37:readers", "target": "-45:people", "access_permission": "READ"}),
                json!({"id": "z", "group": "-37:readers", "target": "-45:people", "access_permission": "SPACE"}),
            ],
        ),
    ]);
    fake.users = records;
    let test = test(fake);
    let conditions = ConditionReader { check: |_| Ok(()), read: |_, _, _| None };
    let options = Options { password_length_min: 8, token_seconds: 60, conditions, stale: None };
    let accounts = Accounts::open(Arc::clone(&test.store), options).unwrap();
    let migrate = || {
        let target = StoreTarget { store: &test.store, accounts: Some(&accounts), memory_bytes: 16 << 20, threads: 2 };
        into_store(target, &MigrateOptions { users: true, ..test.options() }, &SilentMigration).unwrap()
    };
    let summary = migrate();
    assert_eq!(summary.users, 2 + 1 + 1 + 1 + 1, "{summary}");
    assert!(summary.warnings.iter().any(|text| text.contains("no permission SPACE")), "{summary}");
    let credentials = |password| Credentials::Password { user: "bob", password };
    assert!(accounts.check(credentials("wrong"), None).is_err());
    let bob = accounts.check(credentials("psw1"), None).unwrap();
    assert!(bob.may_named("hugegraph", auth::Permission::Read, auth::ResourceType::Vertex, "person"));
    assert!(!bob.may_named("hugegraph", auth::Permission::Read, auth::ResourceType::Vertex, "book"));
    let stored = accounts.read(|document| document.users["-31:bob"].password_hash.clone());
    assert!(stored.starts_with("$argon2id$"), "hashed anew at the first login: {stored}");
    let admin = Credentials::Password { user: "admin", password: "psw1" };
    assert!(accounts.check(admin, None).unwrap().is_admin());
    let again = migrate();
    assert_eq!(again.users, 0);
    assert_eq!(again.warnings.iter().filter(|text| text.contains("is there already")).count(), 2, "{again}");
    let fake_without = Fake { users: HashMap::new(), ..hugegraph() };
    *test.source.fake.lock().unwrap() = fake_without;
    assert!(migrate().warnings.iter().any(|text| text.contains("authentication is off")));
}
