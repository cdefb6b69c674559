//! Changes of the list of graphs: creating, dropping, clearing, configuring.
//!
//! Each is one batch, so a graph is there as a whole or not at all. What a graph held goes later, in the background
//! (`background/dropped.rs`), so every change takes the same short time. The default graph cannot be dropped: it would
//! be there again, empty, after the next start.

use std::collections::BTreeMap;
use std::sync::Arc;

use graph_schema::{Catalogue, SchemaMode, Status};
use key_codec::key::{self, MetaKind};
use key_codec::{GraphNumber, conf_value, schema_value, setting_value, tables};
use kv::{Read, WriteBatch};

use super::Store;
use crate::hosted::{HostedGraph, reload};
use crate::lists::{NEXT_GRAPH, delete_named, graph_number, put_dropped, read_graphs};
use graph_store::ChangeRight;
use graph_store::graph_version::delete_version;
use graph_store::stored_catalogue::{put_next_ids, put_schema_mode};
use graph_store::stored_settings::{advance_setting, read_named};
use graph_store::{GraphOptions, StoreError, limits};

/// What a graph is configured with: keys and values, as given by who created it.
pub type GraphConf = BTreeMap<String, String>;

/// What clearing a graph takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clear {
    /// Elements, variables, tasks and the schema.
    Everything,
    /// Elements, variables and tasks; the schema stays.
    Data,
}

impl Store {
    /// Makes an empty graph. Names are letters, digits and `_`, beginning with a letter, at most
    /// [`limits::GRAPH_NAME_CHARS_MAX`] characters; a configuration has at most [`limits::GRAPH_CONF_BYTES_MAX`] bytes.
    pub fn create_graph(&self, name: &str, conf: &GraphConf) -> Result<Arc<HostedGraph>, StoreError> {
        check_name(name)?;
        check_conf(conf)?;
        schema_mode(conf)?;
        let _admin = self.admin.lock();
        let changing = self.begin_change()?;
        let graphs_max = self.host.options.graphs_max;
        {
            let graphs = self.graphs.read();
            if graphs.contains_key(name) {
                return Err(StoreError::GraphExists { name: name.to_owned() });
            }
            if graphs.len() >= graphs_max {
                return Err(StoreError::TooManyGraphs { limit: graphs_max });
            }
        }
        self.register_new(name, conf, changing.as_deref())
    }

    /// The right to change the list of graphs, which is then as stored. Called with `admin` held.
    pub(super) fn begin_change(&self) -> Result<Option<Box<dyn ChangeRight + '_>>, StoreError> {
        let changing = self.host.begin_change()?;
        if changing.is_some() {
            reload(&self.host, &self.graphs)?;
        }
        Ok(changing)
    }

    /// After a graph was taken away, with the right to change given back: waits until no server writes to it any more,
    /// so that who is told so can rely on it.
    pub(super) fn wait_for_others(&self) {
        if let Err(error) = self.host.wait_for_servers() {
            tracing::warn!(
                %error,
                "a graph was cleared or dropped, and another server may still take writes to what it was"
            );
        }
    }

    /// Makes the default graph if it is not there.
    pub(super) fn ensure_default_graph(&self) -> Result<(), StoreError> {
        let name = &self.host.options.default_graph;
        let _admin = self.admin.lock();
        if self.graph(name).is_ok() {
            return Ok(());
        }
        let changing = self.begin_change()?;
        if self.graph(name).is_ok() {
            return Ok(());
        }
        self.register_new(name, &GraphConf::new(), changing.as_deref()).map(drop)
    }

    fn register_new(
        &self,
        name: &str,
        conf: &GraphConf,
        changing: Option<&dyn ChangeRight>,
    ) -> Result<Arc<HostedGraph>, StoreError> {
        let mut batch = WriteBatch::new();
        let number = self.take_number()?;
        put_graph(&mut batch, name, number);
        put_conf(&mut batch, name, conf);
        let mode = schema_mode(conf)?;
        put_schema_mode(&mut batch, number, mode);
        let graph = self.fresh_graph(name, number, Catalogue::empty(mode));
        put_version(&mut batch, &graph, changing);
        self.host.check_fresh()?;
        self.engine().commit(batch)?;
        self.graphs.write().insert(name.to_owned(), Arc::clone(&graph));
        Ok(graph)
    }

    /// Drops a graph with its schema, elements, tasks, configuration and snapshot. Requests at work on it are turned
    /// away.
    pub fn drop_graph(&self, name: &str) -> Result<(), StoreError> {
        if name == self.host.options.default_graph {
            return Err(StoreError::DefaultGraph { name: name.to_owned() });
        }
        let admin = self.admin.lock();
        let changing = self.begin_change()?;
        let old = self.graph(name)?;
        let snapshot = self.snapshot_of(name)?;
        old.close();
        let mut batch = WriteBatch::new();
        if changing.is_some() {
            delete_version(&mut batch, old.number());
        }
        for kind in [MetaKind::Graph, MetaKind::GraphConf, MetaKind::Snapshot] {
            delete_named(&mut batch, kind, name);
        }
        put_dropped(&mut batch, old.number());
        if let Some(snapshot) = snapshot {
            put_dropped(&mut batch, snapshot.number);
        }
        let outcome = self.host.check_fresh().and_then(|()| Ok(self.engine().commit(batch)?));
        if outcome.is_err() && self.is_stored(name, old.number()) {
            old.reopen();
        } else {
            self.graphs.write().remove(name);
        }
        drop(changing);
        drop(admin);
        self.remover.wake();
        self.wait_for_others();
        outcome
    }

    /// Empties a graph. It goes on under a new number, so this takes the same short time whatever it held; requests at
    /// work on the old content are turned away. Its configuration, its modes and its snapshot stay.
    pub fn clear_graph(&self, name: &str, clear: Clear) -> Result<(), StoreError> {
        let admin = self.admin.lock();
        let changing = self.begin_change()?;
        let old = self.graph(name)?;
        let mut batch = WriteBatch::new();
        let number = self.take_number()?;
        put_graph(&mut batch, name, number);
        put_dropped(&mut batch, old.number());
        old.close();
        let prepared = match clear {
            Clear::Everything => Ok(Catalogue::empty(old.catalogue().mode())),
            Clear::Data => keep_schema(&mut batch, &old, number),
        };
        let catalogue = match prepared {
            Ok(catalogue) => catalogue,
            Err(error) => {
                old.reopen();
                return Err(error);
            }
        };
        put_schema_mode(&mut batch, number, catalogue.mode());
        let fresh = self.fresh_graph(name, number, catalogue);
        fresh.replace(&old);
        if changing.is_some() {
            delete_version(&mut batch, old.number());
        }
        put_version(&mut batch, &fresh, changing.as_deref());
        let outcome = self.host.check_fresh().and_then(|()| Ok(self.engine().commit(batch)?));
        if let Err(error) = outcome {
            // Where the failed write was stored all the same, the old content is lost and only clearing again helps.
            if self.is_stored(name, old.number()) {
                old.reopen();
            }
            return Err(error);
        }
        self.graphs.write().insert(name.to_owned(), fresh);
        drop(changing);
        drop(admin);
        self.remover.wake();
        self.wait_for_others();
        Ok(())
    }

    /// What a graph is configured with. Read from storage each time, so that a graph costs no memory for it.
    pub fn graph_conf(&self, name: &str) -> Result<GraphConf, StoreError> {
        let graph = self.graph(name)?;
        read_graph_conf(self.engine(), graph.name())
    }

    /// Replaces what a graph is configured with.
    pub fn set_graph_conf(&self, name: &str, conf: &GraphConf) -> Result<(), StoreError> {
        check_conf(conf)?;
        let _admin = self.admin.lock();
        let mode = self.graph(name)?.catalogue().mode();
        if schema_mode(conf)? != mode {
            let reason = format!("of graph '{name}' is {} and cannot be changed: make another graph", mode.name());
            return Err(StoreError::SchemaMode { reason });
        }
        let mut batch = WriteBatch::new();
        put_conf(&mut batch, name, conf);
        Ok(self.engine().commit(batch)?)
    }

    /// The name of the graph that cannot be dropped.
    #[must_use]
    pub fn default_graph(&self) -> &str {
        &self.host.options.default_graph
    }

    /// What all graphs have in common.
    #[must_use]
    pub fn graph_options(&self) -> &GraphOptions {
        &self.host.options.graph
    }

    /// A number for a graph, which no other has had. What comes of it may fail: numbers are many.
    pub(super) fn take_number(&self) -> Result<GraphNumber, StoreError> {
        let next = advance_setting(self.engine(), GraphNumber::STORE, NEXT_GRAPH, |before| {
            let number = graph_number([before.unwrap_or(1)])?;
            Ok(u64::from(number.0) + 1)
        })?;
        Ok(graph_number([next - 1])?)
    }

    pub(super) fn fresh_graph(&self, name: &str, number: GraphNumber, catalogue: Catalogue) -> Arc<HostedGraph> {
        Arc::new(HostedGraph::fresh(&self.host, name.to_owned(), number, catalogue))
    }

    /// Whether the stored list has the name under this number: what became of a change whose outcome is unknown.
    pub(super) fn is_stored(&self, name: &str, number: GraphNumber) -> bool {
        read_graphs(self.engine()).is_ok_and(|graphs| graphs.iter().any(|(n, at)| n == name && *at == number))
    }
}

/// Writes the schema of a graph under another number. Refused while a task builds or removes a part of it: the task
/// would be gone.
fn keep_schema(batch: &mut WriteBatch, old: &HostedGraph, number: GraphNumber) -> Result<Catalogue, StoreError> {
    let catalogue = old.catalogue();
    for element in catalogue.elements() {
        if matches!(element.status(), Status::Creating | Status::Rebuilding | Status::Deleting) {
            return Err(StoreError::SchemaInMotion { graph: old.name().to_owned(), name: element.name().to_owned() });
        }
        let (kind, at) = schema_value::meta_position(element.key());
        batch.put(
            tables::META,
            |b| key::meta_partition(b, number, kind),
            |b| key::meta_row_number(b, at),
            |v| schema_value::put_element(v, &element),
        );
    }
    put_next_ids(batch, number, catalogue.next_ids());
    Ok((*catalogue).clone())
}

/// Appends the number a name stands for.
pub(super) fn put_graph(batch: &mut WriteBatch, name: &str, number: GraphNumber) {
    batch.put(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::Graph),
        |b| key::meta_row_name(b, name),
        |v| setting_value::put_numbers(v, &[u64::from(number.0)]),
    );
}

/// Appends the version of a graph that others have to read.
pub(super) fn put_version(batch: &mut WriteBatch, graph: &HostedGraph, changing: Option<&dyn ChangeRight>) {
    if let Some(changing) = changing {
        let version = graph.version_with(changing.version());
        version.put(batch, graph.number());
        graph.set_version(version);
    }
}

pub(super) fn read_graph_conf(store: &dyn Read, name: &str) -> Result<GraphConf, StoreError> {
    let found = read_named(store, MetaKind::GraphConf, name)?;
    Ok(found.map(|bytes| conf_value::read_conf(&bytes)).transpose()?.unwrap_or_default())
}

pub(super) fn put_conf(batch: &mut WriteBatch, name: &str, conf: &GraphConf) {
    batch.put(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, MetaKind::GraphConf),
        |b| key::meta_row_name(b, name),
        |v| conf_value::put_conf(v, conf),
    );
}

pub(super) fn check_name(name: &str) -> Result<(), StoreError> {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if letters && begins && name.len() <= limits::GRAPH_NAME_CHARS_MAX {
        return Ok(());
    }
    let limit_chars = limits::GRAPH_NAME_CHARS_MAX;
    Err(StoreError::GraphName { name: name.chars().take(limit_chars + 1).collect(), limit_chars })
}

/// The mode of the schema that a configuration asks for.
fn schema_mode(conf: &GraphConf) -> Result<SchemaMode, StoreError> {
    let Some(name) = conf.get(SchemaMode::SETTING) else { return Ok(SchemaMode::Strict) };
    SchemaMode::from_name(name).ok_or_else(|| {
        let shown: String = name.chars().take(graph_schema::limits::SHOWN_CHARS_MAX).collect();
        StoreError::SchemaMode { reason: format!("must be strict or auto, but is '{shown}'") }
    })
}

fn check_conf(conf: &GraphConf) -> Result<(), StoreError> {
    let bytes = conf.iter().map(|(key, value)| key.len() + value.len()).sum();
    if bytes > limits::GRAPH_CONF_BYTES_MAX {
        return Err(StoreError::ConfTooLarge { bytes, limit_bytes: limits::GRAPH_CONF_BYTES_MAX });
    }
    Ok(())
}
