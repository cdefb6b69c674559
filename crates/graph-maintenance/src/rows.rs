//! All elements of a graph as they are stored, for those who compare them without reading what is in them.

use std::sync::{Mutex, PoisonError};

use graph_model::LabelId;
use graph_store::parts::is_expired;
use graph_store::{Graph, StoreError, now_ms};
use key_codec::{key, tables, value};
use kv::{Entry, Key, TableId};

use crate::limits::ROW_PART_BYTES;

/// The row of an element: of an edge the one at its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementRow<'a> {
    /// The element's label.
    pub label: LabelId,
    /// Its key behind the number of the graph.
    pub key: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
}

/// A part of a table: where it begins, and where the next one does.
type Part = (Vec<u8>, Option<Vec<u8>>);

/// The rows of all vertices or edges of a graph, in parts that threads share.
pub struct ElementRows<'g> {
    graph: &'g Graph,
    table: TableId,
    prefix: Vec<u8>,
    parts: Mutex<Vec<Part>>,
    now_ms: i64,
}

impl<'g> ElementRows<'g> {
    /// The rows of all vertices.
    ///
    /// # Errors
    /// That the store fails.
    pub fn of_vertices(graph: &'g Graph) -> Result<Self, StoreError> {
        Self::new(graph, tables::VERTEX)
    }

    /// The rows of all edges, each edge once.
    ///
    /// # Errors
    /// That the store fails.
    pub fn of_edges(graph: &'g Graph) -> Result<Self, StoreError> {
        Self::new(graph, tables::EDGE_OUT)
    }

    fn new(graph: &'g Graph, table: TableId) -> Result<Self, StoreError> {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, graph.number());
        let runs = graph.engine().split(table, &prefix, ROW_PART_BYTES)?;
        let ends = runs.iter().skip(1).map(|run| Some(run.start.clone())).chain([None]);
        let parts = runs.iter().map(|run| run.start.clone()).zip(ends).collect();
        Ok(Self { graph, table, prefix, parts: Mutex::new(parts), now_ms: now_ms() })
    }

    /// Gives rows to `take` until there are none left, those of elements whose time is over left out. Of several
    /// threads that call it, one gets each row.
    ///
    /// # Errors
    /// That the store fails, or holds what cannot be read.
    pub fn each(&self, take: &mut dyn FnMut(ElementRow<'_>)) -> Result<(), StoreError> {
        let next = || self.parts.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some((start, end)) = next() {
            let after = (start != self.prefix).then(|| Key::new(&start, 0));
            let mut rows = self.graph.engine().scan_partitions(self.table, &self.prefix, after)?;
            while let Some(entry) = rows.next()? {
                let bytes = entry.key.as_bytes();
                if end.as_ref().is_some_and(|end| bytes > end.as_slice()) {
                    break;
                }
                let (label, expires_at_ms) = self.head(entry)?;
                if !is_expired(expires_at_ms, self.now_ms) {
                    let key = bytes.get(self.prefix.len()..).unwrap_or_default();
                    take(ElementRow { label, key, value: entry.value });
                }
            }
        }
        Ok(())
    }

    fn head(&self, entry: Entry<'_>) -> Result<(LabelId, Option<i64>), StoreError> {
        if self.table == tables::VERTEX {
            let head = value::read_vertex_head(entry.value)?;
            return Ok((head.label, head.expires_at_ms));
        }
        Ok((key::read_edge_label(entry.key)?, value::read_edge_expiry(entry.value)?))
    }
}
