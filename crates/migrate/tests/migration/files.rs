//! Migrations from rows as HugeGraph has them in its files.

use std::collections::BTreeMap;
use std::collections::btree_map::Iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use graph_access::Budget;
use graph_host::Store;
use graph_model::Vertex;
use graph_schema::Status;
use graph_store::{Range, Scan, Shard};
use hugegraph_files::{Source, Stores};
use kv::{ForeignRow, ForeignRows, ForeignStore, KvError};
use migrate::{FilesOptions, MigrateError, MigrateSummary, SilentMigration, StoreTarget, from_files};
use serde_json::json;

use crate::{open, vertex};

const COUNT: u32 = 3_000;
/// Far in the future, and long ago.
const LATER_MS: u64 = 4_000_000_000_000;
const EARLIER_MS: u64 = 1_000_000_000_000;

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Tables in memory.
struct Memory {
    names: Vec<String>,
    tables: BTreeMap<String, Rows>,
}

struct MemoryRows<'m>(Iter<'m, Vec<u8>, Vec<u8>>);

impl ForeignRows for MemoryRows<'_> {
    fn next(&mut self) -> Result<Option<ForeignRow<'_>>, KvError> {
        Ok(self.0.next().map(|(key, value)| (key.as_slice(), value.as_slice())))
    }
}

impl ForeignStore for Memory {
    fn folder(&self) -> &Path {
        Path::new("/hugegraph/data")
    }

    fn tables(&self) -> &[String] {
        &self.names
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn sequence(&self) -> u64 {
        1
    }

    fn rows(&self, table: &str) -> Result<Box<dyn ForeignRows + '_>, KvError> {
        let table = self.tables.get(table).ok_or_else(|| KvError::Other { detail: format!("no table {table}") })?;
        Ok(Box::new(MemoryRows(table.iter())))
    }
}

fn memory(tables: Vec<(&str, Rows)>) -> Box<dyn ForeignStore> {
    let tables: BTreeMap<_, _> = tables.into_iter().map(|(name, rows)| (format!("default/g+{name}"), rows)).collect();
    Box::new(Memory { names: tables.keys().cloned().collect(), tables })
}

/// A small number as an id.
fn id(number: u8) -> Vec<u8> {
    vec![8, number]
}

fn ids(numbers: &[u8]) -> Vec<u8> {
    let count = u16::try_from(numbers.len()).unwrap().to_be_bytes().to_vec();
    [count, numbers.iter().flat_map(|number| id(*number)).collect()].concat()
}

fn text_id(text: &str) -> Vec<u8> {
    [&[0x80 | u8::try_from(text.len() - 1).unwrap()], text.as_bytes()].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat()
}

fn number(number: u64) -> Vec<u8> {
    let mut groups = vec![u8::try_from(number & 0x7f).unwrap()];
    let mut rest = number >> 7;
    while rest > 0 {
        groups.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
        rest >>= 7;
    }
    groups.reverse();
    groups
}

/// The rows of a definition.
fn define(rows: &mut Rows, of: u8, fields: &[(u8, Vec<u8>)]) {
    for (field, value) in fields {
        rows.insert([id(of), vec![*field]].concat(), value.clone());
    }
}

/// Keys `name` and `rank`, labels `person` and `mortal`, edges `knows`, and an index over ranks.
fn definitions() -> Box<dyn ForeignStore> {
    let (mut keys, mut labels, mut edges, mut indexes) = (Rows::new(), Rows::new(), Rows::new(), Rows::new());
    for (of, name, data_type) in [(1, "name", 8), (2, "rank", 4)] {
        let fields =
            [(2, name.into()), (11, vec![1]), (51, ids(&[])), (120, vec![data_type]), (121, vec![1]), (122, vec![0])];
        define(&mut keys, of, &fields);
    }
    for (of, name, strategy, ttl) in [(1, "person", 2, 0), (2, "mortal", 3, 86_400_000)] {
        let primary = if strategy == 2 { ids(&[1]) } else { ids(&[]) };
        let fields = [
            (2, name.into()),
            (10, br#"{"kind":"people"}"#.to_vec()),
            (11, vec![1]),
            (50, vec![strategy]),
            (51, ids(&[1, 2])),
            (52, primary),
            (54, ids(&[2])),
            (55, vec![1]),
            (85, number(ttl)),
            (86, id(0)),
        ];
        define(&mut labels, of, &fields);
    }
    let fields = [
        (2, b"knows".to_vec()),
        (11, vec![1]),
        (51, ids(&[2])),
        (54, ids(&[])),
        (55, vec![1]),
        (80, ids(&[1, 1])),
        (81, vec![2]),
        (84, ids(&[2])),
        (85, number(0)),
        (86, id(0)),
    ];
    define(&mut edges, 1, &fields);
    let fields =
        [(2, b"by_rank".to_vec()), (11, vec![1]), (150, vec![1]), (151, id(1)), (152, vec![21]), (153, ids(&[2]))];
    define(&mut indexes, 1, &fields);
    memory(vec![("pk", keys), ("vl", labels), ("el", edges), ("il", indexes)])
}

fn name(n: u32) -> String {
    format!("name {n:05}")
}

/// Persons in a ring, two elements that expire, and one that has.
fn elements() -> (Rows, Rows) {
    let (mut vertices, mut edges) = (Rows::new(), Rows::new());
    for n in 0..COUNT {
        let key = |n: u32| text_id(&format!("1:{}", name(n)));
        let value = [id(1), vec![2, 1], text(&name(n)), vec![2, u8::try_from(n % 100).unwrap()]].concat();
        vertices.insert(key(n), value);
        // HugeGraph's code of the number 5 as a sort value.
        let edge = [key(n), vec![0x82], id(1), id(1), b"15\0".to_vec(), key((n + 1) % COUNT)].concat();
        edges.insert(edge, vec![1, 2, 5]);
    }
    for (of, expires) in [("soon", LATER_MS), ("gone", EARLIER_MS)] {
        vertices.insert(text_id(of), [id(2), vec![1, 1], text(of), number(expires)].concat());
    }
    (vertices, edges)
}

fn source(vertices: Rows, edges: Rows) -> Source {
    let stores =
        Stores { schema: definitions(), graph: memory(vec![("v", vertices), ("oe", edges)]), system: memory(vec![]) };
    Source::new(stores, "DEFAULT", "G").unwrap()
}

fn run(source: &Source, store: &Store, folder: &Path) -> Result<MigrateSummary, MigrateError> {
    let target = StoreTarget { store, accounts: None, memory_bytes: 16 << 20, threads: 2 };
    let (graph, work_dir) = ("moved".to_owned(), folder.join("work"));
    let options = FilesOptions { graph, work_dir, restart: false, users: false, verify: true };
    from_files(source, target, &options, &SilentMigration)
}

/// Checks that source and target have the same.
fn assert_whole(summary: &MigrateSummary) {
    let counts: Vec<_> =
        summary.labels.iter().map(|label| (label.label.as_str(), label.source, label.target)).collect();
    let all = u64::from(COUNT);
    assert_eq!(counts, [("mortal", 1, Some(1)), ("person", all, Some(all)), ("knows", all, Some(all))]);
    assert_eq!(summary.differing().count(), 0, "{summary}");
    assert_eq!(summary.warnings, ["1 elements are left out: their time to live is over"]);
}

#[test]
fn elements_arrive_with_what_is_left_of_their_time() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("data"));
    let (vertices, edges) = elements();
    let source = source(vertices, edges);
    let summary = run(&source, &store, folder.path()).unwrap();
    assert_whole(&summary);
    assert_eq!(summary.defined, 6);
    assert_eq!(vertex(&store, "1:name 00042")["properties"], json!({"name": "name 00042", "rank": 42}));
    assert!(!folder.path().join("work").exists());

    let graph = store.graph("moved").unwrap();
    let mut expiry = None;
    let shards = graph.reader().vertex_shards(1 << 30).unwrap();
    for Shard { start, end, .. } in shards {
        let scan = Scan { start, end, range: Range::Page { token: String::new(), limit: None } };
        let mut visit = |vertex: &Vertex| {
            expiry = expiry.or(vertex.expires_at_ms);
            ControlFlow::Continue(())
        };
        graph.reader().scan_vertices(&scan, &Budget::unlimited(), &mut visit).unwrap();
    }
    assert_eq!(expiry, Some(i64::try_from(LATER_MS).unwrap()));
    // The index is built.
    let index = Arc::clone(graph.catalogue().index_label_named("by_rank").unwrap());
    assert_eq!(index.status, Status::Created);

    let again = run(&source, &store, folder.path()).unwrap();
    assert_whole(&again);
    assert_eq!(again.defined, 0);
}

#[test]
fn a_row_that_is_not_understood_stops_it_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<Store> = open(&folder.path().join("data"));
    let (mut vertices, edges) = elements();
    vertices.insert(text_id("1:odd"), [id(1), vec![1, 1, 0x20]].concat());
    let error = run(&source(vertices.clone(), edges.clone()), &store, folder.path()).unwrap_err().to_string();
    assert!(error.contains("/hugegraph/data") && error.contains("default/g+v"), "{error}");
    assert!(error.contains("84313a6f6464") && error.contains("ends too early"), "{error}");
    // Once it is mended, the same call goes on.
    vertices.remove(&text_id("1:odd"));
    assert_whole(&run(&source(vertices, edges), &store, folder.path()).unwrap());
}
