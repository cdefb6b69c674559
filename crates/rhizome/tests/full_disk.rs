//! The server on a disk that fills up: writes are refused with the reason, reads go on, and after room was made everything works again.
//!
//! It needs a small file system: `scripts/test-full-disk.sh` makes one and runs this.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use api_client::{Client, ClientError, VertexId};
use common::Server;
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
    let settings = ["--set", "storage.rocksdb.write_buffer=2MiB"];
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
    assert!(refusal.is_transient() && refusal.to_string().contains("the disk is full"), "{refusal}");
    assert!(written > 10);
    assert!(!is_there(&client, written).await, "nothing of a refused batch is there");
    for batch in 0..written {
        assert!(is_there(&client, batch).await, "reads go on");
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
}
