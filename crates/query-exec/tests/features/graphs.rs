//! TinkerPop's toy graphs, from GraphSON 3, with a strict schema.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use graph_access::{Budget, GraphWrite as _};
use graph_host::{HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{Literal, NewEdge, NewEdgeLabel, NewPropertyKey, NewVertex, NewVertexLabel};
use kv::{Engine, MemoryEngine};
use query_value::Value;
use serde_json::Value as Json;

pub(crate) struct Toy {
    pub(crate) graph: Arc<HostedGraph>,
    _store: Store,
    /// Ids of vertices by name.
    pub(crate) vertices: BTreeMap<String, Value>,
}

pub(crate) struct Graphs {
    all: BTreeMap<&'static str, Toy>,
}

fn open() -> (Store, Arc<HostedGraph>) {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(key_codec::tables::TABLES));
    let purge = PurgeOptions { interval: None, ..PurgeOptions::default() };
    let store = Store::open(engine, StoreOptions { purge, ..StoreOptions::default() }).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    (store, graph)
}

impl Graphs {
    pub(crate) fn load(folder: &Path) -> Self {
        let names = ["modern", "classic", "crew", "sink", "grateful"];
        let load = |name: &'static str| {
            let file =
                if name == "grateful" { "grateful-dead-v3.json".into() } else { format!("tinkerpop-{name}-v3.json") };
            (name, Toy::load(&folder.join(file)))
        };
        let mut all: BTreeMap<_, _> = names.into_iter().map(load).collect();
        let (store, graph) = open();
        all.insert("empty", Toy { graph, _store: store, vertices: BTreeMap::new() });
        Self { all }
    }

    pub(crate) fn get(&self, name: &str) -> &Toy {
        &self.all[name]
    }
}

fn literal(value: &Json) -> (Literal<'static>, DataType) {
    match value {
        Json::String(text) => (Literal::Text(Cow::Owned(text.clone())), DataType::Text),
        Json::Bool(flag) => (Literal::Boolean(*flag), DataType::Boolean),
        Json::Object(map) => {
            let inner = &map["@value"];
            match map["@type"].as_str().unwrap() {
                "g:Int32" => (Literal::Integer(inner.as_i64().unwrap()), DataType::Int),
                "g:Int64" => (Literal::Integer(inner.as_i64().unwrap()), DataType::Long),
                "g:Float" => (Literal::Float(inner.as_f64().unwrap()), DataType::Float),
                _ => (Literal::Float(inner.as_f64().unwrap()), DataType::Double),
            }
        }
        other => panic!("{other}"),
    }
}

type Properties = Vec<(String, Literal<'static>)>;

impl Toy {
    fn load(path: &Path) -> Self {
        let (store, graph) = open();
        let text = std::fs::read_to_string(path).unwrap();
        let mut keys: BTreeMap<String, DataType> = BTreeMap::new();
        let mut labels: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut edge_labels: BTreeMap<String, (u64, u64, Vec<String>)> = BTreeMap::new();
        let mut vertices: Vec<(u64, String, Properties)> = Vec::new();
        let mut edges: Vec<(String, u64, u64, Properties)> = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let json: Json = serde_json::from_str(line).unwrap();
            let id = json["id"]["@value"].as_u64().unwrap();
            let label = json["label"].as_str().unwrap().to_owned();
            let mut properties = Properties::new();
            for (key, values) in json["properties"].as_object().into_iter().flatten() {
                let (value, data_type) = literal(&values[0]["value"]);
                keys.insert(key.clone(), data_type);
                let all = labels.entry(label.clone()).or_default();
                if !all.contains(key) {
                    all.push(key.clone());
                }
                properties.push((key.clone(), value));
            }
            labels.entry(label.clone()).or_default();
            vertices.push((id, label, properties));
            for (name, all) in json["outE"].as_object().into_iter().flatten() {
                for edge in all.as_array().unwrap() {
                    let target = edge["inV"]["@value"].as_u64().unwrap();
                    let mut properties = Properties::new();
                    let known = edge_labels.entry(name.clone()).or_insert((id, target, Vec::new()));
                    for (key, value) in edge["properties"].as_object().into_iter().flatten() {
                        let (value, data_type) = literal(value);
                        keys.insert(key.clone(), data_type);
                        if !known.2.contains(key) {
                            known.2.push(key.clone());
                        }
                        properties.push((key.clone(), value));
                    }
                    edges.push((name.clone(), id, target, properties));
                }
            }
        }
        for (name, data_type) in &keys {
            let new = NewPropertyKey::new(name, *data_type, Cardinality::Single);
            graph.schema().create_property_key(&new).unwrap();
        }
        for (name, keys) in &labels {
            let strategy = Some(IdStrategy::CustomizeNumber);
            let (properties, nullable_keys) = (keys.clone(), keys.clone());
            let new = NewVertexLabel { id_strategy: strategy, properties, nullable_keys, ..NewVertexLabel::new(name) };
            graph.schema().create_vertex_label(&new).unwrap();
        }
        let label_of: BTreeMap<u64, String> = vertices.iter().map(|(id, label, _)| (*id, label.clone())).collect();
        for (name, (source, target, keys)) in &edge_labels {
            let new = NewEdgeLabel::new(name, &label_of[source], &label_of[target]);
            let (properties, nullable_keys) = (keys.clone(), keys.clone());
            graph.schema().create_edge_label(&NewEdgeLabel { properties, nullable_keys, ..new }).unwrap();
        }
        let budget = Budget::unlimited();
        let mut unit = Box::new(graph.transaction(&budget));
        let cow = |all: &Properties| all.iter().map(|(key, value)| (Cow::Owned(key.clone()), value.clone())).collect();
        let mut names = BTreeMap::new();
        let number = |id: u64| Literal::Integer(i64::try_from(id).unwrap());
        for (id, label, properties) in &vertices {
            if let Some((_, Literal::Text(name))) = properties.iter().find(|(key, _)| key == "name") {
                names.insert(name.to_string(), Value::Long(i64::try_from(*id).unwrap()));
            }
            let label = Some(Cow::Owned(label.clone()));
            unit.insert_vertex(&NewVertex { label, id: Some(number(*id)), properties: cow(properties) }).unwrap();
        }
        for (label, source, target, properties) in &edges {
            unit.insert_edge(&NewEdge {
                label: Some(Cow::Owned(label.clone())),
                source: Some(number(*source)),
                source_label: None,
                target: Some(number(*target)),
                target_label: None,
                properties: cow(properties),
            })
            .unwrap();
        }
        unit.commit().unwrap();
        Self { graph, _store: store, vertices: names }
    }
}
