//! What is known of how elements are stored: reading and writing a graph with Cypher's values.

mod columns;
mod known;
mod labels;
mod read;
mod units;
mod write;

use std::cell::{Cell, Ref, RefCell};
use std::sync::Arc;

use cypher_value::{Detail, ElementId, Error, ErrorKind, Text};
use graph_access::{AccessError, GraphRead, GraphWrite};
use graph_model::{Edge, LabelId, Vertex, VertexId};
use graph_schema::Catalogue;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Result;
use crate::counters::Counters;
use crate::error::Accessed;
use crate::limits::{CACHED_MAX, ROWS_PER_CHECK};

use known::Columns;
pub use known::Wanted;
pub use labels::JOINT;
pub use read::{become_node, node, numbered_node, vertex_id};
pub use units::BeginUnit;
pub use write::{NodeContent, RelationshipContent};

/// The graph a query runs on.
pub enum Access<'g> {
    /// For reading only.
    Read(&'g dyn GraphRead),
    /// Within a unit of writes.
    Write(&'g mut dyn GraphWrite),
    /// In units of writes one after the other, and how the next one begins.
    Units(Box<dyn GraphWrite + 'g>, BeginUnit<'g>),
}

/// A graph as a query works on it.
pub struct Store<'g> {
    access: RefCell<Access<'g>>,
    catalogue: RefCell<Arc<Catalogue>>,
    is_auto: bool,
    vertices: RefCell<FxHashMap<VertexId, Option<Arc<Vertex>>>>,
    edges: RefCell<FxHashMap<ElementId, Option<Arc<Edge>>>>,
    labels: RefCell<FxHashMap<LabelId, Arc<[Text]>>>,
    columns: Columns,
    deleted: RefCell<Deleted>,
    /// What was changed so far.
    pub counters: RefCell<Counters>,
    /// Notes for the client.
    pub notes: RefCell<Vec<String>>,
    rows: Cell<u64>,
    reads: Cell<u64>,
    held: Cell<u64>,
    memory_max: u64,
}

/// What the query has removed.
#[derive(Default)]
struct Deleted {
    nodes: FxHashSet<VertexId>,
    relationships: FxHashSet<ElementId>,
    /// Nodes that had relationships when they were removed: at the end they must have none.
    pending: Vec<VertexId>,
}

impl<'g> Store<'g> {
    /// A graph as one query works on it, which may hold so many bytes.
    #[must_use]
    pub fn new(access: Access<'g>, memory_max: u64) -> Self {
        let catalogue = match &access {
            Access::Read(graph) => Arc::clone(graph.catalogue()),
            Access::Write(graph) => Arc::clone(graph.catalogue()),
            Access::Units(graph, _) => Arc::clone(graph.catalogue()),
        };
        Self {
            access: RefCell::new(access),
            is_auto: catalogue.is_auto(),
            catalogue: RefCell::new(catalogue),
            vertices: RefCell::default(),
            edges: RefCell::default(),
            labels: RefCell::default(),
            columns: Columns::default(),
            deleted: RefCell::default(),
            counters: RefCell::default(),
            notes: RefCell::default(),
            rows: Cell::new(0),
            reads: Cell::new(0),
            held: Cell::new(0),
            memory_max,
        }
    }

    /// The schema as the query sees it, its own changes included.
    pub fn catalogue(&self) -> Ref<'_, Arc<Catalogue>> {
        self.catalogue.borrow()
    }

    /// Whether the graph takes any label and property.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.is_auto
    }

    /// The graph where it cannot change under a cursor.
    #[must_use]
    pub fn reader(&self) -> Option<&'g dyn GraphRead> {
        match &*self.access.borrow() {
            Access::Read(graph) => Some(*graph),
            Access::Write(_) | Access::Units(..) => None,
        }
    }

    /// Reads the graph, which is counted.
    ///
    /// # Errors
    /// The failure of the graph as one of the query.
    pub fn with_read<T>(&self, read: impl FnOnce(&dyn GraphRead) -> std::result::Result<T, AccessError>) -> Result<T> {
        self.count_read();
        match &*self.access.borrow() {
            Access::Read(graph) => read(*graph),
            Access::Write(graph) => read(&**graph),
            Access::Units(graph, _) => read(&**graph),
        }
        .accessed()
    }

    fn with_write<T>(
        &self,
        write: impl FnOnce(&mut dyn GraphWrite) -> std::result::Result<T, AccessError>,
    ) -> Result<T> {
        let mut access = self.access.borrow_mut();
        let graph: &mut dyn GraphWrite = match &mut *access {
            Access::Write(graph) => &mut **graph,
            Access::Units(graph, _) => &mut **graph,
            Access::Read(_) => {
                let message = "the query may only read, but it writes";
                return Err(Error::new(ErrorKind::AccessMode, Detail::None, message));
            }
        };
        let written = write(graph).accessed()?;
        *self.catalogue.borrow_mut() = Arc::clone(graph.catalogue());
        Ok(written)
    }

    fn count_read(&self) {
        self.reads.set(self.reads.get() + 1);
    }

    /// How often the graph was read.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.reads.get()
    }

    /// Counts work, and looks at the budget now and then.
    ///
    /// # Errors
    /// The time is up, or nobody wants the result any more.
    pub fn tick(&self, rows: usize) -> Result<()> {
        let rows = self.rows.get() + u64::try_from(rows).unwrap_or(u64::MAX);
        if rows < ROWS_PER_CHECK {
            self.rows.set(rows);
            return Ok(());
        }
        self.rows.set(0);
        self.with_read(|graph| graph.check())
    }

    /// Counts bytes that are held until [`Self::release`].
    ///
    /// # Errors
    /// More are held than the query may.
    pub fn hold(&self, bytes: u64) -> Result<()> {
        let held = self.held.get().saturating_add(bytes);
        self.held.set(held);
        if held <= self.memory_max {
            return Ok(());
        }
        let message = format!("the query holds more than {} bytes (gremlin.memory_max)", self.memory_max);
        Err(Error::new(ErrorKind::OutOfMemory, Detail::None, message))
    }

    /// Bytes that may still be held.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.memory_max.saturating_sub(self.held.get())
    }

    /// Counts bytes as no longer held.
    pub fn release(&self, bytes: u64) {
        self.held.set(self.held.get().saturating_sub(bytes));
    }

    /// Forgets the oldest of what was read where it becomes much.
    fn make_room(&self, more: usize) {
        let mut vertices = self.vertices.borrow_mut();
        if vertices.len() + more > CACHED_MAX {
            vertices.clear();
        }
        let mut edges = self.edges.borrow_mut();
        if edges.len() + more > CACHED_MAX {
            edges.clear();
        }
    }
}
