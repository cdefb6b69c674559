//! `kill -9` while a snapshot is made or resumed, again and again: the graph is as it was before or as its snapshot,
//! whole, and no other graph is touched.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod common;

use common::Server;
use serde_json::{Value, json};

const BATCH: u64 = 500;
/// Vertices in the snapshot: enough that a copy takes several batches.
const KEPT: u64 = 40 * BATCH;
const ROUNDS: u64 = 10;

struct Api {
    http: reqwest::Client,
    url: String,
}

impl Api {
    async fn of(server: &Server) -> Self {
        // Connecting it chooses the cryptography for the plain client too.
        drop(server.client().await);
        Self { http: reqwest::Client::new(), url: server.url.clone() }
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> reqwest::Result<reqwest::Response> {
        let request = self.http.request(method.parse().unwrap(), format!("{}{path}", self.url));
        request.header("Content-Type", "application/json").body(body.to_string()).send().await?.error_for_status()
    }

    async fn define(&self, graph: &str) {
        self.send("POST", &format!("{graph}/schema/propertykeys"), &json!({"name": "text"})).await.unwrap();
        let label = json!({"name": "node", "id_strategy": "CUSTOMIZE_NUMBER", "properties": ["text"]});
        self.send("POST", &format!("{graph}/schema/vertexlabels"), &label).await.unwrap();
    }

    async fn add(&self, graph: &str, from: u64, to: u64) {
        for first in (from..to).step_by(usize::try_from(BATCH).unwrap()) {
            let text = "a text of some length, so that a batch of a copy is soon full; ".repeat(2);
            let vertex = |id| json!({"label": "node", "id": id, "properties": {"text": text}});
            let batch: Vec<Value> = (first..(first + BATCH).min(to)).map(vertex).collect();
            self.send("POST", &format!("{graph}/graph/vertices/batch"), &Value::from(batch)).await.unwrap();
        }
    }

    async fn count(&self, graph: &str) -> u64 {
        let (mut count, mut page) = (0, String::new());
        loop {
            let path =
                format!("{graph}/graph/vertices?limit=5000&page={}", page.replace('+', "%2B").replace('/', "%2F"));
            let answer = self.send("GET", &path, &Value::Null).await.unwrap().bytes().await.unwrap();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            count += answer.get("vertices").unwrap().as_array().unwrap().len() as u64;
            match answer.get("page").and_then(Value::as_str) {
                Some(next) => next.clone_into(&mut page),
                None => return count,
            }
        }
    }
}

const G: &str = "/graphs/hugegraph";
const OTHER: &str = "/graphs/other";

#[test]
fn a_snapshot_survives_kills_and_a_graph_is_never_half_replaced() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(kill_repeatedly());
}

async fn kill_repeatedly() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let api = Api::of(&server).await;
    api.send("POST", OTHER, &json!({"store": "other"})).await.unwrap();
    api.define(G).await;
    api.define(OTHER).await;
    api.add(G, 0, KEPT).await;
    api.add(OTHER, 0, 10).await;
    api.send("PUT", &format!("{G}/snapshot_create"), &Value::Null).await.unwrap();
    server.kill();
    let mut kept = vec![KEPT];
    for round in 0..ROUNDS {
        let server = Server::start(folder.path(), &[]);
        let api = Api::of(&server).await;
        api.add(G, KEPT, KEPT + BATCH).await;
        let resume = round % 2 == 0;
        let path = format!("{G}/{}", if resume { "snapshot_resume" } else { "snapshot_create" });
        let under_way = {
            let api = Api::of(&server).await;
            tokio::spawn(async move { drop(api.send("PUT", &path, &Value::Null).await) })
        };
        // A little later each round, so that the kill meets different moments.
        for _ in 0..round * 8 {
            api.send("GET", "/health", &Value::Null).await.unwrap();
        }
        server.kill();
        under_way.await.unwrap();

        let server = Server::start(folder.path(), &[]);
        let api = Api::of(&server).await;
        let count = api.count(G).await;
        if !resume {
            // Whether the new snapshot was complete in time shows when it is resumed.
            kept.push(KEPT + BATCH);
            assert_eq!(count, KEPT + BATCH);
        }
        assert!(count == KEPT + BATCH || kept.contains(&count), "{count} vertices");
        assert_eq!(api.count(OTHER).await, 10);
        api.send("PUT", &format!("{G}/snapshot_resume"), &Value::Null).await.unwrap();
        let resumed = api.count(G).await;
        assert!(kept.contains(&resumed), "{resumed} vertices");
        kept = vec![resumed];
        server.kill();
    }
    let server = Server::start(folder.path(), &[]);
    let api = Api::of(&server).await;
    assert!(kept.contains(&api.count(G).await));
    assert!(server.stop().success());
}
