//! The server on a disk that fills up: writes are rejected with the reason, reads still work, and once there is space
//! everything works again.
//!
//! It needs a small file system: `scripts/test-full-disk.sh` makes one and runs this.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use api_client::{Client, ClientError, VertexId};
use common::Server;
use kv::Read as _;
use serde_json::json;

/// RocksDB looks for free room every five seconds.
const RECOVERY_MAX: Duration = Duration::from_secs(60);

/// A batch of twenty vertices with text that does not compress, about 80 kB.
async fn write(client: &Client, batch: u32) -> Result<(), ClientError> {
    let noise = |n: u32| -> String {
        let digit = |at: u32| (at ^ (n << 16) ^ (batch << 4)).wrapping_mul(2_654_435_761).rotate_left(at % 31);
        (0..500).map(|at| format!("{:08x}", digit(at))).collect()
    };
    let vertices: Vec<_> = (0..20)
        .map(|n| json!({"label": "note", "properties": {"name": format!("{batch}-{n}"), "text": noise(n)}}))
        .collect();
    client.add_vertices(serde_json::to_vec(&vertices).unwrap().into(), false).await.map(drop)
}

async fn is_there(client: &Client, batch: u32) -> bool {
    client.vertex(&VertexId::Text(format!("1:{batch}-0"))).await.is_ok()
}

#[test]
#[ignore = "needs a small file system in RHIZOME_TEST_SMALL_DISK: scripts/test-full-disk.sh"]
fn a_full_disk_is_named_and_survived() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(fill_the_disk());
}

async fn fill_the_disk() {
    let disk = PathBuf::from(std::env::var_os("RHIZOME_TEST_SMALL_DISK").unwrap()).join("server");
    std::fs::create_dir(&disk).unwrap();
    let ballast = disk.join("ballast");
    std::fs::write(&ballast, vec![0; 16 << 20]).unwrap();
    let data = disk.join("data");
    // Nothing is kept free: the engine itself meets the end of the disk.
    let settings = ["--set", "storage.rocksdb.write_buffer=2MiB", "--set", "storage.disk_free_min=0"];
    let server = Server::start(&data, &settings);
    let client = server.client().await;
    for name in ["name", "text"] {
        client.create_property_key(&json!({"name": name, "data_type": "TEXT"}), false).await.unwrap();
    }
    let label = json!({"name": "note", "properties": ["name", "text"], "primary_keys": ["name"]});
    client.create_vertex_label(&label, false).await.unwrap();
    let mut written = 0;
    let refusal = loop {
        match write(&client, written).await {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(
        matches!(refusal, ClientError::DiskFull { status: 503, .. })
            && refusal.to_string().contains("the disk is full"),
        "{refusal}"
    );
    assert!(written > 10);
    assert!(!is_there(&client, written).await, "nothing of a refused batch is there");
    for batch in 0..written {
        assert!(is_there(&client, batch).await, "reads still work");
    }
    std::fs::remove_file(ballast).unwrap();
    let start = Instant::now();
    while let Err(error) = write(&client, written).await {
        assert!(start.elapsed() < RECOVERY_MAX, "no recovery: {error}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    drop(client);
    assert!(server.stop().success());
    let server = Server::start(&data, &settings);
    let client = server.client().await;
    for batch in 0..=written {
        assert!(is_there(&client, batch).await, "everything acknowledged is there after a new start");
    }
    assert!(client.schema().await.unwrap().vertexlabels[0].name == "note");
    drop(client);
    assert!(server.stop().success());
    // Room for the next test.
    std::fs::remove_dir_all(&disk).unwrap();
}

/// Every row of the elements in a store that nobody has open.
fn rows(data: &Path) -> Vec<(u8, Vec<u8>)> {
    let mut settings = rhizome::settings::Settings::load(None, &[]).unwrap();
    settings.storage.data_dir = data.to_path_buf();
    let engine = rhizome::engine::open(&settings.storage).unwrap();
    let mut rows = Vec::new();
    for table in [key_codec::tables::VERTEX, key_codec::tables::EDGE_OUT, key_codec::tables::EDGE_IN] {
        let mut cursor = engine.scan_partitions(table, &[], None).unwrap();
        while let Some(row) = cursor.next().unwrap() {
            rows.push((table.0, [row.key.as_bytes(), row.value].concat()));
        }
    }
    rows
}

/// By sorting and in batches: the load says what space it needs, finished work is kept, and it resumes when there is
/// room.
#[test]
#[ignore = "needs a small file system in RHIZOME_TEST_SMALL_DISK: scripts/test-full-disk.sh"]
fn an_offline_load_goes_on_when_there_is_room() {
    let disk = PathBuf::from(std::env::var_os("RHIZOME_TEST_SMALL_DISK").expect("RHIZOME_TEST_SMALL_DISK"));
    let elsewhere = tempfile::tempdir().unwrap();
    let sources = elsewhere.path().join("snb");
    graph_gen::generate(&graph_gen::SnbOptions::new(150, 7), &sources, &mut |_| {}).unwrap();
    let load = |data: &Path, more: &[&str]| {
        let mut command = common::command();
        command.args(["load", "--offline", "--sort-memory", "2MiB"]).args(more);
        for (name, path) in [("--mapping", "mapping.json"), ("--schema", "schema.json")] {
            command.arg(name).arg(sources.join(path));
        }
        let output = command.arg("--data").arg(data).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    };
    let whole = elsewhere.path().join("whole");
    let (done, said) = load(&whole, &[]);
    assert!(done, "{said}");
    let expected = rows(&whole);
    for more in [&[][..], &["--batch-size", "500"]] {
        let data = disk.join("offline");
        let ballast = disk.join("ballast");
        // Leaves some megabytes of 64.
        std::fs::write(&ballast, vec![0; 56 << 20]).unwrap();
        let (done, said) = load(&data, more);
        assert!(!done && said.contains("the disk is full: loading needs about"), "{said}");
        assert!(said.contains("--resume"), "{said}");
        std::fs::remove_file(&ballast).unwrap();
        // The store opens, and what is there is part of the whole.
        let there = rows(&data);
        assert!(there.len() < expected.len() && there.iter().all(|row| expected.binary_search(row).is_ok()));
        let (done, said) = load(&data, &[more, &["--resume"]].concat());
        assert!(done, "{said}");
        assert!(rows(&data) == expected);
        std::fs::remove_dir_all(&data).unwrap();
    }
}
