//! A graph in memory, and queries on it.
#![allow(dead_code, reason = "each test uses a part")]

use std::sync::Arc;

use graph_access::{Budget, GraphWrite as _};
use graph_host::{GraphConf, HostedGraph, Store, StoreOptions};
use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{NewEdgeLabel, NewPropertyKey, NewVertexLabel};
use graph_store::GraphReader;
use gremlin::{Bindings, Expression, Statement, lower};
use kv::MemoryEngine;
use query_exec::{Execution, Settings};
use query_value::Value;

/// A graph in memory.
pub(crate) struct Graph {
    graph: Arc<HostedGraph>,
    _store: Store,
}

impl Graph {
    pub(crate) fn new() -> Self {
        let engine = Arc::new(MemoryEngine::open(key_codec::tables::TABLES));
        let store = Store::open(engine, StoreOptions::default()).unwrap();
        let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
        let graph = store.create_graph("a", &conf).unwrap();
        Self { graph, _store: store }
    }

    /// A graph with persons who know each other.
    pub(crate) fn with_schema() -> Self {
        let engine = Arc::new(MemoryEngine::open(key_codec::tables::TABLES));
        let store = Store::open(engine, StoreOptions::default()).unwrap();
        let graph = store.graph("hugegraph").unwrap();
        for (key, data_type) in [("name", DataType::Text), ("age", DataType::Int)] {
            graph.schema().create_property_key(&NewPropertyKey::new(key, data_type, Cardinality::Single)).unwrap();
        }
        let keys = vec!["name".to_owned(), "age".to_owned()];
        let person = NewVertexLabel {
            id_strategy: Some(IdStrategy::CustomizeNumber),
            properties: keys.clone(),
            nullable_keys: keys,
            ..NewVertexLabel::new("person")
        };
        graph.schema().create_vertex_label(&person).unwrap();
        graph.schema().create_edge_label(&NewEdgeLabel::new("knows", "person", "person")).unwrap();
        Self { graph, _store: store }
    }

    /// The graph itself.
    pub(crate) fn hosted(&self) -> &HostedGraph {
        &self.graph
    }

    /// The results of a query, each as often as it occurs; what it wrote is committed.
    pub(crate) fn try_run(&self, script: &str) -> Result<Vec<Value>, String> {
        let parsed = gremlin::parse(script, []).map_err(|error| error.to_string())?;
        let budget = Budget::unlimited();
        let mut unit = Box::new(self.graph.transaction(&budget));
        let mut results = Vec::new();
        for statement in &parsed.statements {
            let Statement::Expression(Expression::Query(query)) = statement else { panic!("{script}") };
            let traversal = lower(&query.bytecode, &mut Bindings::default()).map_err(|error| error.to_string())?;
            let plan = gremlin_plan::plan(&traversal).map_err(|error| error.to_string())?;
            let mut execution =
                Execution::writing(&plan, &mut *unit, &Settings::default()).map_err(|error| error.to_string())?;
            results = execution.collect().map_err(|error| error.to_string())?;
        }
        unit.commit().map_err(|error| error.to_string())?;
        Ok(results.into_iter().flat_map(|(value, bulk)| vec![value; usize::try_from(bulk).unwrap()]).collect())
    }

    pub(crate) fn run(&self, script: &str) -> Vec<Value> {
        self.try_run(script).unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Runs a query in a unit, and another one over what was stored, which must give the same.
    pub(crate) fn same(&self, script: &str, expected: &[Value]) {
        assert_eq!(self.run(script), expected, "{script}");
        if let Some(results) = self.read(script) {
            assert_eq!(results, expected, "{script}, read only");
        }
    }

    /// The results of a query over what is stored; none: it writes, or is not a single query.
    pub(crate) fn read(&self, script: &str) -> Option<Vec<Value>> {
        let parsed = gremlin::parse(script, []).unwrap();
        let [Statement::Expression(Expression::Query(query))] = parsed.statements.as_slice() else { return None };
        let plan = gremlin_plan::plan(&lower(&query.bytecode, &mut Bindings::default()).unwrap()).unwrap();
        if plan.is_write {
            return None;
        }
        let budget = Budget::unlimited();
        let reader = GraphReader::new(&self.graph, &self.graph.catalogue(), &budget);
        let results = Execution::reading(&plan, &reader, &Settings::default()).unwrap().collect().unwrap();
        Some(results.into_iter().flat_map(|(value, bulk)| vec![value; usize::try_from(bulk).unwrap()]).collect())
    }

    /// The plan of a query as text.
    pub(crate) fn plan(&self, script: &str) -> String {
        let parsed = gremlin::parse(script, []).unwrap();
        let [Statement::Expression(Expression::Query(query))] = parsed.statements.as_slice() else {
            panic!("{script}")
        };
        let traversal = lower(&query.bytecode, &mut Bindings::default()).unwrap();
        query_plan::explain(&gremlin_plan::plan(&traversal).unwrap())
    }

    pub(crate) fn count(&self, script: &str, expected: usize) {
        assert_eq!(self.run(script).len(), expected, "{script}");
    }

    pub(crate) fn refuses(&self, script: &str, message: &str) {
        let error = self.try_run(script).unwrap_err();
        assert!(error.contains(message), "{script}: {error}");
    }
}

/// Texts as values.
pub(crate) fn texts<const N: usize>(texts: [&str; N]) -> [Value; N] {
    texts.map(Value::from)
}
