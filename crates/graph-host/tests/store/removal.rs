//! What does removing a label leave? Nothing of the label, everything else.

use graph_host::HostedGraph;
use graph_model::{Direction, IdStrategy, Task, TaskStatus, VertexId};
use graph_schema::{ElementError, Literal, NewVertexLabel, SchemaKey, Status};
use graph_store::StoreError;
use key_codec::{GraphNumber, key, tables};
use kv::{Engine, Fault, FaultEngine, KvError};

use crate::fixture::*;

fn remove_vertex_label(graph: &std::sync::Arc<HostedGraph>, name: &str) -> Task {
    ended(graph, graph.jobs().remove_vertex_label(name).unwrap())
}

fn remove_edge_label(graph: &std::sync::Arc<HostedGraph>, name: &str) -> Task {
    ended(graph, graph.jobs().remove_edge_label(name).unwrap())
}

/// Rows in which a vertex label occurs: its definition, its vertices, its index entries.
fn vertex_label_rows(engine: &dyn Engine, label: graph_model::LabelId) -> usize {
    let vertices = rows(engine, tables::VERTEX);
    let vertices =
        vertices.iter().filter(|(_, value)| key_codec::value::read_vertex_head(value).unwrap().label == label);
    let mut index = Vec::new();
    key::label_index_partition(&mut index, GraphNumber(1), label);
    let mut definition = Vec::new();
    key::meta_partition(&mut definition, GraphNumber(1), key::MetaKind::VertexLabel);
    key::meta_row_number(&mut definition, label.0);
    vertices.count()
        + rows(engine, tables::LABEL_INDEX).iter().filter(|(key, _)| key.starts_with(&index)).count()
        + rows(engine, tables::META).iter().filter(|(key, _)| *key == definition).count()
}

/// Rows in which an edge label occurs: its definition, both entries of its edges.
fn edge_label_rows(engine: &dyn Engine, label: graph_model::LabelId) -> usize {
    let mut definition = Vec::new();
    key::meta_partition(&mut definition, GraphNumber(1), key::MetaKind::EdgeLabel);
    key::meta_row_number(&mut definition, label.0);
    adjacency(engine).iter().flatten().filter(|(id, _)| id.label == label).count()
        + rows(engine, tables::META).iter().filter(|(key, _)| *key == definition).count()
}

#[test]
fn nothing_is_left_of_removed_labels() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    fill(&graph);
    for name in ["to_named", "loops", "many"] {
        let label = edge_label_id(&graph, name);
        assert!(edge_label_rows(&*engine, label) >= 3);
        let task = remove_edge_label(&graph, name);
        assert_eq!((task.status, task.result.as_deref()), (TaskStatus::Success, Some("null")));
        assert_eq!(edge_label_rows(&*engine, label), 0, "{name}");
        assert!(graph.catalogue().edge_label_named(name).is_none());
    }
    assert_eq!(listed_vertices(&graph, None).unwrap().len(), 5);
    for (left, name) in [(4, "keyed"), (3, "named"), (1, "numbered"), (0, "marked")] {
        let label = vertex_label_id(&graph, name);
        assert!(vertex_label_rows(&*engine, label) >= 2);
        assert_eq!(remove_vertex_label(&graph, name).status, TaskStatus::Success);
        assert_eq!(vertex_label_rows(&*engine, label), 0, "{name}");
        assert_eq!(listed_vertices(&graph, None).unwrap().len(), left, "{name}");
    }
    for table in [tables::VERTEX, tables::EDGE_OUT, tables::EDGE_IN, tables::LABEL_INDEX] {
        assert_eq!(rows(&*engine, table), []);
    }
}

#[test]
fn one_edge_label_goes_and_the_others_stay() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    fill(&graph);
    remove_edge_label(&graph, "many");
    let [out, into] = adjacency(&*engine);
    assert_eq!(out, into);
    assert_eq!(out.len(), 3);
    let at_a = listed_edges(&graph, None, Some((string_id("1:a"), Direction::Both))).unwrap();
    assert_eq!(at_a.len(), 1);
}

#[test]
fn a_string_that_looks_like_an_id_of_the_removed_label_stays() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    crate::common::define_schema(&graph);
    remove_edge_label(&graph, "to_named");
    remove_edge_label(&graph, "many");
    insert(&graph, &[keyed("a"), keyed("b"), named("1:odd"), named("1:a!")]).unwrap();
    // Moves to another label, both ways: its index entry as `named` stays behind, or is missing.
    insert(&graph, &[named("1:moved")]).unwrap();
    insert(&graph, &[keyed("moved")]).unwrap();
    insert(&graph, &[named("1:b")]).unwrap();
    let named_label = vertex_label_id(&graph, "named");
    let ids = |label| -> Vec<VertexId> {
        listed_vertices(&graph, label).unwrap().into_iter().map(|vertex| vertex.id).collect()
    };
    assert_eq!(ids(Some(vertex_label_id(&graph, "keyed"))), [string_id("1:a"), string_id("1:moved")]);
    assert_eq!(remove_vertex_label(&graph, "keyed").status, TaskStatus::Success);
    let left = [string_id("1:a!"), string_id("1:b"), string_id("1:odd")];
    assert_eq!(ids(None), left);
    assert_eq!(ids(Some(named_label)), left);
}

#[test]
fn a_vertex_that_moved_to_another_label_stays_when_its_old_label_goes() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    for name in ["old", "new", "unlisted"] {
        let label = NewVertexLabel {
            enable_label_index: Some(name != "unlisted"),
            ..vertex_label(name, IdStrategy::CustomizeString)
        };
        graph.schema().create_vertex_label(&label).unwrap();
    }
    insert(&graph, &[vertex("old", Some(text("x"))), vertex("old", Some(text("y"))), vertex("old", Some(text("z")))])
        .unwrap();
    insert(&graph, &[vertex("new", Some(text("x"))), vertex("unlisted", Some(text("z")))]).unwrap();
    let (old, unlisted) = (vertex_label_id(&graph, "old"), vertex_label_id(&graph, "unlisted"));
    remove_vertex_label(&graph, "old");
    assert_eq!(vertex_label_rows(&*engine, old), 0);
    let all = listed_vertices(&graph, None).unwrap();
    assert_eq!(all.iter().map(|vertex| &vertex.id).collect::<Vec<_>>(), [&string_id("x"), &string_id("z")]);
    assert_eq!(listed_vertices(&graph, Some(vertex_label_id(&graph, "new"))).unwrap().len(), 1);
    // A label without a label index: its vertices are found in the table of all vertices.
    assert!(matches!(listed_vertices(&graph, Some(unlisted)), Err(StoreError::NoIndex { .. })));
    remove_vertex_label(&graph, "unlisted");
    assert_eq!(vertex_label_rows(&*engine, unlisted), 0);
    assert_eq!(listed_vertices(&graph, None).unwrap().len(), 1);
}

#[test]
fn more_vertices_than_one_batch_takes_are_all_removed() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    for (name, indexed) in [("indexed", true), ("unlisted", false)] {
        let label =
            NewVertexLabel { enable_label_index: Some(indexed), ..vertex_label(name, IdStrategy::CustomizeNumber) };
        graph.schema().create_vertex_label(&label).unwrap();
        let count = i64::try_from(graph_maintenance::limits::REMOVAL_ELEMENTS_PER_BATCH).unwrap() + 1;
        let new: Vec<_> = (0..count).map(|n| vertex(name, Some(Literal::Integer(n)))).collect();
        insert(&graph, &new).unwrap();
        assert_eq!(remove_vertex_label(&graph, name).status, TaskStatus::Success);
        assert_eq!(rows(&*engine, tables::VERTEX), []);
        assert_eq!(rows(&*engine, tables::LABEL_INDEX), []);
    }
}

#[test]
fn a_label_others_refer_to_is_not_touched() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    fill(&graph);
    define_family(&graph, &["father"]);
    let content = || {
        let mut all = [tables::META, tables::VERTEX, tables::EDGE_OUT, tables::LABEL_INDEX].map(|t| rows(&*engine, t));
        // Tasks were counted, which is as it should be.
        all[0].retain(|(key, _)| !key.ends_with(b"next_task\0"));
        all
    };
    let before = content();
    for (task, reason) in [
        (remove_vertex_label(&graph, "named"), "'to_named' links it"),
        (remove_vertex_label(&graph, "numbered"), "'loops' links it"),
        (remove_edge_label(&graph, "family"), "'father' belongs to it"),
    ] {
        assert_eq!(task.status, TaskStatus::Failed);
        assert!(task.result.as_deref().unwrap().contains(reason), "{task:?}");
    }
    assert!(graph.catalogue().vertex_labels().all(|label| label.status == Status::Created));
    assert!(graph.catalogue().edge_labels().all(|label| label.status == Status::Created));
    assert_eq!(content(), before);
    assert!(matches!(graph.jobs().remove_vertex_label("nobody"), Err(StoreError::Schema(_))));
    assert_eq!(remove_edge_label(&graph, "father").status, TaskStatus::Success);
    assert_eq!(remove_edge_label(&graph, "family").status, TaskStatus::Success);
}

#[test]
fn a_parent_label_stands_for_its_sub_labels() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    crate::common::define_schema(&graph);
    define_family(&graph, &["father", "mother"]);
    graph.schema().create_edge_label(&edge_label("friend", "named", "named")).unwrap();
    insert(&graph, &[named("a"), named("b"), named("c")]).unwrap();
    let between = |label, a, b| edge(label, ("named", text(a)), ("named", text(b)));
    let new = [between("father", "a", "b"), between("mother", "c", "b"), between("friend", "a", "b")];
    let inserted = connect(&graph, &new).unwrap();
    let refused = connect(&graph, &[between("family", "a", "b")]).unwrap_err();
    assert!(
        matches!(&refused, StoreError::Element { error, .. } if matches!(**error, ElementError::ParentLabel { .. }))
    );

    let family = edge_label_id(&graph, "family");
    assert_eq!(listed_edges(&graph, Some(family), None).unwrap(), inserted[..2]);
    let at = |id: &str, direction| listed_edges(&graph, Some(family), Some((string_id(id), direction))).unwrap();
    assert_eq!(at("b", Direction::In), inserted[..2]);
    assert_eq!(at("a", Direction::Out), inserted[..1]);
    assert_eq!(at("a", Direction::In), []);
    let father = edge_label_id(&graph, "father");
    assert_eq!(inserted[0].id.label, father);
    let text = graph_model::EdgeIdText { parent: family, id: inserted[0].id.clone() }.to_string();
    let parsed = graph_model::EdgeIdText::parse(&text).unwrap();
    assert_eq!(graph.reader().edge(&parsed.id).unwrap().unwrap(), inserted[0]);

    assert_eq!(remove_edge_label(&graph, "father").status, TaskStatus::Success);
    assert_eq!(edge_label_rows(&*engine, father), 0);
    assert_eq!(listed_edges(&graph, Some(family), None).unwrap(), inserted[1..2]);
}

/// What a process that died in the middle of removing `label` left.
fn cut_short(engine: &dyn Engine, graph: &HostedGraph, label: SchemaKey, kind: &str, name: &str) {
    put_status(engine, graph, label, Status::Deleting);
    put_task(
        engine,
        1,
        &Task {
            id: 9,
            task_type: "remove_schema".into(),
            name: format!("{kind}:{}:{name}", label.number()),
            callable: String::new(),
            status: TaskStatus::Running,
            progress: 0,
            created_ms: 1,
            updated_ms: 1,
            retries: 0,
            result: None,
            input: Vec::new(),
        },
    );
}

#[test]
fn a_removal_cut_short_is_resumed_and_ends() {
    for half_done in [false, true] {
        let engine = memory();
        let (killed, before) = store(&engine);
        fill(&before);
        let label = edge_label_id(&before, "many");
        cut_short(&*engine, &before, SchemaKey::EdgeLabel(label), "EDGE_LABEL", "many");
        if half_done {
            let mut prefix = Vec::new();
            key::edge_label_prefix(&mut prefix, GraphNumber(1), label);
            engine.delete_prefix(tables::EDGE_OUT, &prefix).unwrap();
        }
        drop((killed, before));
        let (_store, after) = store(&engine);
        let task = ended(&after, 9);
        assert_eq!((task.status, task.retries), (TaskStatus::Success, 1));
        assert_eq!(edge_label_rows(&*engine, label), 0);
        assert!(after.catalogue().edge_label(label).is_none());
        assert_eq!(adjacency(&*engine).map(|edges| edges.len()), [3, 3]);
    }
}

#[test]
fn a_removal_whose_label_is_gone_already_ends_with_success() {
    let engine = memory();
    let (killed, before) = store(&engine);
    fill(&before);
    let label = edge_label_id(&before, "many");
    cut_short(&*engine, &before, SchemaKey::EdgeLabel(label), "EDGE_LABEL", "many");
    remove_edge_label(&before, "many");
    drop((killed, before));
    let (_store, after) = store(&engine);
    assert_eq!(ended(&after, 9).status, TaskStatus::Success);
}

#[test]
fn a_label_in_deletion_takes_nothing_new_and_can_be_removed_again() {
    let engine = memory();
    let (killed, before) = store(&engine);
    fill(&before);
    for name in ["many", "to_named", "loops"] {
        remove_edge_label(&before, name);
    }
    let label = vertex_label_id(&before, "named");
    put_status(&*engine, &before, SchemaKey::VertexLabel(label), Status::Deleting);
    drop((killed, before));
    let (_store, graph) = store(&engine);
    let gone = |error: StoreError| match error {
        StoreError::Element { error, .. } => assert!(matches!(*error, ElementError::LabelGone { .. }), "{error}"),
        other => panic!("{other}"),
    };
    gone(insert(&graph, &[named("new")]).unwrap_err());
    let given = properties(&[("value", Literal::Integer(1))]);
    let wait = graph_store::Wait::Allowed;
    gone(graph.writer().alter_vertex(&string_id("n"), graph_schema::Alter::Append, &given, wait).unwrap_err());
    assert!(matches!(
        graph.schema().create_edge_label(&edge_label("late", "named", "named")),
        Err(StoreError::Schema(_))
    ));
    assert_eq!(remove_vertex_label(&graph, "named").status, TaskStatus::Success);
    assert_eq!(vertex_label_rows(&*engine, label), 0);
}

#[test]
fn a_removal_that_fails_says_why_and_can_be_tried_again() {
    let engine = std::sync::Arc::new(FaultEngine::new(memory()));
    let (_store, graph) = store(&engine);
    fill(&graph);
    remove_edge_label(&graph, "to_named");
    let label = vertex_label_id(&graph, "named");
    // Reading the number of the task is the first read, the task the second, opening the scan of the index the third.
    engine.faults().inject(Fault::FailRead { nth: 3, error: KvError::Unavailable { detail: "scripted".into() } });
    let task = graph.jobs().remove_vertex_label("named").unwrap();
    while graph.catalogue().vertex_label(label).unwrap().status != Status::Undeleted {
        std::thread::yield_now();
    }
    let task = ended(&graph, task);
    assert_eq!(task.status, TaskStatus::Failed);
    assert!(task.result.unwrap().contains("scripted"));
    assert!(insert(&graph, &[named("new")]).is_err());
    assert_eq!(remove_vertex_label(&graph, "named").status, TaskStatus::Success);
    assert_eq!(vertex_label_rows(&*engine, label), 0);
}

#[test]
fn a_task_that_has_ended_can_be_deleted() {
    let (_store, graph) = store(&memory());
    fill(&graph);
    let task = remove_edge_label(&graph, "many");
    graph.jobs().delete(task.id, false).unwrap();
    assert!(matches!(graph.jobs().task(task.id), Err(StoreError::TaskNotFound { .. })));
    assert!(matches!(graph.jobs().delete(task.id, true), Err(StoreError::TaskNotFound { .. })));
}
