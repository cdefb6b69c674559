//! A generated social network, with the mapping and the schema generated for it, is read without a single rejected row.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "test code")]

use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_client::{ClientOptions, ElementKind};
use axum::Router;
use axum::extract::Request;
use bulk_load::{LoadOptions, SilentObserver, load};
use graph_gen::{Content, SnbOptions, generate, mapping_json, schema_json};
use serde_json::{Value, json};

/// A server with the network's schema, that takes every batch and counts elements.
async fn serve(taken: Arc<AtomicUsize>) -> String {
    let answer = move |request: Request| {
        let taken = Arc::clone(&taken);
        async move {
            let (parts, body) = request.into_parts();
            match parts.uri.path() {
                "/versions" => json!({"versions": {"core": "1.5.0"}}).to_string(),
                "/graphs/hugegraph/schema" => schema_json(Content::Everything).to_string(),
                _ => {
                    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
                    let mut text = String::new();
                    flate2::read::GzDecoder::new(body.as_ref()).read_to_string(&mut text).unwrap();
                    let elements: Vec<Value> = serde_json::from_str(&text).unwrap();
                    taken.fetch_add(elements.len(), Ordering::SeqCst);
                    Value::from(vec!["id"; elements.len()]).to_string()
                }
            }
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, router).await.expect("the test server runs") });
    url
}

#[tokio::test]
async fn a_generated_network_loads_completely() {
    let dir = tempfile::tempdir().unwrap();
    let made = generate(&SnbOptions::new(30, 1), dir.path(), &mut |_| {}).unwrap();
    let mapping = dir.path().join("the-mapping.json");
    std::fs::write(&mapping, mapping_json(Content::Everything).to_string()).unwrap();
    let taken = Arc::new(AtomicUsize::new(0));
    let url = serve(Arc::clone(&taken)).await;
    let client = ClientOptions { url, ..ClientOptions::default() };
    let options = LoadOptions { client, verify: false, ..LoadOptions::new(mapping) };
    let summary = load(options, &SilentObserver).await.unwrap();
    assert_eq!((summary.rejected(), summary.rows_unreadable), (0, 0), "{summary}");
    let count =
        |kind| summary.labels.iter().filter(|label| label.kind == kind).map(|label| label.inserted).sum::<u64>();
    assert_eq!(count(ElementKind::Vertex), made.vertices(), "{summary}");
    assert_eq!(count(ElementKind::Edge), made.edges(), "{summary}");
    assert_eq!(u64::try_from(taken.load(Ordering::SeqCst)).unwrap(), summary.inserted());
}

/// The same with LDBC's own tiny data set, where it is at hand.
#[tokio::test]
async fn the_ldbc_data_set_loads_completely() {
    let data =
        std::env::var_os("RHIZOME_TEST_DATA").map_or_else(|| "../../../shared/data".into(), std::path::PathBuf::from);
    let base = data.join("snb-interactive-v1-tiny/vanilla");
    if !base.join("dynamic").exists() {
        println!("skipped: there is no {}; set RHIZOME_TEST_DATA", base.display());
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mapping = dir.path().join("mapping.json");
    std::fs::write(&mapping, mapping_json(Content::Everything).to_string()).unwrap();
    let url = serve(Arc::new(AtomicUsize::new(0))).await;
    let client = ClientOptions { url, ..ClientOptions::default() };
    let base_dir = Some(base);
    let options = LoadOptions { client, verify: false, base_dir, dry_run: true, ..LoadOptions::new(mapping) };
    let summary = load(options, &SilentObserver).await.unwrap();
    assert_eq!(summary.rejected(), 0, "{summary}");
    assert!(summary.inserted() > 0, "{summary}");
    println!("{summary}");
}
