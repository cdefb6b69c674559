//! Adjacency reads of many vertices at once: what traversals are made of.
//!
//! A batch scans the partitions (a label's edges at a vertex in a direction) in one call of the engine, which over a
//! network asks for both directions at once. It stops when it is full, and the next one resumes there. Over a network,
//! where an engine asks for many partitions at once and a stop throws away those under way, a scan goes on for more
//! rows than one batch takes. Keys are decoded, values only as far as their expiry unless properties are asked for.
//! Each scan sees committed data of its own moment.

use std::collections::VecDeque;
use std::ops::Range;

use adjacency::Wanted;
use graph_access::{EdgeRead, EdgeRow, SortRange};
use graph_model::{LabelId, Properties, VertexId};
use key_codec::{key, tables, value};
use kv::{Entry, GoOn, Partitions, RowRange, TableId, successor};

use crate::bounds::Bounds;
use crate::lists::Lists;
use crate::{
    PARTITIONS_MAX, RANGES_OWNERS_MAX, ROWS_AHEAD_FACTOR, ROWS_AHEAD_MAX, ROWS_PER_CHECK, Rows, RowsError, now_ms,
};

/// The edges of some vertices, read batch by batch.
pub struct EdgeCursor<'a> {
    rows: Rows<'a>,
    owners: &'a [&'a VertexId],
    read: EdgeRead<'a>,
    /// Edges given for each owner.
    taken: Vec<u64>,
    /// What is read now; `None` before the first run and after the last one.
    listed: Option<Listed>,
    /// The owners whose partitions are listed at a time: as many as [`PARTITIONS_MAX`] allows.
    run: Range<usize>,
    /// Of these labels only such rows are wanted.
    bounds: Vec<Bounds>,
    /// Edges that were read before they are wanted; `None` where nothing is read ahead.
    ahead: Option<VecDeque<EdgeRow>>,
}

/// The partitions of a run of owners that are still to be read.
struct Listed {
    partitions: Lists,
    /// Where each partition belongs, those already read included.
    places: Vec<Place>,
    /// Partitions already read and removed from `partitions`.
    done: usize,
    /// The first partition is read as far as before this row.
    resume: Option<Vec<u8>>,
}

/// Whose edges a partition has.
#[derive(Clone, Copy)]
struct Place {
    owner: usize,
    label: LabelId,
    /// Whether they are read at their source.
    outgoing: bool,
}

impl Place {
    fn table(self) -> TableId {
        if self.outgoing { tables::EDGE_OUT } else { tables::EDGE_IN }
    }
}

impl<'a> EdgeCursor<'a> {
    /// The edges of some vertices.
    #[must_use]
    pub fn new(rows: Rows<'a>, owners: &'a [&'a VertexId], read: EdgeRead<'a>) -> Self {
        let taken = vec![0; owners.len()];
        Self { rows, owners, read, taken, listed: None, run: 0..0, bounds: Vec::new(), ahead: None }
    }

    /// Read ahead if `is_remote`. What is read ahead is older by so much when it is given.
    #[must_use]
    pub fn ahead(mut self, is_remote: bool) -> Self {
        self.ahead = is_remote.then(VecDeque::new);
        self
    }

    /// With these ranges of labels; edges outside may be left out.
    #[must_use]
    pub fn within(mut self, ranges: &[SortRange]) -> Self {
        // All edges of a label are read where there is no range for it.
        self.bounds = ranges.iter().filter_map(|range| Bounds::of(range).ok()).collect();
        self
    }

    fn bounds_of(&self, label: LabelId) -> Option<&Bounds> {
        self.bounds.iter().find(|bounds| bounds.label == label)
    }

    /// Whether each partition is read by a scan of its range.
    fn reads_ranges(&self) -> bool {
        !self.bounds.is_empty() && self.owners.len() <= RANGES_OWNERS_MAX
    }

    fn labels(&self) -> &'a [LabelId] {
        self.read.labels.unwrap_or(self.rows.labels)
    }

    fn is_full(&self, owner: usize) -> bool {
        let taken = self.taken.get(owner).copied().unwrap_or_default();
        self.read.limit.is_some_and(|limit| taken >= limit)
    }

    /// Goes on with the next owners; whether there are any.
    fn begin_run(&mut self) -> bool {
        let owners = (PARTITIONS_MAX / self.labels().len().max(1)).max(1);
        self.run = self.run.end..self.owners.len().min(self.run.end.saturating_add(owners));
        !self.run.is_empty()
    }

    /// The partitions of the owners of the run.
    fn list(&self) -> Listed {
        let EdgeRead { direction, labels, limit, .. } = self.read;
        let directions = Wanted { direction, labels, limit }.directions();
        let labels = self.labels();
        let mut partitions = Lists::default();
        let mut places = Vec::with_capacity(self.run.len() * labels.len() * directions.len());
        for outgoing in directions {
            for (owner, id) in self.owners.iter().enumerate().take(self.run.end).skip(self.run.start) {
                for label in labels {
                    partitions.push(*outgoing, |bytes| key::edge_partition(bytes, self.rows.graph, *label, id));
                    places.push(Place { owner, label: *label, outgoing: *outgoing });
                }
            }
        }
        Listed { partitions, places, done: 0, resume: None }
    }

    /// Appends the next edges to a batch, until it has `rows_max`.
    ///
    /// # Errors
    /// Those of storage and of the budget.
    pub fn fill(&mut self, batch: &mut Vec<EdgeRow>, rows_max: usize) -> Result<(), RowsError> {
        let Some(mut ahead) = self.ahead.take() else { return self.read_batch(batch, rows_max) };
        if ahead.is_empty() {
            let rows = rows_max.saturating_mul(ROWS_AHEAD_FACTOR).min(ROWS_AHEAD_MAX).max(rows_max);
            let mut edges = Vec::from(ahead);
            self.read_batch(&mut edges, rows)?;
            ahead = edges.into();
        }
        let wanted = rows_max.saturating_sub(batch.len()).min(ahead.len());
        batch.extend(ahead.drain(..wanted));
        self.ahead = Some(ahead);
        Ok(())
    }

    fn read_batch(&mut self, batch: &mut Vec<EdgeRow>, rows_max: usize) -> Result<(), RowsError> {
        self.rows.budget.check()?;
        while batch.len() < rows_max {
            let mut listed = match self.listed.take() {
                Some(listed) => listed,
                None if self.begin_run() => self.list(),
                None => break,
            };
            if self.reads_ranges() {
                listed.begin_range(self);
            }
            listed.resume_partition(self, batch, rows_max)?;
            if batch.len() < rows_max && !self.reads_ranges() {
                listed.read_partitions(self, batch, rows_max)?;
            }
            self.listed = (listed.done < listed.places.len()).then_some(listed);
        }
        Ok(())
    }
}

impl Listed {
    /// Notes that the next partitions are read.
    fn end(&mut self, count: usize) {
        self.done = self.places.len().min(self.done.saturating_add(count));
        self.partitions.remove_first(count);
    }

    /// Begins the first partition at its range, unless it has been begun.
    fn begin_range(&mut self, cursor: &EdgeCursor<'_>) {
        if self.resume.is_none()
            && let Some(Place { label, .. }) = self.places.get(self.done)
        {
            self.resume = Some(cursor.bounds_of(*label).map_or_else(Vec::new, |bounds| bounds.start.clone()));
        }
    }

    /// Reads the rest of the partition in which the batch before became full.
    fn resume_partition(
        &mut self,
        cursor: &mut EdgeCursor<'_>,
        batch: &mut Vec<EdgeRow>,
        rows_max: usize,
    ) -> Result<(), RowsError> {
        self.skip_full_owners(cursor);
        let (Some(start), Some(place)) = (self.resume.take(), self.places.get(self.done).copied()) else {
            return Ok(());
        };
        let Some(partition) = self.partitions.first() else { return Ok(()) };
        let mut scan = Scan { now_ms: now_ms(), rows: 0 };
        let end = cursor.bounds_of(place.label).and_then(|bounds| bounds.end.clone());
        let range = RowRange { partition: partition.as_bytes(), start: &start, end: end.as_deref() };
        let mut rows = cursor.rows.read.scan(place.table(), range)?;
        while !cursor.is_full(place.owner)
            && let Some(entry) = rows.next()?
        {
            if scan.take(cursor, place, entry, batch)? && batch.len() >= rows_max {
                self.resume = Some(successor(entry.key.row()));
                return Ok(());
            }
        }
        drop(rows);
        self.end(1);
        self.skip_full_owners(cursor);
        Ok(())
    }

    /// Leaves out the next partitions as far as they are of owners that have all their edges.
    fn skip_full_owners(&mut self, cursor: &EdgeCursor<'_>) {
        let next = self.places.iter().skip(self.done);
        let full = next.take_while(|place| cursor.is_full(place.owner)).count();
        if full > 0 {
            self.resume = None;
            self.end(full);
        }
    }

    /// Reads partitions from their first row until the batch is full.
    fn read_partitions(
        &mut self,
        cursor: &mut EdgeCursor<'_>,
        batch: &mut Vec<EdgeRow>,
        rows_max: usize,
    ) -> Result<(), RowsError> {
        let labels = cursor.labels().len();
        let mut scan = Scan { now_ms: now_ms(), rows: 0 };
        let mut failed = Ok(());
        let mut stopped = None;
        let read = cursor.rows.read;
        read.scan_each(Partitions::of(&self.partitions.of_tables()), &mut |at, entry| {
            let at = at + self.done;
            let Some(place) = self.places.get(at).copied() else { return GoOn::AtPartition(usize::MAX) };
            // The partitions of an owner in one direction end at a multiple of their number.
            let behind_owner = GoOn::AtPartition((at / labels + 1) * labels - self.done);
            if cursor.is_full(place.owner) {
                return behind_owner;
            }
            if let Some(Bounds { start, end, .. }) = cursor.bounds_of(place.label) {
                let row = entry.key.row();
                if end.as_ref().is_some_and(|end| row >= end.as_slice()) {
                    return GoOn::AtPartition(at + 1 - self.done);
                }
                if row < start.as_slice() {
                    return scan.count(cursor).map_or_else(
                        |error| {
                            failed = Err(error);
                            GoOn::AtPartition(usize::MAX)
                        },
                        |()| GoOn::Next,
                    );
                }
            }
            match scan.take(cursor, place, entry, batch) {
                Ok(_) if batch.len() >= rows_max => {
                    stopped = Some((at, successor(entry.key.row())));
                    GoOn::AtPartition(usize::MAX)
                }
                Ok(true) if cursor.is_full(place.owner) => behind_owner,
                Ok(_) => GoOn::Next,
                Err(error) => {
                    failed = Err(error);
                    GoOn::AtPartition(usize::MAX)
                }
            }
        })?;
        failed?;
        let Some((at, row)) = stopped else {
            self.end(usize::MAX);
            return Ok(());
        };
        self.end(at - self.done);
        self.resume = Some(row);
        self.skip_full_owners(cursor);
        Ok(())
    }
}

/// What rows of one table are decoded with.
struct Scan {
    now_ms: i64,
    rows: u32,
}

impl Scan {
    /// Counts a row, and looks at the budget now and then.
    fn count(&mut self, cursor: &EdgeCursor<'_>) -> Result<(), RowsError> {
        self.rows = self.rows.wrapping_add(1);
        if self.rows.is_multiple_of(ROWS_PER_CHECK) {
            cursor.rows.budget.check()?;
        }
        Ok(())
    }

    /// Appends the edge of a row to the batch, unless it has expired; whether it was appended.
    fn take(
        &mut self,
        cursor: &mut EdgeCursor<'_>,
        Place { owner, label, outgoing }: Place,
        entry: Entry<'_>,
        batch: &mut Vec<EdgeRow>,
    ) -> Result<bool, RowsError> {
        self.count(cursor)?;
        let (expires_at_ms, properties) = if cursor.read.properties {
            value::read_edge(entry.value)?
        } else {
            (value::read_edge_expiry(entry.value)?, Properties::new())
        };
        if expires_at_ms.is_some_and(|moment| moment <= self.now_ms) {
            return Ok(false);
        }
        let (sort_values, other) = key::read_edge_row(entry.key.row())?;
        if let Some(taken) = cursor.taken.get_mut(owner) {
            *taken += 1;
        }
        batch.push(EdgeRow { owner, other, label, outgoing, sort_values, properties, expires_at_ms });
        Ok(true)
    }
}
