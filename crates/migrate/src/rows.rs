//! Sums over elements as the rows they are stored as: those of a source are made into rows once more, those of a target
//! are taken as they lie there, so that nothing is decoded to be compared.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use api_client::ElementKind;
use graph_model::{Edge, LabelId, Vertex};
use graph_store::{Graph, StoreError};
use key_codec::value::{put_edge, put_vertex, read_edge_expiry, read_vertex_head};
use key_codec::{GraphNumber, key, tables};
use kv::{Entry, Key};

use crate::digest::Digest;
use crate::elements::Digests;
use crate::limits::COMPARED_BYTES;

/// Sums by the numbers of labels.
pub(crate) struct RowSums<'n> {
    names: &'n HashMap<u32, String>,
    by_number: HashMap<u32, Digest>,
    /// The label of the last row, and its sum: most rows are of the label of the one before.
    last: (u32, Digest),
    row: Vec<u8>,
}

impl<'n> RowSums<'n> {
    pub(crate) fn new(names: &'n HashMap<u32, String>) -> Self {
        Self { names, by_number: HashMap::new(), last: (0, Digest::default()), row: Vec::new() }
    }

    pub(crate) fn add_vertex(&mut self, vertex: &Vertex) {
        self.begin();
        key::vertex_partition(&mut self.row, ANY_GRAPH, &vertex.id);
        put_vertex(&mut self.row, vertex.label, vertex.expires_at_ms, &vertex.properties);
        self.end(vertex.label);
    }

    pub(crate) fn add_edge(&mut self, edge: &Edge) {
        self.begin();
        key::edge_partition(&mut self.row, ANY_GRAPH, edge.id.label, &edge.id.source);
        key::edge_row(&mut self.row, &edge.id.sort_values, &edge.id.target);
        put_edge(&mut self.row, edge.expires_at_ms, &edge.properties);
        self.end(edge.id.label);
    }

    /// Adds a row as it is stored, of which the key begins with `prefix`.
    fn add_stored(&mut self, prefix: &[u8], entry: Entry<'_>, label: LabelId) {
        self.begin();
        key::graph_prefix(&mut self.row, ANY_GRAPH);
        self.row.extend_from_slice(entry.key.as_bytes().get(prefix.len()..).unwrap_or_default());
        self.row.extend_from_slice(entry.value);
        self.end(label);
    }

    fn begin(&mut self) {
        self.row.clear();
    }

    fn end(&mut self, label: LabelId) {
        if self.last.0 != label.0 {
            self.keep_last();
            self.last.0 = label.0;
        }
        self.last.1.add(&self.row);
    }

    fn keep_last(&mut self) {
        let (label, sum) = (self.last.0, std::mem::take(&mut self.last.1));
        if sum.elements > 0 {
            self.by_number.entry(label).or_default().merge(sum);
        }
    }

    pub(crate) fn by_name(mut self) -> Digests {
        self.keep_last();
        let name = |number: u32| self.names.get(&number).cloned().unwrap_or_else(|| format!("label {number}"));
        self.by_number.iter().map(|(number, sum)| (name(*number), *sum)).collect()
    }
}

/// Stands for the number of every graph: sums do not depend on it.
const ANY_GRAPH: GraphNumber = GraphNumber(0);

/// A part of a table: where it begins, and where the next one does.
type Part = (Vec<u8>, Option<Vec<u8>>);

/// The rows of all elements of a kind in a graph, for several threads.
pub(crate) struct StoredRowsOf<'g> {
    graph: &'g Graph,
    kind: ElementKind,
    prefix: Vec<u8>,
    parts: Mutex<Vec<Part>>,
    now_ms: i64,
}

impl<'g> StoredRowsOf<'g> {
    /// # Errors
    /// That the store fails.
    pub(crate) fn new(graph: &'g Graph, kind: ElementKind) -> Result<Self, StoreError> {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, graph.number());
        let runs = graph.engine().split(table_of(kind), &prefix, COMPARED_BYTES)?;
        let ends = runs.iter().skip(1).map(|run| Some(run.start.clone())).chain([None]);
        let parts = runs.iter().map(|run| run.start.clone()).zip(ends).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now_ms = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        Ok(Self { graph, kind, prefix, parts: Mutex::new(parts), now_ms })
    }

    /// Adds rows to sums until there are none left. Of several threads that call it, one gets each row; elements whose
    /// time is over are left out.
    ///
    /// # Errors
    /// That the store fails, or holds what cannot be read.
    pub(crate) fn add_to(&self, sums: &mut RowSums<'_>) -> Result<(), StoreError> {
        let next = || self.parts.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some((start, end)) = next() {
            let after = (start != self.prefix).then(|| Key::new(&start, 0));
            let mut rows = self.graph.engine().scan_partitions(table_of(self.kind), &self.prefix, after)?;
            while let Some(entry) = rows.next()? {
                if end.as_ref().is_some_and(|end| entry.key.as_bytes() > end.as_slice()) {
                    break;
                }
                let (label, expires_at_ms) = self.head(entry)?;
                if expires_at_ms.is_none_or(|moment| moment > self.now_ms) {
                    sums.add_stored(&self.prefix, entry, label);
                }
            }
        }
        Ok(())
    }

    fn head(&self, entry: Entry<'_>) -> Result<(LabelId, Option<i64>), StoreError> {
        match self.kind {
            ElementKind::Vertex => {
                let head = read_vertex_head(entry.value)?;
                Ok((head.label, head.expires_at_ms))
            }
            ElementKind::Edge => Ok((key::read_edge_label(entry.key)?, read_edge_expiry(entry.value)?)),
        }
    }
}

fn table_of(kind: ElementKind) -> kv::TableId {
    match kind {
        ElementKind::Vertex => tables::VERTEX,
        ElementKind::Edge => tables::EDGE_OUT,
    }
}
