//! Does the check see what is wrong, and does the repair put it right?

use std::collections::BTreeSet;

use graph_host::{HostedGraph, Store};
use graph_maintenance::{IndexFault, check_indexes};
use kv::{Engine, MemoryEngine, Read as _, RowRange, TableId, WriteBatch};
use std::sync::Arc;

use crate::fixture::*;
use key_codec::tables::{INDEX_EQUAL, INDEX_RANGE, INDEX_UNIQUE, LABEL_INDEX};

type Row = (TableId, Vec<u8>, usize, Vec<u8>);

fn filled() -> (Arc<MemoryEngine>, Store, Arc<HostedGraph>) {
    let engine = memory();
    let (store, graph) = defined(&engine);
    with_all_indexes(&graph);
    for label in ["keyed", "named", "numbered", "auto"] {
        for n in 1..4u8 {
            let props = Props { n: Some(n.into()), words: Some("red fox"), tags: vec!["a", "b"] };
            insert(&graph, &[vertex(label, n, &props)]).unwrap();
        }
    }
    for (n, label) in [(1, "single"), (2, "many"), (3, "single")] {
        connect(&graph, &[edge(label, (n, n), &Props { words: Some("dog"), ..Props::n(n.into()) })]).unwrap();
    }
    assert_sound(&graph);
    (engine, store, graph)
}

fn index_rows(engine: &MemoryEngine) -> Vec<Row> {
    let mut rows = Vec::new();
    for table in [INDEX_EQUAL, INDEX_RANGE, INDEX_UNIQUE] {
        let mut cursor = engine.scan_partitions(table, &[], None).unwrap();
        while let Some(entry) = cursor.next().unwrap() {
            let key = entry.key;
            rows.push((table, key.as_bytes().to_vec(), key.partition().len(), entry.value.to_vec()));
        }
    }
    rows
}

fn key(row: &Row) -> kv::Key<'_> {
    kv::Key::new(&row.1, row.2)
}

#[test]
fn every_missing_entry_is_found_and_put_back() {
    let (engine, _store, graph) = filled();
    let rows = index_rows(&engine);
    assert!(rows.iter().map(|row| row.0).collect::<BTreeSet<_>>().len() == 3 && rows.len() > 30, "{}", rows.len());
    for row in &rows {
        let mut batch = WriteBatch::new();
        batch.delete_key(row.0, key(row));
        engine.commit(batch).unwrap();
        let found = check(&graph, false);
        assert_eq!((found.count(IndexFault::Missing), found.total(), found.repaired), (1, 1, 0), "{found:#?}");
        assert_eq!(found.examples.len(), 1);
        assert_eq!(check(&graph, true).repaired, 1);
        assert_eq!(index_rows(&engine), rows);
    }
}

#[test]
fn entries_of_elements_that_are_gone_are_found_and_removed() {
    let (engine, _store, graph) = filled();
    let rows = index_rows(&engine);
    for label in ["keyed", "named", "numbered"] {
        graph.writer().delete_vertex(&vertex_id(label, 1), graph_store::Wait::Allowed).unwrap().wait().unwrap();
    }
    let sound = index_rows(&engine);
    let mut batch = WriteBatch::new();
    for row in &rows {
        batch.put_key(row.0, key(row), &row.3);
    }
    engine.commit(batch).unwrap();
    let stale = rows.len() - sound.len();
    assert_eq!(stale, 10);
    let found = check(&graph, false);
    assert_eq!((found.count(IndexFault::Stale), found.total()), (stale as u64, stale as u64), "{found:#?}");
    assert_eq!(found.examples.len(), stale.min(graph_maintenance::limits::INDEX_FAULTS_SHOWN_MAX));
    assert_eq!(check(&graph, true).repaired, stale as u64);
    assert_eq!(index_rows(&engine), sound);
    assert_sound(&graph);
}

#[test]
fn entries_of_no_index_label_and_damaged_ones_are_found_and_removed() {
    let (engine, _store, graph) = filled();
    let sound = index_rows(&engine);
    let mut batch = WriteBatch::new();
    for row in &sound {
        // The same entry of an index label that does not exist: number 200 in place of its own.
        let mut bytes = row.1.clone();
        bytes[1] = 200;
        batch.put_key(row.0, kv::Key::new(&bytes, row.2), &row.3);
    }
    let unreadable = sound.iter().find(|row| row.0 == INDEX_RANGE).unwrap();
    let mut bytes = unreadable.1.clone();
    bytes.extend_from_slice(b"more");
    batch.put_key(INDEX_RANGE, kv::Key::new(&bytes, unreadable.2), &[]);
    engine.commit(batch).unwrap();
    let found = check(&graph, true);
    assert_eq!(found.count(IndexFault::Orphaned), sound.len() as u64, "{found:#?}");
    assert_eq!(found.count(IndexFault::Damaged), 1);
    assert_eq!(found.repaired, found.total());
    assert_eq!(index_rows(&engine), sound);
}

#[test]
fn a_lost_label_index_entry_is_put_back() {
    let (engine, _store, graph) = filled();
    let mut prefix = Vec::new();
    key_codec::key::label_index_partition(&mut prefix, key_codec::GraphNumber(1), label_id(&graph, "numbered"));
    let row = {
        let mut cursor = engine.scan(LABEL_INDEX, RowRange::all(&prefix)).unwrap();
        let entry = cursor.next().unwrap().unwrap();
        (entry.key.as_bytes().to_vec(), entry.key.partition().len())
    };
    let mut batch = WriteBatch::new();
    batch.delete_key(LABEL_INDEX, kv::Key::new(&row.0, row.1));
    engine.commit(batch).unwrap();
    assert_eq!(check(&graph, true).count(IndexFault::Missing), 1);
    assert_sound(&graph);
}

#[test]
fn two_elements_in_one_place_are_told_and_left() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    let new = graph_schema::NewIndexLabel { rebuild: false, ..index_named("namedUniqueN") };
    insert(&graph, &[vertex("named", 1, &Props::n(7)), vertex("named", 2, &Props::n(7))]).unwrap();
    assert!(create_index(&graph, &new).is_none());
    // Not built, it owes nothing to what was there before.
    assert_sound(&graph);
    insert(&graph, &[vertex("named", 3, &Props::n(8))]).unwrap();
    // A process that died half-way through a repair: both elements, and a finished index label.
    let id = graph.catalogue().index_label_named("namedUniqueN").unwrap().id;
    let finished = graph.catalogue().finish_index_label(id).unwrap();
    let mut batch = WriteBatch::new();
    for element in &finished.put {
        let (kind, number) = key_codec::schema_value::meta_position(element.key());
        batch.put(
            key_codec::tables::META,
            |b| key_codec::key::meta_partition(b, key_codec::GraphNumber(1), kind),
            |b| key_codec::key::meta_row_number(b, number),
            |v| key_codec::schema_value::put_element(v, element),
        );
    }
    engine.commit(batch).unwrap();
    let (_store, graph) = open(&engine);
    let found = check(&graph, true);
    assert_eq!((found.count(IndexFault::Missing), found.count(IndexFault::Duplicate)), (1, 1), "{found:#?}");
    assert!(found.examples[1].contains("\"s1\"") && found.examples[1].contains("\"s2\""), "{:?}", found.examples);
    let again = check(&graph, false);
    assert_eq!((again.total(), again.count(IndexFault::Duplicate)), (1, 1));
}

#[test]
fn a_check_counts_what_it_reads_and_can_be_stopped() {
    let (engine, _store, graph) = filled();
    let mut calls = 0;
    let report = check_indexes(&graph, false, &graph_access::Budget::unlimited(), &mut |_| calls += 1).unwrap();
    assert_eq!(report.entries, index_rows(&engine).len() as u64);
    assert_eq!(report.elements, 12 + 3);
    assert!(calls > 3);
    let cancelled = graph_access::Budget::new(
        std::time::Duration::from_secs(60),
        Arc::new(std::sync::atomic::AtomicBool::new(true)),
    );
    let stopped = check_indexes(&graph, false, &cancelled, &mut |_| ());
    assert!(matches!(stopped, Err(graph_store::StoreError::Cancelled)));
}
