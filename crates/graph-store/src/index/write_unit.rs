//! The frame of every write to elements: check, lock, read, write one batch.

use std::sync::Arc;

use arc_swap::Guard;
use graph_model::{Edge, Vertex};
use graph_schema::{Catalogue, ElementError, ElementRules, IndexLabel};
use kv::{Commit, WriteBatch};

use super::changes::{IndexChanges, group_at};
use crate::core::graph::Graph;
use crate::core::pending::Pending;
use crate::core::stored::Stored;
use crate::limits;
use store_error::StoreError;
use stripe_locks::{Held, Locks, Mask, Wait};

/// Why a write could not be prepared.
pub enum Refusal {
    /// It needs these stripes exclusively, too.
    Locks(Mask),
    /// It failed.
    Failed(StoreError),
}

impl<E: Into<StoreError>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Whether errors name the position of an element in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Positions {
    /// The request has one element, or none.
    Hidden,
    /// The request is a list.
    Shown,
}

impl Positions {
    /// The position of an element, as errors name it.
    pub(crate) fn at(self, index: usize) -> Option<usize> {
        (self == Self::Shown).then_some(index)
    }

    /// That an element was refused.
    pub(crate) fn error(self, index: usize, error: ElementError) -> StoreError {
        StoreError::element(self.at(index), error)
    }
}

/// A write under its locks: what it was checked by, the batch it becomes, and what it changes in indexes.
///
/// Until it is submitted nothing is written; dropping it releases the locks.
pub struct WriteUnit<'g> {
    pub(crate) graph: &'g Graph,
    /// The catalogue the elements were checked by. It stays in force while the locks are held.
    pub(crate) catalogue: Guard<Arc<Catalogue>>,
    pub(crate) rules: ElementRules<'g>,
    pub(crate) positions: Positions,
    /// What is written when the unit is submitted.
    pub batch: WriteBatch,
    pub(crate) changes: IndexChanges,
    pub(super) held: Held,
}

impl<'g> WriteUnit<'g> {
    /// Prepares a write: `check` checks its elements by the current catalogue and names the stripes they need; with
    /// these locked, `build` makes the batch. Both run again if the catalogue changed before the locks were held, and
    /// if `build` finds that more must be locked. So what `check` found is still true in `build`, and nothing of an
    /// attempt that is repeated is written.
    ///
    /// # Errors
    /// Those of `check` and `build`; [`StoreError::Contended`] where a lock is taken and `wait` forbids waiting.
    pub(crate) fn prepare<C, T>(
        graph: &'g Graph,
        wait: Wait,
        positions: Positions,
        mut check: impl FnMut(&Catalogue, &ElementRules<'g>, &mut Locks) -> Result<C, StoreError>,
        mut build: impl FnMut(Self, C) -> Result<T, Refusal>,
    ) -> Result<T, StoreError> {
        let mut missing = Mask::default();
        let mut catalogue_changes = 0;
        while catalogue_changes < limits::CATALOGUE_RETRIES_MAX {
            let catalogue = graph.load_catalogue();
            let rules = graph.rules();
            let mut locks = Locks { exclusive: missing, ..Locks::default() };
            let checked = check(&catalogue, &rules, &mut locks)?;
            let held = graph.lock(locks, wait)?;
            if !Arc::ptr_eq(&catalogue, &graph.load_catalogue()) {
                catalogue_changes += 1;
                continue;
            }
            let (batch, changes) = (WriteBatch::new(), IndexChanges::default());
            match build(Self { graph, catalogue, rules, positions, batch, changes, held }, checked) {
                Ok(built) => return Ok(built),
                Err(Refusal::Failed(error)) => return Err(error),
                // Each time at least one of 64 stripes is added: with all of them held, none can be missing.
                Err(Refusal::Locks(more)) => missing = missing.union(more),
            }
        }
        Err(StoreError::SchemaBusy)
    }

    /// Prepares a write that knows its stripes beforehand and has no elements to check.
    ///
    /// # Errors
    /// As [`Self::prepare`].
    pub fn lock<T>(
        graph: &'g Graph,
        wait: Wait,
        stripes: Locks,
        mut build: impl FnMut(Self) -> Result<T, Refusal>,
    ) -> Result<T, StoreError> {
        let check = |_: &Catalogue, _: &ElementRules<'g>, locks: &mut Locks| {
            *locks = locks.union(stripes);
            Ok(())
        };
        Self::prepare(graph, wait, Positions::Hidden, check, |unit, ()| build(unit))
    }

    /// Notes what a vertex that is written next in the batch changes in indexes. `old`: the stored one, expired or not.
    /// `index` is its position in the request.
    pub fn note_vertex(&mut self, old: Option<&Vertex>, new: Option<&Vertex>, index: usize) -> Result<(), StoreError> {
        self.changes.group = self.batch.group();
        self.changes.vertex(self.graph, &self.catalogue, old, new, self.positions.at(index))
    }

    /// As [`Self::note_vertex`], for an edge.
    pub fn note_edge(&mut self, old: Option<&Edge>, new: Option<&Edge>, index: usize) -> Result<(), StoreError> {
        self.changes.group = self.batch.group();
        self.changes.edge(self.graph, &self.catalogue, old, new, self.positions.at(index))
    }

    /// Notes that a stored element, the `at`th of a batch, gets its entries in an index label that is being built.
    ///
    /// # Errors
    /// [`StoreError::TooManyTokens`], [`StoreError::TooManyIndexEntries`].
    pub fn note_built(&mut self, index: &IndexLabel, stored: &Stored, at: usize) -> Result<(), StoreError> {
        self.changes.group = group_at(at);
        self.changes.built(self.graph, &self.catalogue, index, stored)
    }

    /// The catalogue the elements were checked by. It stays in force while the locks are held.
    #[must_use]
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// Whether all of these stripes are held exclusively; else what has to be locked too.
    pub fn check_held(&self, stripes: Mask) -> Result<(), Refusal> {
        if self.held.has_exclusively(stripes) { Ok(()) } else { Err(Refusal::Locks(stripes)) }
    }

    /// Writes what is in the batch, keeps the locks, and goes on with an empty batch: for work that is too large for
    /// one.
    pub(crate) fn commit_part(&mut self) -> Result<(), StoreError> {
        self.graph.commit(std::mem::take(&mut self.batch))
    }

    /// Hands the batch to the engine, with the locks.
    pub fn submit(self) -> Commit {
        self.graph.submit(self.batch, self.held)
    }

    /// The same, with what the write answers once it is stored.
    pub(crate) fn submit_with<T>(self, answer: T) -> Pending<T> {
        Pending::new(answer, self.submit())
    }

    /// Appends what was noted of changes in indexes and submits; refuses what a unique index forbids.
    pub fn finish<T>(mut self, answer: T) -> Result<Pending<T>, Refusal> {
        self.put_index_changes()?;
        Ok(self.submit_with(answer))
    }
}
