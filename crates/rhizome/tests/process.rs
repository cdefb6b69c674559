//! The process as a person meets it: what it says when it cannot start, and how it stops.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod common;

use common::{Server, run};

fn refused(arguments: &[&str]) -> String {
    let (status, _, error) = run(arguments);
    assert!(!status.success());
    error
}

#[test]
fn a_taken_port_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = refused(&["serve", "--engine", "memory", "--listen", &address]);
    assert!(error.contains(&format!("port {} at 127.0.0.1 is taken", taken.local_addr().unwrap().port())), "{error}");
    assert!(error.contains("--listen"), "{error}");
}

#[test]
fn a_taken_port_of_gremlin_names_the_setting() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("gremlin.listen={}", taken.local_addr().unwrap());
    let arguments = ["serve", "--engine", "memory", "--listen", "127.0.0.1:0", "--set", "bolt.enabled=false"];
    let error = refused(&[&arguments[..], &["--set", &listen]].concat());
    assert!(error.contains("is taken") && error.contains("gremlin.listen"), "{error}");
}

#[test]
fn a_taken_port_of_bolt_names_the_setting() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("bolt.listen={}", taken.local_addr().unwrap());
    let arguments = ["serve", "--engine", "memory", "--listen", "127.0.0.1:0", "--set", "gremlin.enabled=false"];
    let error = refused(&[&arguments[..], &["--set", &listen]].concat());
    assert!(error.contains("is taken") && error.contains("bolt.listen"), "{error}");
}

#[test]
fn a_data_folder_in_use_names_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let _first = Server::start(folder.path(), &[]);
    let error = refused(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--set",
        "gremlin.enabled=false",
        "--set",
        "bolt.enabled=false",
        "--data",
        folder.path().to_str().unwrap(),
    ]);
    assert!(error.contains("is in use by process"), "{error}");
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("letters.txt"), "dear").unwrap();
    let error = refused(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--set",
        "gremlin.enabled=false",
        "--set",
        "bolt.enabled=false",
        "--data",
        folder.path().to_str().unwrap(),
    ]);
    assert!(error.contains("is not a data folder of this engine"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn an_unknown_setting_is_refused_with_a_suggestion() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.toml");
    std::fs::write(&file, "[server]\nlisten_on = \"127.0.0.1:1\"\n").unwrap();
    let error = refused(&["serve", "--config", file.to_str().unwrap()]);
    assert!(error.contains("unknown setting 'server.listen_on'"), "{error}");
    assert!(error.contains("did you mean 'server.listen'?"), "{error}");
    let error = refused(&["serve", "--set", "storage.rocksdb.memory=1GiB"]);
    assert!(error.contains("storage.rocksdb.memory_budget"), "{error}");
}

#[test]
fn an_environment_that_is_no_text_harms_nobody() {
    use std::os::unix::ffi::OsStrExt as _;
    let bytes = std::ffi::OsStr::from_bytes(b"\xFF\xFE");
    let output = common::command().args(["serve", "--set", "no.such=1"]).env("SOMETHING", bytes).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("unknown setting 'no.such'"), "{error}");
}

#[test]
fn the_printed_settings_are_accepted_as_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (status, text, _) = run(&["config"]);
    assert!(status.success());
    let file = folder.path().join("all.toml");
    std::fs::write(&file, text).unwrap();
    let data = folder.path().join("data");
    let server = Server::start(&data, &["--config", file.to_str().unwrap()]);
    assert!(server.stop().success());
}

#[test]
fn everything_is_there_after_a_stop_and_a_start() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--durability", "fsync"]);
    runtime.block_on(async {
        let client = server.client().await;
        let schema = serde_json::json!({"name": "name", "data_type": "TEXT"});
        client.create_property_key(&schema, false).await.unwrap();
        let label = serde_json::json!({"name": "person", "properties": ["name"], "primary_keys": ["name"]});
        client.create_vertex_label(&label, false).await.unwrap();
        let vertices = serde_json::json!([{"label": "person", "properties": {"name": "ann"}}]).to_string();
        client.add_vertices(vertices.into(), true).await.unwrap();
    });
    assert!(server.stop().success());
    let server = Server::start(folder.path(), &[]);
    runtime.block_on(async {
        let client = server.client().await;
        let ann = client.vertex(&api_client::VertexId::Text("1:ann".to_owned())).await.unwrap();
        assert_eq!(ann["properties"]["name"], "ann");
        assert_eq!(client.schema().await.unwrap().propertykeys.len(), 1);
    });
    assert!(server.stop().success());
}

#[test]
fn a_data_folder_of_another_format_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    {
        use kv::Engine as _;
        let mut settings = rhizome::settings::Settings::load(None, &[]).unwrap();
        settings.storage.data_dir = folder.path().to_path_buf();
        let engine = rhizome::engine::open(&settings.storage).unwrap();
        let mut batch = kv::WriteBatch::new();
        batch.put(
            key_codec::tables::META,
            |b| {
                key_codec::key::meta_partition(b, key_codec::GraphNumber::STORE, key_codec::key::MetaKind::Setting);
            },
            |b| key_codec::key::meta_row_name(b, "format_version"),
            |v| key_codec::setting_value::put_numbers(v, &[99, 1, 2]),
        );
        engine.commit(batch).unwrap();
    }
    let error = refused(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--set",
        "gremlin.enabled=false",
        "--set",
        "bolt.enabled=false",
        "--data",
        folder.path().to_str().unwrap(),
    ]);
    assert!(error.contains("format version 99"), "{error}");
}

/// The name of a thread and the processors it may use, as the system shows them in its folder; `None` once it has
/// ended.
#[cfg(target_os = "linux")]
fn allowed(thread: &std::path::Path) -> Option<(String, String)> {
    let status = std::fs::read_to_string(thread.join("status")).ok()?;
    let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
    Some((field("Name:")?, field("Cpus_allowed_list:")?))
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_tied_to_a_processor_but_the_threads_that_serve_connections() {
    let (_, everywhere) = allowed("/proc/self".as_ref()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // Little memory, so that there is something to write to files and to merge.
    // As many threads as there are processors, also where this process may use less time than all of them give.
    let worker_threads = format!("server.worker_threads={}", threads::processors().len());
    let server =
        Server::start(folder.path(), &["--set", "storage.rocksdb.memory_budget=32MiB", "--set", &worker_threads]);
    let work = ["bench", "run", "--url", &server.url, "--driver", "closed", "--concurrency", "8", "--duration", "1s"];
    let scenarios = "batch-vertex,batch-edge,single-edge,vertex-by-id,mixed";
    let sizes = ["--vertices", "20000", "--edges", "20000", "--warm-up", "0s", "--scenario", scenarios];
    let (status, _, error) = run(&[&work[..], &sizes[..]].concat());
    assert!(status.success(), "{error}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let options = api_client::ClientOptions {
            url: server.url.clone(),
            graph: "another".to_owned(),
            ..api_client::ClientOptions::default()
        };
        let another = api_client::Client::connect(options).await.unwrap();
        another.create_graph().await.unwrap();
    });
    let (mut tied, mut others) = (std::collections::BTreeSet::new(), Vec::new());
    for thread in std::fs::read_dir(format!("/proc/{}/task", server.pid())).unwrap() {
        let Some((name, processors)) = allowed(&thread.unwrap().path()) else { continue };
        if name.starts_with("http-") {
            assert!(tied.insert(processors), "two threads on one processor");
        } else {
            others.push((name, processors));
        }
    }
    assert_eq!(tied.len(), threads::processors().len());
    assert!(tied.iter().all(|processor| processor.parse::<u32>().is_ok()), "{tied:?}");
    assert!(others.len() > 3, "{others:?}");
    others.retain(|(_, processors)| *processors != everywhere);
    assert_eq!(others, []);
}
