//! The graph, and queries over it.

use std::sync::Arc;

use graph_access::{Budget, GraphWrite};
use graph_host::{HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_model::{Cardinality, DataType, IdStrategy};
use graph_schema::{NewEdgeLabel, NewPropertyKey, NewVertexLabel};
use gremlin::{Bindings, Expression, Statement, lower};
use kv::{Engine, MemoryEngine};
use query_exec::{ExecError, Execution, Settings};
use query_value::Value;
use query_value::function::{Room, text};

/// Marko, vadas, josh and peter know each other and created lop and ripple, with weights.
const FILL: &str = "g.addV('person').property(id, 1).property('name', 'marko').property('age', 29).iterate()
    g.addV('person').property(id, 2).property('name', 'vadas').property('age', 27).iterate()
    g.addV('software').property(id, 3).property('name', 'lop').iterate()
    g.addV('person').property(id, 4).property('name', 'josh').property('age', 32).iterate()
    g.addV('software').property(id, 5).property('name', 'ripple').iterate()
    g.addV('person').property(id, 6).property('name', 'peter').property('age', 35).iterate()
    g.V(1).addE('knows').to(__.V(2)).property('weight', 0.5).iterate()
    g.V(1).addE('knows').to(__.V(4)).property('weight', 1.0).iterate()
    g.V(1).addE('created').to(__.V(3)).property('weight', 0.4).iterate()
    g.V(4).addE('created').to(__.V(5)).property('weight', 1.0).iterate()
    g.V(4).addE('created').to(__.V(3)).property('weight', 0.4).iterate()
    g.V(6).addE('created').to(__.V(3)).property('weight', 0.2).iterate()";

pub(crate) struct Graph {
    graph: Arc<HostedGraph>,
    _store: Store,
}

impl Graph {
    pub(crate) fn new() -> Self {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(key_codec::tables::TABLES));
        let purge = PurgeOptions { interval: None, ..PurgeOptions::default() };
        let store = Store::open(engine, StoreOptions { purge, ..StoreOptions::default() }).unwrap();
        let graph = store.graph("hugegraph").unwrap();
        let schema = graph.schema();
        for (name, kind) in [("name", DataType::Text), ("age", DataType::Int), ("weight", DataType::Double)] {
            schema.create_property_key(&NewPropertyKey::new(name, kind, Cardinality::Single)).unwrap();
        }
        let properties = vec!["name".to_owned(), "age".to_owned()];
        for name in ["person", "software"] {
            let id_strategy = Some(IdStrategy::CustomizeNumber);
            let (properties, nullable_keys) = (properties.clone(), properties.clone());
            let new = NewVertexLabel { id_strategy, properties, nullable_keys, ..NewVertexLabel::new(name) };
            schema.create_vertex_label(&new).unwrap();
        }
        for (name, target) in [("knows", "person"), ("created", "software")] {
            let properties = vec!["weight".to_owned()];
            let new = NewEdgeLabel { properties, ..NewEdgeLabel::new(name, "person", target) };
            schema.create_edge_label(&new).unwrap();
        }
        let budget = Budget::unlimited();
        let mut unit = Box::new(graph.transaction(&budget));
        for line in FILL.lines() {
            run(&mut *unit, line.trim().trim_end_matches(".iterate()"), &Settings::default()).unwrap();
        }
        unit.commit().unwrap();
        Self { graph, _store: store }
    }

    /// The results of a query, as texts, each as often as it occurs.
    pub(crate) fn texts(&self, query: &str) -> Vec<String> {
        let results = self.run(query, &Settings::default()).unwrap_or_else(|error| panic!("{query}: {error}"));
        results.iter().map(|value| text(value, &mut Room::new(10_000)).unwrap()).collect()
    }

    /// The same, sorted.
    pub(crate) fn sorted(&self, query: &str) -> Vec<String> {
        let mut all = self.texts(query);
        all.sort();
        all
    }

    /// What a query fails with.
    pub(crate) fn error(&self, query: &str) -> String {
        self.run(query, &Settings::default()).expect_err(query).to_string()
    }

    pub(crate) fn run(&self, query: &str, settings: &Settings) -> Result<Vec<Value>, ExecError> {
        let budget = Budget::new(std::time::Duration::from_secs(30), Arc::default());
        run(&mut self.graph.transaction(&budget), query, settings)
    }
}

fn run(unit: &mut dyn GraphWrite, query: &str, settings: &Settings) -> Result<Vec<Value>, ExecError> {
    let parsed = gremlin::parse(query, Vec::<&str>::new()).expect(query);
    let Some(Statement::Expression(Expression::Query(query))) = parsed.statements.last() else { panic!("{query}") };
    let traversal = lower(&query.bytecode, &mut Bindings::default()).unwrap();
    let plan = gremlin_plan::plan(&traversal).map_err(|error| ExecError::evaluation(error.to_string()))?;
    let results = Execution::writing(&plan, unit, settings)?.collect()?;
    let repeat = |(value, bulk): (Value, u64)| std::iter::repeat_n(value, usize::try_from(bulk).unwrap());
    Ok(results.into_iter().flat_map(repeat).collect())
}
