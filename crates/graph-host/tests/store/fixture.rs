//! Stores, definitions and elements for tests, and a look at the tables themselves.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use graph_access::Budget;
use graph_host::{HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_model::{Cardinality, DataType, Direction, Edge, EdgeId, IdStrategy, LabelId, Task, VertexId};
use graph_schema::{
    Conditions, EdgeLabelKindName, Literal, NewEdge, NewEdgeLabel, NewPropertyKey, NewVertex, NewVertexLabel,
    SchemaKey, Status,
};
use graph_store::{EdgeQuery, Pending, Range, StoreError, VertexQuery, Wait};
use key_codec::{GraphNumber, key, schema_value, setting_value, tables, task_value};
use kv::{Engine, MemoryEngine, TableId, WriteBatch};

/// Every element of a list.
pub(crate) const ALL: Range = Range::Offset { offset: 0, limit: None };

/// All rows of a table: keys and values.
pub(crate) type Rows = Vec<(Vec<u8>, Vec<u8>)>;

pub(crate) fn memory() -> Arc<MemoryEngine> {
    Arc::new(MemoryEngine::open(tables::TABLES))
}

pub(crate) fn open<E: Engine + 'static>(engine: &Arc<E>) -> Result<Store, StoreError> {
    let engine: Arc<dyn Engine> = Arc::<E>::clone(engine);
    let purge = PurgeOptions { interval: None, ..PurgeOptions::default() };
    Store::open(engine, StoreOptions { purge, ..StoreOptions::default() })
}

/// An open store and its default graph.
pub(crate) fn store<E: Engine + 'static>(engine: &Arc<E>) -> (Store, Arc<HostedGraph>) {
    let store = open(engine).unwrap();
    let graph = graph(&store);
    (store, graph)
}

pub(crate) fn graph(store: &Store) -> Arc<HostedGraph> {
    store.graph("hugegraph").unwrap()
}

pub(crate) fn text(text: &str) -> Literal<'static> {
    Literal::Text(Cow::Owned(text.to_owned()))
}

pub(crate) fn string_id(text: &str) -> VertexId {
    VertexId::String(text.into())
}

pub(crate) fn properties(given: &[(&'static str, Literal<'static>)]) -> Vec<(Cow<'static, str>, Literal<'static>)> {
    given.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect()
}

pub(crate) fn property_key(name: &str, data_type: DataType, cardinality: Cardinality) -> NewPropertyKey {
    NewPropertyKey::new(name, data_type, cardinality)
}

/// A vertex label without properties.
pub(crate) fn vertex_label(name: &str, strategy: IdStrategy) -> NewVertexLabel {
    NewVertexLabel { id_strategy: Some(strategy), ..NewVertexLabel::new(name) }
}

/// An edge label without properties.
pub(crate) fn edge_label(name: &str, source: &str, target: &str) -> NewEdgeLabel {
    NewEdgeLabel::new(name, source, target)
}

pub(crate) fn vertex(label: &'static str, id: Option<Literal<'static>>) -> NewVertex<'static> {
    NewVertex { label: Some(Cow::Borrowed(label)), id, properties: vec![] }
}

/// A vertex of label `keyed`: its id is `1:` and the key.
pub(crate) fn keyed(key: &str) -> NewVertex<'static> {
    NewVertex { properties: properties(&[("key", text(key))]), ..vertex("keyed", None) }
}

pub(crate) fn named(id: &str) -> NewVertex<'static> {
    vertex("named", Some(text(id)))
}

/// An edge: its label, and label and id of both ends.
pub(crate) fn edge(
    label: &'static str,
    source: (&'static str, Literal<'static>),
    target: (&'static str, Literal<'static>),
) -> NewEdge<'static> {
    NewEdge {
        label: Some(Cow::Borrowed(label)),
        source: Some(source.1),
        source_label: Some(Cow::Borrowed(source.0)),
        target: Some(target.1),
        target_label: Some(Cow::Borrowed(target.0)),
        properties: vec![],
    }
}

pub(crate) fn insert(graph: &HostedGraph, new: &[NewVertex<'_>]) -> Result<Vec<VertexId>, StoreError> {
    graph.writer().insert_vertices(new, Wait::Allowed).and_then(Pending::wait)
}

pub(crate) fn connect(graph: &HostedGraph, new: &[NewEdge<'_>]) -> Result<Vec<Edge>, StoreError> {
    graph.writer().insert_edges(new, true, Wait::Allowed).and_then(Pending::wait)
}

/// A parent label, `family`, and labels under it between vertices of the label `named`.
pub(crate) fn define_family(graph: &HostedGraph, under: &[&str]) {
    let parent = NewEdgeLabel {
        kind: EdgeLabelKindName::Parent,
        source_label: None,
        target_label: None,
        ..edge_label("family", "", "")
    };
    graph.schema().create_edge_label(&parent).unwrap();
    for name in under {
        let label = NewEdgeLabel {
            kind: EdgeLabelKindName::Sub,
            parent_label: Some("family".into()),
            ..edge_label(name, "named", "named")
        };
        graph.schema().create_edge_label(&label).unwrap();
    }
}

/// A graph with an element of every label of the common schema.
pub(crate) fn fill(graph: &HostedGraph) {
    crate::common::define_schema(graph);
    let numbered = |n| vertex("numbered", Some(Literal::Integer(n)));
    let marked = "00000000000000000000000000000007";
    insert(graph, &[keyed("a"), named("n"), numbered(1), numbered(2), vertex("marked", Some(text(marked)))]).unwrap();
    let many = |sort| NewEdge {
        properties: properties(&[("sort", Literal::Integer(sort))]),
        ..edge("many", ("keyed", text("1:a")), ("marked", text(marked)))
    };
    let loops = |a, b| edge("loops", ("numbered", Literal::Integer(a)), ("numbered", Literal::Integer(b)));
    let to_named = edge("to_named", ("keyed", text("1:a")), ("named", text("n")));
    connect(graph, &[to_named, loops(1, 1), loops(1, 2), many(5), many(6)]).unwrap();
}

pub(crate) fn vertex_label_id(graph: &HostedGraph, name: &str) -> LabelId {
    graph.catalogue().vertex_label_named(name).unwrap().id
}

pub(crate) fn edge_label_id(graph: &HostedGraph, name: &str) -> LabelId {
    graph.catalogue().edge_label_named(name).unwrap().id
}

/// The task once it has ended.
pub(crate) fn ended(graph: &HostedGraph, id: u64) -> Task {
    loop {
        let task = graph.jobs().task(id).unwrap();
        if task.status.is_final() {
            return task;
        }
        std::thread::yield_now();
    }
}

pub(crate) fn listed_vertices(
    graph: &HostedGraph,
    label: Option<LabelId>,
) -> Result<Vec<graph_model::Vertex>, StoreError> {
    let mut all = Vec::new();
    graph.reader().list_vertices(
        &VertexQuery { label, conditions: Conditions::default(), range: ALL },
        &Budget::unlimited(),
        &mut |vertex| {
            all.push(vertex.clone());
            ControlFlow::Continue(())
        },
    )?;
    Ok(all)
}

pub(crate) fn listed_edges(
    graph: &HostedGraph,
    label: Option<LabelId>,
    vertex: Option<(VertexId, Direction)>,
) -> Result<Vec<Edge>, StoreError> {
    let mut all = Vec::new();
    graph.reader().list_edges(
        &EdgeQuery { label, vertex, conditions: Conditions::default(), range: ALL },
        &Budget::unlimited(),
        &mut |edge| {
            all.push(edge.clone());
            ControlFlow::Continue(())
        },
    )?;
    Ok(all)
}

pub(crate) fn rows(engine: &dyn Engine, table: TableId) -> Rows {
    let mut rows = Vec::new();
    let mut cursor = engine.scan_partitions(table, b"", None).unwrap();
    while let Some(entry) = cursor.next().unwrap() {
        rows.push((entry.key.as_bytes().to_vec(), entry.value.to_vec()));
    }
    rows
}

/// All rows of all tables.
pub(crate) fn all_rows(engine: &dyn Engine) -> Vec<(TableId, Rows)> {
    table_ids().map(|table| (table, rows(engine, table))).collect()
}

pub(crate) fn table_ids() -> impl Iterator<Item = TableId> {
    (0u8..).zip(tables::TABLES).map(|(at, _)| TableId(at))
}

/// Edges by their entries in `edge_out` and in `edge_in`, with the values of both.
pub(crate) fn adjacency(engine: &dyn Engine) -> [Vec<(EdgeId, Vec<u8>)>; 2] {
    let read = |table, read: fn(kv::Key<'_>) -> Result<EdgeId, key_codec::CodecError>| {
        let entries = rows(engine, table).into_iter();
        let mut edges: Vec<_> = entries.map(|(bytes, value)| (read(kv::Key::new(&bytes, 0)).unwrap(), value)).collect();
        edges.sort();
        edges
    };
    [read(tables::EDGE_OUT, key::read_edge_out_key), read(tables::EDGE_IN, key::read_edge_in_key)]
}

/// Writes a setting of the store or of a graph, past the store.
pub(crate) fn put_setting(engine: &dyn Engine, graph: u32, name: &str, numbers: &[u64]) {
    let mut batch = WriteBatch::new();
    batch.put(
        tables::META,
        |b| key::meta_partition(b, GraphNumber(graph), key::MetaKind::Setting),
        |b| key::meta_row_name(b, name),
        |v| setting_value::put_numbers(v, numbers),
    );
    engine.commit(batch).unwrap();
}

/// Writes a task of a graph, past the store.
pub(crate) fn put_task(engine: &dyn Engine, graph: u32, task: &Task) {
    let mut batch = WriteBatch::new();
    batch.put(
        tables::TASK,
        |b| key::task_partition(b, GraphNumber(graph)),
        |b| key::task_row(b, task.id),
        |v| task_value::put_task(v, task),
    );
    engine.commit(batch).unwrap();
}

/// Writes the status of a schema element of the first graph, past the store: what a process that died in between left.
pub(crate) fn put_status(engine: &dyn Engine, graph: &HostedGraph, element: SchemaKey, status: Status) {
    let change = graph.catalogue().set_status(element, status).unwrap();
    let mut batch = WriteBatch::new();
    for element in &change.put {
        let (kind, number) = schema_value::meta_position(element.key());
        batch.put(
            tables::META,
            |b| key::meta_partition(b, GraphNumber(1), kind),
            |b| key::meta_row_number(b, number),
            |v| schema_value::put_element(v, element),
        );
    }
    engine.commit(batch).unwrap();
}
