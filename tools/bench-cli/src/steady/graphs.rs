//! Many small graphs in one server.

use api_client::{Client, ClientOptions};
use load_test::{DataOptions, Needs, ProcessProbe, Silent};

use super::bench::Bench;
use super::findings::Findings;

/// Number of graphs.
const GRAPHS: u32 = 100;

/// Vertices and edges of each graph.
const DATA: (u64, u64) = (100, 200);

pub(super) async fn run(bench: &mut Bench<'_>) -> anyhow::Result<Findings> {
    let server = bench.server().await?;
    let (vertices, edges) = DATA;
    let data = DataOptions { vertices, edges, ..DataOptions::default() };
    let needs = Needs { schema: true, vertices: true, edges: true, ..Needs::default() };
    for number in 0..GRAPHS {
        let client = client(server.url(), number).await?;
        client.create_graph().await?;
        load_test::prepare(&client, needs, &data, &mut Silent, bench.cancel).await?;
    }
    let filled_bytes = resident_bytes(server.pid());
    let (server, mut took) = server.restart(&bench.settings).await?;
    let begin = std::time::Instant::now();
    // The port is bound before the data is opened, so startup ends with the first answer.
    client(server.url(), 0).await?.schema().await?;
    took += begin.elapsed();
    for number in 0..GRAPHS {
        let schema = client(server.url(), number).await?.schema().await?;
        anyhow::ensure!(!schema.vertexlabels.is_empty(), "graph {number} has lost its schema");
    }
    let mut findings = Findings::default();
    let started = format!("{:.2} s", took.as_secs_f64());
    findings.add(
        &format!("start with {GRAPHS} graphs, until the first answer"),
        started,
        "2 s",
        took.as_secs_f64() < 2.0,
    );
    let opened_bytes = resident_bytes(server.pid());
    for (what, bytes) in [
        (format!("memory when {GRAPHS} graphs of {vertices} vertices and {edges} edges have been made"), filled_bytes),
        (format!("memory when all {GRAPHS} have been read from after the start"), opened_bytes),
    ] {
        findings.add(&what, format!("{} MiB", bytes >> 20), "300 MB", bytes > 0 && bytes < 300_000_000);
    }
    Ok(findings)
}

async fn client(url: &str, number: u32) -> anyhow::Result<Client> {
    let graph = format!("small{number}");
    Ok(Client::connect(ClientOptions { url: url.to_owned(), graph, ..ClientOptions::default() }).await?)
}

fn resident_bytes(pid: u32) -> u64 {
    ProcessProbe::of(pid).as_ref().and_then(ProcessProbe::rss_bytes).unwrap_or_default()
}
