//! Backups by the real program: under load, cut short at any moment, and restored as a whole or one graph of it.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use api_client::{Client, ElementKind};
use common::{Server, command, run};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Vertices in a batch.
const BATCH: u64 = 50;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

async fn make_schema(client: &Client) {
    for name in ["name", "text"] {
        client.create_property_key(&json!({"name": name, "data_type": "TEXT"}), true).await.unwrap();
    }
    let label = json!({
        "name": "node", "id_strategy": "PRIMARY_KEY", "properties": ["name", "text"], "primary_keys": ["name"],
        "nullable_keys": ["text"],
    });
    client.create_vertex_label(&label, true).await.unwrap();
    let label = json!({"name": "next", "source_label": "node", "target_label": "node"});
    client.create_edge_label(&label, true).await.unwrap();
    let index = json!({
        "name": "byText", "base_type": "VERTEX_LABEL", "base_value": "node", "index_type": "SECONDARY",
        "fields": ["text"],
    });
    let task = client.create_index_label(&index, true).await.unwrap();
    client.wait_for_task(task, 60_000).await.unwrap();
}

/// A batch of vertices; `text`: bytes of a text that does not compress.
fn batch(number: u64, text: usize) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut noise = |length: usize| -> String {
        (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                char::from(b' ' + (state >> 24).to_le_bytes()[0] % 94)
            })
            .collect()
    };
    let vertices: Vec<Value> = (0..BATCH)
        .map(|n| json!({"label": "node", "properties": {"name": format!("{number}-{n}"), "text": noise(text)}}))
        .collect();
    serde_json::to_vec(&vertices).unwrap()
}

async fn names(client: &Client) -> BTreeSet<String> {
    let (mut found, mut page) = (BTreeSet::new(), None);
    loop {
        let part = client.list(ElementKind::Vertex, Some("node"), 1000, page.as_deref()).await.unwrap();
        found.extend(part.elements.iter().map(|it| it["properties"]["name"].as_str().unwrap().to_owned()));
        match part.next {
            Some(next) => page = Some(next),
            None => return found,
        }
    }
}

/// Sends a request, which must succeed.
async fn send(server: &Server, method: &str, path: &str, body: &Value) -> Value {
    let request = reqwest::Client::new()
        .request(method.parse().unwrap(), format!("{}{path}", server.url))
        .header("content-type", "application/json")
        .body(if body.is_null() { String::new() } else { body.to_string() });
    let answer = request.send().await.unwrap();
    let (status, text) = (answer.status(), answer.text().await.unwrap());
    assert!(status.is_success(), "{method} {path}: {status} {text}");
    serde_json::from_str(&text).unwrap()
}

/// Waits for a task; its result.
async fn result_of(client: &Client, started: &Value) -> Value {
    let id = started["task_id"].as_i64().unwrap();
    client.wait_for_task(id, 120_000).await.unwrap();
    serde_json::from_str(&client.task(id).await.unwrap().task_result.unwrap()).unwrap()
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Starts a server whose backups go to `repository`.
    fn server(&self, data: &str) -> Server {
        let set = format!("backup.repository={}", self.text("repository"));
        Server::start(&self.path(data), &["--set", &set])
    }

    /// Runs `rhizome backup` with the repository of this place.
    fn backup(&self, arguments: &[&str]) -> (ExitStatus, String, String) {
        let repository = self.text("repository");
        let mut all = vec!["backup"];
        all.extend_from_slice(arguments);
        all.extend_from_slice(&["--repository", &repository]);
        run(&all)
    }

    fn must(&self, arguments: &[&str]) -> String {
        let (status, out, err) = self.backup(arguments);
        assert!(status.success(), "{arguments:?}: {out}{err}");
        out
    }
}

#[test]
fn everything_acknowledged_before_a_backup_under_load_is_in_it() {
    runtime().block_on(async {
        let place = Place::new();
        let server = place.server("data");
        let client = server.client().await;
        make_schema(&client).await;
        let (stop, next) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let acknowledged = Arc::new(Mutex::new(BTreeSet::new()));
        let writers: Vec<_> = (0..3)
            .map(|_| {
                let (client, stop, next) = (client.clone(), Arc::clone(&stop), Arc::clone(&next));
                let acknowledged = Arc::clone(&acknowledged);
                tokio::spawn(async move {
                    while !stop.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        client.add_vertices(batch(number, 40).into(), false).await.unwrap();
                        acknowledged.lock().unwrap().insert(number);
                    }
                })
            })
            .collect();
        let mut backups = Vec::new();
        for _ in 0..3 {
            while acknowledged.lock().unwrap().len() < 20 * (backups.len() + 1) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            let before = acknowledged.lock().unwrap().clone();
            let started = send(&server, "POST", "/rhizome/backups", &Value::Null).await;
            let result = result_of(&client, &started).await;
            backups.push((result["backup"].as_str().unwrap().to_owned(), before));
        }
        stop.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.await.unwrap();
        }
        let listed = send(&server, "GET", "/rhizome/backups", &Value::Null).await;
        let ids: Vec<&str> =
            listed["backups"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
        assert_eq!(ids, backups.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>());
        assert!(server.stop().success());
        assert!(place.must(&["verify"]).contains("all right"));
        for (number, (id, before)) in backups.iter().enumerate() {
            let folder = format!("restored-{number}");
            place.must(&["restore", id, "--data", &place.text(&folder)]);
            let server = Server::start(&place.path(&folder), &[]);
            let found = names(&server.client().await).await;
            for batch in 0..next.load(Ordering::Relaxed) {
                let there = (0..BATCH).filter(|n| found.contains(&format!("{batch}-{n}"))).count() as u64;
                assert!(there == BATCH || there == 0, "{there} of batch {batch} are in backup {number}");
                assert!(there == BATCH || !before.contains(&batch), "acknowledged batch {batch} is not in {number}");
            }
            assert!(server.stop().success());
            let (status, out, _) = run(&["check", "--indexes", "--data", &place.text(&folder)]);
            assert!(status.success() && out.contains("all right"), "{out}");
        }
        let deep = place.must(&["verify", "latest", "--deep"]);
        assert!(deep.contains("graph hugegraph") && deep.contains(" 0 wrong"), "{deep}");
    });
}

/// A data folder with some dozens of MiB that do not compress, and no server.
async fn large_store(place: &Place) {
    let server = place.server("data");
    let client = server.client().await;
    make_schema(&client).await;
    for number in 0..12 {
        client.add_vertices(batch(number, 60_000).into(), false).await.unwrap();
    }
    assert!(server.stop().success());
}

/// Starts `rhizome backup` and kills it after a while; whether it had ended well before.
fn killed(place: &Place, arguments: &[&str], after: Duration) -> bool {
    let repository = place.text("repository");
    let mut child = command()
        .arg("backup")
        .args(arguments)
        .args(["--repository", &repository])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + after;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

fn count_backups(place: &Place) -> usize {
    place.must(&["list"]).lines().filter(|line| line.contains("graphs: hugegraph")).count()
}

#[test]
fn a_kill_in_the_middle_leaves_no_half_backup_and_no_half_store_that_starts() {
    let place = Place::new();
    runtime().block_on(large_store(&place));
    let data = place.text("data");
    let began = Instant::now();
    place.must(&["create", "--data", &data]);
    let whole = began.elapsed();
    std::fs::remove_dir_all(place.path("repository")).unwrap();
    let mut made = 0;
    for round in 0..8_u32 {
        let ended = killed(&place, &["create", "--data", &data], whole * (round + 1) / 10);
        made += usize::from(ended);
        if place.path("repository/repository.json").exists() {
            assert!(count_backups(&place) >= made, "round {round}");
            assert!(place.must(&["verify"]).contains("all right"), "round {round}");
        }
    }
    place.must(&["create", "--data", &data]);
    // The locks of the dead are no obstacle, and what they have left goes.
    place.must(&["prune", "--keep-last", "1"]);
    assert_eq!(count_backups(&place), 1);
    assert!(place.must(&["verify", "--deep"]).contains("read: "));
    let began = Instant::now();
    place.must(&["restore", "--data", &place.text("whole")]);
    let whole = began.elapsed();
    let mut refused = 0;
    for round in 0..6_u32 {
        let folder = place.text(&format!("half-{round}"));
        let ended = killed(&place, &["restore", "--data", &folder], whole * (round + 1) / 7);
        if !Path::new(&folder).exists() {
            continue;
        }
        let (status, out, err) = run(&["check", "--indexes", "--data", &folder]);
        if status.success() {
            assert!(out.contains("600 elements checked: all right"), "{out}");
        } else {
            assert!(!ended && err.contains("restore"), "{err}");
            let (status, _, err) = place.backup(&["restore", "--data", &folder]);
            assert!(!status.success() && err.contains("delete the folder"), "{err}");
            refused += 1;
        }
    }
    assert!(refused > 0, "no kill met a restore at work");
}

#[test]
fn a_server_that_is_killed_during_its_backup_makes_none_by_itself_later() {
    runtime().block_on(async {
        let place = Place::new();
        large_store(&place).await;
        let server = place.server("data");
        let client = server.client().await;
        let started = send(&server, "POST", "/rhizome/backups", &Value::Null).await;
        while !place.path("data/checkpoints").exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        server.kill();
        drop(client);
        let server = place.server("data");
        let client = server.client().await;
        assert!(!place.path("data/checkpoints").exists(), "it would keep files from being deleted");
        let error = client.wait_for_task(started["task_id"].as_i64().unwrap(), 60_000).await.unwrap_err().to_string();
        assert!(error.contains("the server ended before it was done"), "{error}");
        let result = result_of(&client, &send(&server, "POST", "/rhizome/backups", &Value::Null).await).await;
        assert!(result["bytes"].as_u64().unwrap() > 1 << 20, "{result}");
        // Nothing has changed but the tasks: next to nothing is new.
        let again = result_of(&client, &send(&server, "POST", "/rhizome/backups", &Value::Null).await).await;
        let (new, all) = (again["new_bytes"].as_u64().unwrap(), again["bytes"].as_u64().unwrap());
        assert!(new * 100 < all, "{new} of {all} bytes are new");
        assert!(place.must(&["verify"]).contains("all right"));
        assert!(server.stop().success());
    });
}

#[test]
fn one_graph_is_restored_under_another_name_while_the_server_works() {
    runtime().block_on(async {
        let place = Place::new();
        let server = place.server("data");
        let client = server.client().await;
        make_schema(&client).await;
        for number in 0..10 {
            client.add_vertices(batch(number, 30).into(), false).await.unwrap();
        }
        let expected = names(&client).await;
        let made = result_of(&client, &send(&server, "POST", "/rhizome/backups", &Value::Null).await).await;
        // What comes after is not in it, and goes on while it is restored.
        client.add_vertices(batch(100, 30).into(), false).await.unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let writer = {
            let (client, stop) = (client.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut number = 101;
                while !stop.load(Ordering::Relaxed) {
                    client.add_vertices(batch(number, 30).into(), false).await.unwrap();
                    number += 1;
                }
                number
            })
        };
        let body = json!({"backup": made["backup"], "graph": "hugegraph", "as": "before"});
        let started = send(&server, "POST", "/rhizome/backups/restore", &body).await;
        let result = result_of(&client, &started).await;
        stop.store(true, Ordering::Relaxed);
        let written = writer.await.unwrap() - 101 + 1;
        assert_eq!(result["vertices"], json!(10 * BATCH));
        let options = api_client::ClientOptions { graph: "before".to_owned(), ..client.options().clone() };
        let before = Client::connect(options).await.unwrap();
        assert_eq!(names(&before).await, expected);
        assert_eq!(names(&client).await.len() as u64, (10 + written) * BATCH);
        let text = send(&server, "GET", "/graphs/before/graph/vertices?limit=1", &Value::Null).await;
        let text = text["vertices"][0]["properties"]["text"].clone();
        let filter: String = json!({"text": text}).to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = format!("/graphs/before/graph/vertices?label=node&limit=10&properties={filter}");
        let found = send(&server, "GET", &path, &Value::Null).await;
        assert_eq!(found["vertices"].as_array().unwrap().len(), 1, "its indexes are there");
        // The same name again is refused at once, a graph that is not in it by the task.
        let refused = reqwest::Client::new()
            .post(format!("{}/rhizome/backups/restore", server.url))
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await
            .unwrap();
        assert_eq!(refused.status(), 400);
        let body = json!({"graph": "nosuch", "as": "other"});
        let started = send(&server, "POST", "/rhizome/backups/restore", &body).await;
        let failed = client.wait_for_task(started["task_id"].as_i64().unwrap(), 60_000).await.unwrap_err();
        assert!(failed.to_string().contains("nosuch"), "{failed}");
        assert!(server.stop().success());
        assert!(!std::fs::read_dir(place.path("data/restores")).is_ok_and(|mut left| left.next().is_some()));
        let (status, out, _) = run(&["check", "--indexes", "--data", &place.text("data")]);
        assert!(status.success() && out.matches("all right").count() == 2, "{out}");
    });
}

#[test]
fn the_log_of_killed_servers_leads_to_every_moment() {
    runtime().block_on(async {
        let place = Place::new();
        let set = format!("backup.repository={}", place.text("repository"));
        let archived = ["--set", &set, "--set", "backup.archive_interval_ms=200"];
        let (mut written, mut moments) = (0, Vec::new());
        for round in 0..3 {
            let server = Server::start(&place.path("data"), &archived);
            let client = server.client().await;
            if round == 0 {
                make_schema(&client).await;
            }
            backup_in_log(&server).await;
            for _ in 0..4 {
                client.add_vertices(batch(written, 40).into(), false).await.unwrap();
                written += 1;
            }
            moments.push((jiff::Timestamp::now(), written));
            tokio::time::sleep(Duration::from_millis(20)).await;
            // What was acknowledged last is in no repository yet.
            server.kill();
        }
        assert!(Server::start(&place.path("data"), &archived).stop().success());
        assert!(place.must(&["verify"]).contains("all right"));
        assert!(place.must(&["list"]).contains("continues"));
        for (moment, count) in moments {
            let folder = format!("at-{count}");
            place.must(&["restore", "--to", &moment.to_string(), "--data", &place.text(&folder)]);
            let server = Server::start(&place.path(&folder), &[]);
            let found = names(&server.client().await).await;
            let wanted = (0..count).flat_map(|batch| (0..BATCH).map(move |n| format!("{batch}-{n}")));
            assert_eq!(found, wanted.collect::<BTreeSet<_>>(), "at {moment}");
            assert!(server.stop().success());
            let (status, out, _) = run(&["check", "--indexes", "--data", &place.text(&folder)]);
            assert!(status.success() && out.contains("all right"), "{out}");
        }
        let far = ["restore", "--to", "2000-01-01T00:00:00Z", "--data", "nowhere"];
        let (status, _, err) = place.backup(&far);
        assert!(!status.success() && err.contains("first backup with a log"), "{err}");
    });
}

/// Waits until there is a backup that the archived log follows.
async fn backup_in_log(server: &Server) {
    let began = Instant::now();
    loop {
        let listed = send(server, "GET", "/rhizome/backups", &Value::Null).await;
        if listed["backups"].as_array().unwrap().iter().any(|backup| backup["log"].is_string()) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{listed}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The page's blocks marked `sh`.
fn blocks(page: &str) -> Vec<&str> {
    let mut parts = page.split("\n```");
    parts.next();
    parts.step_by(2).filter_map(|block| block.strip_prefix("sh\n")).collect()
}

#[test]
fn the_commands_of_the_page_work_as_printed() {
    let page = include_str!("../../../docs/operations/backup.md");
    let blocks = blocks(page);
    assert!(blocks.len() >= 8, "{} blocks", blocks.len());
    let place = Place::new();
    let runtime = runtime();
    // The page's server, whose repository is the page's folder.
    let program = Path::new(env!("CARGO_BIN_EXE_rhizome"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    {
        let server = Server::start(&place.path("rhizome-data"), &[]);
        runtime.block_on(async {
            let client = server.client().await;
            make_schema(&client).await;
            client.add_vertices(batch(1, 30).into(), false).await.unwrap();
        });
        assert!(server.stop().success());
    }
    let mut server = None;
    for block in blocks {
        let is_of_server = block.contains("http://127.0.0.1:8080");
        if is_of_server && server.is_none() {
            let set = format!("backup.repository={}", place.text("backups"));
            let archived = ["--set", &set, "--set", "backup.archive_interval_ms=100"];
            let started = Server::start(&place.path("rhizome-data"), &archived);
            runtime.block_on(backup_in_log(&started));
            server = Some(started);
        }
        if !is_of_server && let Some(server) = server.take() {
            assert!(Server::stop(server).success());
        }
        let url = server.as_ref().map_or("http://127.0.0.1:8080", |server| &server.url);
        let text = block.replace("http://127.0.0.1:8080", url);
        let done = std::process::Command::new("bash")
            .args(["-euo", "pipefail", "-c", &text])
            .current_dir(place.0.path())
            .env("PATH", &path)
            .output()
            .expect("bash is there");
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(done.status.success(), "{block}\n{}{}", shown(&done.stdout), shown(&done.stderr));
        if is_of_server && block.contains("/restore") {
            // The next block may need what the task makes.
            runtime.block_on(async {
                let client = server.as_ref().unwrap().client().await;
                let newest = client.tasks(1).await.unwrap().remove(0).id;
                client.wait_for_task(newest, 60_000).await.unwrap();
            });
        }
    }
}
