//! TinkerPop's toy graphs, from GraphSON 3.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use graph_host::{GraphConf, HostedGraph, PurgeOptions, Store, StoreOptions};
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

/// Whether graphs have a schema that was declared, or make their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Strict,
    Auto,
}

fn open(mode: Mode) -> (Store, Arc<HostedGraph>) {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(key_codec::tables::TABLES));
    let purge = PurgeOptions { interval: None, ..PurgeOptions::default() };
    let store = Store::open(engine, StoreOptions { purge, ..StoreOptions::default() }).unwrap();
    let graph = match mode {
        Mode::Strict => store.graph("hugegraph").unwrap(),
        Mode::Auto => {
            store.create_graph("toy", &GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())])).unwrap()
        }
    };
    (store, graph)
}

impl Graphs {
    pub(crate) fn load(folder: &Path, mode: Mode) -> Self {
        let names = ["modern", "classic", "crew", "sink", "grateful"];
        let load = |name: &'static str| {
            let file =
                if name == "grateful" { "grateful-dead-v3.json".into() } else { format!("tinkerpop-{name}-v3.json") };
            let elements = Elements::read(&folder.join(file));
            let (store, graph) = open(mode);
            match mode {
                Mode::Strict => strict::write(&graph, &elements),
                Mode::Auto => auto::write(&graph, &elements),
            }
            let vertices = elements.names(mode);
            (name, Toy { graph, _store: store, vertices })
        };
        let mut all: BTreeMap<_, _> = names.into_iter().map(load).collect();
        let (store, graph) = open(mode);
        all.insert("empty", Toy { graph, _store: store, vertices: BTreeMap::new() });
        Self { all }
    }

    pub(crate) fn get(&self, name: &str) -> &Toy {
        &self.all[name]
    }
}

/// What a file contains.
pub(crate) struct Elements {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) edges: Vec<Edge>,
}

pub(crate) struct Vertex {
    pub(crate) id: Value,
    pub(crate) label: String,
    pub(crate) properties: Vec<Property>,
}

pub(crate) struct Property {
    pub(crate) key: String,
    pub(crate) id: Value,
    pub(crate) value: Value,
    pub(crate) meta: Vec<(String, Value)>,
}

pub(crate) struct Edge {
    pub(crate) id: Value,
    pub(crate) label: String,
    pub(crate) source: Value,
    pub(crate) target: Value,
    pub(crate) properties: Vec<(String, Value)>,
}

fn value(json: &Json) -> Value {
    match json {
        Json::String(text) => Value::from(text.as_str()),
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Object(map) => {
            let inner = &map["@value"];
            match map["@type"].as_str().unwrap() {
                "g:Int32" => Value::Int(inner.as_i64().unwrap().try_into().unwrap()),
                "g:Int64" => Value::Long(inner.as_i64().unwrap()),
                "g:Float" => Value::Float(inner.to_string().parse().unwrap()),
                _ => Value::Double(inner.as_f64().unwrap()),
            }
        }
        other => panic!("{other}"),
    }
}

fn pairs(json: &Json) -> Vec<(String, Value)> {
    json.as_object().into_iter().flatten().map(|(key, own)| (key.clone(), value(own))).collect()
}

impl Elements {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let json: Json = serde_json::from_str(line).unwrap();
            let id = value(&json["id"]);
            let mut properties = Vec::new();
            for (key, values) in json["properties"].as_object().into_iter().flatten() {
                for own in values.as_array().unwrap() {
                    let (value, meta) = (value(&own["value"]), pairs(&own["properties"]));
                    properties.push(Property { key: key.clone(), id: self::value(&own["id"]), value, meta });
                }
            }
            for (label, all) in json["outE"].as_object().into_iter().flatten() {
                edges.extend(all.as_array().unwrap().iter().map(|edge| Edge {
                    id: value(&edge["id"]),
                    label: label.clone(),
                    source: id.clone(),
                    target: value(&edge["inV"]),
                    properties: pairs(&edge["properties"]),
                }));
            }
            vertices.push(Vertex { id, label: json["label"].as_str().unwrap().to_owned(), properties });
        }
        Self { vertices, edges }
    }

    fn names(&self, mode: Mode) -> BTreeMap<String, Value> {
        let mut names = BTreeMap::new();
        for vertex in &self.vertices {
            if let Some(name) = vertex.properties.iter().find(|property| property.key == "name") {
                let id = if mode == Mode::Auto { vertex.id.clone() } else { Value::Long(vertex.id.as_i64().unwrap()) };
                names.insert(name.value.as_text().unwrap().to_owned(), id);
            }
        }
        names
    }
}

/// The elements with their ids, all values of a key, and properties of properties.
mod auto {
    use auto_graph::{AutoEdge, AutoVertex, NewProperty, write_edge, write_vertex};
    use graph_access::{Budget, GraphWrite as _};
    use graph_host::HostedGraph;
    use query_value::Cardinality;

    use super::Elements;

    pub(super) fn write(graph: &HostedGraph, elements: &Elements) {
        let budget = Budget::unlimited();
        let mut unit = Box::new(graph.transaction(&budget));
        for vertex in &elements.vertices {
            let mut new = AutoVertex::new(Some(vertex.id.clone()), vertex.label.as_str());
            for property in &vertex.properties {
                let meta = property.meta.iter().map(|(key, value)| (key.as_str().into(), value.clone())).collect();
                let (key, value) = (property.key.as_str().into(), property.value.clone());
                new.set_property(Cardinality::List, NewProperty { key, id: Some(property.id.clone()), value, meta });
            }
            write_vertex(&mut *unit, &new).unwrap();
        }
        for edge in &elements.edges {
            let new = AutoEdge {
                id: Some(edge.id.clone()),
                label: edge.label.as_str().into(),
                source: edge.source.clone(),
                target: edge.target.clone(),
                properties: edge.properties.iter().map(|(key, own)| (key.as_str().into(), own.clone())).collect(),
            };
            write_edge(&mut *unit, &new).unwrap();
        }
        unit.commit().unwrap();
    }
}

/// The elements under a schema made for them: the first value of each key, no properties of properties, no edge ids.
mod strict {
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use graph_access::{Budget, GraphWrite as _};
    use graph_host::HostedGraph;
    use graph_model::{Cardinality, DataType, IdStrategy};
    use graph_schema::{Literal, NewEdge, NewEdgeLabel, NewPropertyKey, NewVertex, NewVertexLabel};
    use query_value::Value;

    use super::Elements;

    fn literal(value: &Value) -> (Literal<'static>, DataType) {
        match value {
            Value::String(text) => (Literal::Text(Cow::Owned(text.to_string())), DataType::Text),
            Value::Bool(flag) => (Literal::Boolean(*flag), DataType::Boolean),
            Value::Int(number) => (Literal::Integer((*number).into()), DataType::Int),
            Value::Long(number) => (Literal::Integer(*number), DataType::Long),
            Value::Float(number) => (Literal::Float((*number).into()), DataType::Float),
            Value::Double(number) => (Literal::Float(*number), DataType::Double),
            other => panic!("{other:?}"),
        }
    }

    /// The names of a label's properties.
    type Names = Vec<String>;

    fn add(names: &mut Names, key: &str) {
        if !names.iter().any(|name| name == key) {
            names.push(key.to_owned());
        }
    }

    pub(super) fn write(graph: &HostedGraph, elements: &Elements) {
        let mut keys: BTreeMap<&str, DataType> = BTreeMap::new();
        let mut labels: BTreeMap<&str, Names> = BTreeMap::new();
        let mut edge_labels: BTreeMap<&str, (&str, &str, Names)> = BTreeMap::new();
        let mut label_of: BTreeMap<i64, &str> = BTreeMap::new();
        for vertex in &elements.vertices {
            label_of.insert(vertex.id.as_i64().unwrap(), &vertex.label);
            let names = labels.entry(&vertex.label).or_default();
            for property in &vertex.properties {
                keys.insert(&property.key, literal(&property.value).1);
                add(names, &property.key);
            }
        }
        for edge in &elements.edges {
            let end = |id: &Value| label_of[&id.as_i64().unwrap()];
            let ends = || (end(&edge.source), end(&edge.target), Names::new());
            let (_, _, names) = edge_labels.entry(&edge.label).or_insert_with(ends);
            for (key, value) in &edge.properties {
                keys.insert(key, literal(value).1);
                add(names, key);
            }
        }
        for (name, data_type) in &keys {
            let new = NewPropertyKey::new(name, *data_type, Cardinality::Single);
            graph.schema().create_property_key(&new).unwrap();
        }
        for (name, keys) in labels {
            let id_strategy = Some(IdStrategy::CustomizeNumber);
            let (properties, nullable_keys) = (keys.clone(), keys);
            let new = NewVertexLabel { id_strategy, properties, nullable_keys, ..NewVertexLabel::new(name) };
            graph.schema().create_vertex_label(&new).unwrap();
        }
        for (name, (source, target, keys)) in edge_labels {
            let (properties, nullable_keys) = (keys.clone(), keys);
            let new = NewEdgeLabel { properties, nullable_keys, ..NewEdgeLabel::new(name, source, target) };
            graph.schema().create_edge_label(&new).unwrap();
        }
        write_elements(graph, elements);
    }

    fn write_elements(graph: &HostedGraph, elements: &Elements) {
        let budget = Budget::unlimited();
        let mut unit = Box::new(graph.transaction(&budget));
        for vertex in &elements.vertices {
            let mut properties: Vec<(Cow<'_, str>, Literal<'_>)> = Vec::new();
            for property in &vertex.properties {
                if properties.iter().all(|(key, _)| *key != property.key) {
                    properties.push((Cow::Borrowed(&property.key), literal(&property.value).0));
                }
            }
            let (label, id) = (Some(Cow::Borrowed(&*vertex.label)), Some(literal(&vertex.id).0));
            unit.insert_vertex(&NewVertex { label, id, properties }).unwrap();
        }
        for edge in &elements.edges {
            let own = edge.properties.iter().map(|(key, value)| (Cow::Borrowed(&**key), literal(value).0));
            unit.insert_edge(&NewEdge {
                label: Some(Cow::Borrowed(&edge.label)),
                source: Some(literal(&edge.source).0),
                source_label: None,
                target: Some(literal(&edge.target).0),
                target_label: None,
                properties: own.collect(),
            })
            .unwrap();
        }
        unit.commit().unwrap();
    }
}
