//! What clients give back to continue a read: page tokens and bounds of shards. They are read by a small graph in
//! memory, so that what a damaged one makes of the read is covered too.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use graph_access::Budget;
use graph_host::{HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_model::{Direction, IdStrategy, VertexId};
use graph_schema::{Conditions, Literal, NewEdge, NewEdgeLabel, NewVertex, NewVertexLabel};
use graph_store::{EdgeQuery, Listed, Pending, Range, Scan, StoreError, VertexQuery, Wait};
use key_codec::tables;
use kv::MemoryEngine;

use crate::text::with_text;

/// Elements of each kind in the graph.
const ELEMENTS: i64 = 5;

/// The version byte and the fingerprint of the query, with which every page token begins.
const TOKEN_HEAD_BYTES: usize = 9;

/// The store must stay open as long as its graph is read.
static GRAPH: LazyLock<(Store, Arc<HostedGraph>)> =
    LazyLock::new(|| open().expect("an empty store takes a small graph"));

fn open() -> Result<(Store, Arc<HostedGraph>), StoreError> {
    let purge = PurgeOptions { interval: None, ..PurgeOptions::default() };
    let options = StoreOptions { purge, ..StoreOptions::default() };
    let store = Store::open(Arc::new(MemoryEngine::open(tables::TABLES)), options)?;
    let graph = store.graph("hugegraph")?;
    let numbered = IdStrategy::CustomizeNumber;
    graph
        .schema()
        .create_vertex_label(&NewVertexLabel { id_strategy: Some(numbered), ..NewVertexLabel::new("node") })?;
    graph.schema().create_edge_label(&NewEdgeLabel::new("next", "node", "node"))?;
    let label = |name| Some(Cow::Borrowed(name));
    let vertices: Vec<NewVertex<'_>> = (0..ELEMENTS)
        .map(|n| NewVertex { label: label("node"), id: Some(Literal::Integer(n)), properties: vec![] })
        .collect();
    graph.writer().insert_vertices(&vertices, Wait::Allowed).and_then(Pending::wait)?;
    let edges: Vec<NewEdge<'_>> = (0..ELEMENTS)
        .map(|n| NewEdge {
            label: label("next"),
            source: Some(Literal::Integer(0)),
            source_label: label("node"),
            target: Some(Literal::Integer(n)),
            target_label: label("node"),
            properties: vec![],
        })
        .collect();
    graph.writer().insert_edges(&edges, true, Wait::Allowed).and_then(Pending::wait)?;
    Ok((store, graph))
}

/// A way to read a page: the number of elements read, and the token of the next one.
type ReadPage = fn(Range) -> Result<(i64, Listed), StoreError>;

fn list_vertices(range: Range) -> Result<(i64, Listed), StoreError> {
    let query = VertexQuery { label: None, conditions: Conditions::default(), range };
    let mut count = 0;
    let listed = GRAPH.1.reader().list_vertices(&query, &Budget::unlimited(), &mut |_| {
        count += 1;
        ControlFlow::Continue(())
    })?;
    Ok((count, listed))
}

fn list_edges(range: Range) -> Result<(i64, Listed), StoreError> {
    let vertex = Some((VertexId::Number(0), Direction::Both));
    let query = EdgeQuery { label: None, vertex, conditions: Conditions::default(), range };
    let mut count = 0;
    let listed = GRAPH.1.reader().list_edges(&query, &Budget::unlimited(), &mut |_| {
        count += 1;
        ControlFlow::Continue(())
    })?;
    Ok((count, listed))
}

fn scan_vertices(start: &str, end: &str, range: Range) -> Result<(i64, Listed), StoreError> {
    let scan = Scan { start: start.to_owned(), end: end.to_owned(), range };
    let mut count = 0;
    let listed = GRAPH.1.reader().scan_vertices(&scan, &Budget::unlimited(), &mut |_| {
        count += 1;
        ControlFlow::Continue(())
    })?;
    Ok((count, listed))
}

fn scan_edges(start: &str, end: &str, range: Range) -> Result<(i64, Listed), StoreError> {
    let scan = Scan { start: start.to_owned(), end: end.to_owned(), range };
    let mut count = 0;
    let listed = GRAPH.1.reader().scan_edges(&scan, &Budget::unlimited(), &mut |_| {
        count += 1;
        ControlFlow::Continue(())
    })?;
    Ok((count, listed))
}

/// Page tokens: as they are, and as the rest of a token whose version and query are right.
pub(crate) fn page_token(bytes: &[u8]) {
    let ways: [ReadPage; 4] =
        [list_vertices, list_edges, |range| scan_vertices("", "", range), |range| scan_edges("", "", range)];
    for read in ways {
        let page = |token| Range::Page { token, limit: Some(2) };
        with_text(bytes, |text| drop(read(page(text.to_owned()))));
        let (_, first) = read(page(String::new())).expect("the first page can be read");
        let token = first.next.expect("there is a second page");
        let mut patched = URL_SAFE_NO_PAD.decode(token).expect("tokens are Base64");
        patched.truncate(TOKEN_HEAD_BYTES);
        patched.extend_from_slice(bytes);
        if let Ok((count, _)) = read(page(URL_SAFE_NO_PAD.encode(patched))) {
            assert!(count <= 2, "a page of 2 has {count} elements");
        }
    }
}

/// Bounds of shards: as they are, as positions in a table, and as ids; a part never has more than the whole.
pub(crate) fn shard_bound(bytes: &[u8]) {
    let all = || Range::Offset { offset: 0, limit: None };
    let position = format!("~{}", URL_SAFE_NO_PAD.encode(bytes));
    let id = STANDARD.encode(bytes);
    for bound in [str::from_utf8(bytes).unwrap_or_default(), &position, &id] {
        for (start, end) in [(bound, ""), ("", bound), (bound, bound)] {
            for read in [scan_vertices, scan_edges] {
                if let Ok((count, _)) = read(start, end, all()) {
                    assert!(count <= ELEMENTS, "a part has {count} elements, the whole {ELEMENTS}");
                }
            }
        }
    }
}
