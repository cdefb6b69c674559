//! Index labels over elements that were there before: built by a task, resumed after the end of a process, removed with
//! what they served.

use std::sync::Arc;

use graph_host::{HostedGraph, Store, StoreOptions};
use graph_model::{LabelId, TaskStatus};
use graph_schema::{Analyzer, IndexType, NewIndexLabel, SchemaKind, Status};
use graph_store::{GraphOptions, StoreError, Wait};
use kv::{Engine, Fault, FaultEngine, KvError, MemoryEngine, Read as _};

use crate::fixture::*;

fn status(graph: &HostedGraph, name: &str) -> Option<(Status, bool)> {
    graph.catalogue().index_label_named(name).map(|index| (index.status, index.complete))
}

fn fill(graph: &HostedGraph, count: u8) {
    for n in 0..count {
        let props = Props { n: Some(n.into()), words: Some("red fox"), tags: vec!["a", "b"] };
        for label in ["keyed", "named", "numbered", "auto"] {
            insert(graph, &[vertex(label, n + 1, &props)]).unwrap();
        }
        connect(graph, &[edge("single", (n, n), &props), edge("many", (n, n), &props)]).unwrap();
    }
}

/// Entries in all index tables, and those of one index label.
fn entries(engine: &MemoryEngine, index: Option<LabelId>) -> usize {
    use key_codec::tables::{INDEX_EQUAL, INDEX_RANGE, INDEX_UNIQUE};
    let mut count = 0;
    for table in [INDEX_EQUAL, INDEX_RANGE, INDEX_UNIQUE] {
        let mut cursor = engine.scan_partitions(table, &[], None).unwrap();
        while let Some(entry) = cursor.next().unwrap() {
            let of = key_codec::index_key::read_index(entry.key.as_bytes()).unwrap();
            count += usize::from(index.is_none_or(|index| index == of));
        }
    }
    count
}

#[test]
fn one_over_existing_elements_is_built_by_its_task() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    fill(&graph, 20);
    for new in index_labels() {
        let (created, _, task) = graph.jobs().create_index_label(&new).unwrap();
        assert_eq!((created.status, created.complete), (Status::Creating, false));
        let task = ended(&graph, task);
        assert_eq!((task.status, &*task.task_type), (TaskStatus::Success, "rebuild_index"), "{}", new.name);
        assert_eq!(task.name, format!("INDEX_LABEL:{}:{}", created.id.0, new.name));
        assert_eq!(task.progress, if new.base == "brief" { 0 } else { 20 }, "{}", new.name);
        assert_eq!(status(&graph, &new.name), Some((Status::Created, true)));
        assert!(new.base == "brief" || entries(&engine, Some(created.id)) >= 20);
    }
    assert_sound(&graph);
}

#[test]
fn without_a_build_only_later_elements_have_entries_until_it_is_built() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    fill(&graph, 3);
    let new = NewIndexLabel { rebuild: false, ..index_named("keyedByN") };
    let (index, _, task) = graph.jobs().create_index_label(&new).unwrap();
    assert_eq!((task, index.status, index.complete), (0, Status::Created, false));
    insert(&graph, &[vertex("keyed", 9, &Props::n(9)), vertex("keyed", 1, &Props::n(0))]).unwrap();
    assert_eq!(entries(&engine, None), 2, "a new one, and one that was written again with the values it had");
    assert_sound(&graph);
    let task = graph.jobs().rebuild_indexes(SchemaKind::IndexLabel, "keyedByN").unwrap();
    assert_eq!(ended(&graph, task).status, TaskStatus::Success);
    assert_eq!((entries(&engine, None), status(&graph, "keyedByN")), (4, Some((Status::Created, true))));
    assert_sound(&graph);
}

#[test]
fn the_same_definition_starts_no_task() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    let new = NewIndexLabel { check_exist: false, ..index_named("keyedByN") };
    assert!(create_index(&graph, &new).is_some());
    assert_eq!(graph.jobs().create_index_label(&new).unwrap().2, 0);
}

#[test]
fn a_unique_one_over_duplicates_fails_names_both_and_forbids_nothing() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    insert(&graph, &[vertex("named", 1, &Props::n(7)), vertex("named", 2, &Props::n(7))]).unwrap();
    let task = create_index(&graph, &index_named("namedUniqueN")).unwrap();
    assert_eq!(task.status, TaskStatus::Failed);
    let text = task.result.unwrap();
    for part in ["namedUniqueN", "n=7", "\"s1\"", "\"s2\""] {
        assert!(text.contains(part), "{text} does not name {part}");
    }
    assert_eq!(status(&graph, "namedUniqueN"), Some((Status::Invalid, false)));
    assert_eq!(entries(&engine, None), 0);
    insert(&graph, &[vertex("named", 3, &Props::n(7))]).unwrap();
    assert_sound(&graph);
    // Put right, it can be built.
    for n in [2, 3] {
        graph.writer().delete_vertex(&vertex_id("named", n), Wait::Allowed).unwrap().wait().unwrap();
    }
    let task = graph.jobs().rebuild_indexes(SchemaKind::IndexLabel, "namedUniqueN").unwrap();
    assert_eq!(ended(&graph, task).status, TaskStatus::Success);
    assert!(matches!(insert(&graph, &[vertex("named", 4, &Props::n(7))]), Err(StoreError::UniqueConflict { .. })));
    assert_sound(&graph);
}

#[test]
fn a_build_cut_short_goes_on_at_the_next_start() {
    let engine = memory();
    {
        let (_store, graph) = defined(&engine);
        fill(&graph, 10);
    }
    // From the first write of the build on, storage fails in one place after another; then the process is gone.
    for nth in 1..12 {
        let copy = Arc::new(FaultEngine::new(copy_of(&engine)));
        let faults = copy.faults();
        {
            let (_store, graph) = open(&copy);
            for new in [index_named("namedByWord"), index_named("namedUniqueN")] {
                faults.inject(Fault::FailCommit { nth, error: KvError::Closed });
                drop(graph.jobs().create_index_label(&new));
            }
            faults.clear();
        }
        let (_store, graph) = open(&copy);
        until(|| {
            let idle = graph.jobs().tasks(|task| !task.status.is_final(), None, 0).unwrap().is_empty();
            let built = |status| !matches!(status, Status::Creating | Status::Rebuilding);
            idle && graph.catalogue().index_labels().all(|index| built(index.status))
        });
        assert_sound(&graph);
    }
}

#[test]
fn a_start_builds_what_was_published_without_a_task_and_deletes_what_was_marked() {
    let engine = memory();
    {
        let (_store, graph) = defined(&engine);
        fill(&graph, 5);
        with_all_indexes(&graph);
        for task in graph.jobs().tasks(|_| true, None, 0).unwrap() {
            graph.jobs().delete(task.id, false).unwrap();
        }
        let catalogue = graph.catalogue();
        let id = |name| graph_schema::SchemaKey::IndexLabel(catalogue.index_label_named(name).unwrap().id);
        for (name, status) in [("keyedByN", Status::Creating), ("namedByTags", Status::Deleting)] {
            put(&engine, &catalogue.set_status(id(name), status).unwrap().put);
        }
    }
    let (_store, graph) = open(&engine);
    until(|| graph.jobs().tasks(|task| !task.status.is_final(), None, 0).unwrap().is_empty());
    assert_eq!(status(&graph, "keyedByN"), Some((Status::Created, true)));
    assert_eq!(status(&graph, "namedByTags"), None);
    assert_sound(&graph);
}

fn put(engine: &MemoryEngine, elements: &[graph_schema::SchemaElement]) {
    let mut batch = kv::WriteBatch::new();
    for element in elements {
        let (kind, number) = key_codec::schema_value::meta_position(element.key());
        batch.put(
            key_codec::tables::META,
            |b| key_codec::key::meta_partition(b, key_codec::GraphNumber(1), kind),
            |b| key_codec::key::meta_row_number(b, number),
            |v| key_codec::schema_value::put_element(v, element),
        );
    }
    engine.commit(batch).unwrap();
}

fn copy_of(engine: &MemoryEngine) -> MemoryEngine {
    let copy = MemoryEngine::open(key_codec::tables::TABLES);
    for (at, _) in (0u8..).zip(key_codec::tables::TABLES) {
        let table = kv::TableId(at);
        let mut batch = kv::WriteBatch::new();
        let mut cursor = engine.scan_partitions(table, &[], None).unwrap();
        while let Some(entry) = cursor.next().unwrap() {
            batch.put_key(table, entry.key, entry.value);
        }
        copy.commit(batch).unwrap();
    }
    copy
}

#[test]
fn removing_one_removes_its_entries_only() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    fill(&graph, 5);
    with_all_indexes(&graph);
    let id = graph.catalogue().index_label_named("namedByTags").unwrap().id;
    let (all, its) = (entries(&engine, None), entries(&engine, Some(id)));
    assert_eq!(its, 10);
    let task = graph.jobs().remove_index_label("namedByTags").unwrap();
    let task = ended(&graph, task);
    assert_eq!((task.status, &*task.task_type), (TaskStatus::Success, "remove_schema"));
    assert_eq!((status(&graph, "namedByTags"), entries(&engine, None)), (None, all - its));
    insert(&graph, &[vertex("named", 1, &Props { tags: vec!["c"], ..Props::n(0) })]).unwrap();
    assert_sound(&graph);
    assert!(graph.jobs().remove_index_label("namedByTags").is_err());
}

#[test]
fn removing_a_label_removes_its_index_labels() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    fill(&graph, 5);
    with_all_indexes(&graph);
    for edges in EDGES {
        let task = graph.jobs().remove_edge_label(edges).unwrap();
        assert_eq!(ended(&graph, task).status, TaskStatus::Success);
    }
    for label in LABELS {
        let task = graph.jobs().remove_vertex_label(label).unwrap();
        assert_eq!(ended(&graph, task).status, TaskStatus::Success);
    }
    assert_eq!(graph.catalogue().index_labels().count(), 0);
    assert!(!graph.catalogue().has_indexes());
    assert_eq!(entries(&engine, None), 0);
}

#[test]
fn a_better_one_replaces_those_it_serves_for() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    fill(&graph, 5);
    let secondary = |name, fields: &[&str]| NewIndexLabel::on_vertices(name, "numbered", IndexType::Secondary, fields);
    create_index(&graph, &secondary("words", &["words"])).unwrap();
    create_index(&graph, &secondary("wordsN", &["words", "n"])).unwrap();
    assert_eq!((status(&graph, "words"), status(&graph, "wordsN")), (None, Some((Status::Created, true))));
    assert!(graph.jobs().create_index_label(&secondary("again", &["words"])).is_err());
    assert_sound(&graph);
}

#[test]
fn rebuilding_a_label_rebuilds_all_of_it() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    fill(&graph, 5);
    with_all_indexes(&graph);
    let before = entries(&engine, None);
    // Everything a storage accident could take.
    let mut prefix = Vec::new();
    key_codec::key::graph_prefix(&mut prefix, key_codec::GraphNumber(1));
    for table in [key_codec::tables::INDEX_EQUAL, key_codec::tables::INDEX_RANGE, key_codec::tables::INDEX_UNIQUE] {
        engine.delete_prefix(table, &prefix).unwrap();
    }
    let mut partition = Vec::new();
    key_codec::key::label_index_partition(&mut partition, key_codec::GraphNumber(1), label_id(&graph, "named"));
    engine.delete_prefix(key_codec::tables::LABEL_INDEX, &partition).unwrap();
    for label in LABELS {
        let task = graph.jobs().rebuild_indexes(SchemaKind::VertexLabel, label).unwrap();
        let task = ended(&graph, task);
        assert_eq!((task.status, &*task.task_type), (TaskStatus::Success, "rebuild_index"));
    }
    for label in EDGES {
        let task = graph.jobs().rebuild_indexes(SchemaKind::EdgeLabel, label).unwrap();
        assert_eq!(ended(&graph, task).status, TaskStatus::Success);
    }
    assert_eq!(entries(&engine, None), before);
    assert_sound(&graph);
    for kind in [SchemaKind::VertexLabel, SchemaKind::EdgeLabel, SchemaKind::IndexLabel] {
        assert!(graph.jobs().rebuild_indexes(kind, "nosuch").is_err());
    }
}

/// The catalogue does not change while an index label that is in use is rebuilt, so no query ever finds it out of use;
/// what was wrong is repaired all the same.
#[test]
fn what_is_rebuilt_stays_in_use() {
    let engine = memory();
    let (_store, graph) = defined(&engine);
    fill(&graph, 5);
    with_all_indexes(&graph);
    let sound = entries(&engine, None);
    for new in index_labels() {
        let id = graph.catalogue().index_label_named(&new.name).unwrap().id;
        let mut prefix = Vec::new();
        key_codec::index_key::index_partition(&mut prefix, key_codec::GraphNumber(1), id);
        engine.delete_prefix(key_codec::tables::of_index(new.index_type), &prefix).unwrap();
        let before = graph.catalogue();
        let task = graph.jobs().rebuild_indexes(SchemaKind::IndexLabel, &new.name).unwrap();
        assert_eq!(ended(&graph, task).status, TaskStatus::Success, "{}", new.name);
        let stays = Arc::ptr_eq(&before, &graph.catalogue());
        assert_eq!(stays, new.index_type != IndexType::Unique, "{}", new.name);
    }
    assert_eq!(entries(&engine, None), sound);
    assert_sound(&graph);
}

#[test]
fn a_search_index_keeps_its_analyzer_until_it_is_rebuilt() {
    let engine: Arc<dyn Engine> = memory();
    let open = |analyzer| {
        let graph = GraphOptions { analyzer, ..GraphOptions::default() };
        let store = Store::open(Arc::clone(&engine), StoreOptions { graph, ..StoreOptions::default() }).unwrap();
        let graph = store.graph("hugegraph").unwrap();
        (store, graph)
    };
    let analyzer = |graph: &HostedGraph| graph.catalogue().index_label_named("namedByWord").unwrap().analyzer;
    let runs = Props { words: Some("red dog runs"), ..Props::default() };
    drop(defined(&Arc::new(Arc::clone(&engine))));
    {
        let (_store, graph) = open(Analyzer::Simple);
        create_index(&graph, &index_named("namedByWord")).unwrap();
        insert(&graph, &[vertex("named", 1, &runs), vertex("named", 2, &runs)]).unwrap();
    }
    let (_store, graph) = open(Analyzer::English);
    assert_eq!(analyzer(&graph), Analyzer::Simple);
    insert(&graph, &[vertex("named", 1, &Props::default())]).unwrap();
    assert_sound(&graph);
    let task = graph.jobs().rebuild_indexes(SchemaKind::IndexLabel, "namedByWord").unwrap();
    assert_eq!(ended(&graph, task).status, TaskStatus::Success);
    assert_eq!(analyzer(&graph), Analyzer::English);
    assert_sound(&graph);
}

#[test]
fn only_writes_that_touch_indexes_read() {
    let engine = Arc::new(FaultEngine::new(memory()));
    let faults = engine.faults();
    let (_store, graph) = defined(&engine);
    for name in ["keyedByN", "namedUniqueN", "singleByN"] {
        create_index(&graph, &index_named(name)).unwrap();
    }
    let reads = |write: &dyn Fn()| {
        let before = faults.reads();
        write();
        faults.reads() - before
    };
    let props = Props { words: Some("red fox"), ..Props::n(1) };
    // The first automatic id reads how far ids are given out, to take a block of them.
    insert(&graph, &[vertex("auto", 2, &props)]).unwrap();
    assert_eq!(reads(&|| drop(insert(&graph, &[vertex("numbered", 1, &props), vertex("auto", 2, &props)]))), 0);
    assert_eq!(reads(&|| drop(connect(&graph, &[edge("many", (1, 1), &props)]))), 0);
    assert_eq!(reads(&|| drop(insert(&graph, &[vertex("keyed", 1, &props), vertex("keyed", 2, &props)]))), 1);
    assert_eq!(reads(&|| drop(connect(&graph, &[edge("single", (1, 1), &props)]))), 1);
    // What is replaced, and who has the place in the unique index.
    assert_eq!(reads(&|| drop(insert(&graph, &[vertex("named", 1, &props)]))), 2);
    assert_eq!(
        reads(&|| drop(insert(&graph, &[vertex("named", 1, &props)]))),
        1,
        "a place that is kept is not asked for"
    );
    // A string id can be that of a vertex with indexes, whatever its own label.
    assert_eq!(reads(&|| drop(insert(&graph, &[vertex("brief", 3, &props)]))), 1);
}
