//! A store that this process has open, as a target.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use api_client::ElementKind;
use bulk_load::{ElementFiles, LoadOptions, OfflineOptions, load_elements};
use graph_access::Budget;
use graph_host::{GraphConf, HostedGraph};
use graph_model::{Edge, Vertex};
use graph_schema::GraphMode;
use graph_store::{Range, Scan, Shard, StoreError};
use rest_json::{DecodeError, Dialect, EncodeOptions, write_edge, write_schema, write_vertex};
use serde_json::Value;

use crate::definitions::name_of;
use crate::elements::{Digests, Forms, merge, words};
use crate::error::MigrateError;
use crate::journal::Journal;
use crate::limits::{COMMIT_ELEMENTS, SHARD_BYTES};
use crate::options::{MigrateObserver, StoreTarget};
use crate::target::Target;
use crate::users::add_to_accounts;

/// A graph of an open store.
pub(crate) struct InStore<'a> {
    target: StoreTarget<'a>,
    graph_name: String,
    graph: Option<Arc<HostedGraph>>,
    observer: &'a dyn MigrateObserver,
}

impl<'a> InStore<'a> {
    pub(crate) fn new(target: StoreTarget<'a>, graph: &str, observer: &'a dyn MigrateObserver) -> Self {
        Self { target, graph_name: graph.to_owned(), graph: None, observer }
    }

    /// Gives all elements of a kind to several threads, each of which begins with a state of its own. Returns the
    /// states.
    fn scan_all<S: Send>(
        &self,
        kind: ElementKind,
        begin: &(dyn Fn() -> S + Sync),
        vertex: &(dyn Fn(&mut S, &Vertex) + Sync),
        edge: &(dyn Fn(&mut S, &Edge) + Sync),
    ) -> Result<Vec<S>, MigrateError> {
        let reader = self.graph()?.reader();
        let failed = |error| MigrateError::store(format!("reading {}", words(kind)))(error);
        let shards = match kind {
            ElementKind::Vertex => reader.vertex_shards(SHARD_BYTES),
            ElementKind::Edge => reader.edge_shards(SHARD_BYTES),
        };
        let shards = Mutex::new(shards.map_err(failed)?);
        let next = || shards.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let work = || -> Result<S, MigrateError> {
            let (mut state, budget) = (begin(), Budget::unlimited());
            while let Some(Shard { start, end, .. }) = next() {
                let scan = Scan { start, end, range: Range::Page { token: String::new(), limit: None } };
                let listed = match kind {
                    ElementKind::Vertex => reader.scan_vertices(&scan, &budget, &mut |one| {
                        vertex(&mut state, one);
                        ControlFlow::Continue(())
                    }),
                    ElementKind::Edge => reader.scan_edges(&scan, &budget, &mut |one| {
                        edge(&mut state, one);
                        ControlFlow::Continue(())
                    }),
                };
                listed.map_err(failed)?;
            }
            Ok(state)
        };
        let mut states = Vec::new();
        on_threads(self.target.threads, work, |state| states.push(state))?;
        Ok(states)
    }

    /// The graph, after the beginning.
    pub(crate) fn graph(&self) -> Result<&Arc<HostedGraph>, MigrateError> {
        let missing = || StoreError::GraphNotFound { name: self.graph_name.clone() };
        self.graph.as_ref().ok_or_else(|| MigrateError::store("opening the graph")(missing()))
    }
}

/// Does something on several threads, and gives what each returns to `take`.
pub(crate) fn on_threads<T: Send>(
    threads: usize,
    work: impl Fn() -> Result<T, MigrateError> + Sync,
    mut take: impl FnMut(T),
) -> Result<(), MigrateError> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(&work)).collect();
        for thread in threads {
            take(thread.join().unwrap_or_else(|_| Err(MigrateError::Worker("a thread panicked".to_owned())))?);
        }
        Ok(())
    })
}

impl Target for InStore<'_> {
    fn name(&self) -> String {
        format!("the graph {} of a store", self.graph_name)
    }

    fn begin(&mut self) -> Result<(), MigrateError> {
        let store = self.target.store;
        let found = match store.graph(&self.graph_name) {
            Err(StoreError::GraphNotFound { .. }) => store.create_graph(&self.graph_name, &GraphConf::new()),
            found => found,
        };
        let graph = found.map_err(MigrateError::store(format!("opening the graph {}", self.graph_name)))?;
        if graph.is_auto() {
            return Err(MigrateError::Definition {
                what: format!("graph {}", self.graph_name),
                reason: "it has schema.mode=auto, HugeGraph's graphs have a schema: name another one with --to-graph"
                    .to_owned(),
            });
        }
        graph.set_mode(GraphMode::Restoring).map_err(MigrateError::store("setting the mode RESTORING"))?;
        self.graph = Some(graph);
        Ok(())
    }

    fn end(&mut self) -> Result<(), MigrateError> {
        match &self.graph {
            Some(graph) => graph.set_mode(GraphMode::None).map_err(MigrateError::store("setting the mode NONE")),
            None => Ok(()),
        }
    }

    fn definitions(&self, list: &str) -> Result<Vec<Value>, MigrateError> {
        let mut text = Vec::new();
        write_schema(&mut text, &self.graph()?.catalogue(), Dialect::Current);
        let wrong = |reason: String| MigrateError::Answer { place: "the schema of the store".to_owned(), reason };
        let mut schema: Value = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        match schema.get_mut(list).map(Value::take) {
            Some(Value::Array(definitions)) => Ok(definitions),
            _ => Err(wrong(format!("there is no list {list}"))),
        }
    }

    fn define(&mut self, list: &str, body: &Value) -> Result<(), MigrateError> {
        let graph = self.graph()?;
        let text = body.to_string();
        let text = text.as_bytes();
        let made: Result<Result<(), StoreError>, DecodeError> =
            match list {
                "propertykeys" => rest_json::decode_new_property_key(text)
                    .map(|new| graph.schema().create_property_key(&new).map(drop)),
                "vertexlabels" => rest_json::decode_new_vertex_label(text)
                    .map(|new| graph.schema().create_vertex_label(&new).map(drop)),
                "edgelabels" => {
                    rest_json::decode_new_edge_label(text).map(|new| graph.schema().create_edge_label(&new).map(drop))
                }
                _ => rest_json::decode_new_index_label(text).map(|new| graph.jobs().create_index_label(&new).map(drop)),
            };
        let wrong = |reason: String| MigrateError::Definition { what: format!("{list} {}", name_of(body)), reason };
        match made {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(wrong(error.to_string())),
            Err(error) => Err(wrong(error.to_string())),
        }
    }

    fn set_variable(&mut self, name: &str, value: &Value) -> Result<(), MigrateError> {
        let set = self.graph()?.variables().set(name, &value.to_string());
        set.map_err(MigrateError::store(format!("setting the variable {name}")))
    }

    fn load(
        &mut self,
        vertices: &[PathBuf],
        edges: &[PathBuf],
        work_dir: &Path,
        _journal: &mut Journal,
    ) -> Result<Vec<String>, MigrateError> {
        let rejects_dir = work_dir.join("rejects");
        let mut load = LoadOptions::new(work_dir.join("elements"));
        load.rejects_dir = Some(rejects_dir.clone());
        let options = OfflineOptions {
            load,
            graph: self.graph_name.clone(),
            data_dir: work_dir.to_owned(),
            memory_bytes: self.target.memory_bytes,
            threads: self.target.threads,
            batch: (!self.target.store.engine().capabilities().sorted_ingest).then_some(COMMIT_ELEMENTS),
            resume: true,
        };
        let files = ElementFiles { vertices: vertices.to_vec(), edges: edges.to_vec() };
        let summary = load_elements(self.target.store, &files, &options, self.observer.load())?;
        match summary.rejected() {
            0 => Ok(summary.warnings),
            rejected => Err(MigrateError::Rejected { rejected, dir: rejects_dir }),
        }
    }

    fn digests(&self, kind: ElementKind, forms: &Forms) -> Result<Digests, MigrateError> {
        let graph = self.graph()?;
        let catalogue = graph.catalogue();
        let options = EncodeOptions { zone: graph.options().zone.clone() };
        let begin = || Written { sums: Digests::new(), text: Vec::new(), failure: None };
        let parts = self.scan_all(
            kind,
            &begin,
            &|part, vertex| {
                part.text.clear();
                write_vertex(&mut part.text, vertex, &catalogue, &options);
                part.add(kind, forms);
            },
            &|part, edge| {
                part.text.clear();
                write_edge(&mut part.text, edge, &catalogue, &options);
                part.add(kind, forms);
            },
        )?;
        let mut all = Digests::new();
        for part in parts {
            part.failure.map_or(Ok(()), Err)?;
            merge(&mut all, &part.sums);
        }
        Ok(all)
    }

    fn add_user_record(&mut self, list: &str, body: &Value) -> Result<bool, MigrateError> {
        match self.target.accounts {
            Some(accounts) => add_to_accounts(accounts, list, body),
            None => Ok(false),
        }
    }
}

/// What a thread has seen of the elements as a server writes them.
struct Written {
    sums: Digests,
    text: Vec<u8>,
    failure: Option<MigrateError>,
}

impl Written {
    fn add(&mut self, kind: ElementKind, forms: &Forms) {
        if self.failure.is_none() {
            self.failure = forms.add(kind, &self.text, &mut self.sums).err();
        }
    }
}
