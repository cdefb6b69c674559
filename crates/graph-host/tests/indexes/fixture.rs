//! A graph with a label for each way ids come about, properties of several types, and index labels of every type.

use std::borrow::Cow;
use std::sync::Arc;

use graph_access::Budget;
use graph_host::{HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_maintenance::{IndexReport, check_indexes};
use graph_model::{Cardinality, DataType, EdgeId, IdStrategy, LabelId, Task, TaskStatus, VertexId};
use graph_schema::{
    Frequency, IndexType, Literal, NewEdge, NewEdgeLabel, NewIndexLabel, NewPropertyKey, NewVertex, NewVertexLabel,
};
use graph_store::{Pending, StoreError, Wait};
use kv::{Engine, MemoryEngine};

/// Vertex labels: primary key, string ids, string ids with a lifetime of a millisecond from `born`, number ids,
/// automatic ids.
pub(crate) const LABELS: [&str; 5] = ["keyed", "named", "brief", "numbered", "auto"];

/// Edge labels: single and multiple.
pub(crate) const EDGES: [&str; 2] = ["single", "many"];

pub(crate) fn memory() -> Arc<MemoryEngine> {
    Arc::new(MemoryEngine::open(key_codec::tables::TABLES))
}

pub(crate) fn open<E: Engine + 'static>(engine: &Arc<E>) -> (Store, Arc<HostedGraph>) {
    let engine: Arc<dyn Engine> = Arc::<E>::clone(engine);
    // What expires goes when a test says so.
    let purge = PurgeOptions { interval: None, ..PurgeOptions::default() };
    let store = Store::open(engine, StoreOptions { purge, ..StoreOptions::default() }).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    (store, graph)
}

/// An empty graph with the schema, without index labels.
pub(crate) fn defined<E: Engine + 'static>(engine: &Arc<E>) -> (Store, Arc<HostedGraph>) {
    let (store, graph) = open(engine);
    define(&graph);
    (store, graph)
}

pub(crate) fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn define(graph: &HostedGraph) {
    for (name, data_type, cardinality) in [
        ("key", DataType::Text, Cardinality::Single),
        ("n", DataType::Int, Cardinality::Single),
        ("words", DataType::Text, Cardinality::Single),
        ("tags", DataType::Text, Cardinality::Set),
        ("sort", DataType::Int, Cardinality::Single),
        ("born", DataType::Date, Cardinality::Single),
    ] {
        graph.schema().create_property_key(&NewPropertyKey::new(name, data_type, cardinality)).unwrap();
    }
    let optional = ["n", "words", "tags"];
    let strategies = [
        IdStrategy::PrimaryKey,
        IdStrategy::CustomizeString,
        IdStrategy::CustomizeString,
        IdStrategy::CustomizeNumber,
        IdStrategy::Automatic,
    ];
    for (name, strategy) in LABELS.into_iter().zip(strategies) {
        let mut new = NewVertexLabel {
            id_strategy: Some(strategy),
            properties: strings(&optional),
            nullable_keys: strings(&optional),
            ttl_ms: if name == "brief" { 1 } else { 0 },
            ..NewVertexLabel::new(name)
        };
        if name == "brief" {
            new.properties.push("born".to_owned());
            new.nullable_keys.push("born".to_owned());
            new.ttl_start_time = Some("born".to_owned());
        }
        if strategy == IdStrategy::PrimaryKey {
            new.properties.push("key".to_owned());
            new.primary_keys = strings(&["key"]);
        }
        graph.schema().create_vertex_label(&new).unwrap();
    }
    for name in EDGES {
        let many = name == "many";
        let mut new = NewEdgeLabel {
            frequency: many.then_some(Frequency::Multiple),
            properties: strings(&optional),
            nullable_keys: strings(&optional),
            ..NewEdgeLabel::new(name, "named", "numbered")
        };
        if many {
            new.properties.push("sort".to_owned());
            new.sort_keys = strings(&["sort"]);
        }
        graph.schema().create_edge_label(&new).unwrap();
    }
}

/// The index labels tests create.
pub(crate) fn index_labels() -> Vec<NewIndexLabel> {
    use IndexType::{Range, Search, Secondary, Shard, Unique};
    vec![
        NewIndexLabel::on_vertices("keyedByN", "keyed", Range, &["n"]),
        NewIndexLabel::on_vertices("namedByTags", "named", Secondary, &["tags"]),
        NewIndexLabel::on_vertices("namedByNWords", "named", Shard, &["n", "words"]),
        NewIndexLabel::on_vertices("namedByWord", "named", Search, &["words"]),
        NewIndexLabel::on_vertices("namedUniqueN", "named", Unique, &["n"]),
        NewIndexLabel::on_vertices("briefByN", "brief", Secondary, &["n"]),
        NewIndexLabel::on_vertices("briefUniqueN", "brief", Unique, &["n"]),
        NewIndexLabel::on_vertices("numberedByWordsN", "numbered", Secondary, &["words", "n"]),
        NewIndexLabel::on_vertices("autoByN", "auto", Range, &["n"]),
        NewIndexLabel::on_edges("singleByN", "single", Range, &["n"]),
        NewIndexLabel::on_edges("singleUniqueNWords", "single", Unique, &["n", "words"]),
        NewIndexLabel::on_edges("manyByWord", "many", Search, &["words"]),
        NewIndexLabel::on_edges("manyBySort", "many", Secondary, &["sort"]),
    ]
}

/// Creates an index label and waits until it is built, or is found not to be possible.
pub(crate) fn create_index(graph: &Arc<HostedGraph>, new: &NewIndexLabel) -> Option<Task> {
    let (_, _, task) = graph.jobs().create_index_label(new).unwrap();
    (task != 0).then(|| ended(graph, task))
}

pub(crate) fn index_named(name: &str) -> NewIndexLabel {
    index_labels().into_iter().find(|index| index.name == name).unwrap()
}

pub(crate) fn with_all_indexes(graph: &Arc<HostedGraph>) {
    for new in index_labels() {
        assert_eq!(create_index(graph, &new).unwrap().status, TaskStatus::Success, "{}", new.name);
    }
}

/// Waits for the end of a task.
pub(crate) fn ended(graph: &HostedGraph, id: u64) -> Task {
    until(|| graph.jobs().task(id).unwrap().status.is_final());
    graph.jobs().task(id).unwrap()
}

pub(crate) fn until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::yield_now();
    }
}

pub(crate) fn check(graph: &HostedGraph, repair: bool) -> IndexReport {
    check_indexes(graph, repair, &Budget::unlimited(), &mut |_| ()).unwrap()
}

/// No entry too many, none missing, none of two elements.
pub(crate) fn assert_sound(graph: &HostedGraph) {
    let report = check(graph, false);
    assert_eq!(report.total(), 0, "{report:#?}");
}

/// Properties of an element under test.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Props {
    pub(crate) n: Option<i32>,
    pub(crate) words: Option<&'static str>,
    pub(crate) tags: Vec<&'static str>,
}

impl Props {
    pub(crate) fn n(n: i32) -> Self {
        Self { n: Some(n), ..Self::default() }
    }

    pub(crate) fn given(&self) -> Vec<(Cow<'static, str>, Literal<'static>)> {
        let text = |text: &'static str| Literal::Text(Cow::Borrowed(text));
        let mut given = Vec::new();
        if let Some(n) = self.n {
            given.push((Cow::Borrowed("n"), Literal::Integer(n.into())));
        }
        if let Some(words) = self.words {
            given.push((Cow::Borrowed("words"), text(words)));
        }
        if !self.tags.is_empty() {
            given.push((Cow::Borrowed("tags"), Literal::Array(self.tags.iter().map(|tag| text(tag)).collect())));
        }
        given
    }
}

pub(crate) fn label_id(graph: &HostedGraph, label: &str) -> LabelId {
    graph.catalogue().vertex_label_named(label).unwrap().id
}

/// The id of the vertex of a label and number. One string id looks like one of the label with primary keys.
pub(crate) fn vertex_id(label: &str, n: u8) -> VertexId {
    match label {
        "keyed" => VertexId::String(format!("1:k{n}").into()),
        "numbered" => VertexId::Number(n.into()),
        _ if n == 0 => VertexId::String("1:k0".into()),
        _ => VertexId::String(format!("s{n}").into()),
    }
}

pub(crate) fn literal(id: &VertexId) -> Literal<'static> {
    match id {
        VertexId::Number(n) => Literal::Integer(*n),
        VertexId::String(text) => Literal::Text(Cow::Owned(text.to_string())),
        VertexId::Uuid(bits) => Literal::Text(Cow::Owned(format!("{bits:032x}"))),
    }
}

pub(crate) fn vertex(label: &'static str, n: u8, props: &Props) -> NewVertex<'static> {
    let mut properties = props.given();
    if label == "keyed" {
        properties.push((Cow::Borrowed("key"), Literal::Text(Cow::Owned(format!("k{n}")))));
    }
    let id = (label != "keyed" && label != "auto").then(|| literal(&vertex_id(label, n)));
    NewVertex { label: Some(Cow::Borrowed(label)), id, properties }
}

pub(crate) fn edge(label: &'static str, ends: (u8, u8), props: &Props) -> NewEdge<'static> {
    let mut properties = props.given();
    if label == "many" {
        properties.push((Cow::Borrowed("sort"), Literal::Integer((ends.0 + ends.1).into())));
    }
    NewEdge {
        label: Some(Cow::Borrowed(label)),
        source: Some(literal(&vertex_id("named", ends.0))),
        source_label: Some(Cow::Borrowed("named")),
        target: Some(literal(&vertex_id("numbered", ends.1))),
        target_label: Some(Cow::Borrowed("numbered")),
        properties,
    }
}

pub(crate) fn edge_id(graph: &HostedGraph, label: &str, ends: (u8, u8)) -> EdgeId {
    let sort_values =
        if label == "many" { graph_model::encode_number((ends.0 + ends.1).into()) } else { String::new() };
    EdgeId {
        label: graph.catalogue().edge_label_named(label).unwrap().id,
        source: vertex_id("named", ends.0),
        sort_values: sort_values.into(),
        target: vertex_id("numbered", ends.1),
    }
}

pub(crate) fn insert(graph: &HostedGraph, new: &[NewVertex<'_>]) -> Result<Vec<VertexId>, StoreError> {
    graph.writer().insert_vertices(new, Wait::Allowed).and_then(Pending::wait)
}

pub(crate) fn connect(graph: &HostedGraph, new: &[NewEdge<'_>]) -> Result<(), StoreError> {
    graph.writer().insert_edges(new, false, Wait::Allowed).and_then(Pending::wait).map(drop)
}
