//! Queries over a graph in memory.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use cypher::{Signature, Type};
use cypher_exec::{Execution, Prepared, Procedures, Settings, TableProcedure, from_access};
use cypher_value::{Error, Map, Text, Value};
use graph_access::{Budget, GraphWrite as _};
use graph_host::{GraphConf, HostedGraph, Store, StoreOptions};
use graph_store::GraphReader;
use kv::MemoryEngine;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::json;

/// The longest that a query may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Rows that are asked for at once.
const BATCH: usize = 256;

/// An empty graph, and what its queries can call.
pub(crate) struct Session {
    graph: Arc<HostedGraph>,
    procedures: Procedures,
    /// Keeps the graph open.
    _store: Store,
}

/// A procedure that is a table: rows of arguments and columns.
#[derive(Deserialize)]
pub(crate) struct Table {
    name: String,
    arguments: Vec<(String, String)>,
    columns: Vec<(String, String)>,
    rows: Vec<Vec<Json>>,
}

/// Why a query failed, and when.
pub(crate) struct Failure {
    /// What is wrong.
    pub(crate) error: Error,
    /// Whether that was found before it ran.
    pub(crate) is_early: bool,
}

impl Session {
    /// An empty graph, `auto` or `strict`.
    pub(crate) fn new(mode: &str) -> Result<Self> {
        let engine = Arc::new(MemoryEngine::open(key_codec::tables::TABLES));
        let store = Store::open(engine, StoreOptions::default())?;
        let graph = store.create_graph("tck", &GraphConf::from([("schema.mode".to_owned(), mode.to_owned())]))?;
        Ok(Self { graph, procedures: Procedures::default(), _store: store })
    }

    /// Adds a procedure.
    pub(crate) fn add(&mut self, table: Table) {
        let count = table.arguments.len();
        let rows = table.rows.iter().map(|row| {
            let values: Vec<Value> = row.iter().map(json::read).collect();
            let (arguments, columns) = values.split_at(count.min(values.len()));
            (arguments.to_vec(), columns.to_vec())
        });
        self.procedures.tables.push(TableProcedure {
            name: table.name,
            rows: rows.collect(),
            signature: Signature {
                arguments: table.arguments.into_iter().map(|(name, of)| (name, type_of(&of), false)).collect(),
                columns: table.columns.into_iter().map(|(name, of)| (name, type_of(&of))).collect(),
                is_write: false,
            },
        });
    }

    /// Carries out a query, in a transaction of its own.
    pub(crate) fn run(&self, text: &str, parameters: Map) -> Result<(Vec<Text>, Vec<Vec<Value>>), Failure> {
        let early = |error| Failure { error, is_early: true };
        let late = |error| Failure { error, is_early: false };
        let procedures = Arc::new(self.procedures.clone());
        let prepared = Arc::new(Prepared::new(text, &procedures).map_err(early)?);
        prepared.check_parameters(&parameters).map_err(early)?;
        let budget = Budget::new(PATIENCE, Arc::default());
        let settings = Settings::default();
        let rows = if prepared.is_write() {
            let mut unit = Box::new(self.graph.transaction(&budget));
            let execution = Execution::writing(&prepared, parameters, &mut *unit, &settings);
            let rows = execution.and_then(pull).map_err(late)?;
            unit.commit().map_err(|error| late(from_access(error)))?;
            rows
        } else {
            let reader = GraphReader::new(&self.graph, &self.graph.catalogue(), &budget);
            Execution::reading(&prepared, parameters, &reader, &settings).and_then(pull).map_err(late)?
        };
        Ok((prepared.columns().to_vec(), rows))
    }
}

/// All rows of a query.
fn pull(mut execution: Execution<'_>) -> Result<Vec<Vec<Value>>, Error> {
    let mut rows = Vec::new();
    loop {
        let before = rows.len();
        execution.next_batch(&mut rows, BATCH)?;
        if rows.len() == before {
            break;
        }
    }
    execution.finish()?;
    Ok(rows)
}

/// A type by its name in a signature, such as `STRING?`.
fn type_of(name: &str) -> Type {
    match name.trim_end_matches('?') {
        "STRING" => Type::String,
        "INTEGER" => Type::Integer,
        "FLOAT" => Type::Float,
        "NUMBER" => Type::Number,
        "BOOLEAN" => Type::Boolean,
        _ => Type::Any,
    }
}
