//! Writing one graph: a unit of changes that becomes visible as a whole.

use std::pin::Pin;

use graph_model::{Edge, EdgeId, Vertex, VertexId};
use graph_schema::{Declaration, NewEdge, NewVertex};

use crate::{AccessError, GraphRead};

/// Looks at elements that are changed while they are locked, and may refuse that.
pub trait WriteCheck: Sync {
    /// Whether a vertex may become another one. `before`: as it is stored; none where there is none.
    ///
    /// # Errors
    /// It may not: nothing of the write is written then.
    fn vertex(&self, before: Option<&Vertex>, after: &Vertex) -> Result<(), AccessError>;

    /// The same of an edge.
    ///
    /// # Errors
    /// As [`Self::vertex`].
    fn edge(&self, before: Option<&Edge>, after: &Edge) -> Result<(), AccessError>;
}

/// A unit of writes. Reads through the unit ([`GraphRead`]) see what it has written so far; nobody else sees any of it
/// before [`Self::commit`]. A unit that is dropped has written nothing.
///
/// Committing does what the calls said as if they came at that moment, one after the other: other writers are not kept
/// out before, and what they did meanwhile can make the commit fail. A call that fails has changed nothing in the
/// unit.
pub trait GraphWrite: GraphRead {
    /// Sees to it that labels and property keys exist in an auto graph, before elements are written with them:
    /// [`GraphRead::catalogue`] has all of them afterwards. What was missing is stored at once, in a change of its own,
    /// and stays even if the unit is dropped; of several units that declare a name at one time all get the same label.
    /// Costs nothing where nothing is missing.
    ///
    /// # Errors
    /// A name that is missing in a graph with a strict schema; names that cannot be; those of storage.
    fn declare(&mut self, names: &Declaration<'_>) -> Result<(), AccessError>;

    /// Makes known what others have declared in an auto graph since the unit began. Who writes an element as a whole
    /// calls it between reading and writing: a value whose key is not known would be left out.
    ///
    /// # Errors
    /// Those of storage and of the budget.
    fn see_new_names(&mut self) -> Result<(), AccessError> {
        self.declare(&Declaration::default())
    }

    /// Adds a vertex, or replaces the one with its id, whose edges stay; answers it as it will be stored, with its id.
    ///
    /// # Errors
    /// What the schema forbids; the size of the unit; those of storage and of the budget.
    fn insert_vertex(&mut self, new: &NewVertex<'_>) -> Result<Vertex, AccessError>;

    /// Adds several vertices as [`Self::insert_vertex`] would one after the other, all or none: of those with one id
    /// the last one stays.
    ///
    /// # Errors
    /// As of [`Self::insert_vertex`].
    fn insert_vertices(&mut self, new: &[NewVertex<'_>]) -> Result<Vec<Vertex>, AccessError>;

    /// Replaces a vertex that is there, which keeps its id also where the server makes ids; its edges stay.
    ///
    /// # Errors
    /// As of [`Self::insert_vertex`].
    fn replace_vertex(&mut self, new: &NewVertex<'_>) -> Result<Vertex, AccessError>;

    /// Adds an edge, or replaces the one with its id. Both ends must exist, in the graph or in the unit.
    ///
    /// # Errors
    /// What the schema forbids; an end that does not exist; the size of the unit; those of storage and of the budget.
    fn insert_edge(&mut self, new: &NewEdge<'_>) -> Result<Edge, AccessError>;

    /// Adds several edges as [`Self::insert_edge`] would one after the other, all or none: of those with one id the
    /// last one stays.
    ///
    /// # Errors
    /// As of [`Self::insert_edge`].
    fn insert_edges(&mut self, new: &[NewEdge<'_>]) -> Result<Vec<Edge>, AccessError>;

    /// Removes a vertex and every edge that starts or ends at it.
    ///
    /// # Errors
    /// A vertex that does not exist; the size of the unit; those of storage and of the budget.
    fn delete_vertex(&mut self, id: &VertexId) -> Result<(), AccessError>;

    /// Removes an edge.
    ///
    /// # Errors
    /// An edge that does not exist; the size of the unit; those of storage and of the budget.
    fn delete_edge(&mut self, id: &EdgeId) -> Result<(), AccessError>;

    /// Writes everything as one atomic batch and waits until it is as durable as the engine is configured to make it.
    ///
    /// # Errors
    /// What a unique index forbids; an end of an edge, or an element to be removed, that is gone by now; a schema that
    /// has changed since the unit began. Nothing is written then. Those of storage: whether the batch was written may
    /// be unknown then, but not a part of it.
    fn commit(self: Box<Self>) -> Result<(), AccessError>;

    /// As [`Self::commit`], for a thread that must not wait: what it returns is awaited instead. `None` where others
    /// would have to be waited for before anything is written; nothing is, then.
    ///
    /// # Errors
    /// As [`Self::commit`].
    fn submit(self: Box<Self>) -> Result<Option<Committing>, AccessError>;
}

/// A commit under way. Dropping it does not take the commit back.
pub type Committing = Pin<Box<dyn Future<Output = Result<(), AccessError>> + Send>>;
