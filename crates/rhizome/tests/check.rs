//! `rhizome check --indexes` over the folder of a server that has ended, in peace or by `kill -9`.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod common;

use std::path::Path;

use common::{Server, run};
use graph_host::Store;
use graph_model::{Cardinality, DataType};
use graph_schema::{IndexType, NewIndexLabel, NewPropertyKey, NewVertexLabel};
use graph_store::{Pending, Wait};
use kv::{Engine as _, Read as _};
use serde_json::json;

fn settings(folder: &Path) -> rhizome::settings::Settings {
    let mut settings = rhizome::settings::Settings::load(None, &[]).unwrap();
    settings.storage.data_dir = folder.to_path_buf();
    settings
}

/// Ten vertices, by a range index.
fn fill(folder: &Path) {
    let settings = settings(folder);
    let engine = rhizome::engine::open(&settings.storage).unwrap();
    let store = Store::open(engine, settings.store_options().unwrap()).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    graph.schema().create_property_key(&NewPropertyKey::new("n", DataType::Int, Cardinality::Single)).unwrap();
    let label = NewVertexLabel { properties: vec!["n".into()], ..NewVertexLabel::new("thing") };
    graph.schema().create_vertex_label(&label).unwrap();
    let index = NewIndexLabel::on_vertices("byN", "thing", IndexType::Range, &["n"]);
    let (.., task) = graph.jobs().create_index_label(&index).unwrap();
    while !graph.jobs().task(task).unwrap().status.is_final() {
        std::thread::yield_now();
    }
    let new = |n| graph_schema::NewVertex {
        label: Some("thing".into()),
        id: None,
        properties: vec![("n".into(), graph_schema::Literal::Integer(n))],
    };
    let new: Vec<_> = (0..10).map(new).collect();
    graph.writer().insert_vertices(&new, Wait::Allowed).and_then(Pending::wait).unwrap();
}

/// Loses one entry.
fn damage(folder: &Path) {
    let engine = rhizome::engine::open(&settings(folder).storage).unwrap();
    let mut batch = kv::WriteBatch::new();
    {
        let mut cursor = engine.scan_partitions(key_codec::tables::INDEX_RANGE, &[], None).unwrap();
        batch.delete_key(key_codec::tables::INDEX_RANGE, cursor.next().unwrap().unwrap().key);
    }
    engine.commit(batch).unwrap();
}

#[test]
fn a_lost_entry_is_named_and_put_back() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let check = |more: &[&str]| {
        let path = folder.path().to_str().unwrap();
        run(&[&["check", "--indexes", "--data", path], more].concat())
    };
    let (status, out, _) = check(&[]);
    assert!(status.success());
    assert_eq!(out, "graph hugegraph: 10 index entries and 10 elements checked: all right\n");
    damage(folder.path());
    let (status, out, error) = check(&[]);
    assert!(!status.success());
    assert!(
        out.starts_with("graph hugegraph: 9 index entries and 10 elements checked: 1 missing\n  missing: vertex "),
        "{out}"
    );
    assert!(out.contains("in index label 'byN'") && error.contains("--repair"), "{out}{error}");
    let (status, out, _) = check(&["--repair", "--graph", "hugegraph"]);
    assert!(status.success() && out.contains("1 missing; repaired 1"), "{out}");
    let (status, ..) = check(&[]);
    assert!(status.success());
}

#[test]
fn a_folder_or_a_graph_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let none = folder.path().join("none");
    let (status, _, error) = run(&["check", "--indexes", "--data", none.to_str().unwrap()]);
    assert!(!status.success() && error.contains("there is no data folder"), "{error}");
    assert!(!none.exists());
    fill(folder.path());
    let path = folder.path().to_str().unwrap();
    let (status, _, error) = run(&["check", "--indexes", "--data", path, "--graph", "no"]);
    assert!(!status.success() && error.contains("graph 'no' does not exist"), "{error}");
}

/// A batch of 50 vertices among 200, so that most replace others.
fn batch(round: u64, writer: u64, number: u64) -> Vec<u8> {
    let vertex = |at: u64| {
        let id = (number * 37 + writer * 11 + at * 3) % 200;
        let words = ["red fox", "red dog runs", "a dog"][usize::try_from((number + at) % 3).unwrap()];
        let code = format!("{id}-{round}");
        json!({"label": "thing", "id": id, "properties": {"n": number % 7, "words": words, "code": code}})
    };
    serde_json::to_vec(&(0..50).map(vertex).collect::<Vec<_>>()).unwrap()
}

async fn define(client: &api_client::Client) {
    for (name, data_type) in [("n", "INT"), ("words", "TEXT"), ("code", "TEXT")] {
        client.create_property_key(&json!({"name": name, "data_type": data_type}), true).await.unwrap();
    }
    let label = json!({"name": "thing", "id_strategy": "CUSTOMIZE_NUMBER", "properties": ["n", "words", "code"]});
    client.create_vertex_label(&label, true).await.unwrap();
    for (name, index_type, fields) in
        [("byN", "RANGE", ["n"]), ("byWord", "SEARCH", ["words"]), ("byCode", "UNIQUE", ["code"])]
    {
        let index = json!({"name": name, "base_type": "VERTEX_LABEL", "base_value": "thing", "index_type": index_type,
            "fields": fields});
        client.create_index_label(&index, true).await.unwrap();
    }
}

#[test]
fn a_kill_in_the_middle_of_writes_and_builds_leaves_sound_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for round in 0..4 {
        runtime.block_on(write_and_kill(folder.path(), round));
        let (status, out, error) = run(&["check", "--indexes", "--data", folder.path().to_str().unwrap()]);
        assert!(
            status.success() && out.contains(" and 200 elements checked: all right"),
            "round {round}: {out}{error}"
        );
    }
}

async fn write_and_kill(folder: &Path, round: u64) {
    // Without the dictionary of the default analyzer, which every process would load.
    let server = Server::start(folder, &["--set", "search.analyzer=simple"]);
    let client = server.client().await;
    define(&client).await;
    let done = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let (client, done) = (client.clone(), std::sync::Arc::clone(&done));
            tokio::spawn(async move {
                for number in 0.. {
                    if client.add_vertices(batch(round, writer, number).into(), false).await.is_err() {
                        return;
                    }
                    done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
            })
        })
        .collect();
    let rebuild = format!("{}/graphs/hugegraph/jobs/rebuild/vertexlabels/thing", server.url);
    // A build every few batches, and a little later each round, so that the kill meets different moments.
    for goal in 0..6 {
        let asked = reqwest::Client::new().put(&rebuild).header("content-type", "application/json").body("{}").send();
        assert!(asked.await.unwrap().status().is_success());
        while done.load(std::sync::atomic::Ordering::Relaxed) < 5 * goal + 3 * round {
            tokio::task::yield_now().await;
        }
    }
    server.kill();
    for writer in writers {
        writer.await.unwrap();
    }
}

#[test]
fn graphs_are_copied_to_another_store_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    fill(Path::new(from));
    let copy = |more: &[&str]| run(&[&["copy", "--from", from, "--to", to], more].concat());
    let (status, out, error) = copy(&[]);
    assert!(status.success(), "{error}");
    assert!(out.starts_with("graph hugegraph: 10 vertices and 0 edges copied, "), "{out}");
    let (status, out, error) = run(&["check", "--data", to]);
    assert!(status.success(), "{error}");
    assert!(out.contains("engine rocksdb: ") && out.contains("graph hugegraph: 1 vertex labels"), "{out}");
    let (status, out, error) = run(&["check", "--indexes", "--data", to]);
    assert!(status.success() && out.contains("10 index entries and 10 elements"), "{out}{error}");
    let (status, _, error) = copy(&[]);
    assert!(!status.success() && error.contains("'hugegraph' exists already"), "{error}");
    assert!(copy(&["--replace", "--graph", "hugegraph"]).0.success());
    let (status, _, error) = run(&["copy", "--from", from, "--to", from]);
    assert!(!status.success() && error.contains("same data folder"), "{error}");
}
