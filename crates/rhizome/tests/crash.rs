//! `kill -9` in the middle of concurrent batch writes, again and again: every acknowledged batch is there as a whole
//! afterwards, and no batch is there in part.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use api_client::{Client, ElementKind, Schema};
use common::Server;
use serde_json::{Value, json};

const ROUNDS: u64 = 4;
const WRITERS: u64 = 4;
/// Vertices in a batch; its edges form a ring over them.
const BATCH: u64 = 40;
/// Batches that must have been acknowledged in a round before the server is killed.
const BATCHES_BEFORE_KILL: u64 = 40;

/// What became of the batches sent: acknowledged ones, and ones whose answer never came.
#[derive(Default)]
struct Sent {
    vertices: BTreeMap<u64, bool>,
    edges: BTreeMap<u64, bool>,
}

async fn create_schema(client: &Client) {
    let key = json!({"name": "name", "data_type": "TEXT"});
    client.create_property_key(&key, true).await.unwrap();
    let label = json!({"name": "node", "id_strategy": "PRIMARY_KEY", "properties": ["name"], "primary_keys": ["name"]});
    client.create_vertex_label(&label, true).await.unwrap();
    let label = json!({"name": "next", "source_label": "node", "target_label": "node"});
    client.create_edge_label(&label, true).await.unwrap();
}

fn vertex_id(label: i64, batch: u64, n: u64) -> String {
    format!("{label}:{batch}-{n}")
}

fn vertex_batch(batch: u64) -> Vec<u8> {
    let vertices: Vec<Value> =
        (0..BATCH).map(|n| json!({"label": "node", "properties": {"name": format!("{batch}-{n}")}})).collect();
    serde_json::to_vec(&vertices).unwrap()
}

fn edge_batch(label: i64, batch: u64) -> Vec<u8> {
    let edges: Vec<Value> = (0..BATCH)
        .map(|n| {
            let (source, target) = (vertex_id(label, batch, n), vertex_id(label, batch, (n + 1) % BATCH));
            json!({"label": "next", "outV": source, "outVLabel": "node", "inV": target, "inVLabel": "node",
                "properties": {}})
        })
        .collect();
    serde_json::to_vec(&edges).unwrap()
}

/// Writes batches until the server is gone, noting for each whether it was acknowledged.
async fn write(client: Client, label: i64, next: Arc<AtomicU64>, acknowledged: Arc<AtomicU64>, sent: Arc<Mutex<Sent>>) {
    loop {
        let batch = next.fetch_add(1, Ordering::Relaxed);
        sent.lock().unwrap().vertices.insert(batch, false);
        if client.add_vertices(vertex_batch(batch).into(), false).await.is_err() {
            return;
        }
        sent.lock().unwrap().vertices.insert(batch, true);
        sent.lock().unwrap().edges.insert(batch, false);
        if client.add_edges(edge_batch(label, batch).into(), true).await.is_err() {
            return;
        }
        sent.lock().unwrap().edges.insert(batch, true);
        acknowledged.fetch_add(1, Ordering::Relaxed);
    }
}

async fn all(client: &Client, kind: ElementKind, label: &str) -> Vec<Value> {
    let (mut elements, mut page) = (Vec::new(), None);
    loop {
        let found = client.list(kind, Some(label), 1000, page.as_deref()).await.unwrap();
        elements.extend(found.elements);
        match found.next {
            Some(next) => page = Some(next),
            None => return elements,
        }
    }
}

/// How many elements of each batch are there, by the text that names their batch.
fn count(elements: &[Value], batch_of: impl Fn(&Value) -> u64) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for element in elements {
        *counts.entry(batch_of(element)).or_default() += 1;
    }
    counts
}

fn batch_of_id(id: &Value) -> u64 {
    let text = id.as_str().unwrap();
    text.split_once(':').unwrap().1.split_once('-').unwrap().0.parse().unwrap()
}

fn check(kind: &str, sent: &BTreeMap<u64, bool>, found: &BTreeMap<u64, u64>) {
    for (batch, acknowledged) in sent {
        match (found.get(batch).copied().unwrap_or(0), acknowledged) {
            (BATCH, _) | (0, false) => {}
            (0, true) => panic!("acknowledged {kind} batch {batch} is gone"),
            (there, _) => panic!("{there} of {BATCH} {kind} of batch {batch} are there (acknowledged: {acknowledged})"),
        }
    }
    let known: BTreeSet<u64> = sent.keys().copied().collect();
    assert!(found.keys().all(|batch| known.contains(batch)), "{kind} that nobody sent");
}

async fn check_all(server: &Server, sent: &Mutex<Sent>) {
    let client = server.client().await;
    let vertices = all(&client, ElementKind::Vertex, "node").await;
    let edges = all(&client, ElementKind::Edge, "next").await;
    let in_flight: Vec<u64> = {
        let sent = sent.lock().unwrap();
        check("vertices", &sent.vertices, &count(&vertices, |vertex| batch_of_id(&vertex["id"])));
        check("edges", &sent.edges, &count(&edges, |edge| batch_of_id(&edge["outV"])));
        sent.edges.iter().filter(|(_, acknowledged)| !**acknowledged).map(|(batch, _)| *batch).collect()
    };
    // Both adjacency entries of an edge belong to the same batch: a ring read from its targets has the same length.
    let label = client.schema().await.unwrap().vertexlabels[0].id;
    for batch in in_flight {
        let outgoing = edges.iter().filter(|edge| batch_of_id(&edge["outV"]) == batch).count();
        let mut incoming = 0;
        for n in 0..BATCH {
            let id = Value::from(vertex_id(label, batch, n)).to_string();
            let id: String = id.bytes().map(|b| format!("%{b:02X}")).collect();
            let url = format!("{}/graphs/hugegraph/graph/edges?vertex_id={id}&direction=IN", server.url);
            let found: Value =
                serde_json::from_slice(&reqwest::get(url).await.unwrap().bytes().await.unwrap()).unwrap();
            incoming += found["edges"].as_array().unwrap().len();
        }
        assert_eq!(outgoing, incoming, "edges of batch {batch} seen from their sources and from their targets");
    }
}

#[test]
fn acknowledged_batches_survive_a_kill_and_no_batch_is_there_in_part() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(kill_repeatedly());
}

async fn kill_repeatedly() {
    let folder = tempfile::tempdir().unwrap();
    let sent = Arc::new(Mutex::new(Sent::default()));
    let next = Arc::new(AtomicU64::new(0));
    for round in 0..ROUNDS {
        let server = Server::start(folder.path(), &[]);
        let client = server.client().await;
        create_schema(&client).await;
        let schema: Schema = client.schema().await.unwrap();
        let label = schema.vertexlabels[0].id;
        let acknowledged = Arc::new(AtomicU64::new(0));
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| {
                let (next, acknowledged, sent) = (Arc::clone(&next), Arc::clone(&acknowledged), Arc::clone(&sent));
                tokio::spawn(write(client.clone(), label, next, acknowledged, sent))
            })
            .collect();
        // A little later each round, so that the kill meets different moments.
        while acknowledged.load(Ordering::Relaxed) < BATCHES_BEFORE_KILL + 7 * round {
            tokio::task::yield_now().await;
        }
        server.kill();
        for writer in writers {
            writer.await.unwrap();
        }
        let server = Server::start(folder.path(), &[]);
        check_all(&server, &sent).await;
        assert!(server.stop().success());
    }
}
