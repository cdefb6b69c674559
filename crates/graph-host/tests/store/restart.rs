//! What is there after a restart? All of it, or an error that says what is damaged.
//!
//! A second store over the same engine while the first is still there is a process that was killed: nothing was put in
//! order at its end.

use std::collections::BTreeSet;

use graph_host::{Clear, Store};
use graph_model::{Direction, ErrorKind, IdStrategy, TaskStatus, VertexId};
use graph_schema::SchemaKey;
use graph_store::StoreError;
use key_codec::key::MetaKind;
use key_codec::{FORMAT_VERSION, GraphNumber, key, setting_value, tables};
use kv::{Engine, MemoryEngine, WriteBatch};

use crate::fixture::*;

#[test]
fn a_killed_process_leaves_everything_it_acknowledged() {
    let engine = memory();
    let (_killed, before) = store(&engine);
    fill(&before);
    let task = ended(&before, before.jobs().remove_edge_label("loops").unwrap());
    assert_eq!(task.status, TaskStatus::Success);
    let removed = before.catalogue().next_ids().edge_label - 1;

    let (_store, after) = store(&engine);
    assert_eq!(*after.catalogue(), *before.catalogue());
    assert_eq!(listed_vertices(&after, None).unwrap(), listed_vertices(&before, None).unwrap());
    assert_eq!(listed_vertices(&after, None).unwrap().len(), 5);
    assert_eq!(listed_edges(&after, None, None).unwrap(), listed_edges(&before, None, None).unwrap());
    assert_eq!(listed_edges(&after, None, None).unwrap().len(), 3);
    assert_eq!(after.jobs().tasks(|_| true, None, 0).unwrap(), std::slice::from_ref(&task));

    after.schema().create_edge_label(&edge_label("loops", "numbered", "numbered")).unwrap();
    assert_eq!(edge_label_id(&after, "loops").0, removed + 1, "a number is never used twice");
    assert_eq!(listed_edges(&after, Some(edge_label_id(&after, "loops")), None).unwrap(), []);
    assert!(after.jobs().remove_edge_label("loops").unwrap() > task.id);
}

#[test]
fn the_last_number_of_a_removed_label_is_not_used_again_after_a_restart() {
    let engine = memory();
    let (first, before) = store(&engine);
    before.schema().create_vertex_label(&vertex_label("gone", IdStrategy::CustomizeString)).unwrap();
    let gone = vertex_label_id(&before, "gone");
    ended(&before, before.jobs().remove_vertex_label("gone").unwrap());
    drop((first, before));
    let (_store, after) = store(&engine);
    after.schema().create_vertex_label(&vertex_label("next", IdStrategy::CustomizeString)).unwrap();
    assert!(vertex_label_id(&after, "next") > gone);
}

#[test]
fn automatic_ids_never_repeat_over_restarts() {
    let engine = memory();
    let mut killed = Vec::new();
    let mut seen: BTreeSet<VertexId> = BTreeSet::new();
    for round in 0..4 {
        let (store, graph) = store(&engine);
        if round == 0 {
            graph.schema().create_vertex_label(&vertex_label("auto", IdStrategy::Automatic)).unwrap();
        }
        let ids = insert(&graph, &[vertex("auto", None), vertex("auto", None)]).unwrap();
        for id in ids {
            assert!(seen.last().is_none_or(|last| *last < id), "{id} is not after {:?}", seen.last());
            seen.insert(id);
        }
        if round % 2 == 0 {
            killed.push(store);
        }
    }
    assert_eq!(seen.len(), 8);
}

#[test]
fn clearing_a_graph_does_not_start_automatic_ids_again() {
    let (store, first) = store(&memory());
    let auto = vertex_label("auto", IdStrategy::Automatic);
    first.schema().create_vertex_label(&auto).unwrap();
    let before = insert(&first, &[vertex("auto", None)]).unwrap();
    store.clear_graph("hugegraph", Clear::Everything).unwrap();
    let second = graph(&store);
    second.schema().create_vertex_label(&auto).unwrap();
    assert!(insert(&second, &[vertex("auto", None)]).unwrap() > before);
}

#[test]
fn another_format_version_is_refused_and_nothing_is_changed() {
    let engine = memory();
    drop(open(&engine).unwrap());
    // A later version may write more behind the number.
    put_setting(&*engine, 0, "format_version", &[u64::from(FORMAT_VERSION) + 1, 77]);
    let before = all_rows(&*engine);
    let error = open(&engine).err().unwrap();
    assert!(
        matches!(error, StoreError::FormatVersion { found, supported: FORMAT_VERSION }
            if found == u64::from(FORMAT_VERSION) + 1),
        "{error}"
    );
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(all_rows(&*engine), before);
}

#[test]
fn a_store_of_the_first_format_is_upgraded_and_keeps_its_content() {
    let engine = memory();
    {
        let (_store, graph) = store(&engine);
        fill(&graph);
    }
    let rows = |engine: &dyn Engine| -> Vec<_> { all_rows(engine) };
    let upgraded = rows(&*engine);
    put_setting(&*engine, 0, "format_version", &[1]);
    assert_ne!(rows(&*engine), upgraded);
    drop(open(&engine).unwrap());
    assert_eq!(rows(&*engine), upgraded);
    put_setting(&*engine, 0, "format_version", &[0]);
    assert!(matches!(open(&engine).err().unwrap(), StoreError::FormatVersion { found: 0, .. }));
}

#[test]
fn a_clearing_cut_short_is_finished_by_the_next_start() {
    let engine = memory();
    let (_killed, before) = store(&engine);
    fill(&before);
    // What `clear_graph` stores before it removes data: a new number for the name, the old one to be dropped.
    let mut batch = WriteBatch::new();
    batch.put(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Graph),
        |b| key::meta_row_name(b, "hugegraph"),
        |v| setting_value::put_numbers(v, &[2]),
    );
    batch.put(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Dropped),
        |b| key::meta_row_number(b, 1),
        |_| (),
    );
    engine.commit(batch).unwrap();
    put_setting(&*engine, 0, "next_graph", &[3]);

    let (store, after) = store(&engine);
    assert_eq!(after.catalogue().elements(), []);
    let mut old = Vec::new();
    key::graph_prefix(&mut old, GraphNumber(1));
    let mut dropped = Vec::new();
    key::meta_partition(&mut dropped, GraphNumber::STORE, MetaKind::Dropped);
    for (table, rows) in all_rows(&*engine) {
        assert!(rows.iter().all(|(key, _)| !key.starts_with(&old) && !key.starts_with(&dropped)), "table {}", table.0);
    }
    fill(&after);
    assert_eq!(store.graph_names(), ["hugegraph"]);
    assert_eq!(listed_vertices(&after, None).unwrap().len(), 5);
}

/// Opens a store over the rows and reads, changes and clears all there is.
fn use_everything(engine: &std::sync::Arc<MemoryEngine>) -> Result<(), StoreError> {
    let store: Store = open(engine)?;
    let graph = store.graph("hugegraph")?;
    let label = graph.catalogue().vertex_labels().map(|label| label.id).collect::<Vec<_>>();
    for label in label.iter().map(|label| Some(*label)).chain([None]) {
        for vertex in listed_vertices(&graph, label)? {
            graph.reader().vertex(&vertex.id)?;
            for edge in listed_edges(&graph, None, Some((vertex.id, Direction::Both)))? {
                graph.reader().edge(&edge.id)?;
            }
        }
    }
    listed_edges(&graph, None, None)?;
    graph.jobs().tasks(|_| true, None, 0)?;
    store.graph_conf("hugegraph")?;
    store.snapshot_created_ms("hugegraph")?;
    graph.schema().create_vertex_label(&vertex_label("more", IdStrategy::Automatic))?;
    insert(&graph, &[vertex("more", None)])?;
    store.clear_graph("hugegraph", Clear::Everything)
}

#[test]
fn damaged_values_are_errors_never_panics() {
    let engine = memory();
    let (first, graph) = store(&engine);
    fill(&graph);
    graph.schema().create_vertex_label(&vertex_label("auto", IdStrategy::Automatic)).unwrap();
    insert(&graph, &[vertex("auto", None)]).unwrap();
    ended(&graph, graph.jobs().remove_edge_label("loops").unwrap());
    drop((first, graph));
    let good = all_rows(&*engine);
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damages: [(&str, Damage); 5] = [
        ("all ones", |_| vec![0xFF; 9]),
        ("empty", |_| vec![]),
        ("cut", |value| value[..value.len().saturating_sub(1)].to_vec()),
        ("longer", |value| [value, &[0x80]].concat()),
        ("largest number", |_| [&[0xFF; 9][..], &[1]].concat()),
    ];
    for (table, rows) in &good {
        for (at, (key, value)) in rows.iter().enumerate() {
            for (name, damage) in damages {
                let copy = memory();
                let mut batch = WriteBatch::new();
                for (other, rows) in &good {
                    for (row, (key, value)) in rows.iter().enumerate() {
                        let value = if other == table && row == at { damage(value) } else { value.clone() };
                        let len = (tables::TABLES[other.index()].partition_len)(key).unwrap();
                        batch.put_key(*other, kv::Key::new(key, len), &value);
                    }
                }
                copy.commit(batch).unwrap();
                let outcome = use_everything(&copy);
                let what = format!("{name}: table {}, key {key:?}, value {value:?}", table.0);
                // Values of the label index are not read; a value may be cut into a shorter one that is whole.
                if name == "all ones" && *table != tables::LABEL_INDEX {
                    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Corrupt, "{what}");
                } else if let Err(error) = outcome {
                    let expected = [ErrorKind::Corrupt, ErrorKind::Unavailable];
                    assert!(expected.contains(&error.kind()), "{what}: {error}");
                }
            }
        }
    }
}

#[test]
fn counters_at_their_end_are_errors_never_panics() {
    for (graph_number, name, numbers) in [
        (0, "next_graph", vec![u64::MAX]),
        (0, "next_graph", vec![u64::from(u32::MAX) + 1]),
        (0, "ids_reserved", vec![u64::MAX]),
        (0, "ids_reserved", vec![i64::MAX.unsigned_abs()]),
    ] {
        let engine = memory();
        drop(open(&engine).unwrap());
        put_setting(&*engine, graph_number, name, &numbers);
        assert_eq!(use_everything(&engine).unwrap_err().kind(), ErrorKind::Corrupt, "{name} {numbers:?}");
    }
    let engine = memory();
    drop(open(&engine).unwrap());
    put_setting(&*engine, 1, "next_ids", &[u64::MAX; 4]);
    assert!(use_everything(&engine).is_err());
}

#[test]
fn a_task_with_the_largest_number_is_no_reason_to_panic() {
    let engine = memory();
    let (first, before) = store(&engine);
    fill(&before);
    let mut task = ended(&before, before.jobs().remove_edge_label("loops").unwrap());
    drop((first, before));
    task.id = u64::MAX;
    put_task(&*engine, 1, &task);
    assert_eq!(open(&engine).err().unwrap().kind(), ErrorKind::Corrupt);
}

#[test]
fn schema_elements_that_contradict_each_other_are_refused() {
    let engine = memory();
    let (first, graph) = store(&engine);
    fill(&graph);
    let label = SchemaKey::VertexLabel(vertex_label_id(&graph, "named"));
    drop((first, graph));
    let mut batch = WriteBatch::new();
    batch.delete(
        tables::META,
        |b| key::meta_partition(b, GraphNumber(1), MetaKind::VertexLabel),
        |b| key::meta_row_number(b, label.number()),
    );
    engine.commit(batch).unwrap();
    let error = open(&engine).err().unwrap();
    assert!(matches!(error, StoreError::CorruptSchema(_)), "{error}");
}
