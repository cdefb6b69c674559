//! The schema of the graphs under test: a vertex label for each way ids come about, and edges between them.

use graph_host::HostedGraph;
use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{Frequency, NewEdgeLabel, NewPropertyKey, NewVertexLabel};

/// An empty engine in memory, or one that promises as little as an engine over a network may.
#[allow(dead_code, clippy::allow_attributes, reason = "not every test that shares this file asks for one")]
pub(crate) fn engine(scattered: bool) -> std::sync::Arc<dyn kv::Engine> {
    if scattered {
        std::sync::Arc::new(kv::conformance::ScatteredEngine::open(key_codec::tables::TABLES))
    } else {
        std::sync::Arc::new(kv::MemoryEngine::open(key_codec::tables::TABLES))
    }
}

/// Vertex labels: primary key, string, number and UUID ids.
pub(crate) const LABELS: [&str; 4] = ["keyed", "named", "numbered", "marked"];

/// Edge labels: name, and positions of source and target in [`LABELS`].
pub(crate) const EDGES: [(&str, usize, usize); 3] = [("to_named", 0, 1), ("loops", 2, 2), ("many", 0, 3)];

/// Creates everything in an empty graph.
pub(crate) fn define_schema(graph: &HostedGraph) {
    for (name, data_type) in [("key", DataType::Text), ("value", DataType::Int), ("sort", DataType::Int)] {
        let new = NewPropertyKey::new(name, data_type, Cardinality::Single);
        graph.schema().create_property_key(&new).unwrap();
    }
    let strategies =
        [IdStrategy::PrimaryKey, IdStrategy::CustomizeString, IdStrategy::CustomizeNumber, IdStrategy::CustomizeUuid];
    for (name, strategy) in LABELS.into_iter().zip(strategies) {
        let keyed = strategy == IdStrategy::PrimaryKey;
        let new = NewVertexLabel {
            id_strategy: Some(strategy),
            properties: if keyed { vec!["key".into(), "value".into()] } else { vec!["value".into()] },
            primary_keys: if keyed { vec!["key".into()] } else { vec![] },
            nullable_keys: vec!["value".into()],
            ..NewVertexLabel::new(name)
        };
        graph.schema().create_vertex_label(&new).unwrap();
    }
    for (name, source, target) in EDGES {
        let many = name == "many";
        let sort = || if many { vec!["sort".to_owned()] } else { vec![] };
        let new = NewEdgeLabel {
            frequency: many.then_some(Frequency::Multiple),
            properties: sort(),
            sort_keys: sort(),
            ..NewEdgeLabel::new(name, LABELS[source], LABELS[target])
        };
        graph.schema().create_edge_label(&new).unwrap();
    }
}
